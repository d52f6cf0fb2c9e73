//! Outlines that say nothing about a document's structure.

use crate::load::OutlineEntry;

/// One entry is no table of contents for more pages than this.
const PAGES_FOR_ONE: u32 = 4;
/// An outline in which this share of the entries says nothing says nothing.
const MOSTLY: f32 = 0.6;
/// Endings that make a title a file's name.
const FILE_ENDINGS: &[&str] = &[
    ".pdf", ".doc", ".docx", ".tex", ".indd", ".qxd", ".p65", ".fm", ".ps", ".eps", ".dvi", ".ppt", ".pptx", ".xls",
    ".xlsx",
];

/// Whether an outline is not to be trusted: a single entry, file names, page numbers, or entries that lead nowhere.
pub fn is_junk(outline: &[OutlineEntry], pages: u32) -> bool {
    let share = |says_nothing: &dyn Fn(&OutlineEntry) -> bool| {
        outline.iter().filter(|entry| says_nothing(entry)).count() as f32 / outline.len() as f32
    };
    if outline.len() == 1 && pages > PAGES_FOR_ONE {
        return true;
    }
    let first = outline.iter().find_map(|entry| entry.page);
    let all_on_one_page = outline.len() > 3
        && pages > PAGES_FOR_ONE
        && outline.iter().all(|entry| entry.page.is_none() || entry.page == first);
    all_on_one_page
        || share(&|entry| entry.title.is_empty()) >= MOSTLY
        || share(&|entry| is_file_name(&entry.title)) >= MOSTLY
        || share(&|entry| is_page_name(&entry.title, entry.page)) >= MOSTLY
}

fn is_file_name(title: &str) -> bool {
    let lower = title.to_lowercase();
    !lower.contains(' ') && FILE_ENDINGS.iter().any(|ending| lower.ends_with(ending))
}

/// `Page 12`, `Slide 3`, `12`, `第 4 页`: a name for the page and nothing more.
fn is_page_name(title: &str, page: Option<u32>) -> bool {
    let lower = title.to_lowercase();
    let core = ["page", "slide", "seite", "folie", "p.", "第"].iter().find_map(|word| lower.strip_prefix(word));
    let number: &str = core.unwrap_or(&lower).trim_matches(|c: char| !c.is_ascii_digit());
    let rest: String = core.unwrap_or(&lower).chars().filter(|c| !c.is_ascii_digit() && !c.is_whitespace()).collect();
    let says_only_a_number = !number.is_empty() && matches!(rest.as_str(), "" | "页" | "頁");
    says_only_a_number && (core.is_some() || page.is_none() || number.parse().ok() == page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(titles: &[&str]) -> Vec<OutlineEntry> {
        (1u32..)
            .zip(titles)
            .map(|(page, title)| OutlineEntry { level: 1, title: (*title).into(), page: Some(page) })
            .collect()
    }

    #[test]
    fn outlines_that_say_nothing_are_told_from_those_that_do() {
        assert!(is_junk(&outline(&["Document1"]), 20));
        assert!(is_junk(&outline(&["ch01.doc", "ch02.doc", "ch03.doc"]), 20));
        assert!(is_junk(&outline(&["Page 1", "Page 2", "Page 3", "Page 4"]), 4));
        assert!(is_junk(&outline(&["第1页", "第 2 页", "第3页"]), 3));
        assert!(!is_junk(&outline(&["Introduction", "Methods", "Results"]), 20));
        assert!(!is_junk(&outline(&["Only chapter"]), 2));
        assert!(!is_junk(&outline(&["1984", "2001", "1066"]), 30));
    }

    #[test]
    fn entries_that_all_lead_to_one_page_are_no_structure() {
        let mut entries = outline(&["A", "B", "C", "D"]);
        entries.iter_mut().for_each(|entry| entry.page = Some(1));
        assert!(is_junk(&entries, 30));
        assert!(!is_junk(&entries, 2));
    }
}
