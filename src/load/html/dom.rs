//! Text to elements, through `html5ever`, with a limit of open elements.

use std::cell::RefCell;
use std::collections::HashSet;

use dom_query::{Document as Dom, NodeId};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{Tracer, TreeBuilderOpts};
use html5ever::{ParseOpts, parse_document};

/// For each element the parser looks at those that are open around it, so its time grows with the square of their
/// number: 200,000 took two minutes. Browsers do not nest deeper than 512.
const MOST_OPEN: usize = 5_000;
/// The open elements are counted each time this many bytes are read.
const COUNT_INTERVAL: usize = 4096;

/// The elements of a page, up to where too many are open.
pub(super) fn dom_of(text: &str, warnings: &mut Vec<String>) -> Dom {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let mut parser = parse_document(Dom::default(), ParseOpts { tree_builder, ..ParseOpts::default() });
    let mut rest = text;
    while !rest.is_empty() {
        let (step, behind) = rest.split_at(rest.floor_char_boundary(COUNT_INTERVAL));
        parser.process(StrTendril::from(step));
        rest = behind;
        let open = Open::default();
        parser.tokenizer.sink.trace_handles(&open);
        if open.0.borrow().len() > MOST_OPEN && !rest.is_empty() {
            warnings.push(format!("elements are nested more than {MOST_OPEN} deep; the rest of the page is left out"));
            break;
        }
    }
    parser.finish()
}

/// The elements that a parser has open. It names some of them twice.
#[derive(Default)]
struct Open(RefCell<HashSet<NodeId>>);

impl Tracer for Open {
    type Handle = NodeId;

    fn trace_handle(&self, element: &NodeId) {
        self.0.borrow_mut().insert(*element);
    }
}

#[cfg(test)]
mod tests {
    use crate::load::html::parse;

    #[test]
    fn deep_nesting_is_harmless() {
        let nested = |depth: usize| parse(&format!("<p>é{}deep{}", "<div>".repeat(depth), "</div>".repeat(depth)));
        assert_eq!(nested(4_900).texts(), ["é", "deep"]);
        let deeper = nested(200_000);
        assert_eq!(deeper.texts(), ["é"]);
        assert_eq!(deeper.warnings, ["elements are nested more than 5000 deep; the rest of the page is left out"]);
        // The parser moves these out of the table.
        assert_eq!(parse(&format!("<table>{}", "<div>".repeat(200_000))).warnings, deeper.warnings);
    }
}
