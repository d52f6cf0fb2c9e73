//! Input that people type or write: filters, questions, lists and settings.

use std::ops::Range;

use super::text;
use crate::config::Config;
use crate::knowledge::names::synonyms::Synonyms;
use crate::search::{Filter, Kind, Route, SearchRequest, Understanding, keyword_terms};
use crate::text::fold_name;
use crate::text::highlight::{find_matches, snippet};
use crate::text::sentences::sentences;
use crate::text::tokens::tokenize;

/// A printed filter reads back as the same filter.
pub fn filter(bytes: &[u8]) {
    if let Ok(filter) = text(bytes).parse::<Filter>() {
        let printed = filter.to_string();
        let again = printed.parse::<Filter>();
        assert!(again.as_ref().is_ok_and(|again| *again == filter), "{filter:?} is printed as {printed}: {again:?}");
    }
}

/// The weights of a route add up to 1; places lie inside the question.
pub fn question(bytes: &[u8]) {
    let question = text(bytes);
    let mut after = 0;
    let is_inside = |range: Range<usize>| !range.is_empty() && question.get(range).is_some();
    assert!(tokenize(&question).iter().all(|token| is_inside(token.start..token.end)));
    for range in sentences(&question) {
        assert_eq!(range.start, after, "sentences follow each other");
        after = range.end;
    }
    assert_eq!(after, question.len(), "sentences are the text");
    let understood = Understanding::of(&question);
    assert!((0.0..=1.0).contains(&understood.sure));
    Understanding::of_kind(&question, Some(Kind::Structure));
    let route = Route::choose(understood.kind, &SearchRequest::new(&*question), 1.0);
    assert!((route.keyword + route.semantic - 1.0).abs() < 1e-5);
    let terms = keyword_terms(&question, &understood.identifiers);
    assert!(terms.iter().all(|(_, term, weight)| !term.is_empty() && *weight > 0.0));
    assert!(find_matches(&question, &question).into_iter().all(|range| question.get(range).is_some()));
    snippet(&question, &question, 80);
    let folded = fold_name(&question);
    assert_eq!(fold_name(&folded), folded);
}

pub fn synonyms(bytes: &[u8]) {
    if let Ok(mut synonyms) = Synonyms::parse(&text(bytes)) {
        let all = synonyms.clone();
        synonyms.extend(all.clone());
        assert_eq!(synonyms, all, "a list adds nothing to itself");
    }
}

/// `kb.toml`, from its file.
pub fn config(bytes: &[u8]) {
    let folder = std::env::temp_dir().join(format!("kb-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join(crate::config::FILE), bytes).expect("a file");
    if let Err(error) = Config::read(&folder) {
        assert!(!error.to_line().contains('\n'), "{}", error.to_line());
    }
}
