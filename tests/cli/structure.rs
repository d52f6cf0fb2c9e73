//! Tables of contents and sections of PDFs: from outlines of every kind, from typography without an outline, and the
//! text between headings.

use crate::common::{Sandbox, copy_files, expected_of, fixtures, texts};
use serde_json::Value;

/// Folders of PDFs whose contents are known: from outlines of every kind, and without an outline.
const FOLDERS: [&str; 2] = ["pdf", "structure"];

/// The PDFs of these folders, without vectors.
fn found() -> Sandbox {
    Sandbox::prepared("structure::found", |sandbox| {
        for folder in FOLDERS {
            copy_files(&fixtures().join(folder), &sandbox.path(folder));
            std::fs::remove_file(sandbox.path(folder).join("expected.json")).unwrap();
        }
        sandbox.kb(&[&["ingest", "--no-embed"], &FOLDERS[..]].concat()).ok();
    })
}

/// Level, title without white space, and page; an entry that leads nowhere has page -1.
fn essence(entry: &Value) -> (u64, String, i64) {
    let title = entry["title"].as_str().unwrap().split_whitespace().collect();
    let page = entry.get("page_start").unwrap_or(&entry["page"]).as_i64().unwrap_or(-1);
    (entry["level"].as_u64().unwrap(), title, page)
}

/// The text of whole sections, with their subsections.
fn sections(sandbox: &Sandbox, document: &str, sections: &[&str]) -> String {
    let answer = sandbox.json(&[&["section", document], sections].concat());
    texts(&answer["items"], "/content").into_iter().map(|part| part.to_owned() + "\n").collect()
}

fn section(sandbox: &Sandbox, document: &str, section: &str) -> String {
    sections(sandbox, document, &[section])
}

/// The text of a whole document.
fn text(sandbox: &Sandbox, document: &str) -> String {
    let paths = sandbox.sections(document);
    let tops = paths.iter().filter(|entry| entry["level"] == 1).map(|entry| entry["path"].as_str().unwrap());
    sections(sandbox, document, &tops.collect::<Vec<_>>())
}

#[test]
fn a_section_of_a_pdf_ends_where_the_next_begins() {
    let sandbox = Sandbox::with_keyword_fixtures();
    let priming = sandbox.kb(&["section", "pump-station-manual.pdf", "priming the pump"]);
    priming.shows(0, "Close the discharge valve").lacks("Turn the selector");
    sandbox.kb(&["section", "泵站维护手册", "泵站简介"]).shows(0, "柳溪");
    sandbox.kb(&["toc", "release-notes.html"]).shows(0, "`1`");
    // Every level is in JSON; a table stops at the third and says so.
    sandbox.kb(&["toc", "pump-station-manual.pdf", "--max-level", "1"]).shows(0, "deeper entries are hidden");
}

#[test]
fn contents_are_found_with_outlines_of_every_kind_and_without_one() {
    let sandbox = found();
    for folder in FOLDERS {
        let expected = expected_of(folder);
        assert_eq!(expected.len(), std::fs::read_dir(sandbox.path(folder)).unwrap().count());
        for (file, wanted) in &expected {
            let found: Vec<_> = sandbox.sections(file).iter().map(essence).collect();
            let wanted: Vec<_> = wanted.as_array().unwrap().iter().map(essence).collect();
            assert_eq!(found, wanted, "{file}");
        }
    }
}

#[test]
fn entries_have_a_provenance_and_a_confidence() {
    let sandbox = found();
    let read = |file: &str| {
        let entries = sandbox.sections(file);
        let mut provenances: Vec<String> =
            entries.iter().map(|entry| entry["provenance"].as_str().unwrap().to_owned()).collect();
        provenances.sort_unstable();
        provenances.dedup();
        let sure = |entry: &Value| entry["confidence"].as_f64().unwrap();
        let least = entries.iter().map(sure).fold(1.0, f64::min);
        let most = entries.iter().map(sure).fold(0.0, f64::max);
        (provenances, least, most)
    };
    // "List of Figures" has the type of the listed preface.
    assert_eq!(read("printed-contents.pdf").0, ["printed_contents", "typography"]);
    assert_eq!(read("printed-contents-zh.pdf").0, ["printed_contents"]);
    assert_eq!(read("tagged.pdf").0, ["tags"]);
    assert_eq!(read("typography.pdf").0, ["typography"]);
    for numbered in ["law-zh.pdf", "report.pdf", "two-columns.pdf", "rotated.pdf", "junk-one-entry.pdf"] {
        assert_eq!(read(numbered).0, ["numbering"], "{numbered}");
    }
    let poor = read("junk-pages.pdf");
    assert_eq!(poor.0, ["outline"]);
    assert!(poor.2 < 0.5, "a poor outline is shown as one: {poor:?}");
    for file in ["printed-contents.pdf", "tagged.pdf", "typography.pdf", "law-zh.pdf", "rotated.pdf"] {
        let (_, least, most) = read(file);
        assert!(least >= 0.5 && most < 1.0, "{file}: from {least} to {most}");
    }
}

#[test]
fn columns_are_read_one_after_the_other_and_broken_words_are_whole() {
    let sandbox = found();
    let introduction = section(&sandbox, "two-columns.pdf", "1");
    let methods = section(&sandbox, "two-columns.pdf", "2");
    // The lines of the second column, beside this section's, belong to 2.1.
    assert!(introduction.trim_end().ends_with("and tells the office before the end of the day."), "{introduction}");
    assert!(introduction.contains("on the last Saturday of October, and the ashes"), "{introduction}");
    assert!(!introduction.contains("disagree") && !introduction.contains("A blunt tool"), "{introduction}");
    // A sentence goes on over the end of a column.
    let sentence = "If the two readings disagree, the lower one counts until somebody has found out why.";
    assert!(methods.contains(sentence), "{methods}");
    let all = text(&sandbox, "two-columns.pdf");
    for word in ["everybody", "Saturday", "mended", "difference"] {
        assert!(all.contains(word), "{word} is in {all}");
    }
    assert!(!all.contains("- ") && !all.contains("-\n"), "no hyphen of a line's end is left: {all}");
}

#[test]
fn running_heads_and_page_numbers_are_not_text() {
    let sandbox = found();
    let paper = text(&sandbox, "two-columns.pdf");
    assert!(!paper.contains("Journal of Small Crafts"), "{paper}");
    for number in ["211", "212", "213"] {
        assert!(!paper.contains(number), "{number} is in {paper}");
    }
    let book = text(&sandbox, "printed-contents.pdf");
    assert!(!book.contains("The Small Boatyard") && !book.contains("A Handbook"), "{book}");
    assert!(!book.lines().any(|line| line.trim().parse::<u32>().is_ok() || line == "vi"), "{book}");
    let law = text(&sandbox, "law-zh.pdf");
    assert!(!law.contains("第 2 页") && !law.contains("第2页"), "{law}");
}

#[test]
fn captions_tables_and_listings_stay_in_the_text_of_their_section() {
    let sandbox = found();
    let settings = section(&sandbox, "typography.pdf", "Settings");
    for text in ["Table 1: Turns of the crank by season", "| Winter | 42 | 15 |", "period = 12;\n", "# one long flash"]
    {
        assert!(settings.contains(text), "{text:?} is in {settings}");
    }
    assert!(section(&sandbox, "typography.pdf", "Fog").contains("Figure 2: What is seen from the gallery"));
    let visitors = section(&sandbox, "typography.pdf", "Visitors");
    assert!(visitors.contains("1. Look before anything else is done.\n2. Listen"), "{visitors}");
}

#[test]
fn chinese_text_has_no_spaces_between_lines() {
    let sandbox = found();
    for document in ["printed-contents-zh.pdf", "law-zh.pdf"] {
        let text = text(&sandbox, document);
        let han = |c: char| ('\u{4E00}'..='\u{9FFF}').contains(&c);
        let chars: Vec<char> = text.chars().collect();
        let spaced: Vec<String> = chars
            .windows(3)
            .filter(|three| han(three[0]) && three[1] == ' ' && han(three[2]) && three[0] != '条')
            .map(|three| three.iter().collect())
            .collect();
        assert_eq!(spaced, Vec::<String>::new(), "{document}");
        assert!(text.contains("每年清明前后开始采摘，最早的一批只取一芽一叶，上午露水干了以后才能动手。"), "{text}");
    }
}

#[test]
fn an_article_keeps_the_line_of_its_number() {
    let sandbox = found();
    let article = section(&sandbox, "law-zh.pdf", "第十二条");
    assert!(article.starts_with("第十二条"), "{article}");
    assert!(article.contains("冬天把枯枝剪去，剪口朝下，这样雨水不会积在上面。"), "{article}");
    assert!(!article.contains("第十三条"), "{article}");
}

#[test]
fn a_rotated_page_is_read_upright() {
    let sandbox = found();
    let shelf = section(&sandbox, "rotated.pdf", "2.2 Shelf B");
    assert!(shelf.contains("It takes two people and a quiet afternoon, and it cannot be hurried"), "{shelf}");
    assert!(!shelf.contains("The old hands"), "what stands above it is 2.1: {shelf}");
    assert!(!shelf.contains("Shelf A"), "{shelf}");
}

#[cfg(unix)]
mod ocr {
    use super::*;

    /// Gives each page its own text.
    const PROGRAM: &str = r#"
        signature=$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')
        [ "$signature" = 89504e470d0a1a0a ] || { echo "no PNG: $1" >&2; exit 9; }
        [ -e seen ] && page=2 || page=1
        touch seen
        echo "The clerk read letter $page from the ferry company,"
        echo "and the landing stage was repaired."
    "#;

    #[test]
    fn scanned_pages_are_read_by_the_ocr_command() {
        let sandbox = Sandbox::with_scan(PROGRAM);
        let report = sandbox.json(&["ingest", "scan.pdf", "--no-embed", "--ocr-command", "sh ocr.sh"]);
        assert_eq!(report["counts"]["added"], 1, "{report}");
        let hits = sandbox.json(&["search", "ferry letter", "--method", "keyword"]);
        assert!(hits.to_string().contains("The clerk read letter"), "{hits}");
        let text = section(&sandbox, "scan.pdf", "0");
        let (first, second) = (text.find("letter 1").unwrap(), text.find("letter 2").unwrap());
        assert!(first < second, "{text}");
        let placed =
            sandbox.kb(&["ingest", "scan.pdf", "--force", "--no-embed", "--ocr-command", "sh ocr.sh {} -l eng"]);
        assert_eq!(placed.code, 0, "the image may stand before other words: {}{}", placed.out, placed.err);
    }

    #[test]
    fn an_ocr_command_that_fails_reads_nothing_or_cannot_be_run_is_named() {
        let sandbox = Sandbox::with_scan("echo 'no language pack' >&2; exit 3");
        let ingest = |command: &str| sandbox.kb(&["ingest", "scan.pdf", "--no-embed", "--ocr-command", command]);
        ingest("sh ocr.sh").shows(4, "--ocr-command").shows(4, "no language pack");
        ingest("true {}").shows(4, "found no text on them");
        ingest("no-such-program {}").shows(4, "no-such-program");
        // Nothing is read for one that no shell would run.
        ingest("sh 'ocr.sh").tells(2, "--ocr-command");
        assert_eq!(ingest("").code, 2);
    }

    #[test]
    fn a_page_on_which_the_ocr_command_fails_costs_no_other_page() {
        let fails_once = "[ -e seen ] && { echo 'too dark' >&2; exit 3; }; touch seen; echo The clerk read a letter.";
        let sandbox = Sandbox::with_scan(fails_once);
        let run = sandbox.kb(&["ingest", "scan.pdf", "--no-embed", "--ocr-command", "sh ocr.sh"]);
        run.shows_all(0, &["1 page could not be read, first page 2", "too dark"]);
        assert!(section(&sandbox, "scan.pdf", "0").contains("The clerk read a letter."));
    }

    #[test]
    fn an_ocr_command_that_fails_on_every_page_is_not_tried_on_all_of_them() {
        let calls = |sandbox: &Sandbox| std::fs::read_to_string(sandbox.path("calls")).unwrap().lines().count();
        let ingest = ["ingest", "scan.pdf", "--no-embed", "--ocr-command", "sh ocr.sh"];
        let sandbox = Sandbox::with_scan("echo . >> calls; exit 3");
        sandbox.write("scan.pdf", scan_of(12));
        let run = sandbox.kb(&ingest);
        assert_eq!((run.code, calls(&sandbox)), (4, 5), "{}{}", run.out, run.err);

        std::fs::remove_file(sandbox.path("calls")).unwrap();
        let first = "echo . >> calls; [ $(wc -l < calls) = 1 ] && echo The clerk read a letter.";
        sandbox.write("ocr.sh", first);
        let report = sandbox.json(&ingest);
        let warnings = report["items"][0]["warnings"].to_string();
        assert!(!warnings.contains("was not tried"), "one page was read: {warnings}");
        assert_eq!(calls(&sandbox), 12);
    }

    /// A scan of so many pages, which share one picture.
    fn scan_of(pages: usize) -> String {
        let kids: String = (0..pages).map(|page| format!("{} 0 R ", page + 5)).collect();
        let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 64 64]/Resources<</XObject<</I 3 0 R>>>>/Contents 4 0 R>>";
        let picture = "<</Type/XObject/Subtype/Image/Width 64/Height 64/ColorSpace/DeviceGray/BitsPerComponent 8";
        let shown = "q 64 0 0 64 0 0 cm /I Do Q";
        let mut objects = vec![
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            format!("<</Type/Pages/Count {pages}/Kids[{kids}]>>"),
            format!("{picture}/Length 4096>>stream\n{}\nendstream", "x".repeat(4096)),
            format!("<</Length {}>>stream\n{shown}\nendstream", shown.len()),
        ];
        objects.resize(4 + pages, page.to_owned());
        let (mut pdf, mut places) = ("%PDF-1.4\n".to_owned(), String::new());
        for (object, number) in objects.iter().zip(1..) {
            places.push_str(&format!("{:010} 00000 n \n", pdf.len()));
            pdf.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
        }
        let (size, start) = (objects.len() + 1, pdf.len());
        let trailer = format!("trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n");
        format!("{pdf}xref\n0 {size}\n0000000000 65535 f \n{places}{trailer}")
    }

    #[test]
    fn pages_with_text_need_no_ocr() {
        let sandbox = Sandbox::with_scan("echo called >> calls; echo text");
        sandbox.write("good.pdf", std::fs::read(fixtures().join("pdf/no-outline.pdf")).unwrap());
        sandbox.kb(&["ingest", "good.pdf", "--no-embed", "--ocr-command", "sh ocr.sh"]).ok();
        assert!(!sandbox.path("calls").exists());
    }
}
