//! Headings by their looks and numbers: size and weight against the body, what stands alone, numbers that go on.

use std::collections::{BTreeMap, HashMap};

use super::numbering::{self, Kind, Numbering};
use super::{Heading, Provenance};
use crate::load::{Block, BlockKind, Look};
use crate::text::{is_wide, join_line};

/// A heading has at most so many characters, ideographs counted twice.
const LONGEST: usize = 180;
/// And at most so many lines.
const MOST_LINES: usize = 4;
/// What is larger than the body by this factor is set off by its size.
const LARGER: f32 = 1.07;
/// What is larger by this factor needs no number and no company to be a heading.
const MUCH_LARGER: f32 = 1.25;
/// A style in which this share of the lines stands alone is one for headings.
const ALONE: f32 = 0.6;
/// Bold text of the body's size, without numbers, is a style for headings from so many on.
const FEWEST_BOLD: usize = 3;
/// Headings are at most this share of the lines.
const MOST_OF_THE_LINES: f32 = 0.25;
/// Less sure candidates are no headings.
const SURE_ENOUGH: f32 = 0.5;
/// Looks that are at least this telling need no numbers.
const SURE_LOOKS: f32 = 0.85;
/// So many numbered headings make a numbered document.
const FEWEST_NUMBERED: usize = 3;
/// Bold headings of the body's size are set off by space in this share.
const MOSTLY: f32 = 0.7;
/// How sure a heading is whose style the contents leave out, and how often that must occur.
const UNLISTED: f32 = 0.6;
const FEWEST_UNLISTED: usize = 8;
/// Contents with fewer entries than one for so many pages name chapters only.
const PAGES_PER_ENTRY: usize = 4;
/// Words over boxes, which look like headings and are none.
const BOX_TITLES: &[&str] = &[
    "note",
    "notes",
    "warning",
    "tip",
    "caution",
    "important",
    "example",
    "hint",
    "danger",
    "attention",
    "注意",
    "警告",
    "提示",
    "注",
    "重要",
    "小心",
    "说明",
    "示例",
    "例",
];
/// How sure a heading is that looks like those in the printed contents.
const LEARNED: f32 = 0.75;
/// So many headings of one look must be in the contents before others of that look are taken.
const FEWEST_EXAMPLES: usize = 2;
/// Sections whose groups are headed by letters.
const INDEX_TITLES: &[&str] = &["index", "索引"];
/// Fewer letters are no index.
const FEWEST_LETTERS: usize = 3;
/// A step of this many usual ones sets a line off.
const SET_OFF: f32 = 1.25;
/// A run of numbers goes on in this share of its steps.
const CONTINUITY: f32 = 0.6;

/// The size and the font in which most of a document is set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    pub size: f32,
    pub font: u16,
    pub bold: bool,
}

/// What makes headings of one level look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
struct Style {
    /// In half points.
    size: i32,
    bold: bool,
    italic: bool,
    font: u16,
}

/// Lines that may be a heading.
#[derive(Debug, Clone)]
struct Candidate {
    start: usize,
    lines: usize,
    text: String,
    number: Option<Numbering>,
    style: Style,
    /// Whether its looks set it off from the body.
    distinct: bool,
    /// Whether nothing of its style goes on right behind it.
    alone: bool,
    /// Whether more than the usual space stands above it; `None` at the top of a page or column.
    set_off: Option<bool>,
    /// A letter that heads a group of an index.
    is_index_letter: bool,
    page: Option<u32>,
}

/// The body style: that of most characters, listings left out where there is anything else.
pub fn body(blocks: &[Block]) -> Option<Body> {
    let mut counts: HashMap<(i32, u16, bool), usize> = HashMap::new();
    for block in blocks {
        if let Some(look) = &block.look {
            let weight = block.text.chars().count();
            let weight = if look.fixed { weight / 4 } else { weight };
            *counts.entry(((look.size * 2.0).round() as i32, look.font, look.bold)).or_default() += weight;
        }
    }
    // First the size over all fonts, then the font of that size: a document in two scripts has two body fonts.
    let mut sizes: HashMap<i32, usize> = HashMap::new();
    counts.iter().for_each(|((size, ..), count)| *sizes.entry(*size).or_default() += count);
    let size = sizes.into_iter().max_by_key(|&(size, count)| (count, -size))?.0;
    let ((_, font, bold), _) = counts
        .into_iter()
        .filter(|((other, ..), _)| *other == size)
        .max_by_key(|&((_, font, _), count)| (count, font))?;
    Some(Body { size: size as f32 / 2.0, font, bold })
}

/// The headings, each with the confidence that it is one. `skip` holds the blocks that cannot be headings: the
/// printed contents. `known` are headings that the contents name: where there are any, only what looks as they do is
/// added to them.
pub fn find(blocks: &[Block], skip: &[(usize, usize)], known: &[Heading]) -> Vec<Heading> {
    let body = body(blocks);
    let candidates = candidates(blocks, body.as_ref(), skip);
    let mut headings = if known.is_empty() || is_coarse(known, blocks) {
        let accepted = accept(&candidates, body.as_ref(), blocks.len());
        let accepted = without_title(accepted);
        let levels = levels(&accepted);
        let found: Vec<Heading> = accepted
            .iter()
            .zip(levels)
            .map(|((candidate, confidence), level)| candidate.heading(level, *confidence))
            .collect();
        overlay(found, known)
    } else {
        let mut all: Vec<Heading> = known.to_vec();
        all.extend(learned(&candidates, known));
        let unlisted = unlisted(&candidates, body.as_ref(), blocks.len(), &all);
        all.extend(unlisted);
        all.sort_by_key(|heading| heading.start);
        all
    };
    add_index_letters(&mut headings, &candidates);
    headings
}

impl Candidate {
    fn heading(&self, level: u32, confidence: f32) -> Heading {
        Heading {
            level,
            title: self.text.clone(),
            page: self.page,
            start: self.start + self.lines,
            heading_blocks: self.lines,
            provenance: if self.number.is_some() { Provenance::Numbering } else { Provenance::Typography },
            confidence,
        }
    }

    /// What headings of one level share: size, weight, and the kind and depth of their numbers.
    fn class(&self) -> (i32, bool, Option<(Kind, usize)>) {
        (self.style.size, self.style.bold, self.number.as_ref().map(|number| (number.kind, number.depth())))
    }
}

/// Whether the contents name the chapters only: what is below them must be found.
fn is_coarse(known: &[Heading], blocks: &[Block]) -> bool {
    let pages = blocks.last().and_then(|block| block.page).unwrap_or(0);
    pages as usize > PAGES_PER_ENTRY * known.len()
}

/// The headings that the contents name among those found by looks: what both say has the title of the contents and
/// the level of the looks; what stands in front of the first chapter is dropped.
fn overlay(found: Vec<Heading>, known: &[Heading]) -> Vec<Heading> {
    let Some(first) = known.iter().map(|heading| heading.start - heading.heading_blocks).min() else { return found };
    let overlaps =
        |a: &Heading, b: &Heading| a.start - a.heading_blocks < b.start && b.start - b.heading_blocks < a.start;
    let mut levels: HashMap<u32, Vec<u32>> = HashMap::new();
    for heading in known {
        if let Some(other) = found.iter().find(|other| overlaps(heading, other)) {
            levels.entry(heading.level).or_default().push(other.level);
        }
    }
    let level = |level: u32| match levels.get(&level) {
        Some(seen) => {
            let mut seen = seen.clone();
            seen.sort_unstable();
            seen[seen.len() / 2]
        }
        None => level,
    };
    let mut all: Vec<Heading> =
        known.iter().map(|heading| Heading { level: level(heading.level), ..heading.clone() }).collect();
    all.extend(
        found
            .into_iter()
            .filter(|heading| heading.start > first && !known.iter().any(|other| overlaps(heading, other))),
    );
    all.sort_by_key(|heading| heading.start);
    all
}

/// Candidates that look like headings which the contents name, on the level that those have.
fn learned(candidates: &[Candidate], known: &[Heading]) -> Vec<Heading> {
    let starts: HashMap<usize, &Heading> =
        known.iter().filter(|heading| heading.heading_blocks > 0).map(|heading| (heading.start, heading)).collect();
    type Class = (i32, bool, Option<(Kind, usize)>);
    let mut classes: HashMap<Class, Vec<u32>> = HashMap::new();
    for candidate in candidates {
        if let Some(heading) = starts.get(&(candidate.start + candidate.lines)) {
            classes.entry(candidate.class()).or_default().push(heading.level);
        }
    }
    let taken = |candidate: &Candidate| {
        let (from, to) = (candidate.start, candidate.start + candidate.lines);
        known.iter().any(|heading| heading.start - heading.heading_blocks < to && from < heading.start)
    };
    candidates
        .iter()
        .filter(|candidate| candidate.distinct && candidate.alone && !taken(candidate))
        // The cover is set like the headings and is none.
        .filter(|candidate| candidate.number.is_some() || candidate.page != candidates[0].page)
        .filter_map(|candidate| {
            let levels = classes.get(&candidate.class())?;
            // One example is not enough to say what unnumbered text of its looks is.
            let needed = if candidate.number.is_some() { 1 } else { FEWEST_EXAMPLES };
            let mut sorted = levels.clone();
            sorted.sort_unstable();
            (levels.len() >= needed).then(|| candidate.heading(sorted[sorted.len() / 2], LEARNED))
        })
        .collect()
}

/// Headings in a style that the contents leave out wholly, as many do with what is below the second level: large or
/// bold and large, alone, and frequent.
fn unlisted(candidates: &[Candidate], body: Option<&Body>, lines: usize, known: &[Heading]) -> Vec<Heading> {
    let Some(body) = body else { return Vec::new() };
    let overlaps = |candidate: &Candidate| {
        let (from, to) = (candidate.start, candidate.start + candidate.lines);
        known.iter().any(|heading| heading.start - heading.heading_blocks < to && from < heading.start)
    };
    let first = known.iter().map(|heading| heading.start).min().unwrap_or(usize::MAX);
    let styles = judge_styles(candidates, body, lines);
    // The weights of the headings on each level that are listed.
    let mut listed: BTreeMap<u32, Vec<f32>> = BTreeMap::new();
    for candidate in candidates {
        let end = candidate.start + candidate.lines;
        if let Some(heading) = known.iter().find(|heading| heading.start == end && heading.heading_blocks > 0) {
            listed.entry(heading.level).or_default().push(candidate.style.weight());
        }
    }
    let level = |style: Style| {
        1 + listed
            .values()
            .filter(|weights| {
                let mut weights = (*weights).clone();
                weights.sort_by(f32::total_cmp);
                weights[weights.len() / 2] > style.weight() + 0.2
            })
            .count() as u32
    };
    let fits = |candidate: &&Candidate| {
        candidate.distinct
            && candidate.alone
            && !candidate.is_index_letter
            && candidate.start > first
            && styles.get(&candidate.style).is_some_and(|&score| score >= SURE_LOOKS)
            && !overlaps(candidate)
    };
    let mut counts: HashMap<Style, usize> = HashMap::new();
    candidates.iter().filter(fits).for_each(|candidate| *counts.entry(candidate.style).or_default() += 1);
    candidates
        .iter()
        .filter(fits)
        .filter(|candidate| counts[&candidate.style] >= FEWEST_UNLISTED)
        .map(|candidate| candidate.heading(level(candidate.style), UNLISTED))
        .collect()
}

impl Style {
    /// Its size in points, and a little more where it is bold.
    fn weight(self) -> f32 {
        self.size as f32 / 2.0 + if self.bold { 0.25 } else { 0.0 }
    }
}

/// Leaves out what stands large on the first page and nowhere else: the title of the document and what goes with it.
fn without_title(accepted: Vec<(&Candidate, f32)>) -> Vec<(&Candidate, f32)> {
    let Some(first) = accepted.first().and_then(|(candidate, _)| candidate.page) else { return accepted };
    let later = |style: Style| {
        accepted.iter().any(|(candidate, _)| {
            candidate.page != Some(first) && candidate.style.size == style.size && candidate.style.bold == style.bold
        })
    };
    let leading = accepted
        .iter()
        .take_while(|(candidate, _)| {
            candidate.page == Some(first) && candidate.number.is_none() && !later(candidate.style)
        })
        .count();
    accepted.into_iter().skip(leading).collect()
}

/// Adds the letters that head the groups of an index, one level below the index.
fn add_index_letters(headings: &mut Vec<Heading>, candidates: &[Candidate]) {
    let mut added = Vec::new();
    for (i, heading) in headings.iter().enumerate() {
        let title = super::normalise_title(&heading.title);
        if !INDEX_TITLES.iter().any(|word| title.ends_with(word)) {
            continue;
        }
        let end = headings.get(i + 1).map_or(usize::MAX, |next| next.start - next.heading_blocks);
        let letters: Vec<&Candidate> = candidates
            .iter()
            .filter(|candidate| (heading.start..end).contains(&candidate.start) && candidate.is_index_letter)
            .collect();
        if letters.len() >= FEWEST_LETTERS {
            added.extend(letters.into_iter().map(|candidate| candidate.heading(heading.level + 1, LEARNED)));
        }
    }
    headings.extend(added);
    headings.sort_by_key(|heading| heading.start);
}

fn style(look: &Look) -> Style {
    Style { size: (look.size * 2.0).round() as i32, bold: look.bold, italic: look.italic, font: look.font }
}

fn same_style(a: &Look, b: &Look) -> bool {
    // Ideographs and letters of one heading come from two fonts.
    (a.size - b.size).abs() < 0.6 && a.bold == b.bold
}

fn candidates(blocks: &[Block], body: Option<&Body>, skip: &[(usize, usize)]) -> Vec<Candidate> {
    let step = usual_step(blocks);
    let mut candidates = Vec::new();
    let mut i = 0;
    while i < blocks.len() {
        let skipped = skip.iter().any(|&(start, end)| (start..end).contains(&i));
        let lines = match (skipped, body) {
            (true, _) => 0,
            (false, Some(body)) => candidate_lines(blocks, i, body),
            // An article may begin in any line, because its text runs on in it.
            (false, None) => usize::from(blocks[i].kind == BlockKind::Paragraph || blocks[i].text.starts_with('第')),
        };
        if lines > 0 {
            candidates.extend(candidate(blocks, i, lines, body, step));
        }
        i += lines.max(1);
    }
    join_bare_numbers(candidates)
}

/// `Chapter 3` on a line of its own and the title below it are one heading.
fn join_bare_numbers(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut joined: Vec<Candidate> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let is_title = candidate.number.is_none() && candidate.distinct && !candidate.is_index_letter;
        match joined.last_mut() {
            Some(last)
                if is_title
                    && last.distinct
                    && last.start + last.lines == candidate.start
                    && last.page == candidate.page
                    && last.number.as_ref().is_some_and(|number| {
                        number.kind <= Kind::Appendix && last.text[number.length..].trim().is_empty()
                    }) =>
            {
                last.text = format!("{} {}", last.text.trim_end(), candidate.text);
                last.number = numbering::parse(&last.text);
                last.lines += candidate.lines;
                last.style.size = last.style.size.max(candidate.style.size);
                last.alone = candidate.alone;
            }
            _ => joined.push(candidate),
        }
    }
    joined
}

/// The commonest distance of two lines, in sizes.
fn usual_step(blocks: &[Block]) -> f32 {
    let mut steps: Vec<i32> = blocks
        .windows(2)
        .filter_map(|pair| Some((distance(&pair[0], &pair[1])? * 20.0).round() as i32))
        .filter(|&step| step > 16 && step < 50)
        .collect();
    steps.sort_unstable();
    steps.chunk_by(|a, b| a == b).max_by_key(|group| group.len()).map_or(1.2, |group| group[0] as f32 / 20.0)
}

/// How far a line stands below another of the same part of the page, in sizes of the larger.
fn distance(above: &Block, below: &Block) -> Option<f32> {
    let (a, b) = (above.look.as_ref()?, below.look.as_ref()?);
    let near = above.page == below.page && a.part == b.part && b.baseline > a.baseline;
    near.then(|| (b.baseline - a.baseline) / a.size.max(b.size).max(1.0))
}

/// How many lines from `first` on are set alike and belong together; 0 where none can be a heading.
fn candidate_lines(blocks: &[Block], first: usize, body: &Body) -> usize {
    let Some(look) = &blocks[first].look else { return 0 };
    if !look.upright || look.fixed || look.size < body.size * 0.85 {
        return 0;
    }
    let distinct = is_distinct(look, body);
    let begins = blocks[first].kind == BlockKind::Paragraph
        || (distinct
            && first
                .checked_sub(1)
                .and_then(|i| blocks[i].look.as_ref())
                .is_none_or(|before| !same_style(before, look)))
        || numbering::parse(title_text(&blocks[first])).is_some();
    if !begins {
        return 0;
    }
    let mut lines = 1;
    while let Some(next) = blocks.get(first + lines) {
        let goes_on = next.page == blocks[first].page
            && next.look.as_ref().is_some_and(|other| same_style(look, other) && other.part == look.part)
            && match next.kind {
                BlockKind::Wrapped | BlockKind::Glued => true,
                BlockKind::Line => distinct && numbering::parse(title_text(next)).is_none(),
                // Centred lines of a large title come as paragraphs, because each begins elsewhere.
                BlockKind::Paragraph => {
                    look.size >= body.size * MUCH_LARGER
                        && numbering::parse(title_text(next)).is_none()
                        && is_close(&blocks[first + lines - 1], next)
                }
                BlockKind::Heading(_) => false,
            };
        if !goes_on {
            break;
        }
        lines += 1;
    }
    lines
}

fn is_close(before: &Block, next: &Block) -> bool {
    match (&before.look, &next.look) {
        (Some(a), Some(b)) => b.baseline - a.baseline < 1.7 * a.size && b.baseline > a.baseline,
        _ => false,
    }
}

fn is_distinct(look: &Look, body: &Body) -> bool {
    look.size >= body.size * LARGER || (look.bold && !body.bold)
}

/// The text of a line without the line number in the margin before it.
fn title_text(block: &Block) -> &str {
    let margin = block.look.as_ref().map_or(0, |look| look.margin as usize);
    block.text.get(margin..).unwrap_or(&block.text).trim_start()
}

fn candidate(blocks: &[Block], start: usize, lines: usize, body: Option<&Body>, step: f32) -> Option<Candidate> {
    let mut text = String::new();
    for block in &blocks[start..start + lines] {
        let line = title_text(block);
        let is_broken = text.ends_with('-') && line.starts_with(char::is_lowercase);
        if is_broken {
            text.pop();
        }
        if is_broken || block.kind == BlockKind::Glued {
            text.push_str(line);
        } else {
            join_line(&mut text, line);
        }
    }
    let look = blocks[start].look.as_ref();
    let distinct = look.zip(body).is_some_and(|(look, body)| is_distinct(look, body));
    let is_index_letter = distinct && is_index_letter(&text);
    let number = numbering::parse(&text).filter(|_| !is_index_letter);
    let width: usize = text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum();
    let next = blocks.get(start + lines);
    let alone = match (look, next.and_then(|next| next.look.as_ref())) {
        (Some(look), Some(next)) => !same_style(look, next) || !distinct,
        _ => next.is_none_or(|next| next.kind == BlockKind::Paragraph),
    };
    let set_off =
        start.checked_sub(1).and_then(|above| distance(&blocks[above], &blocks[start])).map(|far| far > SET_OFF * step);
    let too_long = width > LONGEST || lines > MOST_LINES;
    let candidate = Candidate {
        start,
        lines,
        style: look.map_or(Style::default(), style),
        distinct,
        alone,
        set_off,
        is_index_letter,
        page: blocks[start].page,
        number,
        text,
    };
    if is_index_letter {
        return Some(candidate);
    }
    if let Some(article) = article(&candidate, &blocks[start], width) {
        return Some(article);
    }
    if too_long
        || !could_be_title(&candidate.text, candidate.number.as_ref())
        || (!distinct && candidate.number.is_none())
    {
        return None;
    }
    // Of the body's looks, only a short line by itself can be a heading, and it must be numbered.
    let cells = look.map_or(1, |look| look.cells);
    if !distinct && (lines > 1 || cells > 2 || width > 90 || !alone || ends_like_a_sentence(&candidate.text)) {
        return None;
    }
    Some(candidate)
}

/// An article whose text begins in the line of its number: the number is the heading, the line stays text.
fn article(candidate: &Candidate, block: &Block, width: usize) -> Option<Candidate> {
    let number = candidate.number.as_ref()?;
    let runs_on = width > 60 || candidate.lines > 1 || ends_like_a_sentence(&candidate.text);
    if number.kind != Kind::Article || !runs_on || !block.text.starts_with('第') {
        return None;
    }
    let title = candidate.text[..number.length].trim_end_matches([' ', '：', ':', '　']).to_owned();
    let number = Numbering { length: title.len(), ..number.clone() };
    Some(Candidate { text: title, number: Some(number), lines: 0, ..candidate.clone() })
}

/// `A`, `Symbols`, `符号`
fn is_index_letter(text: &str) -> bool {
    (text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_uppercase()))
        || matches!(text, "Symbols" | "Numbers" | "符号" | "数字")
}

fn ends_like_a_sentence(text: &str) -> bool {
    text.ends_with(['.', '。', ',', '，', ';', '；', ':', '：', '、', '!', '！'])
}

/// Not fooled by captions, formulas, code, page references, quotations.
fn could_be_title(text: &str, number: Option<&Numbering>) -> bool {
    let rest = number.map_or(text, |number| &text[number.length..]);
    let letters = rest.chars().filter(|c| c.is_alphabetic()).count();
    let others = rest.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).count();
    let is_bare = number.is_some_and(|number| rest.trim().is_empty() && number.kind <= Kind::Appendix);
    if is_bare {
        return true;
    }
    let is_box_title =
        BOX_TITLES.contains(&rest.trim().trim_end_matches([':', '：', '!', '！']).to_lowercase().as_str());
    let starts_well = !is_box_title
        && rest.trim_start().starts_with(|c: char| c.is_alphanumeric() || "“\"‘《「\\$<⟨（(【[.¿¡@".contains(c));
    let leaders = rest.contains(". . .") || rest.contains("....") || rest.contains("……");
    letters >= 1
        && others <= letters.max(3)
        && starts_well
        && !leaders
        && !is_caption(text)
        && !text.ends_with([',', '，', ';', '；', '、'])
}

/// `Figure 3`, `图 2-1`, `Table 4:`
fn is_caption(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "figure",
        "fig.",
        "fig",
        "table",
        "tab.",
        "listing",
        "algorithm",
        "equation",
        "example",
        "theorem",
        "lemma",
        "proof",
        "definition",
        "corollary",
        "proposition",
        "remark",
        "note",
        "图",
        "表",
        "续表",
        "算法",
        "代码",
        "例",
        "定理",
        "引理",
        "定义",
        "公式",
        "注",
    ];
    let lower = text.to_lowercase();
    WORDS.iter().any(|word| {
        lower
            .strip_prefix(word)
            .is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == ':' || c == '：'))
    })
}

/// The candidates that are headings, with their confidence.
fn accept<'a>(candidates: &'a [Candidate], body: Option<&Body>, lines: usize) -> Vec<(&'a Candidate, f32)> {
    let styles = body.map(|body| judge_styles(candidates, body, lines)).unwrap_or_default();
    let runs = judge_numbers(candidates);
    // In a document that numbers its headings, bold lines without a number are labels more often than headings.
    let numbered = candidates.iter().enumerate().filter(|(i, candidate)| candidate.distinct && runs[*i] >= 0.8).count();
    let unnumbered = if numbered >= FEWEST_NUMBERED { 0.8 } else { 1.0 };
    candidates
        .iter()
        .enumerate()
        .filter_map(|(i, candidate)| {
            let looks = styles.get(&candidate.style).copied().unwrap_or(0.0);
            let numbers = runs[i];
            let confidence = match (&candidate.number, candidate.distinct) {
                (Some(_), true) => (0.35 + looks * 0.35 + numbers * 0.3).min(0.97),
                (Some(number), false) => {
                    // Looks say nothing, so the number must say it all: chapters and articles do, lists do not.
                    let strong = match number.kind {
                        Kind::Part | Kind::Chapter | Kind::Item | Kind::Article => 0.8,
                        Kind::Section if !number.lettered => 0.7,
                        Kind::Han => 0.6,
                        Kind::HanInBrackets => 0.45,
                        Kind::Decimal if number.depth() > 1 || has_below(candidates, i) => 0.55,
                        _ => 0.0,
                    };
                    strong * numbers
                }
                (None, true) if looks < SURE_LOOKS => looks * 0.8 * unnumbered,
                (None, true) => looks * 0.8,
                (None, false) => 0.0,
            };
            let confidence = if ends_like_a_sentence(&candidate.text) { confidence * 0.75 } else { confidence };
            let confidence = if candidate.alone || candidate.lines == 0 { confidence } else { confidence * 0.6 };
            (confidence >= SURE_ENOUGH && !candidate.is_index_letter).then_some((candidate, confidence))
        })
        .collect()
}

/// Whether `1.1` follows on the candidate `1` before `2` does: a list has no such items.
fn has_below(candidates: &[Candidate], place: usize) -> bool {
    let Some(number) = &candidates[place].number else { return false };
    candidates[place + 1..]
        .iter()
        .filter_map(|candidate| candidate.number.as_ref())
        .filter(|other| other.kind == number.kind)
        .find(|other| other.depth() != number.depth() || other.parts != number.parts)
        .is_some_and(|other| other.depth() == number.depth() + 1 && other.parts.starts_with(&number.parts))
}

/// How likely each style is one for headings, from 0 to 1.
fn judge_styles(candidates: &[Candidate], body: &Body, lines: usize) -> HashMap<Style, f32> {
    let mut groups: HashMap<Style, Vec<&Candidate>> = HashMap::new();
    candidates.iter().filter(|candidate| candidate.distinct).for_each(|candidate| {
        groups.entry(candidate.style).or_default().push(candidate);
    });
    groups
        .into_iter()
        .map(|(style, members)| {
            let count = members.len();
            let share = |is: &dyn Fn(&Candidate) -> bool| {
                members.iter().filter(|candidate| is(candidate)).count() as f32 / count as f32
            };
            let alone = share(&|candidate| candidate.alone);
            let sentences = share(&|candidate| ends_like_a_sentence(&candidate.text));
            let judged = members.iter().filter(|candidate| candidate.set_off.is_some()).count().max(1);
            let spaced =
                members.iter().filter(|candidate| candidate.set_off == Some(true)).count() as f32 / judged as f32;
            let ratio = style.size as f32 / 2.0 / body.size;
            let mut score: f32 = if ratio >= MUCH_LARGER {
                0.95
            } else if ratio >= LARGER {
                if style.bold { 0.9 } else { 0.7 }
            } else if count >= FEWEST_BOLD && spaced >= MOSTLY {
                0.7
            } else {
                0.4
            };
            if alone < ALONE {
                score *= 0.5;
            }
            if sentences > 0.4 {
                score *= 0.6;
            }
            if count as f32 > MOST_OF_THE_LINES * lines as f32 {
                score *= 0.3;
            }
            (style, score)
        })
        .collect()
}

/// For each candidate, how well its number goes on from the one before it of its kind: 1 where the run holds.
fn judge_numbers(candidates: &[Candidate]) -> Vec<f32> {
    let mut runs: HashMap<(Kind, bool), Vec<usize>> = HashMap::new();
    for (i, candidate) in candidates.iter().enumerate() {
        if let Some(number) = &candidate.number {
            runs.entry((number.kind, candidate.distinct)).or_default().push(i);
        }
    }
    let mut scores = vec![0.0f32; candidates.len()];
    for members in runs.values() {
        let number = |i: usize| candidates[i].number.as_ref();
        let mut good = 0;
        for (place, &i) in members.iter().enumerate() {
            let before = place.checked_sub(1).and_then(|place| number(members[place]));
            let fits = match (before, number(i)) {
                (None, Some(number)) => number.parts.iter().all(|&part| part <= 1) || number.parts.len() == 1,
                (Some(before), Some(number)) => {
                    number.follows(before) || (number.parts == [1] && number.kind >= Kind::Section)
                }
                _ => false,
            };
            good += usize::from(fits);
            scores[i] = if fits { 1.0 } else { 0.3 };
        }
        let holds = good as f32 >= CONTINUITY * members.len() as f32;
        for &i in members {
            scores[i] = if holds { scores[i].max(0.8) } else { scores[i] * 0.5 };
        }
    }
    scores
}

/// What decides the level: the depth of a number inside its kind, or the looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Class {
    Numbered(Kind, usize),
    Looks(Style),
}

fn levels(accepted: &[(&Candidate, f32)]) -> Vec<u32> {
    let class = |candidate: &Candidate| match &candidate.number {
        Some(number) => Class::Numbered(number.kind, number.depth()),
        None => Class::Looks(candidate.style),
    };
    let mut sizes: HashMap<Class, Vec<f32>> = HashMap::new();
    for (candidate, _) in accepted {
        sizes.entry(class(candidate)).or_default().push(candidate.style.weight());
    }
    let weight: HashMap<Class, f32> = sizes
        .into_iter()
        .map(|(class, mut sizes)| {
            sizes.sort_by(f32::total_cmp);
            (class, sizes[sizes.len() / 2])
        })
        .collect();
    let mut open: Vec<Class> = Vec::new();
    let mut result = Vec::with_capacity(accepted.len());
    for (candidate, _) in accepted {
        let class = class(candidate);
        while open.last().is_some_and(|above| !is_below(class, *above, &weight)) {
            open.pop();
        }
        open.push(class);
        result.push(open.len() as u32);
    }
    result
}

/// Whether headings of one class stand below those of another.
fn is_below(class: Class, above: Class, weight: &HashMap<Class, f32>) -> bool {
    if class == above {
        return false;
    }
    let heavier = weight.get(&above).copied().unwrap_or(0.0) - weight.get(&class).copied().unwrap_or(0.0);
    match (class, above) {
        (Class::Numbered(kind, depth), Class::Numbered(kind_above, depth_above)) => {
            if kind == kind_above {
                return depth > depth_above;
            }
            // A.1 is below Appendix A, 1.1 below Chapter 1.
            if kind == Kind::Decimal && depth > 1 && kind_above <= Kind::Roman {
                return true;
            }
            if kind_above == Kind::Decimal && depth_above > 1 && kind <= Kind::Appendix {
                return false;
            }
            if heavier.abs() > 0.6 { heavier > 0.0 } else { kind > kind_above }
        }
        _ => heavier > 0.2,
    }
}
