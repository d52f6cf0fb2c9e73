//! Takes out of HTML what makes its parser slow, before it is parsed: the tags of elements that are nested too deeply,
//! and most attributes of tags with very many.
//!
//! The parser looks through all open elements at each tag, through all attributes of a tag at each attribute, and opens
//! formatting elements that were never closed again in each paragraph, so a page of a megabyte could take hours. Only tags are
//! taken out, never text, and none from pages that people write. The nesting is estimated, never too low for long:
//! where the standard closes an element and this reader does not, the element merely counts as open.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::text::lists;

/// The deepest nesting; browsers have the same limit.
const DEEPEST: usize = 512;
/// Formatting elements that may be open at once.
const MOST_FORMATTING: usize = 32;
/// Attributes of a tag. Pictures and forms made by programs have a few dozen.
const MOST_ATTRIBUTES: usize = 500;
/// `<html>` and `<body>` tags. The attributes of each are compared with those of all before it.
const MOST_ROOTS: usize = 8;

/// HTML elements without content, which need no end tag.
pub(super) const VOID: &str = "area base br col embed hr img input link meta param source track wbr";
/// Elements whose content is text up to their end tag.
const RAW: &str = "script style textarea title xmp iframe noembed noframes";
/// Elements that stay open across paragraphs until their own end tag.
const FORMATTING: &str = "a b big code em font i nobr s small strike strong tt u";
/// Elements that close an open paragraph.
const BLOCKS: &str = "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption \
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section summary table ul";
/// Elements that no end tag of an element around them closes by passing.
const SCOPES: &str = "applet caption marquee object table td template th foreignobject desc";
/// Elements at which the search for an element to close ends, besides [`SCOPES`].
const SPECIAL: &str = "article aside blockquote button center dd details dir dl dt fieldset figcaption figure footer form \
    header hgroup li listing main menu nav ol pre section select summary tbody tfoot thead tr ul";
/// Parts of tables, which mean nothing elsewhere.
const TABLE_PARTS: &str = "caption colgroup tbody td tfoot th thead tr";

/// For the start tags of some elements, the open elements that they close.
const CLOSED_BY: [(&str, &str); 8] = [
    ("li", "li"),
    ("dd dt", "dd dt"),
    ("td th", "td th"),
    ("tr", "tr"),
    ("tbody tfoot thead", "tbody tfoot thead caption colgroup"),
    ("option optgroup", "option"),
    ("rb rp rt rtc", "rb rp rt rtc"),
    ("button", "button"),
];

/// The page without the tags that would make its parser slow; nearly always the page itself.
pub fn flat(text: &str) -> Cow<'_, str> {
    let mut reader = Reader::default();
    let mut out = String::new();
    // The end of what `out` holds.
    let mut done = 0;
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[start..];
        let tag = Tag::at(rest);
        at = start + tag.as_ref().map_or_else(|| end_of_other(rest), |tag| tag.end);
        let Some(tag) = tag else { continue };
        if !reader.keeps(&tag) {
            out.push_str(&text[done..start]);
            done = at;
        } else if let Some(cut) = tag.cut {
            out.push_str(&text[done..start + cut]);
            done = if text[..at].ends_with('>') { at - 1 } else { at };
        }
        if !tag.is_end && reader.foreign == 0 && lists(RAW, &tag.name) {
            at += reader.raw_text(&text[at..], &tag.name);
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// The end of a comment, a declaration, or a `<` that begins no tag.
fn end_of_other(text: &str) -> usize {
    let end = |mark: &str| text.find(mark).map_or(text.len(), |end| end + mark.len());
    match text.as_bytes() {
        [b'<', b'!', b'-', b'-', ..] => end("-->"),
        [b'<', b'!' | b'?', ..] => end(">"),
        _ => 1,
    }
}

/// A tag.
struct Tag {
    /// In lower case.
    name: String,
    is_end: bool,
    ends_itself: bool,
    /// The byte behind it.
    end: usize,
    /// Where its attributes become too many.
    cut: Option<usize>,
}

impl Tag {
    /// The tag at the beginning of `text`.
    fn at(text: &str) -> Option<Tag> {
        let is_end = text.starts_with("</");
        let from = if is_end { 2 } else { 1 };
        if !text[from..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let bytes = text.as_bytes();
        let until = |from: usize, test: fn(u8) -> bool| {
            let from = from.min(bytes.len());
            bytes[from..].iter().position(|byte| test(*byte)).map_or(bytes.len(), |found| from + found)
        };
        let mut at = until(from, |byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
        let mut tag = Tag { name: text[from..at].to_ascii_lowercase(), is_end, ends_itself: false, end: 0, cut: None };
        for attributes in 0.. {
            at = until(at, |byte| !byte.is_ascii_whitespace() && byte != b'/');
            if at >= bytes.len() || bytes[at] == b'>' {
                break;
            }
            if attributes == MOST_ATTRIBUTES {
                tag.cut = Some(at);
            }
            at = until(at + 1, |byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'='));
            let value = until(at, |byte| !byte.is_ascii_whitespace());
            if bytes.get(value) == Some(&b'=') {
                at = until(value + 1, |byte| !byte.is_ascii_whitespace());
                at = match bytes.get(at) {
                    Some(b'"') => until(at + 1, |byte| byte == b'"') + 1,
                    Some(b'\'') => until(at + 1, |byte| byte == b'\'') + 1,
                    _ => until(at, |byte| byte.is_ascii_whitespace() || byte == b'>'),
                };
            }
        }
        tag.end = bytes.len().min(at + 1);
        tag.ends_itself = text[..tag.end].ends_with("/>");
        Some(tag)
    }
}

/// What is open at a place of the page.
#[derive(Default)]
struct Reader {
    /// The names of open elements, outermost first.
    open: Vec<String>,
    /// Open elements of pictures and formulas.
    foreign: usize,
    /// For each formatting element, how many were never closed.
    formatting: HashMap<String, usize>,
    roots: usize,
    /// For each element, how many start tags were taken out; as many end tags are too.
    left_out: HashMap<String, usize>,
    /// Elements of raw text whose end tag does not occur any more.
    endless: HashSet<String>,
}

impl Reader {
    /// Follows a tag. Returns whether it stays.
    fn keeps(&mut self, tag: &Tag) -> bool {
        let name = tag.name.as_str();
        if matches!(name, "html" | "body") {
            self.roots += usize::from(!tag.is_end);
            return tag.is_end || self.roots <= MOST_ROOTS;
        }
        if tag.is_end {
            return self.ends(name);
        }
        let is_void = if self.foreign > 0 { tag.ends_itself } else { lists(VOID, name) };
        if is_void || lists(TABLE_PARTS, name) && !self.open.iter().any(|open| open == "table") {
            return true;
        }
        let is_formatting = lists(FORMATTING, name);
        // Raw text must not become text, whose elements end at once.
        let is_raw = lists(RAW, name) && self.foreign == 0;
        if is_raw && self.open.len() > DEEPEST {
            return true;
        }
        self.make_room(name);
        let formatting: usize = self.formatting.values().sum();
        if self.open.len() >= DEEPEST && !is_raw || is_formatting && formatting >= MOST_FORMATTING {
            *self.left_out.entry(tag.name.clone()).or_default() += 1;
            return false;
        }
        if is_formatting {
            *self.formatting.entry(tag.name.clone()).or_default() += 1;
        }
        self.foreign += usize::from(is_foreign(name));
        self.open.push(tag.name.clone());
        true
    }

    /// Closes what the start tag of an element closes.
    fn make_room(&mut self, name: &str) {
        if matches!(name, "a" | "nobr") {
            self.remove(name);
        }
        if lists(BLOCKS, name) {
            self.close("p", "button");
        }
        if is_heading(name) && self.open.last().is_some_and(|open| is_heading(open)) {
            self.open.pop();
        }
        if let Some((_, closed)) = CLOSED_BY.iter().find(|(by, _)| lists(by, name)) {
            self.close(closed, if lists(TABLE_PARTS, name) { "table" } else { SPECIAL });
        }
    }

    /// Follows the end tag of an element. Returns whether it stays.
    fn ends(&mut self, name: &str) -> bool {
        if let Some(left_out) = self.left_out.get_mut(name).filter(|left_out| **left_out > 0) {
            *left_out -= 1;
            return false;
        }
        if lists(FORMATTING, name) || name == "form" {
            self.remove(name);
        } else if is_heading(name) {
            self.close("h1 h2 h3 h4 h5 h6", "");
        } else if lists(TABLE_PARTS, name) {
            self.close(name, "table");
        } else if lists(BLOCKS, name) || lists(SCOPES, name) || lists(SPECIAL, name) {
            self.close(name, "");
        } else {
            self.close(name, SPECIAL);
        }
        true
    }

    /// Closes the innermost open element of `names` with all inside it, unless one of `until` or a scope is inside it.
    fn close(&mut self, names: &str, until: &str) {
        let is_table = names.split(' ').next().is_some_and(|name| name == "table" || lists(TABLE_PARTS, name));
        for (i, open) in self.open.iter().enumerate().rev() {
            if lists(names, open) {
                let closed = self.open.drain(i..);
                self.foreign -= closed.filter(|closed| is_foreign(closed)).count();
                return;
            }
            // Tables close whatever is open inside them.
            if lists(until, open) || lists(SCOPES, open) && (!is_table || open == "table") {
                return;
            }
        }
    }

    /// Closes the innermost open element of a name, but not those inside it.
    fn remove(&mut self, name: &str) {
        if let Some(i) = self.open.iter().rposition(|open| open == name) {
            self.open.remove(i);
        }
        if let Some(count) = self.formatting.get_mut(name) {
            *count = count.saturating_sub(1);
        }
    }

    /// The length of the raw text of an element up to its end tag; 0 without one.
    fn raw_text(&mut self, text: &str, name: &str) -> usize {
        // Looking for one that is not there once is enough.
        if self.endless.contains(name) {
            return 0;
        }
        let is_end = |at: &usize| {
            text.as_bytes()
                .get(at + 2..at + 2 + name.len())
                .is_some_and(|own| own.eq_ignore_ascii_case(name.as_bytes()))
        };
        match text.match_indices("</").map(|(at, _)| at).find(is_end) {
            Some(end) => end,
            None => {
                self.endless.insert(name.to_owned());
                0
            }
        }
    }
}

fn is_foreign(name: &str) -> bool {
    matches!(name, "svg" | "math")
}

fn is_heading(name: &str) -> bool {
    matches!(name.as_bytes(), [b'h', b'1'..=b'6'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::html;

    /// The most elements that are open at once in the parsed page.
    fn depth(page: &str) -> usize {
        let dom = dom_query::Document::from(&*flat(page));
        let mut deepest = 0;
        let mut stack = vec![(dom.root(), 0)];
        while let Some((node, depth)) = stack.pop() {
            deepest = deepest.max(depth);
            stack.extend(node.children_it(false).map(|child| (child, depth + 1)));
        }
        deepest
    }

    #[test]
    fn no_page_nests_its_elements_so_deeply_that_parsing_takes_for_ever() {
        for part in [
            "<ul>",
            "<ul><li>",
            "<div>",
            "<b>",
            "<b><p>",
            "<font size=1><p>",
            "<b><div></b>",
            "<a><div></a>",
            "<span>",
            "<svg>",
            "<table><tr><td>",
            "<td><div>",
            "<li><section>",
            "<span><div></span>",
            "<DIV/>",
            "<h1><div>",
            "<select><div>",
            "<form><div></form>",
            "<dl><dd>",
            "<button><div>",
            "<x><p></x>",
            "<object><p>",
            "<p><i><p>",
            "<ruby><rt><div>",
            "<math><mi>",
            "<svg><foreignObject>",
            "<table><caption>",
            "<template>",
            "<title/><div>",
            "<body><article>",
        ] {
            let found = depth(&part.repeat(5_000));
            assert!(found < 2 * DEEPEST, "{part}: {found}");
        }
    }

    #[test]
    fn a_page_that_people_write_stays_as_it_is() {
        let row = "<tr><td><b>a<td><p>b<br>c</p></td></tr>";
        let path = "<path d='M0 0'/>";
        for part in [
            "<p>a<p>b<hr>",
            "<li>a<li><p>b</p>",
            "<dt>a<dd>b",
            "<option>a",
            "<h1>a</h1><h2>b</h2>",
            "<img><br><input>",
            "a < b && c > d ",
            "<script>if (a<b) document.write('<div>')</script>",
            "<!-- <div> -->",
            "<div><span>a</span></div>",
            "<a href=x>a</a>",
        ] {
            let page = format!("<html><body>{}</body></html>", part.repeat(1_000));
            assert!(matches!(flat(&page), Cow::Borrowed(_)), "{part}");
        }
        let page = format!("<table>{}</table><svg>{}</svg>", row.repeat(MOST_FORMATTING), path.repeat(1_000));
        assert!(matches!(flat(&page), Cow::Borrowed(_)));
    }

    #[test]
    fn the_text_of_elements_that_are_nested_too_deeply_is_kept() {
        let page = format!(
            "<p>before</p>{}deep<script>x()</script>{}<p>behind</p>",
            "<div>".repeat(5_000),
            "</div>".repeat(5_000)
        );
        let texts: Vec<String> = html::parse(&page).blocks.into_iter().map(|block| block.text).collect();
        assert_eq!(texts, ["before", "deep", "behind"]);
    }

    #[test]
    fn very_many_attributes_are_cut_off() {
        let attributes: String = (0..5_000).map(|i| format!(" a{i}=\"<>\"")).collect();
        let page = flat(&format!("<p{attributes}>text</p>")).into_owned();
        assert!(page.ends_with(" >text</p>") && page.matches('=').count() == MOST_ATTRIBUTES, "{}", page.len());
        assert_eq!(flat(&format!("<p{attributes}")).matches('=').count(), MOST_ATTRIBUTES, "it never ends");
        assert_eq!(flat(&"<body a=1>".repeat(100)).matches("body").count(), MOST_ROOTS);
    }
}
