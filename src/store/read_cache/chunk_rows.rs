//! Finds the rows of chunks by their vectors and by their parents, without reading the table.
//!
//! Over a million chunks, reading ids and the partitions of an index from the table took most of the time of a semantic
//! search. So the read cache keeps, for each fragment, a [binary code](super::binary_codes) of each vector, in
//! [partitions](super::partitions) of neighbours. The nearest codes of the nearest partitions hold nearly all of the
//! nearest vectors, which are then compared themselves ([`half_vectors`](super::half_vectors)).

use std::collections::HashSet;
use std::io::ErrorKind;
use std::ops::Range;

use rayon::prelude::*;

use super::binary_codes::code_of;
use super::code_file::CodeFile;
use super::half_vectors::HalfVectors;
use super::parent_rows::{KeysInScope, ParentRows, chunk_key};
use crate::ids::ChunkId;
use crate::store::scope::Scope;
use crate::store::smallest::Smallest;

/// See [`chosen_by_code`].
const ROWS_FOR_EACH_CHOSEN: usize = 2500;
/// So many codes are compared at least, or all of fewer.
const FEWEST_COMPARED: usize = 100_000;
/// Of many more, one in this many is compared. Of 54,000 real vectors, the nearest 5 % had .966 of the ten nearest and
/// 10 % .988; of a million made-up ones, a sixteenth had .98.
const ROWS_FOR_EACH_COMPARED: usize = 16;
/// If fewer than one partition in this many is compared, reading them is faster than mapping their files.
const PARTITIONS_FOR_EACH_READ: usize = 4;
/// The least number of partitions that a thread compares.
const PARTITIONS_AT_ONCE: usize = 16;

/// The chunks of a generation that have vectors. The address of a row is the number of its fragment and, in the lower
/// 32 bits, its place in that.
pub(in crate::store) struct ChunkRows {
    fragments: Vec<FragmentRows>,
}

pub(super) struct FragmentRows {
    /// Its number. They ascend.
    pub(super) number: u64,
    /// The number of its rows, deleted ones included.
    pub(super) rows: usize,
    pub(super) parents: ParentRows,
    pub(super) codes: CodeFile,
    /// `None` if they could not be written into the read cache.
    pub(super) vectors: Option<HalfVectors>,
    pub(super) deleted: HashSet<u32>,
}

impl ChunkRows {
    pub(super) fn of(mut fragments: Vec<FragmentRows>) -> Self {
        fragments.sort_unstable_by_key(|fragment| fragment.number);
        ChunkRows { fragments }
    }

    /// The addresses, in order, of about the chunks of a scope that are nearest to a vector by their codes, for the
    /// vectors to choose `limit` from. Chunks without a vector and, in rare cases, of another scope can be among them.
    /// `None` if the read cache is damaged; the damaged file is removed.
    pub(in crate::store) fn nearest(&self, vector: &[f32], scope: &Scope, limit: usize) -> Option<Vec<u64>> {
        let (code, chosen) = (code_of(vector), chosen_by_code(limit, self.rows()));
        let near = match KeysInScope::of(scope) {
            None => {
                let rows = FEWEST_COMPARED.max(self.rows() / ROWS_FOR_EACH_COMPARED);
                let partitions = self.nearest_partitions(&code, rows);
                let near = self.nearest_codes(&code, &partitions, chosen, |_, _| true)?;
                if near.len() < chosen && partitions.len() < self.partition_count() {
                    // Most of the nearest are deleted.
                    self.nearest_codes(&code, &self.partitions().collect::<Vec<_>>(), chosen, |_, _| true)?
                } else {
                    near
                }
            }
            Some(keys) => {
                let each = self.fragments.par_iter().map(|fragment| fragment.parents.in_scope(&keys).collect());
                let in_scope: Vec<Vec<Range<u32>>> = each.collect();
                if in_scope.iter().flatten().map(ExactSizeIterator::len).sum::<usize>() <= chosen {
                    let each = self.fragments.iter().zip(in_scope);
                    let each = each.flat_map(|(fragment, rows)| fragment.addresses(rows.into_iter().flatten()));
                    return Some(in_order(each.collect()));
                }
                let each = self.fragments.par_iter().zip(in_scope);
                let admitted: Vec<Vec<bool>> = each.map(|(fragment, rows)| marked(rows, fragment.rows)).collect();
                let partitions = self.partitions().collect::<Vec<_>>();
                self.nearest_codes(&code, &partitions, chosen, |place, row| admitted[place][row as usize])?
            }
        };
        Some(in_order(near.into_iter().map(|(_, place, row)| self.fragments[place].address(row)).collect()))
    }

    /// The number of rows with a vector.
    fn rows(&self) -> usize {
        self.fragments.iter().flat_map(|fragment| fragment.codes.sizes()).sum()
    }

    /// The places of all fragments and of their partitions.
    fn partitions(&self) -> impl Iterator<Item = (usize, usize)> {
        let each = self.fragments.iter().enumerate();
        each.flat_map(|(place, fragment)| fragment.codes.sizes().enumerate().map(move |(part, _)| (place, part)))
    }

    fn partition_count(&self) -> usize {
        self.fragments.iter().map(|fragment| fragment.codes.sizes().len()).sum()
    }

    /// The partitions with the nearest centres that have this number of rows together, and those as near as the last of
    /// them.
    fn nearest_partitions(&self, code: &[u64], rows: usize) -> Vec<(usize, usize)> {
        let centres = self.fragments.par_iter().flat_map_iter(|fragment| fragment.codes.distances_to_centres(code));
        let centres: Vec<u32> = centres.collect();
        let sizes = self.fragments.iter().flat_map(|fragment| fragment.codes.sizes());
        let mut rows_at = vec![0; code.len() * u64::BITS as usize + 1];
        centres.iter().zip(sizes).for_each(|(distance, rows)| rows_at[*distance as usize] += rows);
        let (mut left, mut farthest) = (rows, 0);
        for (distance, rows) in (0..).zip(rows_at) {
            farthest = distance;
            left = left.saturating_sub(rows);
            if left == 0 {
                break;
            }
        }
        let near = self.partitions().zip(centres).filter(|(_, distance)| *distance <= farthest);
        near.map(|(partition, _)| partition).collect()
    }

    /// The `chosen` smallest distances of rows that are admitted and not deleted, with the places of fragments and
    /// rows.
    fn nearest_codes(
        &self,
        code: &[u64],
        partitions: &[(usize, usize)],
        chosen: usize,
        admits: impl Fn(usize, u32) -> bool + Sync,
    ) -> Option<Vec<(u32, usize, u32)>> {
        let are_few = partitions.len() < self.partition_count() / PARTITIONS_FOR_EACH_READ;
        let begin = || (Smallest::new(chosen), None);
        let each = partitions.par_iter().with_min_len(PARTITIONS_AT_ONCE);
        let each = each.try_fold(begin, |(mut near, open): (_, Option<(usize, _)>), (place, partition)| {
            let fragment = &self.fragments[*place];
            // The partitions of a fragment follow each other.
            let reader = open.filter(|(opened, _)| opened == place).map(|(_, reader)| reader);
            let mut reader = reader.unwrap_or_else(|| fragment.codes.reader(are_few));
            let codes = reader.partition(*partition, fragment.rows)?;
            for (row, distance) in codes.rows().zip(codes.distances(code)) {
                let item = (distance, *place, row);
                if near.takes(&item) && !fragment.deleted.contains(&row) && admits(*place, row) {
                    near.add(item);
                }
            }
            Some((near, Some((*place, reader))))
        });
        let near = each.map(|compared| compared.map(|(near, _)| near));
        near.try_reduce(|| Smallest::new(chosen), |a, b| Some(a.and(b))).map(Smallest::into_items)
    }

    /// The addresses, in order, of parent chunks and their children. In rare cases, others are among them.
    pub(in crate::store) fn of_parents(&self, parent_ids: &[ChunkId]) -> Vec<u64> {
        let mut keys: Vec<u64> = parent_ids.iter().map(|id| chunk_key(id)).collect();
        // In order, so that the places of one after the other are near.
        keys.sort_unstable();
        let rows = |fragment: &FragmentRows| {
            let rows = keys.iter().flat_map(|key| fragment.parents.with_key(*key));
            fragment.addresses(rows).collect::<Vec<u64>>()
        };
        let each = self.fragments.par_iter().flat_map_iter(rows);
        in_order(each.collect())
    }

    /// The ids of rows with these addresses, which are in order, and their cosines, without those that have no vector.
    pub(in crate::store) fn cosines(&self, vector: &[f32], addresses: &[u64]) -> Cosines {
        let of_fragments: Vec<&[u64]> = addresses.chunk_by(|a, b| a >> 32 == b >> 32).collect();
        let each = of_fragments.into_par_iter().map(|addresses| {
            let place = self.fragments.binary_search_by_key(&(addresses[0] >> 32), |fragment| fragment.number);
            let vectors = place.ok().and_then(|place| self.fragments[place].vectors.as_ref());
            let Some(vectors) = vectors else { return Cosines { unknown: addresses.to_vec(), ..Cosines::default() } };
            match vectors.products(addresses.iter().map(|address| *address as u32), vector) {
                Ok(known) => Cosines { known, ..Cosines::default() },
                Err(error) => {
                    // A lack of file handles, for example, is no damage.
                    let is_damaged = matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof);
                    if is_damaged {
                        vectors.remove();
                    }
                    let is_missing = is_damaged || error.kind() == ErrorKind::NotFound;
                    Cosines { unknown: addresses.to_vec(), is_missing, ..Cosines::default() }
                }
            }
        });
        each.reduce(Cosines::default, |mut all, own| {
            all.known.extend(own.known);
            all.unknown.extend(own.unknown);
            all.is_missing |= own.is_missing;
            all
        })
    }
}

impl FragmentRows {
    fn address(&self, row: u32) -> u64 {
        self.number << 32 | u64::from(row)
    }

    /// The addresses of rows, without the deleted ones.
    fn addresses(&self, rows: impl Iterator<Item = u32>) -> impl Iterator<Item = u64> {
        rows.filter(|row| !self.deleted.contains(row)).map(|row| self.address(row))
    }
}

/// Each address once.
fn in_order(mut addresses: Vec<u64>) -> Vec<u64> {
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// Whether each row is in one of the ranges.
fn marked(ranges: Vec<Range<u32>>, rows: usize) -> Vec<bool> {
    let mut marked = vec![false; rows];
    ranges.into_iter().for_each(|range| marked[range.start as usize..range.end as usize].fill(true));
    marked
}

/// The cosines of chunks by the vectors in the read cache, and the addresses of those that it does not have.
#[derive(Default)]
pub(in crate::store) struct Cosines {
    pub(in crate::store) known: Vec<(String, f32)>,
    pub(in crate::store) unknown: Vec<u64>,
    /// Whether a file of vectors is gone: it was damaged and is removed now, or another process removed it.
    pub(in crate::store) is_missing: bool,
}

/// How many chunks the codes choose for the vectors to choose `limit` from. The more chunks there are, the more of them
/// lie about as near as the nearest: among ten million, the nearest 400 codes had 60 % of the ten nearest vectors.
fn chosen_by_code(limit: usize, rows: usize) -> usize {
    limit.max(rows / ROWS_FOR_EACH_CHOSEN)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lancedb::arrow::arrow_array::{ArrayRef, RecordBatch, StringArray};

    use super::*;
    use crate::store::convert::CHUNK_ID;
    use crate::store::read_cache::code_file;
    use crate::store::read_cache::files::ReadCache;
    use crate::store::read_cache::half_vectors::HalfVectorWriter;
    use crate::store::read_cache::parent_rows::{keys, runs};

    /// A fragment whose chunks have these vectors; those with zeros have none.
    fn fragment(cache: &ReadCache, number: u64, chunks: &[(String, Vec<f32>)], deleted: &[u32]) -> FragmentRows {
        let name = number.to_string();
        let ids: ArrayRef = Arc::new(StringArray::from_iter_values(chunks.iter().map(|(id, _)| id)));
        let runs = runs(vec![keys(RecordBatch::try_from_iter([(CHUNK_ID, ids)]).unwrap()).unwrap()]).unwrap();
        let with_vector = (0..).zip(chunks).filter(|(_, (_, vector))| vector.iter().any(|number| *number != 0.0));
        let (rows, codes): (Vec<u32>, Vec<Vec<u64>>) =
            with_vector.map(|(row, (_, vector))| (row, code_of(vector))).unzip();
        let dimension = chunks[0].1.len();
        let length = dimension.div_ceil(64);
        let mut writing = HalfVectorWriter::begin(cache, &name).unwrap().unwrap();
        chunks.iter().for_each(|(id, vector)| writing.add(id, vector).unwrap());
        writing.end().unwrap();
        FragmentRows {
            number,
            rows: chunks.len(),
            parents: ParentRows::read(&runs[0]).unwrap(),
            codes: CodeFile::write(cache, &name, length, &codes.concat(), &rows),
            vectors: HalfVectors::open(cache, &name, dimension, chunks.len()),
            deleted: deleted.iter().copied().collect(),
        }
    }

    /// The vector of a code of three bits.
    fn signs(code: &str) -> Vec<f32> {
        code.chars().map(|sign| if sign == '+' { 1.0 } else { -1.0 }).collect()
    }

    fn rows(cache: &ReadCache) -> ChunkRows {
        let chunk = |(id, code): (&str, &str)| (id.to_owned(), if code == "0" { vec![0.0; 3] } else { signs(code) });
        let first = [
            ("d:1", "++-"),
            ("d:1.0", "++-"),
            ("d:1.10", "0"),
            ("d:1.2", "+--"),
            ("d:12", "--+"),
            ("d:12.0", "--+"),
            ("c:1", "++-"),
        ];
        let second = [("d:2", "+++"), ("e:1", "++-"), ("e:1.0", "0")];
        let (first, second) = (first.map(chunk), second.map(chunk));
        ChunkRows::of(vec![fragment(cache, 9, &second, &[]), fragment(cache, 3, &first, &[1])])
    }

    fn found(rows: &ChunkRows, addresses: &[u64]) -> Vec<String> {
        let Cosines { known, unknown, is_missing } = rows.cosines(&signs("++-"), addresses);
        assert!(unknown.is_empty() && !is_missing);
        let mut ids: Vec<String> = known.into_iter().map(|(id, _)| id).collect();
        ids.sort();
        ids
    }

    #[test]
    fn the_nearest_codes_of_a_scope_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let rows = rows(&ReadCache::at(folder.path()));
        let near = |scope: &Scope, limit| found(&rows, &rows.nearest(&signs("++-"), scope, limit).unwrap());
        assert_eq!(near(&Scope::Everything, 2), ["c:1", "d:1"]);
        assert_eq!(near(&Scope::Everything, 5), ["c:1", "d:1", "d:1.2", "d:2", "e:1"]);
        assert_eq!(near(&Scope::Everything, 9).len(), 7, "those with a vector, without the deleted one");
        assert_eq!(near(&Scope::ParentChunks(["d:1".into()].into()), 9), ["d:1", "d:1.2"]);
        assert_eq!(near(&Scope::of_documents(Some(&["e".into()])), 9), ["e:1"]);
        assert_eq!(near(&Scope::of_documents(Some(&["d".into()])), 1), ["d:1"]);
        assert!(near(&Scope::Everything, 0).is_empty());
    }

    #[test]
    fn rows_are_found_by_parent() {
        let folder = tempfile::tempdir().unwrap();
        let rows = rows(&ReadCache::at(folder.path()));
        let found = |ids: &[&str]| {
            let ids: Vec<ChunkId> = ids.iter().map(|id| ChunkId::from(*id)).collect();
            found(&rows, &rows.of_parents(&ids))
        };
        assert_eq!(found(&["d:1"]), ["d:1", "d:1.2"], "without the deleted one and the one without a vector");
        assert_eq!(found(&["e:1", "d:12", "d:12", "x:1"]), ["d:12", "d:12.0", "e:1"]);
        assert!(found(&[]).is_empty() && found(&["d"]).is_empty());
    }

    #[test]
    fn most_of_the_nearest_are_in_the_nearest_partitions() {
        let (folder, mut random) = (tempfile::tempdir().unwrap(), fastrand::Rng::with_seed(3));
        let cache = ReadCache::at(folder.path());
        let mut vector = || (0..64).map(|_| random.f32() - 0.5).collect::<Vec<f32>>();
        let middles: Vec<Vec<f32>> = (0..40).map(|_| vector()).collect();
        let mut near = |middle: &[f32]| middle.iter().zip(vector()).map(|(a, b)| a + 0.3 * b).collect::<Vec<f32>>();
        let fragments = (0..2).map(|number| {
            let chunks = (0..2000).map(|place| (format!("d{number}:{place}"), near(&middles[place % 40])));
            fragment(&cache, number, &chunks.collect::<Vec<_>>(), &[])
        });
        let rows = ChunkRows::of(fragments.collect());
        let code = code_of(&middles[7]);
        let partitions = rows.nearest_partitions(&code, 400);
        assert!(partitions.len() < rows.partitions().count() / 4);
        let nearest = rows.nearest_codes(&code, &partitions, 50, |_, _| true).unwrap();
        let own = nearest.iter().filter(|(.., row)| row % 40 == 7).count();
        assert!(own > 45, "{own} of 50");
        assert_eq!(rows.nearest_partitions(&code, 4000).len(), rows.partitions().count());
    }

    #[test]
    fn a_damaged_cache_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ReadCache::at(folder.path());
        drop(rows(&cache));
        let path = cache.file(code_file::CACHE_NAME, "9").unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        let mut rows = rows(&cache);
        std::fs::write(&path, bytes).unwrap();
        rows.fragments[1].codes = CodeFile::open(&cache, "9", 1).unwrap();
        assert!(rows.nearest(&signs("++-"), &Scope::Everything, 9).is_none() && !path.exists());
        rows.fragments[1].vectors.as_ref().unwrap().remove();
        let addresses = rows.of_parents(&["d:12".into(), "e:1".into()]);
        let Cosines { known, unknown, is_missing } = rows.cosines(&signs("++-"), &addresses);
        assert_eq!((known.len(), unknown, is_missing), (2, vec![9 << 32 | 1, 9 << 32 | 2], true));
    }
}
