//! Name trees and number trees (ISO 32000-1, 7.9.6 and 7.9.7): sorted pairs, spread over nodes.

use std::collections::HashSet;

use lopdf::{Document as Pdf, Object, ObjectId};

use super::{dictionary, resolve};

/// How deep a tree is followed.
const DEEPEST: usize = 32;

/// The pairs of keys and values in a tree, `entry` being `Names` or `Nums`. Every node is visited once, whatever
/// circles the file draws.
pub(super) fn pairs<'a>(pdf: &'a Pdf, root: Option<&'a Object>, entry: &[u8]) -> Vec<(&'a Object, &'a Object)> {
    let mut found = Vec::new();
    let mut stack: Vec<(&Object, usize)> = root.map(|root| (root, 0)).into_iter().collect();
    let mut seen: HashSet<ObjectId> = HashSet::new();
    while let Some((object, depth)) = stack.pop() {
        if let Object::Reference(id) = object
            && !seen.insert(*id)
        {
            continue;
        }
        let Some(node) = dictionary(pdf, object) else { continue };
        if let Some(Object::Array(pairs)) = node.get(entry).ok().and_then(|pairs| resolve(pdf, pairs)) {
            found.extend(pairs.chunks_exact(2).filter_map(|pair| Some((resolve(pdf, &pair[0])?, &pair[1]))));
        }
        if let Some(Object::Array(kids)) = node.get(b"Kids").ok().and_then(|kids| resolve(pdf, kids))
            && depth < DEEPEST
        {
            stack.extend(kids.iter().map(|kid| (kid, depth + 1)));
        }
    }
    found
}
