//! Passages that say what a better one says already.

use std::cell::OnceCell;

use super::shingles::Shingles;
use crate::retrieve::Hit;

/// Letters and digits of a run by which passages are compared: long enough that unrelated ones share nearly none.
const SHINGLE: usize = 8;
/// Passages that share this much of their runs say the same.
const LEAST_LIKENESS: f32 = 0.9;

/// Takes out the hits whose text is that of a better one, or nearly: of all runs of 8 letters both have 90 % (Jaccard), and
/// the same numbers in the same order, because `5 bar` and `6 bar` are not the same however long the rest is. The better
/// one names them. Gives how many were taken out.
pub(in crate::retrieve) fn drop_duplicates(hits: &mut Vec<Hit>) -> usize {
    let before = hits.len();
    let mut kept: Vec<(Hit, Compared)> = Vec::with_capacity(before);
    for hit in hits.drain(..) {
        let own = Compared { numbers: numbers(&hit.content), shingles: OnceCell::new() };
        match kept.iter_mut().find(|(better, known)| say_the_same((better, known), (&hit, &own))) {
            Some((better, _)) => better.duplicates.extend(hit.sources.into_iter().map(|source| source.chunk_id)),
            None => kept.push((hit, own)),
        }
    }
    hits.extend(kept.into_iter().map(|(hit, _)| hit));
    before - hits.len()
}

/// What hits are compared by.
struct Compared {
    numbers: String,
    /// Made when they are first needed.
    shingles: OnceCell<Shingles>,
}

impl Compared {
    fn shingles(&self, hit: &Hit) -> &Shingles {
        self.shingles.get_or_init(|| Shingles::of(&hit.content, SHINGLE))
    }
}

fn say_the_same(better: (&Hit, &Compared), other: (&Hit, &Compared)) -> bool {
    better.0.content == other.0.content
        || (better.1.numbers == other.1.numbers
            && better.1.shingles(better.0).are_alike(other.1.shingles(other.0), LEAST_LIKENESS))
}

/// The digits of a text, with a space where something else stands between them.
fn numbers(text: &str) -> String {
    let runs = text.split(|c: char| !c.is_numeric()).filter(|run| !run.is_empty());
    runs.collect::<Vec<&str>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::sample::hit;
    use super::*;

    #[test]
    fn what_a_better_one_says_is_taken_out_and_named() {
        let text =
            "Before the pump is started the casing has to be filled and the vent valve has to be opened by hand. "
                .repeat(6);
        let mut hits = vec![
            hit("a:0", &text),
            hit("b:0", &format!("{text}!")),
            hit("c:0", &format!("{text} After 5 minutes it is closed.")),
            hit("d:0", &format!("{text} After 6 minutes it is closed.")),
            hit("e:0", "启动水泵之前必须打开排气阀。"),
            hit("f:0", "启动水泵之前必须打开排气阀。"),
            hit("g:0", &text.replace("started", "stopped").replace("filled", "drained")),
        ];
        assert_eq!(drop_duplicates(&mut hits), 2);
        let left: Vec<&str> = hits.iter().map(|hit| hit.chunk_id.as_str()).collect();
        assert_eq!(left, ["a:0", "c:0", "d:0", "e:0", "g:0"], "another number or other words are something else");
        assert_eq!(
            (&hits[0].duplicates[..], &hits[3].duplicates[..]),
            (&["b:0".to_owned()][..], &["f:0".to_owned()][..])
        );
    }
}
