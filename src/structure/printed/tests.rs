use super::*;
use crate::structure::tests::{body, heading, line, page};
use crate::structure::typography;

/// A contents line with dotted leaders.
fn dotted(title: &str, label: &str) -> Block {
    line(&format!("{title} . . . . . . . . . . {label}")).ending_at(520.0)
}

/// A contents line with a gap before the page number.
fn aligned(title: &str, label: &str) -> Block {
    line(&format!("{title} {label}")).cells(2).ending_at(520.0)
}

const CHAPTERS: [&str; 4] = ["1 Introduction", "2 Plant description", "3 Operation", "4 Maintenance"];

/// A contents page and four chapters on one page each, from page `first` on.
fn book(contents: Vec<Block>, first: u32) -> Vec<Block> {
    [page(1, [contents]), text_under(&CHAPTERS, first..)].concat()
}

/// The blocks with another text in place of this one.
fn reworded(mut blocks: Vec<Block>, text: &str, other: &str) -> Vec<Block> {
    blocks.iter_mut().filter(|block| block.text == text).for_each(|block| block.text = other.into());
    blocks
}

fn labels<const N: usize>(pages: [&str; N]) -> Vec<Option<String>> {
    pages.map(|label| Some(label.to_owned())).into()
}

/// A page with a heading and text for each title.
fn text_under(titles: &[&str], pages: impl IntoIterator<Item = u32>) -> Vec<Block> {
    let chapter = |(title, number): (&&str, u32)| page(number, [vec![heading(title, 16.0)], body(title)]);
    titles.iter().zip(pages).flat_map(chapter).collect()
}

/// The page of contents with these entries.
fn titled(entries: impl IntoIterator<Item = Block>) -> Vec<Block> {
    std::iter::once(heading("Contents", 16.0)).chain(entries).collect()
}

fn read(blocks: &[Block]) -> Vec<(u32, String, u32)> {
    let headings = find(blocks, &[], &[]).into_iter().flat_map(|contents| contents.headings);
    headings.map(|heading| (heading.level, heading.title, heading.page.unwrap_or(0))).collect()
}

fn chapters() -> Vec<(u32, String, u32)> {
    CHAPTERS.iter().zip(2..).map(|(title, page)| (1, (*title).to_owned(), page)).collect()
}

fn contents(entry: fn(&str, &str) -> Block) -> Vec<Block> {
    titled(CHAPTERS.iter().zip(["1", "2", "3", "4"]).map(|(title, label)| entry(title, label)))
}

#[test]
fn leaders_and_aligned_numbers_make_contents() {
    assert_eq!(read(&book(contents(dotted), 2)), chapters());
    assert_eq!(read(&book(contents(aligned), 2)), chapters());
}

#[test]
fn a_section_starts_at_its_heading_and_not_in_the_contents() {
    let blocks = book(contents(dotted), 2);
    let found = find(&blocks, &[], &[]);
    assert_eq!(found[0].span, (1, 5));
    for heading in &found[0].headings {
        assert_eq!(heading.heading_blocks, 1);
        assert!(blocks[heading.start].text.starts_with("What is said about"), "{heading:?}");
        assert!(heading.confidence > 0.9);
    }
}

#[test]
fn an_item_with_the_words_of_a_numbered_title_is_not_its_heading() {
    let chapters = CHAPTERS.iter().zip(2..).flat_map(|(title, number)| {
        let item = line(&format!("• {}", &title[2..]));
        page(number, [body("what comes"), vec![item, heading(title, 16.0)], body(title)])
    });
    let blocks: Vec<Block> = page(1, [contents(dotted)]).into_iter().chain(chapters).collect();
    let found = find(&blocks, &[], &[]);
    let first_lines: Vec<&str> =
        found[0].headings.iter().map(|heading| blocks[heading.start - heading.heading_blocks].words()).collect();
    assert_eq!(first_lines, CHAPTERS);
}

#[test]
fn roman_page_numbers_are_those_printed_on_the_pages() {
    let mut entries = contents(dotted);
    entries.insert(1, dotted("Preface", "iii"));
    let mut blocks = page(1, [entries]);
    blocks.extend(page(3, [vec![heading("Preface", 16.0)], body("thanks")]));
    blocks.extend(book(Vec::new(), 5));
    let found = find(&blocks, &[], &labels(["i", "ii", "iii", "iv", "1", "2", "3", "4"]));
    let pages: Vec<Option<u32>> = found[0].headings.iter().map(|heading| heading.page).collect();
    assert_eq!(pages, [Some(3), Some(5), Some(6), Some(7), Some(8)]);
}

#[test]
fn levels_come_from_numbers_and_from_indents() {
    let titles = ["1 Introduction", "1.1 Scope", "1.1.1 Terms", "1.2 Safety", "2 Plant"];
    let plain = ["Introduction", "Scope", "Terms", "Safety", "Plant"];
    let indents = [0.0, 15.0, 30.0, 15.0, 0.0];
    let book = |titles: [&str; 5], indents: [f32; 5]| {
        let entries = titles.iter().zip(indents).map(|(title, indent)| dotted(title, "2").indented(indent));
        let mut blocks = page(1, [titled(entries)]);
        blocks.extend(page(2, titles.map(|title| [vec![heading(title, 12.0)], body(title)].concat())));
        read(&blocks).into_iter().map(|(level, ..)| level).collect::<Vec<u32>>()
    };
    assert_eq!(book(titles, [0.0; 5]), [1, 2, 3, 2, 1]);
    assert_eq!(book(plain, indents), [1, 2, 3, 2, 1]);
}

#[test]
fn contents_without_a_heading_must_be_long_and_at_the_front() {
    let short = contents(dotted).split_off(1);
    assert_eq!(read(&book(short, 2)), [], "four lines with numbers may be anything");
    let titles = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(|i| format!("{i} Chapter about {}", "xyz".repeat(i)));
    let long: Vec<Block> = titles.iter().zip(1..).map(|(title, i)| dotted(title, &i.to_string())).collect();
    let chapters = text_under(&titles.each_ref().map(String::as_str), 2..);
    assert_eq!(read(&[page(1, [long.clone()]), chapters.clone()].concat()).len(), 9);
    let more: Vec<Block> = (11..40).flat_map(|number| page(number, [body("more")])).collect();
    assert_eq!(read(&[chapters, more, page(40, [long])].concat()), []);
}

#[test]
fn labels_of_a_drawing_are_not_contents() {
    let listed = |names: [&str; 9]| regions(&page(1, [names.map(|name| aligned(name, "1")).to_vec()])).len();
    let labels = ["C C", "BB", "B v", "CC", "B x", "C y", "B w", "v B", "B z"];
    assert_eq!(listed(labels), 0);
    assert_eq!(listed(labels.map(|_| "Pumps")), 1);
    assert_eq!(listed(labels.map(|_| "水泵")), 1);
}

#[test]
fn lists_of_figures_and_indexes_are_not_contents() {
    let lists = "List of Figures|List of Tables|Index|Abbildungsverzeichnis|Liste des tableaux|插图目录\
        |表格索引";
    for title in lists.split('|') {
        let mut entries = contents(dotted);
        entries[0] = heading(title, 16.0);
        assert_eq!(read(&book(entries, 2)), [], "{title}");
    }
    // Both have the right pages, as contents would.
    let list = |entry: fn(&str, &str) -> Block, names: [&str; 4], ends: &str| {
        let entries =
            names.iter().zip(["1", "2", "3", "4"]).map(|(name, label)| entry(&format!("{name}{ends}"), label));
        let mut blocks = page(1, [titled(entries)]);
        blocks.extend(names.iter().zip(2..).flat_map(|(name, number)| page(number, [vec![line(name)], body(name)])));
        read(&blocks)
    };
    let figures = ["Figure 1 The well", "Figure 2 A pump", "Figure 3 The hall", "Table 1 Ratings"];
    assert_eq!(list(dotted, figures, ""), [], "captions say what they are");
    let terms = ["bearing", "coupling", "gland", "motor"];
    assert_eq!(list(aligned, terms, ","), [], "terms of an index end in commas");
    assert_eq!(list(aligned, terms, "").len(), 4, "and without them these would be contents");
}

#[test]
fn an_index_after_its_pages_is_not_contents() {
    let terms = ["bearing", "coupling", "gland", "motor", "packing", "rotor", "shaft", "valve", "wheel"];
    let pages = || (1..4).flat_map(|number| page(number, [terms.map(line).to_vec(), body("them")]));
    let index: Vec<Block> = terms.iter().map(|term| dotted(term, "2")).collect();
    let behind = |title: Vec<Block>| pages().chain(page(4, [title, index.clone()])).collect::<Vec<Block>>();
    assert_eq!(read(&behind(vec![])), []);
    assert_eq!(read(&behind(vec![heading("Contents", 16.0)])).len(), 9, "contents say what they are");
}

#[test]
fn titles_of_groups_are_above_their_entries() {
    let grouped = |first: &str, second: &str| {
        let mut entries = contents(dotted);
        entries.insert(3, line(second).bold());
        entries.insert(1, line(first).bold());
        entries
    };
    let levels = |blocks: &[Block]| read(blocks).into_iter().map(|(level, ..)| level).collect::<Vec<u32>>();
    let parts = book(grouped("PART I", "PART II"), 2);
    let titles: Vec<String> = read(&parts).into_iter().map(|(_, title, _)| title).collect();
    assert_eq!((titles[0].as_str(), titles[3].as_str()), ("PART I", "PART II"));
    assert_eq!(levels(&parts), [1, 2, 2, 1, 2, 2]);
    let found = &find(&parts, &[], &[])[0].headings;
    assert_eq!((found[3].heading_blocks, found[3].page), (0, Some(4)), "no line has it: with its first entry");
    let mut printed = parts.clone();
    let at = printed.iter().position(|block| block.text == "3 Operation" && block.page == Some(4)).unwrap();
    printed.insert(at, Block { page: Some(4), ..heading("Part II", 16.0) });
    assert_eq!(find(&printed, &[], &[])[0].headings[3].heading_blocks, 1);
    assert_eq!(levels(&book(grouped("Water", "People"), 2)).len(), 4, "other titles must be in the text");
    assert_eq!(levels(&book(grouped("第一部分", "第二部分"), 2)), [1, 2, 2, 1, 2, 2]);
}

#[test]
fn entries_are_found_on_pages_that_drift_away_from_their_numbers() {
    let titles = ["1 Introduction", "2 Plant description", "3 Operation of it", "4 Maintenance"];
    let entries = titles.iter().zip(["1", "3", "5", "7"]).map(|(title, label)| dotted(title, label));
    let blocks = [page(1, [titled(entries)]), text_under(&titles, [2, 6, 10, 14])].concat();
    let pages: Vec<u32> = read(&blocks).into_iter().map(|(_, _, page)| page).collect();
    assert_eq!(pages, [2, 6, 10, 14]);
}

#[test]
fn a_title_that_the_contents_cut_off_is_found() {
    let whole = "2 Description of the plant and of all of its machinery";
    let mut entries = contents(dotted);
    entries[2] = dotted("2 Description of the plant and of all", "2");
    let blocks = reworded(book(entries, 2), CHAPTERS[1], whole);
    let second = &find(&blocks, &[], &[])[0].headings[1];
    assert_eq!((second.title.as_str(), second.heading_blocks), (whole, 1));
}

#[test]
fn contents_with_wrong_pages_are_ignored() {
    let other = |blocks, title: &&str| reworded(blocks, title, "Something else altogether");
    let blocks = CHAPTERS.iter().fold(book(contents(dotted), 2), other);
    assert_eq!(read(&blocks), []);
    let found = find(&blocks, &[], &labels(["i", "1", "2", "3", "4"]));
    assert!(found.is_empty(), "numbers of pages that are there do not make a title right");
}

#[test]
fn a_title_that_the_contents_shorten_is_found_by_its_number() {
    let with = |title: &str| reworded(book(contents(dotted), 2), CHAPTERS[2], title);
    let blocks = with("3 Operation in all weathers");
    let third = &find(&blocks, &[], &[])[0].headings[2];
    let found = (third.title.as_str(), third.heading_blocks, third.confidence);
    assert_eq!(found, ("3 Operation", 0, CONFIRMED), "the line stays in the text");
    let again = typography::find(&blocks, &[(1, 5)], &find(&blocks, &[], &[])[0].headings);
    assert_eq!(again.len(), 4, "and makes no second section: {again:?}");
    let third = &find(&with("3 Weather"), &[], &[])[0].headings[2];
    assert_eq!((third.title.as_str(), third.confidence), ("3 Operation", COUNTED), "another title");
}

#[test]
fn a_title_with_a_description_beside_it_is_found_and_stays_in_the_text() {
    let commands = ["abs", "acos", "agrep", "all"];
    let entries = commands.iter().zip(["1", "2", "3", "4"]).map(|(title, label)| dotted(title, label));
    let mut blocks = page(1, [titled(entries)]);
    let described = |title: &str| line(&format!("{title} What this function is for")).cells(2);
    let chapter = |(title, number): (&&str, u32)| page(number, [body("it"), vec![described(title)], body(title)]);
    blocks.extend(commands.iter().zip(2..).flat_map(chapter));
    let labels = labels(["i", "1", "2", "3", "4"]);
    let found = &find(&blocks, &[], &labels)[0].headings;
    let titles: Vec<(&str, u32, usize)> =
        found.iter().map(|it| (it.title.as_str(), it.page.unwrap_or(0), it.heading_blocks)).collect();
    assert_eq!(titles, [("abs", 2, 0), ("acos", 3, 0), ("agrep", 4, 0), ("all", 5, 0)]);
    assert!(blocks[found[2].start].text.starts_with("agrep What"), "the section begins with the description");
    let blocks = reworded(blocks, "all What this function is for", "all 12 13");
    assert_eq!(find(&blocks, &[], &labels)[0].headings[3].confidence, COUNTED, "a row of a table");
}

/// A manual whose contents list chapters and commands; the pages of commands begin with more than a name.
fn manual() -> Vec<Block> {
    let commands = ["def-array", "def-enum", "def-struct", "def-type"];
    let titles = || CHAPTERS.into_iter().chain(commands);
    let begins = |title: &str| match CHAPTERS.contains(&title) {
        true => heading(title, 16.0),
        false => line(&format!("{title} — Defines what its name says")),
    };
    let contents = titles().zip(1..).map(|(title, number)| dotted(title, &number.to_string())).collect();
    let pages = titles().zip(2..).flat_map(|(title, number)| page(number, [vec![begins(title)], body(title)]));
    page(1, [contents]).into_iter().chain(pages).collect()
}

#[test]
fn under_a_title_half_of_the_entries_are_enough() {
    let title = || page(1, [vec![heading("Contents", 16.0)]]);
    let titled = || [title(), manual()].concat();
    assert_eq!(read(&titled()).len(), 8);
    assert_eq!(read(&manual()), [], "no title");
    assert_eq!(find(&manual(), &title(), &[])[0].headings.len(), 8, "the title was taken for a running head");
    let elsewhere = page(10, [["def-array", "def-enum"].map(line).to_vec()]);
    assert_eq!(read(&[titled(), elsewhere].concat()), [], "commands are on other pages");
}

#[test]
fn an_entry_found_on_another_page_is_left_out() {
    let mut blocks = book(contents(dotted), 2);
    blocks.retain(|block| block.page != Some(3));
    blocks.extend(page(9, [vec![line("2 Plant description")], body("it")]));
    let found = [chapters()[0].clone(), chapters()[2].clone(), chapters()[3].clone()];
    assert_eq!(read(&blocks), found);
}

#[test]
fn the_same_contents_in_a_second_language_count_once() {
    let blocks = book([contents(dotted), contents(aligned)].concat(), 2);
    assert_eq!(read(&blocks), chapters());
    assert_eq!(find(&blocks, &[], &[]).len(), 2, "and neither is text with headings");
}

#[test]
fn titles_of_contents_pages_are_recognised() {
    for title in ["Contents", "TABLE OF CONTENTS", "目 录", "Inhaltsverzeichnis", "Table des matières"] {
        assert!(is_contents_title(title), "{title}");
    }
    for title in ["Contents of the tank", "目录结构", "1 Introduction"] {
        assert!(!is_contents_title(title), "{title}");
    }
}
