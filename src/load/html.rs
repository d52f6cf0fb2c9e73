//! HTML, through `dom_query`: the main content, headings, paragraphs, lists, tables and code as text.
//!
//! The walk keeps its own stack instead of recursing: a page with twenty thousand nested elements must not end the
//! process. Such pages take the parser time that grows with the square of their depth, so HTML is parsed in a worker
//! process with a time limit, as PDF is.

use dom_query::{Document as Dom, NodeData, NodeRef};

use super::{Block, BlockKind, Document, Format};
use crate::text::squeeze;

/// Elements whose content is not the document's text.
const SKIPPED: &[&str] = &[
    "script", "style", "noscript", "template", "nav", "aside", "footer", "iframe", "svg", "form", "button", "select",
    "head", "dialog", "object", "canvas", "audio", "video",
];

/// Elements that end the paragraph around them.
const BREAKING: &[&str] = &[
    "address",
    "article",
    "blockquote",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "ol",
    "p",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Reads an HTML page: its `<main>` or `<article>` where it has exactly one, otherwise its body without navigation,
/// side bars and footers.
pub fn parse(text: &str) -> Document {
    let dom = Dom::from(text);
    let mut document = Document::new(Format::Html, "dom_query");
    document.title = Some(squeeze(&dom.select("title").text())).filter(|title| !title.is_empty());
    for (selector, key) in
        [("meta[name=author]", "author"), ("meta[name=description]", "description"), ("meta[name=date]", "date")]
    {
        if let Some(value) = dom.select(selector).attr("content") {
            document.metadata.insert(key.to_owned(), value.to_string());
        }
    }
    let mut walk = Walk { blocks: Vec::new(), line: String::new(), heading: None, preformatted: 0, in_item: false };
    let mains = dom.select("main");
    let articles = dom.select("article");
    let root = if mains.length() == 1 {
        mains.nodes().first().copied()
    } else if articles.length() == 1 {
        articles.nodes().first().copied()
    } else {
        dom.select("body").nodes().first().copied()
    };
    let in_main = mains.length() == 1 || articles.length() == 1;
    walk.run(root.unwrap_or_else(|| dom.root()), in_main);
    document.blocks = walk.blocks;
    if document.title.is_none() {
        document.title = document
            .blocks
            .iter()
            .find(|block| matches!(block.kind, BlockKind::Heading(1)))
            .map(|block| block.text.clone());
    }
    document
}

enum Step<'a> {
    Enter(NodeRef<'a>),
    Leave(String),
}

struct Walk {
    blocks: Vec<Block>,
    line: String,
    heading: Option<u8>,
    preformatted: usize,
    in_item: bool,
}

impl Walk {
    fn run(&mut self, root: NodeRef<'_>, in_main: bool) {
        let mut stack = vec![Step::Enter(root)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Leave(name) => self.leave(&name),
                Step::Enter(node) => {
                    if let Some(text) = text_of(&node) {
                        self.text(&text);
                        continue;
                    }
                    let name = node.node_name().map(|name| name.to_string()).unwrap_or_default();
                    // A page's <header> is its banner; the header of its main part belongs to the text.
                    let banner = name == "header" && !in_main;
                    if SKIPPED.contains(&name.as_str()) || banner {
                        continue;
                    }
                    if name == "table" {
                        self.flush();
                        self.table(&node);
                        continue;
                    }
                    self.enter(&name);
                    stack.push(Step::Leave(name));
                    let children: Vec<NodeRef<'_>> = node.children_it(false).collect();
                    stack.extend(children.into_iter().rev().map(Step::Enter));
                }
            }
        }
        self.flush();
    }

    fn enter(&mut self, name: &str) {
        if let Some(level) = heading_level(name) {
            self.flush();
            self.heading = Some(level);
        } else if name == "pre" {
            self.flush();
            self.preformatted += 1;
        } else if name == "br" {
            self.line.push('\n');
        } else if name == "li" {
            self.flush();
            self.in_item = true;
            self.line.push_str("- ");
        } else if BREAKING.contains(&name) {
            self.flush();
        }
    }

    fn leave(&mut self, name: &str) {
        if heading_level(name).is_some() {
            self.flush();
            self.heading = None;
        } else if name == "pre" {
            self.flush();
            self.preformatted = self.preformatted.saturating_sub(1);
        } else if BREAKING.contains(&name) {
            self.flush();
        }
    }

    fn text(&mut self, text: &str) {
        if self.preformatted > 0 {
            self.line.push_str(text);
            return;
        }
        if text.starts_with(char::is_whitespace) && !self.line.ends_with(char::is_whitespace) && !self.line.is_empty() {
            self.line.push(' ');
        }
        self.line.push_str(&squeeze(text));
        if text.ends_with(char::is_whitespace) && !self.line.ends_with(char::is_whitespace) && !self.line.is_empty() {
            self.line.push(' ');
        }
    }

    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        let in_item = std::mem::take(&mut self.in_item);
        let text = if self.preformatted > 0 {
            line.trim_matches('\n').trim_end().to_owned()
        } else {
            line.split('\n').map(squeeze).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
        };
        if text.is_empty() || text == "-" {
            return;
        }
        let kind = match self.heading {
            Some(level) => BlockKind::Heading(level),
            None if in_item => BlockKind::Line,
            None => BlockKind::Paragraph,
        };
        let text = if self.heading.is_some() { squeeze(&text) } else { text };
        self.blocks.push(Block { kind, text, page: None });
    }

    /// A table as a Markdown table.
    fn table(&mut self, table: &NodeRef<'_>) {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut stack: Vec<NodeRef<'_>> = vec![*table];
        while let Some(node) = stack.pop() {
            match node.node_name().as_deref() {
                Some("tr") => rows.push(Vec::new()),
                Some("td" | "th") => {
                    if let Some(row) = rows.last_mut() {
                        row.push(squeeze(&node.text()).replace('|', "\\|"));
                    }
                    continue;
                }
                Some("caption") => {
                    let caption = squeeze(&node.text());
                    if !caption.is_empty() {
                        self.blocks.push(Block::paragraph(caption));
                    }
                    continue;
                }
                _ => {}
            }
            let children: Vec<NodeRef<'_>> = node.children_it(false).collect();
            stack.extend(children.into_iter().rev());
        }
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let Some(first) = rows.first() else { return };
        let width = rows.iter().map(Vec::len).max().unwrap_or(first.len());
        let mut lines = Vec::with_capacity(rows.len() + 1);
        for (i, row) in rows.iter().enumerate() {
            let mut cells = row.clone();
            cells.resize(width, String::new());
            lines.push(format!("| {} |", cells.join(" | ")));
            if i == 0 {
                lines.push(format!("|{}", " --- |".repeat(width)));
            }
        }
        self.blocks.push(Block::paragraph(lines.join("\n")));
    }
}

fn text_of(node: &NodeRef<'_>) -> Option<String> {
    node.query_or(None, |node| match &node.data {
        NodeData::Text { contents } => Some(contents.to_string()),
        NodeData::Comment { .. } | NodeData::Doctype { .. } | NodeData::ProcessingInstruction { .. } => {
            Some(String::new())
        }
        _ => None,
    })
}

fn heading_level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_text_without_navigation() {
        let document = parse(
            "<html><head><title>T &amp; U</title></head><body><nav><h2>Menu</h2></nav><header>Banner</header>\
             <h1>One</h1><p>a <b>bold</b>\n word</p><script>x()</script><ul><li>p</li><li>q</li></ul>\
             <footer>f</footer></body></html>",
        );
        assert_eq!(document.title.as_deref(), Some("T & U"));
        let texts: Vec<&str> = document.blocks.iter().map(|b| b.text.as_str()).collect();
        assert_eq!(texts, ["One", "a bold word", "- p", "- q"]);
        assert_eq!(document.blocks[0].kind, BlockKind::Heading(1));
    }

    #[test]
    fn tables_become_markdown_and_code_keeps_its_lines() {
        let document = parse("<table><tr><th>a<th>b<tr><td>1<td>2|3</table><pre>x\n  y</pre>");
        assert_eq!(document.blocks[0].text, "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |");
        assert_eq!(document.blocks[1].text, "x\n  y");
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let page = format!("{}deep{}", "<div>".repeat(5_000), "</div>".repeat(5_000));
        assert_eq!(parse(&page).blocks[0].text, "deep");
    }
}
