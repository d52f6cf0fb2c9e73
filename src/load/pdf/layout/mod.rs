//! A layout model of each page: characters to rows, rows to columns and lines, lines to paragraphs.
//!
//! pdf_oxide gives the place and the font of each character; everything else is decided here, from geometry alone,
//! because the order of a content stream is not the reading order. [`glyphs`] turns the text upright, [`rows`] groups
//! glyphs on one baseline and cuts them into words, [`accents`] join their letters, [`columns`] puts rows into reading
//! order, [`sides`] tells columns from cells, [`lines`] describes the type of rows, [`furniture`] recognises running
//! headers and page numbers across pages, [`tables`] joins the rows of tables, and [`paragraphs`] joins the lines of a
//! sentence.

mod accents;
mod columns;
pub mod furniture;
mod glyphs;
mod lines;
mod margin;
pub mod paragraphs;
mod rows;
mod sides;
pub mod tables;
#[cfg(test)]
mod tests;

use pdf_oxide::layout::TextChar;

pub use furniture::Page;
pub use glyphs::Fonts;
pub use lines::Line;

/// The lines of a page in reading order. `visible` is the visible box: left, bottom, right, top, in points; `number`
/// counts from 1.
pub fn page(chars: &[TextChar], visible: (f32, f32, f32, f32), number: u32, fonts: &mut Fonts) -> Page {
    let runs = glyphs::runs(chars, visible, fonts);
    let (top, bottom) = edges(visible, runs.first().map_or(0, |run| run.angle));
    let mut lines = Vec::new();
    let mut parts = 0;
    for (i, run) in runs.iter().enumerate() {
        let mut rows = rows::rows(&run.glyphs);
        let notes = margin::take_notes(&mut rows);
        let numbered = margin::numbers(&rows);
        let ordered = columns::reading_order(rows);
        let count = ordered.last().map_or(0, |(part, _)| part + 1);
        lines.extend(ordered.iter().map(|(part, row)| {
            lines::line(row, number, parts + part, i == 0, numbered.contains(&row.baseline), fonts)
        }));
        parts += count;
        lines.extend(notes.iter().map(|row| lines::line(row, number, parts, false, false, fonts)));
        parts += u32::from(!notes.is_empty());
    }
    lines.retain(|line| !line.text.is_empty());
    Page { lines, top, bottom }
}

/// The top and the bottom of the page in the frame of text at `angle` degrees.
fn edges((left, bottom, right, top): (f32, f32, f32, f32), angle: i32) -> (f32, f32) {
    let (sin, cos) = (angle as f32).to_radians().sin_cos();
    let corners = [(left, bottom), (left, top), (right, bottom), (right, top)].map(|(x, y)| -(y * cos - x * sin));
    (corners.into_iter().fold(f32::MAX, f32::min), corners.into_iter().fold(f32::MIN, f32::max))
}
