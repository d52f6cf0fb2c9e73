//! Builders for this room's tests: lines of a page with their looks.

use crate::load::{Block, BlockKind, HeadingTag, Look};
use crate::text::is_wide;

/// A line of ten points at the left edge, set off from the one before it.
pub fn line(text: &str) -> Block {
    let width: f32 = text.chars().map(|c| if is_wide(c) { 10.0 } else { 5.0 }).sum();
    let look =
        Look { left: 72.0, right: 72.0 + width, size: 10.0, cells: 1, upright: true, font: 1, ..Look::default() };
    Block { look: Some(look), ..Block::new(BlockKind::Paragraph, text, None) }
}

/// A heading in bold letters of the given size.
pub fn heading(text: &str, size: f32) -> Block {
    line(text).size(size).bold()
}

/// A paragraph of five lines about `topic`.
pub fn body(topic: &str) -> Vec<Block> {
    let more = ["goes on and says how it is built and run,", "what it must not be used for, who may open it,"];
    let more = more.into_iter().chain(["how often it is looked after, and what is done", "when it fails."]);
    let first = line(&format!("What is said about {topic} in this paragraph"));
    std::iter::once(first).chain(more.map(|text| line(text).goes_on())).collect()
}

/// The lines of a page, one below the other; what begins a paragraph has more space above it.
pub fn page(number: u32, parts: impl IntoIterator<Item = Vec<Block>>) -> Vec<Block> {
    let mut baseline = 80.0;
    let place = |mut block: Block| {
        let look = block.look.as_mut().expect("a look");
        baseline += if block.kind == BlockKind::Paragraph { 2.2 } else { 1.2 } * look.size;
        look.baseline = baseline;
        block.page = Some(number);
        block
    };
    parts.into_iter().flatten().map(place).collect()
}

impl Block {
    fn with(mut self, change: impl FnOnce(&mut Look)) -> Self {
        change(self.look.as_mut().expect("a look"));
        self
    }

    /// In this size, in points.
    pub fn size(self, size: f32) -> Self {
        self.with(|look| look.size = size)
    }

    /// In a heavy face.
    pub fn bold(self) -> Self {
        self.with(|look| (look.bold, look.font) = (true, 2))
    }

    /// In a font of fixed pitch.
    pub fn fixed(self) -> Self {
        self.with(|look| (look.fixed, look.font) = (true, 3))
    }

    /// How many pieces wide gaps cut it into.
    pub fn cells(self, cells: u32) -> Self {
        self.with(|look| look.cells = cells)
    }

    /// Further right by so many points.
    pub fn indented(self, points: f32) -> Self {
        self.with(|look| look.left += points)
    }

    /// With this right edge.
    pub fn ending_at(self, right: f32) -> Self {
        self.with(|look| look.right = right)
    }

    /// Tagged as part of a heading.
    pub fn tagged(self, level: u8, number: u32) -> Self {
        self.with(|look| look.tag = Some(HeadingTag { level, number }))
    }

    /// Goes on with the sentence of the line before.
    pub fn goes_on(mut self) -> Self {
        self.kind = BlockKind::Wrapped;
        self
    }

    /// Is another line of what the line before belongs to.
    pub fn below(mut self) -> Self {
        self.kind = BlockKind::Line;
        self
    }
}
