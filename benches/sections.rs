//! Whether titles lead to their sections.
//!
//! ```sh
//! cargo bench --bench measure -- sections FOLDER [--store DIR] [--method auto] [--misses]
//! ```
//!
//! The bench ingests the PDFs in the folder without vectors, or uses an existing store with `--store`. It searches
//! every title of the tables of contents in its own document, as `kb search --mode section --doc` does, in one process.
//! The rank of a title is that of the first section with it; of several sections with one title, any counts. Titles
//! without a letter or digit cannot be searched and count as not found. The output is the share of titles at rank one
//! and among the first three, by language.
//!
//! With `--among-all`, every title is searched in all documents by each way of choosing hits; the output is how often
//! the first hit is of a document with such a section.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::synthetic::stores::{fail, kb, scratch};
use kb::internals::embed::EngineChoice;
use kb::internals::ids::DocId;
use kb::internals::models::Models;
use kb::internals::search::{Encoder, Kind, Method, Mode, SearchRequest, Searcher, Shape};
use kb::internals::store::{SectionRow, Store};
use kb::internals::structure::normalise_title;

#[derive(clap::Args)]
pub struct Options {
    /// A folder of PDFs.
    #[arg(required_unless_present = "store")]
    folder: Option<PathBuf>,
    #[arg(long)]
    store: Option<PathBuf>,
    #[arg(long, value_enum, default_value = "auto")]
    method: Method,
    /// Prints the titles that are not first.
    #[arg(long)]
    misses: bool,
    #[arg(long)]
    among_all: bool,
}

#[derive(Default)]
struct Score {
    first: usize,
    in_three: usize,
    titles: usize,
}

pub fn run(options: &Options) {
    let scratch = scratch();
    let folder = options.store.clone().unwrap_or_else(|| scratch.path().join("store"));
    if let Some(documents) = &options.folder {
        let (documents, store) = (documents.to_string_lossy(), folder.to_string_lossy());
        kb(Path::new("."), &["ingest", &documents, "--no-embed", "--quiet", "--kb", &store]);
    }
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|error| fail(&error.to_string()));
    let measured = runtime.block_on(async {
        if options.among_all { measure_documents(options, &folder).await } else { measure(options, &folder).await }
    });
    if let Err(error) = measured {
        fail(&error.to_line());
    }
}

async fn measure(options: &Options, folder: &Path) -> kb::Result<()> {
    let store = Store::open(Some(folder), folder)?;
    let searcher = Searcher::new(store.namespace("default")?, Encoder::new(EngineChoice::Auto, Models::open("")));
    let snapshot = searcher.snapshot().await?;
    let mut scores = [("English", Score::default()), ("Chinese", Score::default())];
    for document in snapshot.documents().await? {
        let sections = snapshot.sections(&document.doc_id).await?;
        for section in sections.iter().filter(|section| section.level > 0) {
            let place = place_of(&searcher, options.method, section, &sections).await?;
            let score = &mut scores[usize::from(is_chinese(&section.title))].1;
            score.titles += 1;
            score.first += usize::from(place == Some(0));
            score.in_three += usize::from(place.is_some_and(|place| place < 3));
            if options.misses && place != Some(0) {
                println!("{:<40} {:<8} {place:?} {:?}", document.source, section.path, section.title);
            }
        }
    }
    println!("{:<10} {:>8} {:>8} {:>8}", "titles", "", "first", "in three");
    let all = scores.iter().fold(Score::default(), |sum, (_, score)| Score {
        first: sum.first + score.first,
        in_three: sum.in_three + score.in_three,
        titles: sum.titles + score.titles,
    });
    for (name, score) in scores.iter().map(|(name, score)| (*name, score)).chain([("all", &all)]) {
        let share = |part: usize| part as f64 / score.titles.max(1) as f64;
        println!("{name:<10} {:>8} {:>8.4} {:>8.4}", score.titles, share(score.first), share(score.in_three));
    }
    Ok(())
}

/// How often the first hit is of a document with a section of the searched title.
async fn measure_documents(options: &Options, folder: &Path) -> kb::Result<()> {
    let store = Store::open(Some(folder), folder)?;
    let searcher = Searcher::new(store.namespace("default")?, Encoder::new(EngineChoice::Auto, Models::open("")));
    let mut of_title: BTreeMap<String, (String, BTreeSet<DocId>)> = BTreeMap::new();
    for section in searcher.snapshot().await?.all_sections().await? {
        let title = normalise_title(&section.title);
        if section.level > 0 && !title.is_empty() {
            of_title.entry(title).or_insert((section.title, BTreeSet::new())).1.insert(section.doc_id);
        }
    }
    println!("{:<10} {:>8} {:>8}", "", "titles", "first");
    for mode in [Mode::Precise, Mode::Broad, Mode::Section, Mode::Drill] {
        let mut first = 0;
        for (title, documents) in of_title.values() {
            let request = SearchRequest {
                method: options.method,
                // A question about structure is answered from the table of contents, which this bench does not measure.
                kind: Some(Kind::Concept),
                pool: mode.pool(),
                shape: Shape { mode, ..Shape::default() },
                ..SearchRequest::new(title)
            };
            let hits = searcher.search(&request).await?.hits;
            let found = hits.first().is_some_and(|hit| documents.contains(&hit.doc_id));
            if options.misses && !found {
                println!("{mode:?} {title:?} {:?}", hits.first().map(|hit| &hit.source));
            }
            first += usize::from(found);
        }
        println!("{mode:<10?} {:>8} {:>8.4}", of_title.len(), first as f64 / of_title.len().max(1) as f64);
    }
    Ok(())
}

/// The rank, from 0, of a section with the title.
async fn place_of(
    searcher: &Searcher,
    method: Method,
    section: &SectionRow,
    sections: &[SectionRow],
) -> kb::Result<Option<usize>> {
    let title = section.title.as_str();
    if !title.chars().any(char::is_alphanumeric) {
        return Ok(None);
    }
    let request = SearchRequest {
        method,
        documents: Some(vec![section.doc_id.clone()]),
        pool: Mode::Section.pool(),
        shape: Shape { mode: Mode::Section, ..Shape::default() },
        ..SearchRequest::new(title)
    };
    let hits = searcher.search(&request).await?.hits;
    let wanted = normalise_title(title);
    let same: Vec<&str> = sections
        .iter()
        .filter(|section| normalise_title(&section.title) == wanted)
        .map(|section| section.section_id.as_str())
        .collect();
    Ok(hits.iter().position(|hit| same.contains(&hit.section.id.as_str())))
}

fn is_chinese(title: &str) -> bool {
    title.chars().any(|c| matches!(c, '\u{4E00}'..='\u{9FFF}'))
}
