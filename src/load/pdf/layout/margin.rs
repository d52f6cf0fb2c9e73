//! The margin: line numbers, as in drafts, statutes and listings, and notes.

use super::rows::{Row, Word};

/// Fewer rising numbers above each other are not line numbers.
const FEWEST_NUMBERS: usize = 5;
/// The most that their right edges differ, in points.
const SAME_EDGE: f32 = 2.5;
/// Their least distance from the text, as a share of the text size.
const APART: f32 = 0.45;
/// Line numbers are smaller than the text by this factor, or there are very many.
const SMALLER: f32 = 0.9;
const VERY_MANY: usize = 20;

/// The distance of notes from the text edge and the word before, in sizes.
const NOTE_DISTANCE: f32 = 0.7;
/// The page has a text edge if this share of its rows ends there.
const JUSTIFIED: f32 = 0.35;
/// Notes stand beside at most this share of the rows, and hold at most this share of the letters; otherwise they are a
/// column.
const MOST_NOTED: f32 = 0.3;
const MOST_IN_NOTES: f32 = 0.12;

/// The baselines of the rows of a page whose first word is a line number in the margin.
pub fn numbers(rows: &[Row]) -> Vec<f32> {
    let firsts: Vec<(&Row, f32, u32)> = rows.iter().filter_map(first_number).collect();
    let mut edges: Vec<f32> = firsts.iter().map(|&(_, edge, _)| edge).collect();
    edges.sort_by(f32::total_cmp);
    let mut numbered = Vec::new();
    for edge in edges.chunk_by(|a, b| (a - b).abs() < SAME_EDGE) {
        let (low, high) = (edge[0] - 0.1, edge[edge.len() - 1] + 0.1);
        let members: Vec<&(&Row, f32, u32)> =
            firsts.iter().filter(|(_, edge, _)| (low..=high).contains(edge)).collect();
        let rising = members.windows(2).filter(|pair| pair[1].2 > pair[0].2 && pair[1].2 <= pair[0].2 + 5).count();
        // Text left of the numbers means that they are not in a margin.
        let text_begins_left = rows.iter().filter(|row| row.left() < low - 20.0).count();
        let small = members.iter().all(|(row, ..)| row.words[0].glyphs[0].size < SMALLER * row.size);
        let plausible = small || members.len() >= VERY_MANY;
        if plausible
            && members.len() >= FEWEST_NUMBERS
            && rising * 10 >= (members.len() - 1) * 9
            && text_begins_left * 3 < members.len()
        {
            numbered.extend(members.iter().map(|(row, ..)| row.baseline));
        }
    }
    numbered
}

/// A row with the right edge and the value of a number before its text.
fn first_number(row: &Row) -> Option<(&Row, f32, u32)> {
    let [first, second, ..] = row.words.as_slice() else { return None };
    let digits: String = first.glyphs.iter().map(|glyph| glyph.char).collect();
    let apart = second.left - first.right > APART * row.size;
    (apart && digits.len() <= 4).then(|| digits.parse().ok()).flatten().map(|number| (row, first.right, number))
}

/// Moves the notes in the right margin into rows of their own: words beyond the edge at which many rows end, if they
/// are few.
pub fn take_notes(rows: &mut Vec<Row>) -> Vec<Row> {
    let Some(edge) = right_edge(rows) else { return Vec::new() };
    let first_note = |row: &Row| {
        let at = row.words.iter().position(|word| word.left > edge + NOTE_DISTANCE * row.size)?;
        let apart = at == 0 || row.words[at].left - row.words[at - 1].right > NOTE_DISTANCE * row.size;
        apart.then_some(at)
    };
    let letters = |words: &[Word]| words.iter().map(|word| word.glyphs.len()).sum::<usize>();
    let noted = rows.iter().filter(|row| first_note(row).is_some()).count();
    let in_notes: usize = rows.iter().filter_map(|row| first_note(row).map(|at| letters(&row.words[at..]))).sum();
    let all: usize = rows.iter().map(|row| letters(&row.words)).sum();
    if noted as f32 > MOST_NOTED * rows.len() as f32 || in_notes as f32 > MOST_IN_NOTES * all as f32 {
        return Vec::new();
    }
    let notes = rows.iter_mut().filter_map(|row| row.split_off(first_note(row)?)).collect();
    rows.retain(|row| !row.words.is_empty());
    notes
}

/// The edge at which many rows end.
fn right_edge(rows: &[Row]) -> Option<f32> {
    let mut rights: Vec<f32> = rows.iter().map(Row::right).collect();
    rights.sort_by(f32::total_cmp);
    let common = rights.chunk_by(|a, b| b - a < 1.0).max_by_key(|group| group.len())?;
    (common.len() as f32 >= JUSTIFIED * rows.len() as f32).then(|| common[common.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::super::glyphs::Glyph;
    use super::super::rows::rows;
    use super::super::tests::print;

    /// How many line numbers a page has whose lines have these numbers before them, in the given size.
    fn numbered(numbers: &[u32], size: f32) -> usize {
        let line = |(i, number): (usize, &u32)| {
            let (baseline, number) = (100.0 + 14.0 * i as f32, number.to_string());
            let left = 72.0 - number.len() as f32 * size / 2.0;
            let text = print("Text of the draft goes on here", 90.0, baseline, 10.0);
            [print(&number, left, baseline, size), text].concat()
        };
        let glyphs: Vec<Glyph> = numbers.iter().enumerate().flat_map(line).collect();
        super::numbers(&rows(&glyphs)).len()
    }

    #[test]
    fn small_rising_numbers_are_line_numbers() {
        assert_eq!(numbered(&[1, 2, 3, 4, 5, 6], 7.0), 6);
        assert_eq!(numbered(&[5, 10, 15, 20, 25], 7.0), 5, "every fifth line");
        let many: Vec<u32> = (1..=24).collect();
        assert_eq!(numbered(&many, 10.0), 24, "as large as the text, but very many");
    }

    #[test]
    fn a_numbered_list_and_a_column_of_figures_are_text() {
        assert_eq!(numbered(&[1, 2, 3, 4, 5, 6], 10.0), 0, "as large as the text");
        assert_eq!(numbered(&[1, 2, 3, 4], 7.0), 0, "too few");
        assert_eq!(numbered(&[320, 90, 41, 7, 55, 12], 7.0), 0, "in no order");
    }
}
