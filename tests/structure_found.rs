//! Tables of contents that no outline says, and text that is read as people read it: PDFs through the real binary.

// What goes wrong in the helpers ends the test, as it should.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Sandbox, copy_folder, fixtures};
use serde_json::{Map, Value};

/// A sandbox with the PDFs of `fixtures/structure`, without vectors, which none of this needs.
fn found() -> Sandbox {
    let sandbox = Sandbox::new();
    copy_folder(&fixtures().join("structure"), &sandbox.path("pdf"));
    std::fs::remove_file(sandbox.path("pdf/expected.json")).unwrap();
    let run = sandbox.kb(&["ingest", "pdf", "--no-embed"]);
    assert_eq!(run.code, 0, "{}", run.err);
    sandbox
}

fn entries(sandbox: &Sandbox, document: &str) -> Vec<Value> {
    sandbox.json(&["toc", document]).as_array().unwrap().clone()
}

/// Level, title without white space, and page: what must agree.
fn essence(entry: &Value) -> (u64, String, u64) {
    let title = entry["title"].as_str().unwrap().split_whitespace().collect();
    (entry["level"].as_u64().unwrap(), title, entry["page"].as_u64().unwrap())
}

/// The text of a whole section, with its subsections.
fn section(sandbox: &Sandbox, document: &str, section: &str) -> String {
    let answer = sandbox.json(&["section", document, section]);
    let parts = answer["parts"].as_array().unwrap();
    parts.iter().map(|part| part["text"].as_str().unwrap().to_owned() + "\n").collect()
}

/// The text of a whole document.
fn text(sandbox: &Sandbox, document: &str) -> String {
    let paths = entries(sandbox, document);
    let tops = paths.iter().filter(|entry| entry["level"] == 1).map(|entry| entry["path"].as_str().unwrap());
    tops.map(|path| section(sandbox, document, path)).collect()
}

#[test]
fn contents_are_found_where_no_outline_says_them() {
    let sandbox = found();
    let expected = std::fs::read_to_string(fixtures().join("structure/expected.json")).unwrap();
    let expected: Map<String, Value> = serde_json::from_str(&expected).unwrap();
    assert_eq!(expected.len(), std::fs::read_dir(sandbox.path("pdf")).unwrap().count());
    for (file, wanted) in &expected {
        let found: Vec<_> = entries(&sandbox, file).iter().map(essence).collect();
        let wanted: Vec<_> = wanted.as_array().unwrap().iter().map(essence).collect();
        assert_eq!(found, wanted, "{file}");
    }
}

#[test]
fn each_entry_says_where_it_came_from_and_how_sure_that_is() {
    let sandbox = found();
    let read = |file: &str| {
        let entries = entries(&sandbox, file);
        let mut provenances: Vec<String> =
            entries.iter().map(|entry| entry["provenance"].as_str().unwrap().to_owned()).collect();
        provenances.sort_unstable();
        provenances.dedup();
        let sure = |entry: &Value| entry["confidence"].as_f64().unwrap();
        let least = entries.iter().map(sure).fold(1.0, f64::min);
        let most = entries.iter().map(sure).fold(0.0, f64::max);
        (provenances, least, most)
    };
    // "List of Figures" looks as the listed preface does.
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
    // Beside this section's lines stand those of the second column, which belong to 2.1.
    assert!(introduction.trim_end().ends_with("and tells the office before the end of the day."), "{introduction}");
    assert!(introduction.contains("on the last Saturday of October, and the ashes"), "{introduction}");
    assert!(!introduction.contains("disagree") && !introduction.contains("A blunt tool"), "{introduction}");
    assert!(
        methods.contains("If the two readings disagree, the lower one counts until somebody has found out why."),
        "a sentence goes on over the end of a column: {methods}"
    );
    let all = text(&sandbox, "two-columns.pdf");
    for word in ["everybody", "Saturday", "mended", "difference"] {
        assert!(all.contains(word), "{word} is in {all}");
    }
    assert!(!all.contains("- ") && !all.contains("-\n"), "no hyphen of a line's end is left: {all}");
}

#[test]
fn running_heads_and_page_numbers_are_no_text() {
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
    for text in ["Table 1: Turns of the crank by season", "Winter 42 15", "period = 12;\n", "# one long flash"] {
        assert!(settings.contains(text), "{text:?} is in {settings}");
    }
    assert!(section(&sandbox, "typography.pdf", "Fog").contains("Figure 2: What is seen from the gallery"));
    assert!(
        section(&sandbox, "typography.pdf", "Visitors").contains("1. Look before anything else is done.\n2. Listen")
    );
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
fn an_article_keeps_the_line_that_its_number_stands_in() {
    let sandbox = found();
    let article = section(&sandbox, "law-zh.pdf", "第十二条");
    assert!(article.starts_with("第十二条"), "{article}");
    assert!(article.contains("冬天把枯枝剪去，剪口朝下，这样雨水不会积在上面。"), "{article}");
    assert!(!article.contains("第十三条"), "{article}");
}

#[test]
fn a_turned_page_is_read_upright() {
    let sandbox = found();
    let shelf = section(&sandbox, "rotated.pdf", "2.2 Shelf B");
    assert!(shelf.contains("It takes two people and a quiet afternoon, and it cannot be hurried"), "{shelf}");
    assert!(!shelf.contains("The old hands"), "what stands above it is 2.1: {shelf}");
    assert!(!shelf.contains("Shelf A"), "{shelf}");
}

#[cfg(unix)]
mod ocr {
    use super::*;

    /// The scan of two pages, and a program that gives each a text of its own and says what it was given.
    fn scan(program: &str) -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.write("scan.pdf", std::fs::read(fixtures().join("hostile/scanned.pdf")).unwrap());
        sandbox.write("ocr.sh", program);
        sandbox
    }

    const PROGRAM: &str = r#"
        signature=$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')
        [ "$signature" = 89504e470d0a1a0a ] || { echo "no PNG: $1" >&2; exit 9; }
        [ -e seen ] && page=2 || page=1
        touch seen
        echo "The clerk read letter $page from the ferry company,"
        echo "and the landing stage was repaired."
    "#;

    #[test]
    fn pages_that_are_pictures_are_read_by_the_program_that_is_named() {
        let sandbox = scan(PROGRAM);
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
    fn without_a_program_a_scan_is_refused_with_the_way_out() {
        let sandbox = scan("");
        let run = sandbox.kb(&["ingest", "scan.pdf", "--no-embed"]);
        assert_eq!(run.code, 4, "{}{}", run.out, run.err);
        for word in ["no text", "100 %", "scan", "--ocr-command"] {
            assert!(run.out.contains(word), "{word:?} is in {}", run.out);
        }
        assert!(!sandbox.path(".kb").exists());
    }

    #[test]
    fn a_program_that_fails_or_is_not_there_is_named() {
        let sandbox = scan("echo 'no language pack' >&2; exit 3");
        let run = sandbox.kb(&["ingest", "scan.pdf", "--no-embed", "--ocr-command", "sh ocr.sh"]);
        assert_eq!(run.code, 4, "{}{}", run.out, run.err);
        assert!(run.out.contains("--ocr-command") && run.out.contains("no language pack"), "{}", run.out);
        let missing = sandbox.kb(&["ingest", "scan.pdf", "--no-embed", "--ocr-command", "no-such-program {}"]);
        assert_eq!(missing.code, 4, "{}{}", missing.out, missing.err);
        assert!(missing.out.contains("no-such-program"), "{}", missing.out);
    }

    #[test]
    fn a_program_that_reads_nothing_is_told_from_one_that_was_not_asked() {
        let sandbox = scan("true");
        let run = sandbox.kb(&["ingest", "scan.pdf", "--no-embed", "--ocr-command", "sh ocr.sh"]);
        assert_eq!(run.code, 4, "{}{}", run.out, run.err);
        assert!(run.out.contains("read nothing"), "{}", run.out);
    }

    #[test]
    fn a_command_that_is_none_is_refused_before_anything_is_read() {
        let sandbox = scan("");
        let open = sandbox.kb(&["ingest", "scan.pdf", "--ocr-command", "sh 'ocr.sh"]);
        assert_eq!(open.code, 2, "{}", open.err);
        assert!(open.err.contains("--ocr-command"), "{}", open.err);
        assert_eq!(sandbox.kb(&["ingest", "scan.pdf", "--ocr-command", ""]).code, 2);
    }

    #[test]
    fn pages_with_text_are_not_given_to_the_program() {
        let sandbox = scan("echo called >> calls; echo text");
        sandbox.write("good.pdf", std::fs::read(fixtures().join("pdf/no-outline.pdf")).unwrap());
        let run = sandbox.kb(&["ingest", "good.pdf", "--no-embed", "--ocr-command", "sh ocr.sh"]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(!sandbox.path("calls").exists());
    }
}
