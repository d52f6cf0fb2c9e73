//! The headings in the structure tree of a tagged PDF.

use std::collections::HashMap;
use std::time::Duration;

use pdf_oxide::PdfDocument;
use pdf_oxide::structure::{StructChild, StructElem, StructType};

use crate::load::HeadingTag;

/// A tree that takes longer is ignored.
const BUDGET: Duration = Duration::from_secs(5);
/// Deeper elements are ignored.
const DEEPEST: usize = 64;
/// The deepest level that tags can name.
const LOWEST_LEVEL: usize = 6;

/// The headings that marked content belongs to.
#[derive(Debug, Default)]
pub struct Tags {
    by_mark: HashMap<(u32, u32), HeadingTag>,
    headings: u32,
}

impl Tags {
    /// Reads the tree. An unreadable tree has no headings.
    pub fn read(pdf: &PdfDocument) -> Self {
        let mut tags = Tags::default();
        if let Ok(Some(tree)) = pdf.structure_tree_with_budget(Some(BUDGET)) {
            tree.root_elements.iter().for_each(|element| tags.walk(element, None, 0, 0));
        }
        tags
    }

    /// The heading of the marked content `mark` on `page`, counted from 1.
    pub fn heading(&self, page: u32, mark: u32) -> Option<HeadingTag> {
        self.by_mark.get(&(page, mark)).copied()
    }

    /// `heading` is the one around the element; `sections` is the number of enclosing section elements, which gives a
    /// plain `H` its level.
    fn walk(&mut self, element: &StructElem, mut heading: Option<HeadingTag>, sections: usize, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let level = match element.struct_type {
            StructType::H => Some(sections.clamp(1, LOWEST_LEVEL) as u8),
            _ => element.struct_type.heading_level(),
        };
        if heading.is_none()
            && let Some(level) = level
        {
            heading = Some(HeadingTag { level, number: self.headings });
            self.headings += 1;
        }
        let sections = sections + usize::from(element.struct_type == StructType::Sect);
        for child in &element.children {
            match (child, heading) {
                (StructChild::StructElem(child), _) => self.walk(child, heading, sections, depth + 1),
                (StructChild::MarkedContentRef { mcid, page, .. }, Some(heading)) => {
                    self.by_mark.insert((page + 1, *mcid), heading);
                }
                _ => {}
            }
        }
    }
}
