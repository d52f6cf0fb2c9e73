//! Ridge regression over sparse features by conjugate gradients (Hestenes and Stiefel, 1952), each column of what is
//! wanted by itself: the rows `w` that make `Σ |x·w − t|² + λ |w|²` smallest.
//!
//! Columns are taken in blocks, which threads share out. What comes out of a block does not depend on who did it, so
//! that a fit is the same on any number of cores.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// So many columns are one block: its rows stay in the cache of a core.
const BLOCK: usize = 32;
/// A column whose remainder has shrunk to this share of what it was is done.
const SMALL_ENOUGH: f64 = 1e-6;

/// A sparse matrix, by rows.
#[derive(Debug, Default)]
pub(super) struct Sparse {
    /// Where each row ends.
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
    width: usize,
}

impl Sparse {
    /// A matrix of so many columns, without rows.
    pub fn of_width(width: usize) -> Self {
        Sparse { width, ..Sparse::default() }
    }

    /// Adds a row. Columns are below the width.
    pub fn push(&mut self, row: impl Iterator<Item = (u32, f32)>) {
        for (column, value) in row {
            self.columns.push(column);
            self.values.push(value);
        }
        self.ends.push(self.columns.len());
    }

    /// How many rows it has.
    pub fn height(&self) -> usize {
        self.ends.len()
    }

    fn row(&self, row: usize) -> impl Iterator<Item = (usize, f32)> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        let range = start..self.ends[row];
        self.columns[range.clone()].iter().map(|&column| column as usize).zip(self.values[range].iter().copied())
    }

    fn transposed(&self) -> Self {
        let mut counts = vec![0usize; self.width];
        self.columns.iter().for_each(|&column| counts[column as usize] += 1);
        let mut next: Vec<usize> = Vec::with_capacity(self.width);
        let mut ends = Vec::with_capacity(self.width);
        let mut end = 0;
        for count in counts {
            next.push(end);
            end += count;
            ends.push(end);
        }
        let mut turned = Sparse { ends, columns: vec![0; end], values: vec![0.0; end], width: self.height() };
        for row in 0..self.height() {
            for (column, value) in self.row(row) {
                turned.columns[next[column]] = row as u32;
                turned.values[next[column]] = value;
                next[column] += 1;
            }
        }
        turned
    }

    /// The product with a block of columns.
    fn times(&self, of: &[f32], out: &mut [f32], columns: usize) {
        for (row, out) in out.chunks_exact_mut(columns).enumerate() {
            out.fill(0.0);
            for (column, value) in self.row(row) {
                let of = &of[column * columns..(column + 1) * columns];
                out.iter_mut().zip(of).for_each(|(out, of)| *out += value * of);
            }
        }
    }
}

/// What is solved for.
pub(super) struct Problem<'p> {
    /// A row for each example.
    pub examples: &'p Sparse,
    /// What each should give, row by row.
    pub wanted: &'p [f32],
    /// How many numbers that are.
    pub dimension: usize,
    /// λ.
    pub ridge: f32,
    /// Never more steps than this.
    pub steps: usize,
}

/// A row for each column of the examples. `progress` is told of the share that is done, from several threads.
///
/// # Errors
/// Where a thread crashed.
pub(super) fn solve(problem: &Problem<'_>, jobs: usize, progress: &(dyn Fn(f64) + Sync)) -> Result<Vec<f32>> {
    let Problem { examples, dimension, .. } = *problem;
    let turned = examples.transposed();
    let starts: Vec<usize> = (0..dimension).step_by(BLOCK).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut solved = Vec::new();
        while let Some(&start) = starts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let columns = BLOCK.min(dimension - start);
            solved.push((start, columns, solve_block(problem, &turned, start, columns)));
            progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / starts.len() as f64);
        }
        solved
    };
    let blocks: Result<Vec<_>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..jobs.clamp(1, starts.len().max(1))).map(|_| scope.spawn(work)).collect();
        let crashed = |_| Error::failed("fitting the query encoder crashed");
        handles.into_iter().map(|handle| handle.join().map_err(crashed)).collect()
    });
    let mut rows = vec![0.0; examples.width * dimension];
    for (start, columns, block) in blocks?.into_iter().flatten() {
        for (row, block) in rows.chunks_exact_mut(dimension).zip(block.chunks_exact(columns)) {
            row[start..start + columns].copy_from_slice(block);
        }
    }
    Ok(rows)
}

fn solve_block(problem: &Problem<'_>, turned: &Sparse, start: usize, columns: usize) -> Vec<f32> {
    let Problem { examples, wanted, dimension, ridge, steps } = *problem;
    let wanted: Vec<f32> =
        wanted.chunks_exact(dimension).flat_map(|row| &row[start..start + columns]).copied().collect();
    let size = examples.width * columns;
    let mut rest = vec![0.0; size];
    turned.times(&wanted, &mut rest, columns);
    // Jacobi's preconditioner: rare pieces and what is in every text differ by four orders.
    let scales: Vec<f32> = (0..examples.width)
        .map(|feature| 1.0 / (turned.row(feature).map(|(_, value)| value * value).sum::<f32>() + ridge))
        .collect();
    let scaled = |rest: &[f32]| -> Vec<f32> {
        rest.chunks_exact(columns)
            .zip(&scales)
            .flat_map(|(row, scale)| row.iter().map(move |one| one * scale))
            .collect()
    };
    let mut solution = vec![0.0; size];
    let mut near = scaled(&rest);
    let mut direction = near.clone();
    let mut weight = dots(&rest, &near, columns);
    let enough: Vec<f64> = weight.iter().map(|weight| weight * SMALL_ENOUGH * SMALL_ENOUGH).collect();
    let (mut seen, mut turn) = (vec![0.0; examples.height() * columns], vec![0.0; size]);
    for _ in 0..steps {
        if weight.iter().zip(&enough).all(|(weight, enough)| weight <= enough) {
            break;
        }
        examples.times(&direction, &mut seen, columns);
        turned.times(&seen, &mut turn, columns);
        turn.iter_mut().zip(&direction).for_each(|(turn, direction)| *turn += ridge * direction);
        let along = ratios(&weight, &dots(&direction, &turn, columns));
        add(&mut solution, &direction, &along, 1.0, columns);
        add(&mut rest, &turn, &along, -1.0, columns);
        near = scaled(&rest);
        let weight_now = dots(&rest, &near, columns);
        let keep = ratios(&weight_now, &weight);
        for (direction, near) in direction.chunks_exact_mut(columns).zip(near.chunks_exact(columns)) {
            for ((direction, near), keep) in direction.iter_mut().zip(near).zip(&keep) {
                *direction = near + keep * *direction;
            }
        }
        weight = weight_now;
    }
    solution
}

/// The product of each column with that of the other.
fn dots(one: &[f32], other: &[f32], columns: usize) -> Vec<f64> {
    let mut sums = vec![0.0f64; columns];
    for (one, other) in one.chunks_exact(columns).zip(other.chunks_exact(columns)) {
        for ((sum, one), other) in sums.iter_mut().zip(one).zip(other) {
            *sum += f64::from(one * other);
        }
    }
    sums
}

/// A column that is done already goes no further.
fn ratios(over: &[f64], under: &[f64]) -> Vec<f32> {
    over.iter()
        .zip(under)
        .map(|(over, under)| if *under > f64::MIN_POSITIVE { (over / under) as f32 } else { 0.0 })
        .collect()
}

fn add(to: &mut [f32], what: &[f32], times: &[f32], sign: f32, columns: usize) {
    for (to, what) in to.chunks_exact_mut(columns).zip(what.chunks_exact(columns)) {
        for ((to, what), times) in to.iter_mut().zip(what).zip(times) {
            *to += sign * times * what;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Examples of known rows, some more than there are rows.
    fn linear(seed: u64, width: usize, dimension: usize) -> (Sparse, Vec<f32>, Vec<f32>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows: Vec<f32> = (0..width * dimension).map(|_| random.f32() - 0.5).collect();
        let mut examples = Sparse::of_width(width);
        let mut wanted = Vec::new();
        for example in 0..width * 4 {
            let mut features = vec![(example % width) as u32, random.u32(..width as u32), random.u32(..width as u32)];
            features.sort_unstable();
            features.dedup();
            let features: Vec<(u32, f32)> = features.into_iter().map(|one| (one, 0.5 + random.f32())).collect();
            for column in 0..dimension {
                wanted.push(features.iter().map(|(one, value)| value * rows[*one as usize * dimension + column]).sum());
            }
            examples.push(features.into_iter());
        }
        (examples, wanted, rows)
    }

    fn solved(seed: u64, width: usize, dimension: usize, jobs: usize) -> (Vec<f32>, Vec<f32>) {
        let (examples, wanted, rows) = linear(seed, width, dimension);
        let problem = Problem { examples: &examples, wanted: &wanted, dimension, ridge: 1e-7, steps: 200 };
        (solve(&problem, jobs, &|_| ()).unwrap(), rows)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn the_rows_of_a_linear_teacher_are_found(seed in 0u64..1000, width in 1usize..30, dimension in 1usize..40) {
            let (found, rows) = solved(seed, width, dimension, 2);
            for (found, row) in found.iter().zip(&rows) {
                prop_assert!((found - row).abs() < 1e-3, "{found} {row}");
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let one = solved(7, 20, 70, 1).0;
        assert!(one.iter().zip(&solved(7, 20, 70, 3).0).all(|(a, b)| a.to_bits() == b.to_bits()));
    }

    #[test]
    fn nothing_seen_is_nothing_learnt() {
        let examples = Sparse::of_width(3);
        let problem = Problem { examples: &examples, wanted: &[], dimension: 2, ridge: 0.1, steps: 5 };
        assert_eq!(solve(&problem, 2, &|_| ()).unwrap(), [0.0; 6]);
        // A row that no example has stays 0, and the ridge pulls towards 0.
        let mut examples = Sparse::of_width(2);
        examples.push([(1, 1.0)].into_iter());
        let problem = Problem { examples: &examples, wanted: &[1.0], dimension: 1, ridge: 1.0, steps: 5 };
        assert_eq!(solve(&problem, 1, &|_| ()).unwrap(), [0.0, 0.5]);
    }
}
