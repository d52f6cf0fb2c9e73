//! Changes to a request that may keep what was lost. Pure functions: each gives a request, and whether it does help is
//! found by searching with it.

use crate::embed::TokenCounter;
use crate::error::Result;
use crate::retrieve::fuse::Candidate;
use crate::retrieve::modes::drill::paths;
use crate::retrieve::settings::{LARGEST_LIMIT, LARGEST_POOL};
use crate::retrieve::trace::Traced;
use crate::retrieve::understand::without_quotes;
use crate::retrieve::{Beam, Expand, Hit, Kind, Method, Restriction, SearchRequest, Shape};

/// The beam is no wider.
const WIDEST_BEAM: usize = 1000;
/// More tokens than any context has; the flag takes no more.
const MOST_TOKENS: usize = u32::MAX as usize;

/// Whether the command line would take a request.
pub(super) fn is_possible(request: &SearchRequest) -> bool {
    (1..=LARGEST_LIMIT).contains(&request.limit) && (request.limit..=LARGEST_POOL).contains(&request.pool)
}

/// Has the text searched where the table of contents would answer.
pub(super) fn as_text(request: &SearchRequest) -> Vec<SearchRequest> {
    vec![SearchRequest { kind: Some(Kind::Concept), ..request.clone() }]
}

/// Lets more through.
pub(super) fn unfiltered(request: &SearchRequest) -> Vec<SearchRequest> {
    let restricted = |restriction: Restriction| SearchRequest { restriction, documents: None, ..request.clone() };
    let own = &request.restriction;
    vec![
        SearchRequest { documents: None, ..request.clone() },
        SearchRequest { restriction: Restriction { filter: None, ..own.clone() }, ..request.clone() },
        SearchRequest {
            restriction: Restriction { filter: own.filter.clone(), ..Restriction::default() },
            ..request.clone()
        },
        restricted(Restriction::default()),
    ]
}

/// Asks for phrases by their words.
pub(super) fn unquoted(request: &SearchRequest) -> Vec<SearchRequest> {
    vec![SearchRequest { query: without_quotes(&request.query), ..request.clone() }]
}

/// Asks for a title. Quotation marks in it would make phrases of it.
pub(super) fn by_title(request: &SearchRequest, title: &str) -> Option<SearchRequest> {
    let query = without_quotes(title);
    query.chars().any(char::is_alphanumeric).then(|| SearchRequest { query, ..request.clone() })
}

/// Recalls more: `place` is the best that an arm gives it, were all recalled, of `all`.
pub(super) fn recalled(request: &SearchRequest, place: Option<usize>, all: usize) -> Vec<SearchRequest> {
    let tried = place.map(|place| [place, place.saturating_mul(4), all]);
    tried.into_iter().flatten().map(|pool| pooled(request, pool)).collect()
}

/// Searches for other words too.
pub(super) fn with_more_words(request: &SearchRequest, all: usize) -> Vec<SearchRequest> {
    let more = SearchRequest { expand: Expand::All, ..request.clone() };
    vec![more.clone(), pooled(&more, all)]
}

/// Asks the semantic arm too.
pub(super) fn with_both_arms(request: &SearchRequest, all: usize) -> Vec<SearchRequest> {
    let both = SearchRequest { method: Method::Hybrid, weights: None, ..request.clone() };
    vec![both.clone(), pooled(&both, all)]
}

fn pooled(request: &SearchRequest, pool: usize) -> SearchRequest {
    SearchRequest { pool: pool.max(request.pool).min(LARGEST_POOL), ..request.clone() }
}

/// Lets lower scores be hits: this one, cut to three digits.
pub(super) fn lower_score(request: &SearchRequest, score: f32) -> SearchRequest {
    let cut = (score.max(0.0) * 1000.0).floor() / 1000.0;
    SearchRequest { min_score: request.min_score.map(|least| least.min(cut)), ..request.clone() }
}

/// Without decay.
pub(super) fn undecayed(request: &SearchRequest) -> SearchRequest {
    SearchRequest { half_life: None, ..request.clone() }
}

/// More hits, and a pool that has as many.
pub(super) fn more_hits(request: &SearchRequest, limit: usize) -> SearchRequest {
    let limit = limit.clamp(request.limit, LARGEST_LIMIT);
    SearchRequest { limit, pool: request.pool.max(limit), ..request.clone() }
}

/// The narrowest beam whose paths lead to a passage; `ranked` is what the beam chooses from.
pub(super) fn wider_beam(request: &SearchRequest, ranked: &[Traced], id: &str) -> Option<SearchRequest> {
    let candidate = |one: &Traced| Candidate {
        chunk_id: one.id.clone(),
        namespace: one.namespace,
        score: one.score,
        keyword: None,
        semantic: None,
    };
    let candidates: Vec<Candidate> = ranked.iter().map(candidate).collect();
    let most = ranked.len().min(WIDEST_BEAM);
    let leads = |beam: Beam| paths(&candidates, beam).iter().any(|candidate| candidate.chunk_id == id);
    let own = request.shape.beam;
    let parents =
        (own.parents..=most.max(own.parents)).find(|&parents| leads(Beam { documents: most, parents, ..own }))?;
    let documents =
        (own.documents..=most.max(own.documents)).find(|&documents| leads(Beam { documents, parents, ..own }))?;
    // Where -k is silent, it is as many as the beam leads to.
    let limit = (documents * parents > LARGEST_LIMIT).then_some(LARGEST_LIMIT);
    let wider = shaped(request, Shape { beam: Beam { documents, parents, ..own }, ..request.shape.clone() });
    Some(limit.map_or(wider.clone(), |limit| more_hits(&wider, limit)))
}

/// Keeps what says the same as a better one.
pub(super) fn with_duplicates(request: &SearchRequest) -> SearchRequest {
    shaped(request, Shape { keep_duplicates: true, ..request.shape.clone() })
}

/// Leaves neighbours apart.
pub(super) fn unmerged(request: &SearchRequest) -> SearchRequest {
    shaped(request, Shape { merge: Some(false), ..request.shape.clone() })
}

/// Shows hits without their neighbours.
pub(super) fn bare(request: &SearchRequest) -> SearchRequest {
    shaped(request, Shape { context: 0, window: None, ..request.shape.clone() })
}

/// More hits of each document.
pub(super) fn more_of_document(request: &SearchRequest, most: usize) -> SearchRequest {
    let most = request.shape.per_document.map(|known| known.max(most));
    shaped(request, Shape { per_document: most, ..request.shape.clone() })
}

/// Only relevance counts.
pub(super) fn undiversified(request: &SearchRequest) -> SearchRequest {
    shaped(request, Shape { diversity: 0.0, ..request.shape.clone() })
}

/// Without a budget.
pub(super) fn without_budget(request: &SearchRequest) -> SearchRequest {
    shaped(request, Shape { max_tokens: None, ..request.shape.clone() })
}

/// A budget of so many tokens, then a large one, in case they cannot be told.
pub(super) fn larger_budget(request: &SearchRequest, needed: Option<usize>) -> Vec<SearchRequest> {
    let budget = |most: usize| {
        let most = request.shape.max_tokens.map(|known| known.max(most.min(MOST_TOKENS)));
        shaped(request, Shape { max_tokens: most, ..request.shape.clone() })
    };
    needed.into_iter().chain([MOST_TOKENS]).map(budget).collect()
}

/// The tokens of hits, in the order in which they are fitted in, up to the first passage that is wanted.
///
/// # Errors
/// Where the tokenizer fails.
pub(super) fn tokens_up_to(
    hits: &[Hit],
    counter: &TokenCounter,
    wanted: impl Fn(&Hit, &str) -> bool,
) -> Result<Option<usize>> {
    let mut tokens = 0;
    for hit in hits {
        tokens += counter.count(&format!("{}\n{}", hit.title, hit.section_title))?;
        for source in &hit.sources {
            tokens += counter.count(&source.text)? + counter.count(&source.headings.join("\n"))?;
            if wanted(hit, &source.chunk_id) {
                return Ok(Some(tokens));
            }
        }
        // A section without text costs its title and one more, so that it is looked at at all.
        if hit.sources.is_empty() && wanted(hit, "") {
            return Ok(Some(tokens + 1));
        }
    }
    Ok(None)
}

/// What takes back a part of a change: from the first request, and the one that was found to help.
type Less = fn(&SearchRequest, &SearchRequest) -> SearchRequest;

/// Each of them, the costly changes first.
pub(super) const LESS: [Less; 12] = [
    |asked, now| SearchRequest { query: asked.query.clone(), ..now.clone() },
    |asked, now| SearchRequest { method: asked.method, weights: asked.weights, ..now.clone() },
    |asked, now| SearchRequest { expand: asked.expand, ..now.clone() },
    |asked, now| SearchRequest { documents: asked.documents.clone(), ..now.clone() },
    |asked, now| {
        let restriction = Restriction { filter: asked.restriction.filter.clone(), ..now.restriction.clone() };
        SearchRequest { restriction, ..now.clone() }
    },
    |asked, now| SearchRequest {
        restriction: Restriction { before: asked.restriction.before, ..now.restriction.clone() },
        ..now.clone()
    },
    |asked, now| SearchRequest {
        restriction: Restriction { after: asked.restriction.after, ..now.restriction.clone() },
        ..now.clone()
    },
    |asked, now| SearchRequest {
        restriction: Restriction { as_of: asked.restriction.as_of, ..now.restriction.clone() },
        ..now.clone()
    },
    |asked, now| SearchRequest { half_life: asked.half_life, ..now.clone() },
    |asked, now| SearchRequest { min_score: asked.min_score, ..now.clone() },
    |asked, now| SearchRequest { pool: asked.pool.max(now.limit), ..now.clone() },
    |asked, now| SearchRequest { limit: asked.limit, pool: asked.pool, ..now.clone() },
];

fn shaped(request: &SearchRequest, shape: Shape) -> SearchRequest {
    SearchRequest { shape, ..request.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traced(ids: &[(&str, f32)]) -> Vec<Traced> {
        ids.iter().map(|(id, score)| Traced::new(*id, 0, *score)).collect()
    }

    #[test]
    fn the_narrowest_beam_that_leads_there_is_found() {
        let request = SearchRequest {
            shape: Shape { beam: "1,1,3".parse().unwrap(), ..Shape::default() },
            ..SearchRequest::new("x")
        };
        let ranked = traced(&[("a:0", 0.9), ("a:1", 0.8), ("b:0", 0.7), ("c:0", 0.2)]);
        let beam = |id: &str| wider_beam(&request, &ranked, id).map(|wider| wider.shape.beam.to_string());
        assert_eq!(beam("a:1").as_deref(), Some("1,2,3"));
        assert_eq!(beam("c:0").as_deref(), Some("3,1,3"));
        assert_eq!(beam("d:0"), None);
    }

    #[test]
    fn a_pool_has_room_for_the_hits_that_are_wanted() {
        let request = SearchRequest { pool: 4, limit: 2, ..SearchRequest::new("x") };
        let more = more_hits(&request, 7);
        assert_eq!((more.limit, more.pool, is_possible(&more)), (7, 7, true));
        assert!(!is_possible(&SearchRequest { pool: 6, ..more }));
        assert_eq!(more_hits(&request, 1), request, "never fewer than were asked for");
    }

    #[test]
    fn a_score_is_cut_and_never_raised() {
        let request = SearchRequest { min_score: Some(0.5), ..SearchRequest::new("x") };
        assert_eq!(lower_score(&request, 0.123_9).min_score, Some(0.123));
        assert_eq!(lower_score(&request, 0.9).min_score, Some(0.5));
    }
}
