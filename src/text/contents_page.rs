//! Pages of printed contents and of an index.

use super::han::{in_simplified, is_han_digit};

/// The fewest entries of such a page.
const FEWEST: usize = 4;
/// The fewest dots of a leader; an ellipsis counts as three.
const FEWEST_DOTS: usize = 4;
/// The most characters without an entry: a title page or prose beside the entries is worth finding.
const LONGEST_ENTRY: usize = 240;
/// The least share of the text that is leaders.
const LEAST_LEADERS: f32 = 0.15;
/// The least share of page numbers that are not below the one before: prices after leaders go up and down.
const LEAST_RISING: f32 = 0.8;
/// The fewest entries of an index, their most letters on average and at all, and the least share of them that are in
/// order: subentries are not in the order of their page.
const FEWEST_IN_INDEX: usize = 6;
const USUAL_IN_INDEX: usize = 30;
const LONGEST_IN_INDEX: usize = 120;
const LEAST_ORDERED: f32 = 0.7;
/// The most digits of a page number.
const MOST_DIGITS: usize = 4;

/// The least share of lines that are the number and title of a chapter, and the most characters of the title.
const LEAST_CHAPTERS: f32 = 0.8;
const LONGEST_CHAPTER: usize = 20;
/// What a law is divided into, from the largest.
const UNITS: [&str; 4] = ["编", "分编", "章", "节"];

/// Whether a text is hardly more than entries of a table of contents or of an index. They have the words of what they
/// list and say nothing about it.
pub fn is_contents_page(text: &str) -> bool {
    lists_pages(text) || lists_chapters(text) || is_index(text)
}

/// Whether nearly all lines are like 第一章　总则, as in the contents of a law, which say so or have units of two kinds: a
/// timetable has only 第一节.
fn lists_chapters(text: &str) -> bool {
    let (mut kinds, mut is_titled, mut chapters, mut lines) = ([false; UNITS.len()], false, 0, 0);
    for line in in_simplified(text).lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.split_whitespace().collect::<String>() == "目录" {
            is_titled = true;
            continue;
        }
        lines += 1;
        if let Some(unit) = unit_of_chapter(line) {
            chapters += 1;
            kinds[unit] = true;
        }
    }
    let has_two_kinds = kinds.iter().filter(|has| **has).count() > 1;
    chapters >= FEWEST && chapters as f32 >= LEAST_CHAPTERS * lines as f32 && (is_titled || has_two_kinds)
}

/// The place in [`UNITS`] of what a line is the number and title of. Times and punctuation show that it is no title.
fn unit_of_chapter(line: &str) -> Option<usize> {
    let is_number = |c: char| is_han_digit(c) || c.is_ascii_digit() || c == ' ';
    let after = line.strip_prefix('第')?.trim_start_matches(is_number);
    let (place, title) =
        UNITS.iter().enumerate().find_map(|(place, unit)| Some((place, after.strip_prefix(*unit)?)))?;
    let is_title = !title.contains(|c: char| c.is_ascii_digit() || "，；：。！？".contains(c));
    (is_title && title.chars().count() <= LONGEST_CHAPTER).then_some(place)
}

/// Whether a text has titles, leaders and page numbers that rise:
///
/// ```text
/// 2.1.1 支持的体系 . . . . . . . . 5 2.1.2 CPU 支持 . . . . . . . . 6
/// ```
fn lists_pages(text: &str) -> bool {
    let (mut pages, mut leaders, mut length): (Vec<u32>, usize, usize) = (Vec::new(), 0, 0);
    let (mut entry, mut longest_entry) = (0, 0);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        length += 1;
        let (mut dots, mut run) = (dots_in(c), 1);
        if dots == 0 {
            continue;
        }
        while let Some(next) = rest.next_if(|&c| dots_in(c) > 0 || c == ' ') {
            dots += dots_in(next);
            run += 1;
        }
        length += run - 1;
        let mut page = String::new();
        while let Some(digit) = rest.next_if(char::is_ascii_digit) {
            page.push(digit);
        }
        length += page.len();
        if dots >= FEWEST_DOTS
            && let Ok(page) = page.parse()
        {
            pages.push(page);
            leaders += run;
            longest_entry = longest_entry.max(length - entry);
            entry = length;
        }
    }
    longest_entry = longest_entry.max(length - entry);
    let rising = pages.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    pages.len() >= FEWEST
        && longest_entry <= LONGEST_ENTRY
        && rising as f32 >= LEAST_RISING * (pages.len() - 1) as f32
        && leaders as f32 >= LEAST_LEADERS * length as f32
}

/// Whether a text has words in alphabetical order, with their page numbers behind a comma or a leader. One word has
/// several pages: a list of names has one number for each.
///
/// ```text
/// besin, 38 bezier, 113 boxes, 9, 71
/// ```
fn is_index(text: &str) -> bool {
    let (mut titles, mut title): (Vec<String>, String) = (Vec::new(), String::new());
    // Whether a page number may follow, whether the last word was one, and whether an entry has several.
    let (mut introduced, mut listed, mut has_several) = (false, false, false);
    for word in text.split_whitespace() {
        let pages = word.trim_end_matches(',');
        let is_pages = pages.starts_with(|c: char| c.is_ascii_digit())
            && pages
                .split(['-', '–'])
                .all(|page| page.len() <= MOST_DIGITS && page.bytes().all(|b| b.is_ascii_digit()));
        let is_leader = word.chars().all(|c| dots_in(c) > 0);
        if is_pages && introduced {
            has_several |= listed || pages.contains(['-', '–']);
            if !listed {
                titles.push(std::mem::take(&mut title));
            }
            listed = true;
        } else if !is_leader {
            title.extend(word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
            listed = false;
        }
        introduced = is_leader || word.ends_with(',');
    }
    let lengths = || titles.iter().chain([&title]).map(|title| title.chars().count());
    let ordered = titles.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    has_several
        && titles.len() >= FEWEST_IN_INDEX
        && lengths().sum::<usize>() <= USUAL_IN_INDEX * titles.len()
        && lengths().all(|length| length <= LONGEST_IN_INDEX)
        && ordered as f32 >= LEAST_ORDERED * (titles.len() - 1) as f32
}

fn dots_in(c: char) -> usize {
    match c {
        '.' | '·' | '．' => 1,
        '…' | '⋯' => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_with_leaders_and_rising_page_numbers_are_a_contents_page() {
        let spaced = "2.1 支持的硬件 . . . . . . . 5 2.1.1 支持的体系 . . . . . . . . 5 2.1.2 CPU 支持 . . . . . . 6 2.2 固件 . . . . . 9";
        let dense = "Foreword ........ 3\nScope ........ 7\nTerms ........ 12\nRules ........ 12\nIndex ........ 40\n";
        let ellipses = "前言……1\n范围……3\n术语……5\n规则……8\n";
        let law =
            "目　录\n　第一编　总则\n　　第一章　基本规定\n　　第二章　自然人\n　　　第一节　监护\n　　第三章　法人\n";
        let parts = "第二编　物權\n第一分編　通則\n第一章　一般規定\n第二章　物權的設立\n";
        let chapters = "目录\n第一章　总则\n第二章　供水\n第三章　罚则\n第四章　附则\n";
        for text in [spaced, dense, ellipses, law, parts, chapters] {
            assert!(is_contents_page(text), "{text}");
        }
    }

    #[test]
    fn words_in_order_with_their_pages_are_an_index() {
        let commas = "A\nabs, 37\nacos, 3\nautoscale, 132\naxes, 33, 48, 56\n2D, 211\nB\nbesj0, 38\nbezier, 113–115\n";
        let leaders = "B\n\nBLAS library. . . . 47, 71\n\nC\n\nCairo . . . . 69 Cygwin . . . . 9\n\nJ\n\nJava . . . . 46\n\n\
                       L\n\nLAPACK . . . . 48\nLibraries . . . . 3, 4\n";
        for text in [commas, leaders] {
            assert!(is_contents_page(text), "{text}");
        }
        let years = "In May, 2019 it fell, in June, 2020 it rose, in April, 2021 both, in March, 2022, 2023 and 2024, then \
                     in August, 2025 it stood still, and in December, 2026 nobody looked.";
        let data = "Norway, 5400000, Oslo\nPeru, 33000000, Lima\nQatar, 2700000, Doha\nRussia, 144000000, Moscow\n\
                    Spain, 48000000, Madrid\nTogo, 8800000, Lome\n";
        let codes = "Adams, 4512\nBaker, 4533\nClark, 4571\nDavis, 4502\nEvans, 4560\nFrank, 4519\n";
        let stock = "Anchors, 14\nBearings, 230\nCasings, 9\nDrains, 41\nFlanges, 120\nGaskets, 77\n";
        let points = "Arsenal, 84\nBrentford, 39\nChelsea, 63\nEverton, 40\nFulham, 47\nLiverpool, 82\n";
        for text in [years, data, codes, stock, points] {
            assert!(!is_contents_page(text), "{text}");
        }
    }

    #[test]
    fn prices_prose_and_numbers_are_none() {
        let prices = "Tea ........ 3\nCoffee ........ 2\nCake ........ 5\nPie ........ 4\nJam ........ 1\n";
        let prose = "It rose ... 3 times. Then 1.5, 2.5 and 3.5 m. See 4.1. And so on ... until 5.";
        let one =
            format!("{} Scope ........ 7 Terms ........ 8 Rules ........ 9 Index ........ 10", "Text. ".repeat(100));
        let title_page = format!("{} {}", "An abstract of the manual. ".repeat(10), "Scope ........ 7 ".repeat(20));
        let articles = "第一条　甲方供水。\n第二条　乙方付款。\n第三条　违约\n第四条　附则\n第五条　生效\n";
        let timetable =
            "第一节 语文 王老师 08:00\n第二节 数学 李老师 08:50\n第三节 英语 张老师 10:00\n第四节 体育 周老师 10:50\n";
        let review = "第一章写少年离家；\n第二节写他的信，很动人；\n第三章写战争；\n第四章写归来。\n";
        let branches = "目录\n第一分公司 上海\n第二分公司 北京\n第三分公司 广州\n第四分公司 深圳\n";
        let lessons = "第一节 语文\n第二节 数学\n第三节 英语\n第四节 体育\n";
        let numbers = "1.2.3.4 5 6.7.8.9 10";
        for text in [prices, prose, numbers, &one, &title_page, articles, timetable, review, branches, lessons, ""] {
            assert!(!is_contents_page(text), "{text}");
        }
    }
}
