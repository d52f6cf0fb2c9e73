//! What hostile text costs: milliseconds per megabyte to read, cut and profile it, for three sizes of each case.
//!
//! ```sh
//! cargo bench --bench measure -- worst-cases [CASE]
//! ```
//!
//! The cost is linear if the three numbers of a line are alike. Nesting in AsciiDoc is missing: its library
//! takes more than linear time for it, and the time limit of the worker process ends that.

use std::time::Instant;

use kb::internals::chunk::ChunkConfig;
use kb::internals::ingest::CutDocument;
use kb::internals::load::{Format, LoadOptions, parse};

/// In megabytes.
const SIZES: [usize; 3] = [1, 4, 16];

/// A format, a name, the text that comes once and the text that is repeated.
const CASES: [(Format, &str, &str, &str); 39] = [
    (Format::Text, "blank lines", "x", "\n"),
    (Format::Text, "one word", "", "a"),
    (Format::Text, "one line", "", "word "),
    (Format::Text, "one sentence in Chinese", "", "泵"),
    (Format::Text, "short sentences", "", "It is hot. "),
    (Format::Text, "dots", "", "."),
    (Format::Text, "spaces", "x", " "),
    (Format::Text, "indented lines", "", " x\n"),
    (Format::Text, "short paragraphs", "", "a\n\n"),
    (Format::Text, "equal numbers", "", "1 A\n\n"),
    (Format::Text, "chapters", "", "Chapter 1\n\nIt is hot.\n\n"),
    (Format::Text, "lines of other spaces", "x", "\n\u{2028}"),
    (Format::Markdown, "headings", "", "# a\n"),
    (Format::Markdown, "one long heading", "# ", "word "),
    (Format::Markdown, "nested quotes", "", "> "),
    (Format::Markdown, "nested lists", "", "- "),
    (Format::Markdown, "brackets", "", "["),
    (Format::Markdown, "links", "", "[a]("),
    (Format::Markdown, "emphasis", "", "**a _b "),
    (Format::Markdown, "rows of a table", "|a|b|\n|-|-|\n", "|1|2|\n"),
    (Format::Markdown, "front matter", "---\n", "a: b\n"),
    (Format::RestructuredText, "blank lines", "x", "\n"),
    (Format::RestructuredText, "equal fields", "", ":tag: a\n"),
    (Format::RestructuredText, "titles and fields", "", "T\n==\n\n:tag: a\n\n"),
    (Format::RestructuredText, "roles", "", ":a:`b` "),
    (Format::AsciiDoc, "one line", "", "word "),
    (Format::AsciiDoc, "indented lines", "", " x\n"),
    (Format::Html, "nested elements", "", "<div>"),
    (Format::Html, "headings", "", "<h1>a</h1>"),
    (Format::Html, "rows of a table", "<table>", "<tr><td>a"),
    (Format::Html, "entities", "", "&amp;"),
    (Format::Rust, "functions", "", "fn a() {\n\n}\n"),
    (Format::Rust, "comments", "", "// a\n"),
    (Format::Rust, "open modules", "", "mod a {\n\n"),
    (Format::TypeScript, "open brackets", "", "[(\n"),
    (Format::Python, "one line", "", "a = 1; "),
    (Format::Csv, "one row", "", "cell,"),
    (Format::Csv, "one word in each row", "", "a\n"),
    (Format::Jsonl, "records", "", "{\"_id\": 1, \"text\": \"a\"}\n"),
];

#[derive(clap::Args)]
pub struct Options {
    /// Only the cases with this in their names.
    #[arg(default_value = "")]
    case: String,
}

pub fn run(options: &Options) {
    println!("{:<10} {:<24} {:>8} {:>8} {:>8}  ms for each of so many MB", "", "", SIZES[0], SIZES[1], SIZES[2]);
    for (format, name, once, repeated) in CASES.iter().filter(|(_, name, ..)| name.contains(&options.case)) {
        print!("{:<10} {name:<24}", format.name());
        for megabytes in SIZES {
            let text = format!("{once}{}", repeated.repeat(megabytes * 1_000_000 / repeated.len()));
            let start = Instant::now();
            if let Ok(document) = parse(text.as_bytes(), *format, &LoadOptions::default()) {
                std::hint::black_box(CutDocument::of(document, "case", None, &ChunkConfig::default()));
            }
            print!(" {:>8.0}", start.elapsed().as_secs_f64() * 1e3 / megabytes as f64);
        }
        println!();
    }
}
