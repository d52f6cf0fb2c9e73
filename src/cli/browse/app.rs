//! The state of the screen, and how keys and answers change it. Nothing here reads a terminal or a store.

use std::collections::BTreeSet;

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::super::in_process::Answer;
use super::rows::{Row, RowTarget, add_sections, document, generation, hit};
use super::task::{ListKind, Task};
use crate::text::visible;

/// Rows or lines that a turn of the wheel or a page key moves.
const WHEEL: usize = 3;
const PAGE: usize = 10;

/// What F1 shows.
const KEYS: &str = "\
Type to search; the list follows.
Tab  hits, documents, history
Up, Down  select
Enter, Right  read a section, unfold a document, compare a generation
Left  fold a document
PgUp, PgDn  scroll the text
Ctrl-E  edit the chunk in your editor
Ctrl-X  delete the chunk, after a question
Ctrl-Z  undo the last change of the store, after a question
Ctrl-O  open the file
Ctrl-U  empty the query
Esc, Ctrl-C  leave";

/// Where things were drawn, so that the mouse can hit them.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Places {
    pub(super) list: Rect,
    pub(super) text: Rect,
    /// The first row that is shown, and the lines of each.
    pub(super) first: usize,
    pub(super) row_height: usize,
}

#[derive(Debug, Default)]
pub(super) struct App {
    pub(super) query: String,
    pub(super) list_kind: ListKind,
    pub(super) rows: Vec<Row>,
    pub(super) selected: usize,
    pub(super) text: String,
    /// Rows of the text above the screen.
    pub(super) scrolled: usize,
    /// The line below the list: what was found, done or failed.
    pub(super) status: String,
    /// What was done, until the list that it changed is read again.
    done: String,
    pub(super) places: Places,
    /// A question that the next key answers, and what is done after a yes.
    question: Option<(&'static str, Task)>,
    /// Documents whose sections are shown.
    unfolded: BTreeSet<String>,
    /// Whether the query has changed since the last search.
    pub(super) has_typed: bool,
}

impl App {
    pub(super) fn new(query: String) -> Self {
        App { query, ..App::default() }
    }

    pub(super) fn begin(&mut self) -> Option<Task> {
        if self.query.is_empty() {
            self.list_kind = ListKind::Documents;
        }
        self.list_again()
    }

    pub(super) fn asks(&self) -> Option<&'static str> {
        self.question.as_ref().map(|(text, _)| *text)
    }

    fn row(&self) -> Option<&Row> {
        self.rows.get(self.selected)
    }

    /// What to do when no key has come for a while.
    pub(super) fn pause(&mut self) -> Option<Task> {
        if std::mem::take(&mut self.has_typed) { self.list_again() } else { None }
    }

    /// Reads the list again after a change.
    pub(super) fn list_again(&mut self) -> Option<Task> {
        match self.list_kind {
            ListKind::Hits if self.query.trim().is_empty() => {
                self.list(Vec::new());
                self.status = match std::mem::take(&mut self.done) {
                    nothing if nothing.is_empty() => "type a question or words".to_owned(),
                    done => done,
                };
                None
            }
            ListKind::Hits => Some(Task::Search(self.query.clone())),
            ListKind::Documents => Some(Task::Documents),
            ListKind::History => Some(Task::History),
        }
    }

    fn list(&mut self, rows: Vec<Row>) {
        self.rows = rows;
        self.selected = self.selected.min(self.rows.len().saturating_sub(1));
        self.show_row();
    }

    fn show_row(&mut self) {
        self.scrolled = 0;
        self.text = self.row().and_then(|row| row.text.clone()).unwrap_or_default();
    }

    fn select(&mut self, row: usize) {
        self.selected = row.min(self.rows.len().saturating_sub(1));
        self.show_row();
    }

    /// Takes a key, a move of the mouse, or a new size.
    pub(super) fn take(&mut self, event: &Event) -> Option<Task> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => return self.key(*key),
            Event::Mouse(mouse) => {
                let at = Position { x: mouse.column, y: mouse.row };
                let (in_list, in_text) = (self.places.list.contains(at), self.places.text.contains(at));
                match mouse.kind {
                    MouseEventKind::ScrollUp if in_list => self.select(self.selected.saturating_sub(1)),
                    MouseEventKind::ScrollDown if in_list => self.select(self.selected + 1),
                    MouseEventKind::ScrollUp if in_text => self.scrolled = self.scrolled.saturating_sub(WHEEL),
                    MouseEventKind::ScrollDown if in_text => self.scroll(WHEEL),
                    MouseEventKind::Down(MouseButton::Left) if in_list => {
                        let line = usize::from(at.y - self.places.list.y);
                        let row = self.places.first + line / self.places.row_height.max(1);
                        if row == self.selected {
                            return self.enter();
                        }
                        if row < self.rows.len() {
                            self.select(row);
                        }
                    }
                    _ => {}
                }
            }
            Event::Paste(text) => self.typed(|query| query.push_str(&visible(text))),
            _ => {}
        }
        None
    }

    /// Down to the last row; a paragraph is one line and takes many.
    fn scroll(&mut self, rows: usize) {
        let width = usize::from(self.places.text.width).max(1);
        let all: usize = self.text.lines().map(|line| textwrap::wrap(line, width).len()).sum();
        self.scrolled = (self.scrolled + rows).min(all.saturating_sub(1));
    }

    fn key(&mut self, key: KeyEvent) -> Option<Task> {
        if let Some((_, then)) = self.question.take() {
            if key.code == KeyCode::Char('y') {
                return Some(then);
            }
            self.status = "nothing was changed".to_owned();
            return None;
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return self.control(key.code);
        }
        match key.code {
            KeyCode::Esc => return Some(Task::Leave),
            KeyCode::Enter | KeyCode::Right => return self.enter(),
            KeyCode::Left => return self.fold(),
            KeyCode::Tab => {
                self.list_kind = self.list_kind.next();
                self.selected = 0;
                return self.list_again();
            }
            KeyCode::Up => self.select(self.selected.saturating_sub(1)),
            KeyCode::Down => self.select(self.selected + 1),
            KeyCode::PageUp => self.scrolled = self.scrolled.saturating_sub(PAGE),
            KeyCode::PageDown => self.scroll(PAGE),
            KeyCode::F(1) => {
                self.text = KEYS.to_owned();
                self.scrolled = 0;
            }
            KeyCode::Backspace => self.typed(|query| {
                query.pop();
            }),
            KeyCode::Char(letter) => self.typed(|query| query.push(letter)),
            _ => {}
        }
        None
    }

    fn control(&mut self, code: KeyCode) -> Option<Task> {
        let row = self.row().map(|row| row.target.clone());
        match (code, row) {
            (KeyCode::Char('c' | 'q'), _) => return Some(Task::Leave),
            (KeyCode::Char('u'), _) => self.typed(String::clear),
            (KeyCode::Char('e'), Some(RowTarget::Hit { chunk, .. })) => return Some(Task::Edit(chunk)),
            (KeyCode::Char('x'), Some(RowTarget::Hit { chunk, .. })) => {
                let text = "delete this chunk? y deletes it, any other key cancels";
                self.question = Some((text, Task::Delete(chunk)));
            }
            (KeyCode::Char('z'), _) => {
                let text = "undo the last change of the store? y undoes it, any other key cancels";
                self.question = Some((text, Task::Undo));
            }
            (
                KeyCode::Char('o'),
                Some(RowTarget::Hit { chunk: id, .. } | RowTarget::Document(id) | RowTarget::Section(id)),
            ) => return Some(Task::Open(id)),
            (KeyCode::Char('e' | 'x'), _) => self.status = "select a hit first".to_owned(),
            _ => {}
        }
        None
    }

    /// Changes the query, and goes to the hits.
    fn typed(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.query);
        self.list_kind = ListKind::Hits;
        self.selected = 0;
        self.has_typed = true;
    }

    fn enter(&mut self) -> Option<Task> {
        match self.row()?.target.clone() {
            RowTarget::Hit { section, .. } | RowTarget::Section(section) => Some(Task::Section(section)),
            RowTarget::Generation(to) => {
                // The numbers of kept generations have gaps.
                let before = self.rows.get(self.selected + 1).map(|row| row.target.clone());
                let Some(RowTarget::Generation(from)) = before else {
                    self.status = "no older generation is kept to compare it with".to_owned();
                    return None;
                };
                Some(Task::Changes { from, to })
            }
            RowTarget::Document(document) if self.unfolded.contains(&document) => self.fold(),
            RowTarget::Document(document) => Some(Task::Contents(document)),
        }
    }

    /// Hides the sections of the selected document.
    fn fold(&mut self) -> Option<Task> {
        let mut above = self.rows.iter().take(self.selected + 1);
        let owner = above.rposition(|row| matches!(row.target, RowTarget::Document(_)))?;
        let RowTarget::Document(document) = &self.rows[owner].target else { return None };
        if self.unfolded.remove(document) {
            let sections = self.rows[owner + 1..].iter().take_while(|row| row.depth > 0).count();
            self.rows.drain(owner + 1..=owner + sections);
            self.select(owner);
        }
        None
    }

    /// Takes the answer of a command, and returns the task that follows.
    pub(super) fn answered(&mut self, task: &Task, answer: Answer) -> Option<Task> {
        let done = std::mem::take(&mut self.done);
        let parts = std::iter::once(&done).chain(&answer.messages).filter(|part| !part.is_empty());
        self.status = parts.map(String::as_str).collect::<Vec<_>>().join(" · ");
        if answer.failed() {
            return None;
        }
        let value = answer.value.unwrap_or_default();
        let items = |name: &str| value[name].as_array().cloned().unwrap_or_default();
        match task {
            Task::Search(_) => self.list(items("hits").iter().map(hit).collect()),
            Task::Documents => {
                self.unfolded.clear();
                self.list(items("items").iter().map(document).collect());
            }
            Task::History => self.list(items("items").iter().map(generation).collect()),
            Task::Contents(document) => {
                let at = self.rows.iter().position(|row| row.target == RowTarget::Document(document.clone()));
                let mut sections = Vec::new();
                items("entries").iter().for_each(|entry| add_sections(entry, 1, &mut sections));
                if let Some(at) = at.filter(|_| self.unfolded.insert(document.clone())) {
                    self.rows.splice(at + 1..at + 1, sections);
                }
            }
            Task::Section(_) | Task::Changes { .. } => {
                self.text = visible(&answer.text).into_owned();
                self.scrolled = 0;
            }
            Task::Delete(chunk) => {
                let is_it = |row: &&Row| matches!(&row.target, RowTarget::Hit { chunk: one, .. } if one == chunk);
                let title = self.rows.iter().find(is_it).map(|row| format!(" ({})", row.title)).unwrap_or_default();
                self.done = format!("deleted {chunk}{title}; Ctrl-Z undoes this");
                return self.list_again();
            }
            Task::Undo => {
                self.done = "the last change was undone".to_owned();
                return self.list_again();
            }
            Task::Open(_) | Task::Edit(_) | Task::Leave => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::MouseEvent;
    use serde_json::{Value, json};

    use super::*;

    fn press(app: &mut App, code: KeyCode) -> Option<Task> {
        app.take(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
    }

    fn control(app: &mut App, letter: char) -> Option<Task> {
        app.take(&Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)))
    }

    fn answer(value: Value) -> Answer {
        Answer { value: Some(value), ..Answer::default() }
    }

    /// Two hits for "pump".
    fn found() -> App {
        let mut app = App::new(String::new());
        "pump".chars().for_each(|letter| assert_eq!(press(&mut app, KeyCode::Char(letter)), None));
        assert_eq!(app.pause(), Some(Task::Search("pump".to_owned())));
        assert_eq!(app.pause(), None, "once");
        let hit = |id: &str| json!({ "chunk_id": id, "section": { "id": "a#2", "titles": ["Pumps"] }, "content": id });
        app.answered(&Task::Search("pump".to_owned()), answer(json!({ "hits": [hit("a:1"), hit("a:2")] })));
        app
    }

    #[test]
    fn a_search_begins_when_typing_stops_and_its_hits_are_read() {
        let mut app = found();
        assert_eq!((app.rows.len(), app.text.as_str()), (2, "a:1"));
        press(&mut app, KeyCode::Down);
        press(&mut app, KeyCode::Down);
        assert_eq!((app.selected, app.text.as_str()), (1, "a:2"));
        assert_eq!(press(&mut app, KeyCode::Enter), Some(Task::Section("a#2".to_owned())));
        app.answered(
            &Task::Section("a#2".to_owned()),
            Answer { text: "whole\u{1b}[2J section".into(), ..Answer::default() },
        );
        assert!(app.text.contains("whole") && !app.text.contains('\u{1b}'));
    }

    #[test]
    fn a_chunk_is_deleted_only_after_yes() {
        let mut app = found();
        assert_eq!(control(&mut app, 'x'), None);
        assert!(app.asks().is_some());
        assert_eq!(press(&mut app, KeyCode::Char('n')), None);
        assert_eq!(app.query, "pump", "the answer is not typed");
        control(&mut app, 'x');
        assert_eq!(press(&mut app, KeyCode::Char('y')), Some(Task::Delete("a:1".to_owned())));
        assert_eq!(app.answered(&Task::Delete("a:1".into()), Answer::default()), Some(Task::Search("pump".to_owned())));
        assert_eq!(control(&mut app, 'e'), Some(Task::Edit("a:1".to_owned())));
        app.answered(&Task::Search("pump".into()), answer(json!({ "hits": [] })));
        assert_eq!(app.status, "deleted a:1 (Pumps); Ctrl-Z undoes this", "after the list was read again too");
    }

    #[test]
    fn f1_shows_all_keys() {
        let mut app = found();
        press(&mut app, KeyCode::F(1));
        assert!(app.text.contains("Ctrl-O") && app.query == "pump", "{}", app.text);
    }

    #[test]
    fn a_document_unfolds_into_its_sections_and_folds_again() {
        let mut app = App::new(String::new());
        assert_eq!(app.begin(), Some(Task::Documents));
        let document = |id: &str| json!({ "doc_id": id, "title": id, "source": "x" });
        app.answered(&Task::Documents, answer(json!({ "items": [document("a"), document("b")] })));
        assert_eq!(press(&mut app, KeyCode::Enter), Some(Task::Contents("a".to_owned())));
        let inner = json!({ "section_id": "a#1.1", "title": "Inner", "children": [] });
        let contents = json!({ "entries": [{ "section_id": "a#1", "title": "Outer", "children": [inner] }] });
        app.answered(&Task::Contents("a".into()), answer(contents));
        let depths: Vec<usize> = app.rows.iter().map(|row| row.depth).collect();
        assert_eq!(depths, [0, 1, 2, 0]);
        press(&mut app, KeyCode::Down);
        press(&mut app, KeyCode::Down);
        assert_eq!(press(&mut app, KeyCode::Enter), Some(Task::Section("a#1.1".to_owned())));
        press(&mut app, KeyCode::Left);
        assert_eq!((app.rows.len(), app.selected), (2, 0));
        assert_eq!(press(&mut app, KeyCode::Tab), Some(Task::History));
    }

    #[test]
    fn a_generation_is_compared_with_the_one_below_it() {
        let mut app = App::new(String::new());
        let items = json!([{ "generation": 7 }, { "generation": 3 }]);
        app.answered(&Task::History, answer(json!({ "items": items })));
        assert_eq!(press(&mut app, KeyCode::Enter), Some(Task::Changes { from: 3, to: 7 }));
        press(&mut app, KeyCode::Down);
        assert_eq!(press(&mut app, KeyCode::Enter), None);
        assert!(app.status.contains("no older generation"), "{}", app.status);
    }

    #[test]
    fn the_mouse_selects_reads_and_scrolls() {
        let mut app = found();
        app.places = Places { list: Rect::new(0, 3, 40, 20), text: Rect::new(41, 3, 40, 20), first: 0, row_height: 2 };
        let mouse = |app: &mut App, kind, column, row| {
            app.take(&Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
        };
        let click = MouseEventKind::Down(MouseButton::Left);
        assert_eq!(mouse(&mut app, click, 5, 6), None);
        assert_eq!(app.selected, 1);
        assert_eq!(mouse(&mut app, click, 5, 5), Some(Task::Section("a#2".to_owned())));
        assert_eq!(mouse(&mut app, click, 5, 20), None, "below the last row");
        app.text = "line\n".repeat(50);
        mouse(&mut app, MouseEventKind::ScrollDown, 50, 5);
        assert_eq!(app.scrolled, WHEEL);
        for paragraph in ["Prime the pump. ".repeat(100), "启动水泵之前必须灌水。".repeat(100)] {
            app.text = paragraph;
            app.scrolled = 0;
            press(&mut app, KeyCode::PageDown);
            assert_eq!(app.scrolled, PAGE, "a long paragraph has rows below the screen");
        }
    }

    #[test]
    fn what_fails_is_said_and_the_list_stays() {
        let mut app = found();
        let failed = Answer { code: 3, messages: vec!["the store is gone".to_owned()], ..Answer::default() };
        assert_eq!(app.answered(&Task::Search("x".into()), failed), None);
        assert_eq!((app.rows.len(), app.status.as_str()), (2, "the store is gone"));
    }
}
