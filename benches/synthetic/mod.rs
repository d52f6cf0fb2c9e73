//! Documents and stores of any size for benchmarks: small Markdown files, English and Chinese in turn, made from a
//! fixed seed, with made-up vectors of length 1, because 80,000 real ones would take an hour and the same disk space.
//! The vectors lie in clusters, like those of texts about the same things.

pub mod stores;

use std::path::Path;

use kb::Result;
use kb::internals::chunk::ChunkConfig;
use kb::internals::embed::Model;
use kb::internals::ids::DocId;
use kb::internals::ingest::{SourceFacts, prepare};
use kb::internals::load::{Format, LoadOptions, parse};
use kb::internals::store::{NewDocument, ParentChunk};

/// Characters of a child chunk; four make a parent chunk.
const PIECE: usize = 240;
/// The number of things that texts are about.
const CLUSTERS: u64 = 2000;
/// How far a text is from the middle of its cluster: neighbours have cosines of .6 to .7, as in real texts.
const SPREAD: f32 = 0.7;
const SYLLABLES: [&str; 24] = [
    "ka", "lor", "min", "tes", "vra", "pol", "ne", "shi", "dor", "quen", "ba", "rit", "sol", "um", "tra", "fen", "gi",
    "hal", "jo", "wex", "cy", "mer", "zan", "oth",
];

/// The text of a document, the same for the same numbers.
pub fn document(number: usize, child_chunks: usize) -> String {
    let mut random = Random::of(number as u64);
    let mut text = format!("# {} {number}\n", random.words(3));
    for child_chunk in 0..child_chunks {
        if child_chunk % 4 == 0 {
            text.push_str(&format!("\n## {}\n", random.words(2)));
        }
        text.push_str(&format!("\n{}\n", random.paragraph(number % 2 == 1)));
    }
    text
}

/// Writes the documents.
pub fn write_documents(folder: &Path, documents: usize, child_chunks: usize) -> Result<()> {
    for number in 0..documents {
        // A thousand files to a folder.
        let folder = folder.join(format!("{:03}", number / 1000));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("{number:05}.md")), document(number, child_chunks))?;
    }
    Ok(())
}

/// The rows of a document, with made-up vectors.
pub fn rows(doc_id: DocId, source: String, bytes: &[u8]) -> Result<NewDocument> {
    let facts = SourceFacts {
        doc_id,
        source,
        content_hash: blake3::hash(bytes).to_hex().to_string(),
        size: bytes.len() as u64,
        ..SourceFacts::default()
    };
    let document = parse(bytes, Format::Markdown, &LoadOptions::default())?;
    let now = jiff::Timestamp::now().to_string();
    let mut new = prepare(&document, &facts, &ChunkConfig::default(), &now).new;
    new.document.embedded = true;
    for chunk in new.parents.iter_mut().flat_map(ParentChunk::chunks_mut) {
        chunk.vector = vector(&chunk.embedding_hash);
    }
    Ok(new)
}

/// The vector of a text, by its hash: near the middle of one of the clusters.
fn vector(hash: &str) -> Vec<f32> {
    let mut random = Random::of(u64::from_str_radix(&hash[..16], 16).unwrap_or_default());
    let mut middle = Random::of(random.0.u64(..CLUSTERS));
    let dimension = Model::embedded().embedding_config.dimension;
    let mut vector: Vec<f32> = (0..dimension).map(|_| middle.number() + SPREAD * random.number()).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::EPSILON);
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

/// The same numbers on every machine.
pub struct Random(fastrand::Rng);

impl Random {
    /// A generator with this seed.
    pub fn of(number: u64) -> Self {
        Random(fastrand::Rng::with_seed(number))
    }

    /// Below `end`, the lower the likelier: a few words are in most texts, as in real ones.
    fn low(&mut self, end: usize) -> usize {
        self.0.usize(..end) * self.0.usize(..end) / end
    }

    /// From -1 to 1.
    fn number(&mut self) -> f32 {
        self.0.f32() * 2.0 - 1.0
    }

    fn word(&mut self) -> String {
        (0..self.0.usize(2..4)).map(|_| SYLLABLES[self.low(SYLLABLES.len())]).collect()
    }

    pub fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    /// A child chunk of one sentence.
    fn paragraph(&mut self, chinese: bool) -> String {
        let mut text = String::new();
        let mut length = 0;
        while length < PIECE {
            let word = if chinese { self.ideograph().to_string() } else { format!("{} ", self.word()) };
            length += word.chars().count();
            text.push_str(&word);
        }
        format!("{}{}", text.trim_end(), if chinese { '。' } else { '.' })
    }

    /// One of the first thousand ideographs.
    pub fn ideograph(&mut self) -> char {
        u32::try_from(0x4E00 + self.low(1000)).ok().and_then(char::from_u32).unwrap_or('中')
    }
}
