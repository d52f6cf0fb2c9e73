//! What most of a document is set in, against which headings stand out.

use std::collections::HashMap;

use crate::load::{Block, Look};

/// What is larger by this factor needs no number and no company to be a heading.
pub(super) const MUCH_LARGER: f32 = 1.25;
/// What is larger than the body by this factor is set off by its size.
pub(super) const LARGER: f32 = 1.07;

/// The size and the font in which most of a document is set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    pub size: f32,
    pub font: u16,
    pub bold: bool,
}

/// The body style: that of most characters, listings left out where there is anything else.
pub fn body(blocks: &[Block]) -> Option<Body> {
    let mut counts: HashMap<(i32, u16, bool), usize> = HashMap::new();
    for block in blocks {
        if let Some(look) = &block.look {
            let weight = block.text.chars().count();
            let weight = if look.fixed { weight / 4 } else { weight };
            *counts.entry(((look.size * 2.0).round() as i32, look.font, look.bold)).or_default() += weight;
        }
    }
    // First the size over all fonts, then the font of that size: a document in two scripts has two body fonts.
    let mut sizes: HashMap<i32, usize> = HashMap::new();
    counts.iter().for_each(|((size, ..), count)| *sizes.entry(*size).or_default() += count);
    let size = sizes.into_iter().max_by_key(|&(size, count)| (count, -size))?.0;
    let ((_, font, bold), _) = counts
        .into_iter()
        .filter(|((other, ..), _)| *other == size)
        .max_by_key(|&((_, font, _), count)| (count, font))?;
    Some(Body { size: size as f32 / 2.0, font, bold })
}

/// Whether looks are set off from the body by size or weight.
pub(super) fn is_distinct(look: &Look, body: &Body) -> bool {
    look.size >= body.size * LARGER || (look.bold && !body.bold)
}
