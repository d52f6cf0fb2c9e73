//! The phrases of a question: a passage that does not have them is no answer.

use std::time::Instant;

use super::recall::Terms;
use super::searched::on_each;
use super::trace::Trace;
use super::understand::Understanding;
use crate::error::Result;
use crate::store::{Phrase, Scope, Snapshot};

/// Confines the scopes to the passages that have the phrases of a question, and says whether it has any. Where nothing
/// has them, a question is answered by its words, and a lookup finds nothing; either is noted.
pub(super) fn confine(
    snapshots: &[&Snapshot],
    understood: &Understanding,
    terms: &Terms,
    scopes: &mut [Scope],
    notes: &mut Vec<String>,
    trace: &mut Trace,
) -> Result<bool> {
    let start = Instant::now();
    let phrases: Vec<Phrase> = understood.phrases.iter().filter_map(|text| Phrase::of(text)).collect();
    if phrases.is_empty() || scopes.iter().all(Scope::is_empty) {
        return Ok(false);
    }
    let with = on_each(snapshots, |place, snapshot| snapshot.with_phrases(&phrases, terms, &scopes[place]))?;
    let found = with.iter().map(Vec::len).sum();
    let stage = trace.stage("phrases", start, phrases.len(), found);
    // Who looks for a phrase wants to know that there is none; who asks a question, an answer.
    let instead = found == 0 && understood.is_asked();
    if found == 0 {
        stage.say(if instead { "no passage has them: searched for their words" } else { "no passage has them" });
        notes.push(nothing_has(&understood.phrases, instead));
    }
    if !instead {
        let with = with.into_iter().map(|ids| Scope::Passages(ids.into_iter().collect()));
        scopes.iter_mut().zip(with).for_each(|(scope, with)| *scope = with);
    }
    Ok(!instead)
}

/// Says that nothing has the phrases of a question, and whether their words were searched for instead.
fn nothing_has(phrases: &[String], instead: bool) -> String {
    let quoted: Vec<String> = phrases.iter().map(|phrase| format!("{phrase:?}")).collect();
    let (the, its) = if phrases.len() == 1 { ("the phrase", "its") } else { ("all the phrases", "their") };
    let then = if instead {
        format!("searched for {its} words")
    } else {
        format!("without the quotation marks {its} words are searched for")
    };
    format!("no passage has {the} {}; {then}", quoted.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_instead_is_said() {
        let [one, two] = ["main pump", "vent"].map(str::to_owned);
        assert_eq!(
            nothing_has(std::slice::from_ref(&one), true),
            "no passage has the phrase \"main pump\"; searched for its words"
        );
        assert!(
            nothing_has(&[one, two], false)
                .starts_with("no passage has all the phrases \"main pump\", \"vent\"; without")
        );
    }
}
