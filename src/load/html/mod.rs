//! HTML, through `dom_query`: the main content as text, with headings, paragraphs, lists, tables and code.
//!
//! The walk keeps its own stack instead of recursing, so that nested elements do not end the process.

mod dom;

use std::collections::HashMap;

use dom_query::{NodeData, NodeRef};

use self::dom::dom_of;
use super::{Block, BlockKind, Document, Format};
use crate::text::{lists, squeeze, tables};

/// Elements that are not part of the document's text. A form is: some programs put the whole page into one.
const SKIPPED: &str = "script style noscript template nav aside footer iframe svg button select textarea head dialog \
    object canvas audio video";

/// Elements that end the paragraph around them.
const BREAKING: &str = "address article aside blockquote body caption center dd details div dl dt fieldset figcaption \
    figure footer form header hr html li main ol p section summary table tbody td tfoot th thead tr ul";

/// Roles of elements around the text.
const SKIPPED_ROLES: &str = "navigation banner contentinfo search complementary";

/// Elements that hold the text, most reliable first.
const MAIN_ELEMENTS: &[&str] = &["main", "[role=main]", "article"];

/// Reads the `<main>` or `<article>` of a page if it has exactly one, otherwise its body without navigation, side bars
/// and footers.
pub fn parse(text: &str) -> Document {
    let mut document = Document::new(Format::Html, "dom_query");
    let dom = dom_of(text, &mut document.warnings);
    // Only in the head: pictures have titles too.
    let title = dom.select("head title").nodes().first().map(|title| squeeze(&title.text()));
    document.title = title.filter(|title| !title.is_empty());
    for (selector, attribute, key) in [
        ("meta[name=author]", "content", "author"),
        ("meta[name=description]", "content", "description"),
        ("meta[name=keywords]", "content", "keywords"),
        ("meta[property='article:published_time']", "content", "date"),
        ("meta[name='DC.date']", "content", "date"),
        ("meta[name='dcterms.date']", "content", "date"),
        ("meta[name=date]", "content", "date"),
        ("meta[name='last-modified']", "content", "updated"),
        ("meta[name='dcterms.modified']", "content", "updated"),
        ("meta[property='article:modified_time']", "content", "updated"),
        ("html", "lang", "language"),
    ] {
        let value = dom.select(selector).attr(attribute).map(|value| squeeze(&value));
        document.add_metadata(key, value.unwrap_or_default());
    }
    let main = MAIN_ELEMENTS.iter().find_map(|selector| {
        let found = dom.select(selector);
        found.nodes().first().copied().filter(|_| found.length() == 1)
    });
    let surroundings = if main.is_some() { Surroundings::Main } else { Surroundings::Page };
    let mut walk = Walk { surroundings, ..Walk::default() };
    walk.run(main.or_else(|| dom.select("body").nodes().first().copied()).unwrap_or_else(|| dom.root()));
    document.blocks = walk.blocks;
    let first = |(level, text): (u8, &str)| (level == 1).then(|| text.to_owned());
    document.title = document.title.take().or_else(|| document.headings().find_map(first));
    document
}

/// The blocks of a chapter of a book, where headers, footers and asides belong to the text; and for each id the index
/// of the block in which its element begins.
pub fn parse_chapter(text: &str, warnings: &mut Vec<String>) -> (Vec<Block>, HashMap<String, usize>) {
    let dom = dom_of(text, warnings);
    let mut walk = Walk { surroundings: Surroundings::Chapter, ..Walk::default() };
    walk.run(dom.select("body").nodes().first().copied().unwrap_or_else(|| dom.root()));
    (walk.blocks, walk.anchors)
}

enum Step<'a> {
    Enter(NodeRef<'a>),
    Leave(String),
}

/// The surroundings of the text, which decide what is left out.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Surroundings {
    #[default]
    Page,
    /// The main part of a page, where a header belongs to the text.
    Main,
    Chapter,
}

impl Surroundings {
    fn leaves_out(self, node: &NodeRef<'_>, name: &str) -> bool {
        match self {
            Surroundings::Chapter if matches!(name, "aside" | "footer" | "header") => return false,
            // A page's `<header>` is its banner.
            Surroundings::Page if name == "header" => return true,
            _ => {}
        }
        lists(SKIPPED, name)
            || node.attr("role").is_some_and(|role| self != Surroundings::Chapter && lists(SKIPPED_ROLES, &role))
            || node.has_attr("hidden")
    }
}

#[derive(Default)]
struct Walk {
    surroundings: Surroundings,
    blocks: Vec<Block>,
    anchors: HashMap<String, usize>,
    line: String,
    heading: Option<u8>,
    preformatted: usize,
    /// Whether the preformatted text says that it is code.
    is_code: bool,
    in_item: bool,
    /// Tables inside are read as their words.
    in_cell: bool,
}

impl Walk {
    fn run(&mut self, root: NodeRef<'_>) {
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
                    if self.surroundings.leaves_out(&node, &name) {
                        continue;
                    }
                    if name == "table" && !self.in_cell {
                        self.flush();
                        self.drop_mark();
                        self.anchor(&node);
                        self.table(&node);
                        continue;
                    }
                    self.enter(&name);
                    let is_listing = name == "pre"
                        && (has_class_of_code(&node) || node.parent().is_some_and(|node| has_class_of_code(&node)));
                    let is_code = matches!(&*name, "code" | "samp" | "kbd");
                    self.is_code |= is_listing || (is_code && self.preformatted > 0);
                    self.anchor(&node);
                    stack.push(Step::Leave(name));
                    // The last first, because the stack gives them back in reverse.
                    stack.extend(node.children_it(true).map(Step::Enter));
                }
            }
        }
        self.flush();
    }

    /// Records the place of the element for the navigation of a book.
    fn anchor(&mut self, node: &NodeRef<'_>) {
        if self.surroundings == Surroundings::Chapter
            && let Some(id) = node.attr("id").or_else(|| node.attr("name"))
        {
            self.anchors.entry(id.to_string()).or_insert(self.blocks.len());
        }
    }

    fn enter(&mut self, name: &str) {
        if self.is_in_code(name) {
            if !self.line.is_empty() && !self.line.ends_with('\n') {
                self.line.push('\n');
            }
        } else if breaks(name) {
            self.flush();
        }
        match name {
            "pre" => self.preformatted += 1,
            "br" => self.line.push('\n'),
            "li" => {
                self.drop_mark();
                self.in_item = true;
                self.line.push_str("- ");
            }
            _ => self.heading = heading_level(name).or(self.heading),
        }
        if name == "pre" || heading_level(name).is_some() {
            self.drop_mark();
        }
    }

    /// Whether an element is a line of code, which it does not end.
    fn is_in_code(&self, name: &str) -> bool {
        self.preformatted > 0 && lists(BREAKING, name)
    }

    fn leave(&mut self, name: &str) {
        if !self.is_in_code(name) && breaks(name) {
            self.flush();
        }
        if name == "li" {
            self.drop_mark();
        } else if name == "pre" {
            self.preformatted -= 1;
            self.is_code &= self.preformatted > 0;
        } else if heading_level(name).is_some() {
            self.heading = None;
        }
    }

    fn text(&mut self, text: &str) {
        // Soft hyphens only mark possible breaks, and they would hide words from search.
        let text = &*text.replace('\u{AD}', "");
        if self.preformatted > 0 {
            self.line.push_str(text);
            return;
        }
        if text.starts_with(char::is_whitespace) {
            self.space();
        }
        self.line.push_str(&squeeze(text));
        if text.ends_with(char::is_whitespace) {
            self.space();
        }
    }

    /// Ends a word.
    fn space(&mut self) {
        if self.line.ends_with(|c: char| !c.is_whitespace()) {
            self.line.push(' ');
        }
    }

    /// Drops the mark of an item without text of its own.
    fn drop_mark(&mut self) {
        if self.line.trim() == "-" {
            self.line.clear();
            self.in_item = false;
        }
    }

    fn flush(&mut self) {
        // The mark of an item waits for its first paragraph.
        if self.in_item && self.line.trim() == "-" {
            return;
        }
        let line = std::mem::take(&mut self.line);
        let in_item = std::mem::take(&mut self.in_item);
        // Letters and standards are preformatted too.
        if self.is_code && self.preformatted > 0 && self.heading.is_none() && !self.in_cell {
            self.blocks.extend(Block::listing("", line.trim_matches('\n')));
            return;
        }
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
        // Documentation generators put a link sign after each heading.
        let text = if self.heading.is_some() { squeeze(text.trim_end_matches(['¶', '🔗', ' '])) } else { text };
        if text.is_empty() {
            return;
        }
        self.blocks.push(Block::new(kind, text, None));
    }

    fn table(&mut self, table: &NodeRef<'_>) {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut stack: Vec<NodeRef<'_>> = vec![*table];
        while let Some(node) = stack.pop() {
            match node.node_name().as_deref() {
                Some("tr") => rows.push(Vec::new()),
                Some("td" | "th") => {
                    if let Some(row) = rows.last_mut() {
                        row.push(self.line_of(node));
                        let columns = node.attr("colspan").and_then(|span| span.trim().parse().ok()).unwrap_or(1usize);
                        row.extend(tables::behind_wide(columns));
                    }
                    continue;
                }
                Some("caption") => {
                    let caption = self.line_of(node);
                    if !caption.is_empty() {
                        self.blocks.push(Block::paragraph(caption));
                    }
                    continue;
                }
                _ => {}
            }
            stack.extend(node.children_it(true));
        }
        self.blocks.extend(tables::write(rows).map(Block::paragraph));
    }

    /// The text of a cell or a caption on one line.
    fn line_of(&self, node: NodeRef<'_>) -> String {
        let mut walk = Walk { surroundings: self.surroundings, in_cell: true, ..Walk::default() };
        walk.run(node);
        let blocks: Vec<String> = walk.blocks.into_iter().map(|block| block.text).collect();
        squeeze(&blocks.join(" "))
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

/// Whether the class of an element, or of the one around it, says that it holds code.
fn has_class_of_code(node: &NodeRef<'_>) -> bool {
    const CLASSES: [&str; 8] = ["code", "highlight", "lang", "listing", "literal", "screen", "source", "synopsis"];
    let class = node.attr("class").map(|class| class.to_lowercase()).unwrap_or_default();
    CLASSES.iter().any(|one| class.contains(one))
}

/// Whether an element ends the paragraph around it.
fn breaks(name: &str) -> bool {
    name == "pre" || lists(BREAKING, name) || heading_level(name).is_some()
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
        assert_eq!(document.texts(), ["One", "a bold word", "- p", "- q"]);
        assert_eq!(document.blocks[0].kind, BlockKind::Heading(1));
    }

    #[test]
    fn items_with_paragraphs_keep_their_marks() {
        let document = parse(
            "<ul><li>\n<p>a</p></li><li><p>b</p><p>c</p></li><li></li><li><h2>T</h2>d</li><li><ul><li>e</ul></ul><p>f",
        );
        let mut expected = Block::in_markdown(["- a", "- b", "c", "## T", "d", "- e", "f"]);
        expected.iter_mut().filter(|block| block.text.starts_with('-')).for_each(|block| block.kind = BlockKind::Line);
        assert_eq!(document.blocks, expected);
    }

    #[test]
    fn tables_become_markdown_and_code_keeps_its_lines() {
        let document =
            parse("<table><tr><th>a<th>b<tr><td>1<td>2|3</table><pre class=screen>x\n  y</pre><pre>A\nletter</pre>");
        let table = "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |";
        assert_eq!(document.blocks, Block::in_markdown([table, "```\nx\n  y\n```", "A\nletter"]));
        let lines = parse("<pre><code><div>a()</div>\n<div>  b()</div></code></pre><p>text</p>");
        assert_eq!(lines.blocks, [Block::paragraph("```\na()\n  b()\n```"), Block::paragraph("text")]);
        let cell = parse("<table><tr><td><pre>x</pre></td><td>y</td></tr></table>");
        assert!(cell.blocks[0].text.starts_with("| x | y |"), "{:?}", cell.blocks);
    }

    #[test]
    fn lines_of_a_cell_are_not_one_word() {
        let document = parse(
            "<table><caption>Rates<br>2026</caption><tr><th>Norwick<br>Tallow</th><td><p>one</p><p>two</p></td>\
             <td>Pump\u{AD}house<script>x()</script></td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>",
        );
        let table = "| Norwick Tallow | one two | Pumphouse | a b |\n| --- | --- | --- | --- |";
        assert_eq!(document.blocks, Block::in_markdown(["Rates 2026", table]));
    }

    #[test]
    fn surroundings_and_link_signs_are_left_out() {
        let document = parse(
            "<html lang=zh><div role=navigation>menu</div><div role=main><header><h1>In\u{AD}side¶</h1></header>\
             <p hidden>no</p><svg><title>pic</title></svg>text</div><div>around</div>",
        );
        assert_eq!(document.blocks, [Block::heading(1, "Inside"), Block::paragraph("text")]);
        assert_eq!(document.title.as_deref(), Some("Inside"));
        assert_eq!(document.metadata["language"], "zh");
    }

    #[test]
    fn a_page_inside_a_form_is_read() {
        let document = parse(
            "<body><form id=aspnetForm><h1>Fees</h1>text<select><option>no</select><textarea>no</textarea></form></body>",
        );
        assert_eq!(document.blocks, [Block::heading(1, "Fees"), Block::paragraph("text")]);
    }

    #[test]
    fn chapters_keep_all_text_and_the_places_of_ids() {
        let (blocks, anchors) = parse_chapter(
            "<body><section id=s><header><h1>T<a id=t></a></h1></header><p>a <i id=i>b</i></p>\
             <table id=tab><tr><td>c</table><aside id=n>note</aside><span id=end></span></section>",
            &mut Vec::new(),
        );
        assert_eq!(blocks.len(), 4);
        let at = |id: &str| anchors[id];
        assert_eq!([at("s"), at("t"), at("i"), at("tab"), at("n"), at("end")], [0, 0, 1, 2, 3, 4]);
    }
}
