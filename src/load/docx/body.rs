//! The text of a Word document: paragraphs, headings, tables, list items and notes, in reading order.

use std::collections::HashMap;

use super::styles::{LetterFormat, ListPlace, Numbering, Properties, Role, Styles};
use crate::error::Result;
use crate::load::package::{Element, Token, Xml};
use crate::load::{Block, BlockKind, LineStyle};
use crate::text::{join_filled, join_words, lists, squeeze, tables};

/// Elements outside the current text: deletions, moves, earlier formatting, field codes, the pronunciation over a word,
/// and the copy of a drawing for old programs.
const SKIPPED: &str = "del moveFrom delText instrText pPrChange rPrChange tblPrChange tcPrChange trPrChange sectPr rt \
    Fallback";

/// Word's default size, in half points.
const USUAL_SIZE: u16 = 20;

/// Footnotes and endnotes by kind (`footnote`, `endnote`) and id.
pub type Notes = HashMap<(&'static str, String), String>;

#[derive(Default)]
struct Paragraph {
    text: String,
    style: Option<String>,
    properties: Properties,
    run: LetterFormat,
    /// Those of all runs with text, without repetitions one after the other.
    runs: Vec<LetterFormat>,
    /// Notes referred to, with their numbers.
    notes: Vec<(u32, String)>,
}

#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
    /// Columns of the current cell.
    span: usize,
    notes: Vec<(u32, String)>,
}

impl Table {
    /// Adds words and notes to the current cell.
    fn add(&mut self, words: &str, notes: Vec<(u32, String)>) {
        self.notes.extend(notes);
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            join_words(cell, words);
        }
    }
}

#[derive(Default)]
struct Walk {
    styles: Styles,
    numbering: Numbering,
    /// Those that nothing has referred to yet.
    notes: Notes,
    last_note: u32,
    /// Open paragraphs and tables; text boxes nest them.
    paragraphs: Vec<Paragraph>,
    tables: Vec<Table>,
    title: Option<String>,
    /// The block before was part of the title.
    in_title: bool,
    blocks: Vec<Block>,
}

/// Reads the main part: the text of the first paragraphs in the title style, and the blocks.
pub fn read(
    name: &str,
    text: &str,
    styles: Styles,
    numbering: Numbering,
    notes: Notes,
) -> Result<(Option<String>, Vec<Block>)> {
    let mut walk = Walk { styles, numbering, notes, ..Walk::default() };
    let mut xml = Xml::new(name, text);
    while let Some(token) = xml.next()? {
        match token {
            Token::Start(element) if lists(SKIPPED, element.name()) => xml.skip()?,
            Token::Start(element) if element.name() == "t" => {
                let text = xml.text()?;
                walk.push(&text);
            }
            Token::Start(element) => walk.enter(&element),
            Token::End(name) => walk.leave(&name),
            Token::Text(_) => {}
        }
    }
    let mut blocks = walk.blocks;
    if !needs_letter_formats(&blocks) {
        blocks.iter_mut().for_each(|block| block.style = None);
    }
    Ok((walk.title, blocks))
}

/// Whether only their letters can tell headings from text: no style does, and the letters differ.
fn needs_letter_formats(blocks: &[Block]) -> bool {
    let mut styles = blocks.iter().filter_map(|block| block.style.as_ref());
    let first = styles.next();
    let is_heading = |block: &Block| matches!(block.kind, BlockKind::Heading(_));
    !blocks.iter().any(is_heading) && styles.any(|style| Some(style) != first)
}

/// Reads `footnotes.xml` or `endnotes.xml` into `notes`; `kind` is the name of its elements.
pub fn read_notes(name: &str, text: &str, kind: &'static str, notes: &mut Notes) -> Result<()> {
    let mut xml = Xml::new(name, text);
    let mut open: Option<(String, String)> = None;
    while let Some(token) = xml.next()? {
        match token {
            Token::Start(element) if lists(SKIPPED, element.name()) => xml.skip()?,
            // Notes with a type are the separator lines above notes.
            Token::Start(element) if element.name() == kind => {
                let id = element.attribute("id").filter(|_| element.attribute("type").is_none_or(|t| t == "normal"));
                open = id.map(|id| (id, String::new()));
            }
            Token::Start(element) if element.name() == "t" => {
                let piece = xml.text()?;
                if let Some((_, text)) = &mut open {
                    text.push_str(&piece);
                }
            }
            Token::End(name) if name == "p" => {
                if let Some((_, text)) = &mut open {
                    text.push(' ');
                }
            }
            Token::End(name) if name == kind => {
                if let Some((id, text)) = open.take() {
                    notes.insert((kind, id), squeeze(&text));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

impl Walk {
    fn enter(&mut self, element: &Element<'_>) {
        let value = || element.attribute("val");
        match element.name() {
            "p" => self.paragraphs.push(Paragraph::default()),
            "tbl" => self.tables.push(Table::default()),
            "footnoteReference" => self.add_note("footnote", element),
            "endnoteReference" => self.add_note("endnote", element),
            "tab" if value().is_none() => self.push("\t"),
            "br" if element.attribute("type").is_none_or(|kind| kind == "textWrapping") => self.push("\n"),
            "cr" => self.push("\n"),
            "noBreakHyphen" => self.push("-"),
            name => {
                if let Some(table) = self.tables.last_mut() {
                    match name {
                        "tr" => table.rows.push(Vec::new()),
                        "tc" => {
                            table.span = 1;
                            if let Some(row) = table.rows.last_mut() {
                                row.push(String::new());
                            }
                        }
                        "gridSpan" => table.span = value().and_then(|span| span.parse().ok()).unwrap_or(1),
                        _ => {}
                    }
                }
                let Some(paragraph) = self.paragraphs.last_mut() else { return };
                // The properties of the paragraph's mark come before its runs.
                match name {
                    "r" => paragraph.run = LetterFormat::default(),
                    _ => paragraph.run.read(element),
                }
                let Some(value) = value() else { return };
                match name {
                    "pStyle" => paragraph.style = Some(value),
                    _ => paragraph.properties.read(name, value),
                }
            }
        }
    }

    fn leave(&mut self, name: &str) {
        match name {
            "p" => {
                if let Some(paragraph) = self.paragraphs.pop() {
                    self.end_paragraph(paragraph);
                }
            }
            "tc" => {
                if let Some(table) = self.tables.last_mut()
                    && let Some(row) = table.rows.last_mut()
                {
                    row.extend(tables::behind_wide(table.span));
                }
            }
            "tbl" => {
                if let Some(table) = self.tables.pop() {
                    self.end_table(table);
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.text.push_str(text);
            if text.contains(char::is_alphanumeric) && paragraph.runs.last() != Some(&paragraph.run) {
                paragraph.runs.push(paragraph.run);
            }
        }
    }

    fn add_note(&mut self, kind: &'static str, element: &Element<'_>) {
        // A hostile file refers to a long note many times.
        let Some(text) = element.attribute("id").and_then(|id| self.notes.remove(&(kind, id))) else { return };
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        self.last_note += 1;
        paragraph.text.push_str(&format!("[^{}]", self.last_note));
        paragraph.notes.push((self.last_note, text));
    }

    fn end_paragraph(&mut self, paragraph: Paragraph) {
        let text = paragraph.text.trim().to_owned();
        if let Some(table) = self.tables.last_mut() {
            return table.add(&squeeze(&text), paragraph.notes);
        }
        if text.is_empty() {
            return;
        }
        let role = paragraph.properties.role().unwrap_or_else(|| self.styles.role(paragraph.style.as_deref()));
        let continues_title = std::mem::replace(&mut self.in_title, role == Role::Title);
        let heading = || without_marks(&text, &paragraph.notes);
        match (role, &mut self.title) {
            (Role::Contents, _) => {}
            (Role::Title, title @ None) => *title = Some(heading()),
            (Role::Title, Some(title)) if continues_title => join_words(title, &heading()),
            // A later title belongs to a chapter.
            (Role::Title, Some(_)) => self.blocks.push(Block::heading(1, heading())),
            (Role::Heading(level), _) => self.blocks.push(Block::heading(level, heading())),
            (Role::Body, _) => {
                let style = self.line_style(&paragraph);
                match self.list_of(&paragraph) {
                    Some(place) => {
                        let text = format!("{}{text}", self.numbering.next_mark(&place));
                        // A list inside a list counts from 1 again, so its numbers look like those of chapters.
                        let style = Some(style).filter(|_| place.1 == 0);
                        self.blocks.push(Block { style, ..Block::new(BlockKind::Line, text, None) });
                    }
                    None => self.blocks.push(Block { style: Some(style), ..Block::paragraph(text) }),
                }
            }
        }
        self.push_notes(paragraph.notes);
    }

    fn end_table(&mut self, table: Table) {
        let Table { rows, notes, .. } = table;
        // A nested table becomes words of its cell.
        if let Some(outer) = self.tables.last_mut() {
            return outer.add(&join_filled(rows.iter().flatten().map(String::as_str), " "), notes);
        }
        self.in_title = false;
        let alone = rows.iter().map(Vec::len).sum::<usize>() == 1;
        let text = if alone { rows.into_iter().flatten().next() } else { tables::write(rows) };
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.blocks.push(Block::paragraph(text));
        }
        self.push_notes(notes);
    }

    fn push_notes(&mut self, notes: Vec<(u32, String)>) {
        for (number, text) in notes {
            self.blocks.push(Block::paragraph(format!("[^{number}]: {text}")));
        }
    }

    /// Bold, or larger than text, if all its letters are.
    fn line_style(&self, paragraph: &Paragraph) -> LineStyle {
        let usual = self.styles.letter_format(paragraph.style.as_deref());
        let runs = || paragraph.runs.iter().map(|run| run.or(usual));
        let bold = !paragraph.runs.is_empty() && runs().all(|run| run.bold == Some(true));
        let size = runs().map(|run| run.size.unwrap_or(USUAL_SIZE)).min().unwrap_or(USUAL_SIZE);
        LineStyle { size: f32::from(size) / 2.0, bold, upright: true, cells: 1, ..LineStyle::default() }
    }

    fn list_of(&self, paragraph: &Paragraph) -> Option<ListPlace> {
        let own = paragraph.properties.list();
        // The numbering 0 removes a paragraph from the list of its style.
        own.or_else(|| self.styles.list(paragraph.style.as_deref())).filter(|(id, _)| id != "0")
    }
}

/// The heading on one line without note marks, which are in the order of their numbers.
fn without_marks(mut text: &str, notes: &[(u32, String)]) -> String {
    let mut kept = String::new();
    for (number, _) in notes {
        if let Some((before, behind)) = text.split_once(&format!("[^{number}]")) {
            kept.push_str(before);
            text = behind;
        }
    }
    squeeze(&(kept + text))
}
