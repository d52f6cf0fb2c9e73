//! On which level a heading is: by the depth of its number inside its kind, or by its looks.

use std::collections::HashMap;

use super::candidates::{Candidate, Style};
use crate::structure::numbering::Kind;

/// What decides the level: the depth of a number inside its kind, or the looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Class {
    Numbered(Kind, usize),
    Looks(Style),
}

pub(super) fn levels(accepted: &[(&Candidate, f32)]) -> Vec<u32> {
    let class = |candidate: &Candidate| match &candidate.number {
        Some(number) => Class::Numbered(number.kind, number.depth()),
        None => Class::Looks(candidate.style),
    };
    let mut sizes: HashMap<Class, Vec<f32>> = HashMap::new();
    for (candidate, _) in accepted {
        sizes.entry(class(candidate)).or_default().push(candidate.style.weight());
    }
    let weight: HashMap<Class, f32> = sizes
        .into_iter()
        .map(|(class, mut sizes)| {
            sizes.sort_by(f32::total_cmp);
            (class, sizes[sizes.len() / 2])
        })
        .collect();
    let mut open: Vec<Class> = Vec::new();
    let mut result = Vec::with_capacity(accepted.len());
    for (candidate, _) in accepted {
        let class = class(candidate);
        while open.last().is_some_and(|above| !is_below(class, *above, &weight)) {
            open.pop();
        }
        open.push(class);
        result.push(open.len() as u32);
    }
    result
}

/// Whether headings of one class stand below those of another.
fn is_below(class: Class, above: Class, weight: &HashMap<Class, f32>) -> bool {
    if class == above {
        return false;
    }
    let heavier = weight.get(&above).copied().unwrap_or(0.0) - weight.get(&class).copied().unwrap_or(0.0);
    match (class, above) {
        (Class::Numbered(kind, depth), Class::Numbered(kind_above, depth_above)) => {
            if kind == kind_above {
                return depth > depth_above;
            }
            // A.1 is below Appendix A, 1.1 below Chapter 1.
            if kind == Kind::Decimal && depth > 1 && kind_above <= Kind::Roman {
                return true;
            }
            if kind_above == Kind::Decimal && depth_above > 1 && kind <= Kind::Appendix {
                return false;
            }
            if heavier.abs() > 0.6 { heavier > 0.0 } else { kind > kind_above }
        }
        _ => heavier > 0.2,
    }
}
