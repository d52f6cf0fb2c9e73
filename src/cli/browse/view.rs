//! Draws the browser: the query, the list on the left, the text on the right, the keys below.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style, Stylize};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, List, ListItem, ListState, Paragraph, Wrap};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::app::{App, Places};
use super::task::ListKind;
use crate::text::highlight::parts_by_match;

/// A terminal with fewer columns has the list above the text.
const WIDE: u16 = 70;
/// The most needed ones first: a narrow screen shows as many as fit.
const KEYS: [&str; 9] = [
    "F1 keys",
    "Esc leave",
    "Tab list",
    "Enter read",
    "^E edit",
    "^X delete",
    "^Z undo",
    "^O open",
    "PgUp PgDn scroll",
];

pub(super) fn draw(app: &mut App, frame: &mut Frame) {
    let [top, middle, bottom] =
        Layout::vertical([Constraint::Length(2), Constraint::Min(3), Constraint::Length(1)]).areas(frame.area());
    let halves = [Constraint::Percentage(40), Constraint::Percentage(60)];
    let [list, text] = match frame.area().width >= WIDE {
        true => Layout::horizontal(halves).areas(middle),
        false => Layout::vertical(halves).areas(middle),
    };
    draw_query(app, frame, top);
    draw_list(app, frame, list);
    draw_text(app, frame, text);
    let status = app.asks().map(|question| question.bold()).unwrap_or_else(|| match app.status.is_empty() {
        true => keys_that_fit(bottom.width).dim(),
        false => app.status.as_str().into(),
    });
    frame.render_widget(Line::from(status), bottom);
}

fn keys_that_fit(columns: u16) -> String {
    let line = |keys: usize| KEYS[..keys].join(" · ");
    let most = (1..=KEYS.len()).take_while(|keys| line(*keys).width() <= usize::from(columns)).last();
    line(most.unwrap_or(1))
}

/// The end of a text that fits into `columns`: the query is typed there.
fn end_of(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let fits = |(_, grapheme): &(usize, &str)| {
        used += grapheme.width();
        used <= columns
    };
    let first = text.grapheme_indices(true).rev().take_while(fits).last();
    &text[first.map_or(text.len(), |(at, _)| at)..]
}

fn draw_query(app: &App, frame: &mut Frame, area: Rect) {
    let mut tabs: Vec<Span> = Vec::new();
    for list_kind in ListKind::ALL {
        let style =
            if list_kind == app.list_kind { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new().dim() };
        tabs.extend([Span::styled(format!(" {} ", list_kind.name()), style), Span::raw(" ")]);
    }
    // Two columns are the prompt's, one the cursor's.
    let end = end_of(&app.query, usize::from(area.width).saturating_sub(3));
    let prompt = if end.len() < app.query.len() { "… " } else { "› " };
    let query = Line::from(vec![prompt.bold(), end.into()]);
    let cursor = area.x + u16::try_from(query.width()).unwrap_or(u16::MAX).min(area.width.saturating_sub(1));
    frame.render_widget(Text::from(vec![Line::from(tabs), query]), area);
    frame.set_cursor_position((cursor, area.y + 1));
}

fn draw_list(app: &mut App, frame: &mut Frame, area: Rect) {
    let block = Block::new().borders(Borders::TOP);
    let inside = block.inner(area);
    // Only a hit has a second line, for its source.
    let row_height = if app.list_kind == ListKind::Hits { 2 } else { 1 };
    let items = app.rows.iter().map(|row| {
        let indent = "  ".repeat(row.depth);
        match row_height {
            2 => ListItem::new(vec![Line::from(row.title.as_str()), Line::from(format!("  {}", row.about)).dim()]),
            _ => ListItem::new(Line::from(vec![
                format!("{indent}{}  ", row.title).into(),
                Span::styled(row.about.as_str(), Style::new().dim()),
            ])),
        }
    });
    let mut state = ListState::default().with_selected(Some(app.selected).filter(|_| !app.rows.is_empty()));
    let list = List::new(items).block(block).highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    frame.render_stateful_widget(list, area, &mut state);
    app.places = Places { list: inside, first: state.offset(), row_height, ..app.places };
}

fn draw_text(app: &mut App, frame: &mut Frame, area: Rect) {
    let borders = if frame.area().width >= WIDE { Borders::TOP | Borders::LEFT } else { Borders::TOP };
    let block = Block::new().borders(borders);
    app.places.text = block.inner(area);
    // Each line takes a row or more, so only as many lines as the screen has rows need marks.
    let reached = app.scrolled + usize::from(area.height);
    let lines = app.text.lines().take(reached).map(|line| marked(line, &app.query));
    let scrolled = u16::try_from(app.scrolled).unwrap_or(u16::MAX);
    let text = Paragraph::new(lines.collect::<Vec<_>>()).block(block).wrap(Wrap { trim: false }).scroll((scrolled, 0));
    frame.render_widget(text, area);
}

fn marked<'l>(line: &'l str, query: &str) -> Line<'l> {
    let style = |is_match| if is_match { Style::new().yellow().bold() } else { Style::new() };
    let parts = parts_by_match(line, query).into_iter();
    Line::from(parts.map(|(part, is_match)| Span::styled(part, style(is_match))).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use serde_json::json;

    use super::super::task::Task;
    use super::*;
    use crate::cli::in_process::Answer;

    /// The screen, a line for each row, with a blank for the second column of a wide character.
    fn screen(app: &mut App, columns: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, 20)).unwrap();
        terminal.draw(|frame| draw(app, frame)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let rows = buffer.content().chunks(usize::from(columns));
        rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn hits_stand_beside_their_text_where_there_is_room_and_above_it_where_not() {
        let mut app = App::new("水泵".to_owned());
        let hit = |title: &str, content: &str| {
            json!({ "chunk_id": "a:1", "source": "手册.pdf", "page_start": 4, "confidence": 0.81, "content": content,
                "section": { "id": "a#1", "titles": [title] } })
        };
        let value = json!({ "hits": [hit("启动水泵", "启动水泵以前先注水。"), hit("Alarms", "The pump stops.")] });
        app.answered(&Task::Search("水泵".to_owned()), Answer { value: Some(value), ..Answer::default() });
        let wide = screen(&mut app, 100);
        let line = wide.lines().find(|line| line.contains('启')).unwrap();
        assert!(line.contains('│') && wide.contains("0.81  p. 4"), "{wide}");
        for columns in [40, 60, 80, 200] {
            let shown = screen(&mut app, columns);
            assert!(shown.contains("Alarms") && shown.contains("› 水"), "{shown}");
        }
        assert!(screen(&mut app, 3).len() > 3, "a tiny terminal is no error");
    }

    #[test]
    fn a_narrow_screen_names_the_keys_that_fit_and_shows_the_end_of_a_long_query() {
        let query = "how is the pump of the second station primed after the winter";
        let mut app = App::new(query.to_owned());
        let shown = screen(&mut app, 40);
        let last = shown.lines().last().unwrap();
        assert!(last.starts_with("F1 keys · Esc leave") && last.ends_with("Tab list"), "{last}");
        assert!(shown.contains("primed after the winter\n") && shown.contains("… "), "{shown}");
        assert!(keys_that_fit(120).ends_with("PgUp PgDn scroll") && end_of("水泵", 3) == "泵");
    }
}
