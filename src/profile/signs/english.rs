//! English: words, imperatives, the past tense.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::lexicon::words;
use super::{Cues, listed};
use crate::profile::kind::Kind;

/// What words in sentences say.
pub(super) const CUES: &[Cues] = &[
    (
        Kind::Procedure,
        0.3,
        "then, next, finally, first, afterwards, now, before you, after you, make sure, be sure to, you will need, \
         you need to, as follows, follow these steps, the following steps, one by one, carefully, by hand, until it, \
         until you, step, steps, proceed, repeat, you should see, you can now",
    ),
    (
        Kind::Theory,
        0.55,
        "is called, are called, is defined, are defined, we define, we call, we mean, refers to, is known as, \
         therefore, thus, hence, consequently, it follows, follows from, because, depends on, proportional, implies, \
         theorem, lemma, proof, corollary, proposition, explains, explain why, this is why, the reason, trade off, \
         in general, in principle, principle, concept, mechanism, theory, distinguishes, distinguished, as opposed to, \
         in contrast, by contrast, whereas, converges, regards, can be regarded, can be seen as, can be thought of, \
         essentially, fundamentally, by definition, definition, assumption, consists of, arises, equivalent to, \
         analogous, intuitively, tends to, in practice, in theory, the idea, the notion, this means that, \
         which means that, given that, hypothesis, independent of, matters, determines, determined by, is why",
    ),
    (Kind::Theory, 0.25, "so that, since, why, if and only if, exists, always, called, the more, only if"),
    (
        Kind::Reference,
        0.35,
        "default, defaults, default value, returns, return value, parameter, parameters, argument, arguments, \
         optional, boolean, integer, string, float, bool, int, str, deprecated, possible values, valid values, \
         allowed values, range, synopsis, syntax, specifies, raises, throws, disables, enables, sets the, same as, \
         equivalent option, see also, unit, units, type, alias, constant",
    ),
    (
        Kind::Troubleshooting,
        0.6,
        "does not start, doesn't start, do not start, will not start, won't start, does not work, doesn't work, \
         not working, fails, failed to, failure, fault, faults, error, errors, error message, the error, defective, \
         broken, worn, leaks, drips, symptom, symptoms, possible cause, probable cause, cause, caused by, remedy, \
         remedies, workaround, to fix, fix this, fix the, solve this, resolve this, troubleshoot, troubleshooting, \
         what is wrong, goes wrong, went wrong, most likely, the problem, problem, crashes, hangs, freezes, stuck, \
         try again, misspelt, misspelled, out of date, still fails, persists, persist, no longer works, corrupted, \
         corrupt, cannot be found, could not be found, cannot find, malfunction, short circuited, clogged, blocked, \
         loose, damaged, appears when, if it still, overheats, unexpectedly, why does, why do, why is my, unresolved, \
         has failed",
    ),
    (Kind::Troubleshooting, 0.3, "usually, probably, typically, replace it, missing, check whether, message, wrong"),
    (
        Kind::Policy,
        0.9,
        "shall, shall not, must not, may not, is prohibited, are prohibited, prohibited, is forbidden, are forbidden, \
         is not permitted, are not permitted, not allowed to, entitled to, entitled, obliged, obligation, obligations, \
         liable, liability, reserve the right, reserves the right, prior written, written consent, written approval, \
         written permission, in accordance with, pursuant to, subject to, hereby, thereof, hereunder, disciplinary, \
         violation, violations, comply with, compliance, undertakes, provided that, without the consent, mandatory, \
         is required to, are required to, responsible for, no later than, in force, terms and conditions, approval of, \
         under this agreement, are not to be, is not to be, has to be, have to be, conforming, is granted, waive, \
         must be, eligible, unauthorised, unauthorized, confidential",
    ),
    (
        Kind::Policy,
        0.45,
        "must, should, should not, required, may, permitted, allowed, article, clause, contract, agreement, policy, \
         regulation, regulations, employees, staff, party, parties, customer, bears, exceptions, unless, excluded, \
         right to, the right, law, apply, applies, permission, ensure that",
    ),
    (
        Kind::Example,
        0.9,
        "for example, for instance, e.g, suppose, let us consider, consider a, consider the, the following example, \
         in this example, this example, as an example, an example, example shows, worked example, the following input, \
         the following code, the code above, the output is, the output, output shows, running the program, \
         here is how, here is a, imagine, sample, let us assume, assume that, the result is, session, would look, \
         same example, produces, gives the output, case study, consider",
    ),
    (Kind::Example, 0.35, "example, examples, would be, such as, we have, we get, like this, looks like this"),
    (
        Kind::Narrative,
        0.35,
        "in the summer, the following year, years later, ago, that year, at first, by then, later, eventually, \
         meanwhile, at last, one day, that day, the next day, founded, born, died, his, her, he, she, him, i, my, \
         we met, my father, her father, his father, the war, the meeting, opened the meeting, reported, decided, \
         recalled, remembered, mr, ms, mrs, january, february, march, april, june, july, august, september, october, \
         november, december, century, a.m, p.m, turned out, discussed, welcomed",
    ),
];

/// What words in titles say.
pub(super) const TITLES: &[Cues] = &[
    (
        Kind::Procedure,
        0.7,
        "installation, install, installing, setup, set up, setting up, getting started, quick start, quickstart, \
         how to, steps, step by step, procedure, operation, operating, assembly, maintenance, configuring, building, \
         compiling, replacing, removing, adding, creating, making, starting, stopping, restoring, upgrading, updating, \
         closing, taking, running, writing, preparing, cleaning, testing, connecting, tutorial, instructions, \
         commissioning, deploying, deployment, migrating, importing, exporting, using, recipe, method",
    ),
    (
        Kind::Theory,
        0.7,
        "theory, principle, principles, concept, concepts, basics, fundamentals, background, why, definition, \
         definitions, theorem, lemma, proof, properties, model, models, mechanism, analysis, overview, introduction, \
         how it works, rationale, motivation, design, architecture, semantics, foundations, consistency",
    ),
    (
        Kind::Reference,
        0.8,
        "reference, parameters, parameter, options, option, table, tables, list of, appendix, codes, exit codes, \
         error codes, shortcuts, specification, specifications, technical data, syntax, api, functions, function, \
         commands, command, methods, attributes, fields, properties of, glossary, index, data sheet, interface, keys, \
         symbols, dimensions, configuration, macros, variables, bibliography, references, settings, arguments, \
         return values, options and",
    ),
    (
        Kind::Troubleshooting,
        1.0,
        "troubleshooting, fault, faults, error, errors, error messages, problem, problems, faq, \
         frequently asked questions, symptoms, remedies, fails, failure, failures, known issues, known problems, \
         diagnosis, diagnostics, warnings and errors, does not, cannot, pitfalls, bugs",
    ),
    (
        Kind::Policy,
        0.8,
        "policy, policies, requirements, requirement, terms, conditions, article, rules, rule, confidentiality, \
         liability, warranty, compliance, obligations, regulations, code of conduct, safety, licence, license, \
         copyright, scope, responsibilities, conformance, rights, marking, prohibited",
    ),
    (
        Kind::Example,
        0.9,
        "example, examples, sample, samples, listing, case, case study, worked, exercise, exercises, demo, \
         demonstration, use case, use cases, illustration",
    ),
    (
        Kind::Narrative,
        0.9,
        "history, minutes, incident, story, diary, memoir, early years, years, acknowledgements, acknowledgments, \
         biography, chronicle, came about, changelog, release notes, changes, life, journey, timeline, report of, \
         preface",
    ),
];

/// Verbs that tell somebody what to do, in the form in which they do. None that introduces an example (`consider`), a
/// definition (`let`) or a reference (`see`).
static VERBS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    listed(
        "accept, add, adjust, align, allow, answer, append, apply, arrange, ask, assign, attach, avoid, back, bake, \
         beat, begin, bend, bleed, blend, block, boil, boot, bring, browse, build, buy, calculate, call, cancel, \
         catch, change, check, choose, clean, clear, click, clone, close, collect, combine, compile, complete, \
         configure, confirm, connect, continue, convert, cook, cool, copy, count, cover, create, cut, declare, \
         decrease, define, delete, deploy, detach, determine, dial, disable, discard, disconnect, dissolve, divide, \
         do, don't, double, download, drag, drain, draw, dress, drill, drive, drop, dry, edit, eject, empty, enable, \
         ensure, enter, erase, estimate, examine, exchange, execute, exit, expand, export, extract, fasten, feed, \
         fetch, fill, find, finish, fit, flip, flush, fold, follow, format, fry, generate, get, give, go, grab, \
         grease, grind, hand, hang, heat, hit, hold, identify, import, increase, inform, initialise, initialize, \
         inject, insert, inspect, install, invite, invoke, isolate, join, keep, knead, knock, label, lay, leave, \
         lift, link, list, load, locate, lock, log, look, loosen, lower, lubricate, make, mark, mask, match, measure, \
         melt, mix, modify, monitor, mount, move, multiply, name, navigate, never, note, notify, obtain, open, order, \
         paint, paste, pause, peel, perform, pick, place, plug, point, post, pour, power, prepare, press, prime, \
         print, proceed, publish, pull, purge, push, put, raise, reach, read, reassemble, reboot, rebuild, receive, \
         recompile, record, reduce, refer, refill, refit, refresh, register, release, reload, remove, rename, repair, \
         repeat, replace, report, request, reset, restart, restore, retry, return, review, rinse, roll, rotate, run, \
         save, scan, scroll, seal, search, season, secure, select, send, separate, serve, set, shake, shape, share, \
         shut, sift, sign, skip, slice, slide, soak, solder, specify, spread, sprinkle, squeeze, stand, start, stay, \
         stir, stop, store, strip, submit, subtract, support, switch, synchronise, synchronize, take, tap, tell, \
         test, tick, tie, tighten, toggle, touch, transfer, transform, trim, try, turn, type, uncheck, undo, \
         uninstall, unlock, unpack, unplug, unscrew, unzip, update, upgrade, upload, use, validate, verify, view, \
         visit, wait, warm, wash, watch, weigh, whisk, wipe, work, wrap, write",
    )
    .collect()
});

/// Words that may stand in front of an imperative.
static LEADS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    listed(
        "please, then, now, next, first, finally, again, also, and, carefully, always, meanwhile, second, third, \
         last, lastly, afterwards, or, gently, simply, just",
    )
    .collect()
});

/// Words that open a clause in front of a main clause.
static OPENERS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    listed(
        "if, when, before, after, to, in, on, with, once, for, while, from, at, as, where, without, by, using, \
         should, until, unless, under",
    )
    .collect()
});

/// Words behind which a noun stands that looks like a verb: `use of`, `set is`.
static AFTER_A_NOUN: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    listed("of, is, are, was, were, has, have, will, can, may, shall, must, should, does, depends, between, which")
        .collect()
});

/// Whether a sentence tells somebody to do something.
pub(in crate::profile) fn is_imperative(sentence: &str) -> bool {
    if sentence.ends_with('?') {
        return false;
    }
    let orders = |clause: &str| {
        let words = words(clause);
        let mut words = words.iter().map(String::as_str).skip_while(|word| LEADS.contains(*word));
        let first = words.next().unwrap_or_default();
        let second = words.next();
        VERBS.contains(first) && second.is_none_or(|second| !AFTER_A_NOUN.contains(second))
    };
    let opens = |clause: &str| {
        let first: String = clause.trim_start().chars().take_while(|c| c.is_alphabetic()).collect();
        OPENERS.contains(first.to_lowercase().as_str())
    };
    let mut clauses = sentence.split([',', ';', ':']);
    let Some(first) = clauses.next() else { return false };
    orders(first)
        || (opens(first) && clauses.next().is_some_and(orders))
        || sentence.split(['(', ';']).skip(1).any(orders)
}

/// Past forms that do not end in `ed`.
static PAST: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    listed(
        "was, were, had, did, didn't, wasn't, weren't, hadn't, became, began, bought, broke, brought, built, came, \
         caught, chose, could, drew, drove, ate, fell, felt, fought, found, flew, forgot, gave, got, grew, heard, \
         held, kept, knew, led, left, lost, made, meant, met, paid, ran, rode, rose, said, sat, saw, sent, shone, \
         slept, sold, spent, spoke, stood, struck, swam, taught, thought, threw, told, took, went, woke, won, wore, \
         wrote, undertook, withdrew, sank",
    )
    .collect()
});

/// Words that put a sentence into the present or make a rule of it.
static PRESENT: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    listed(
        "is, are, has, have, can, must, shall, will, may, should, do, does, be, isn't, cannot, you, your, suppose, if",
    )
    .collect()
});

/// Behind these, a word in `ed` is no past tense: `is locked`, `the installed`.
static BEFORE_A_PARTICIPLE: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    listed(
        "is, are, be, been, being, has, have, the, a, an, not, as, when, if, or, and, by, of, to, with, for, in, any, \
         all, no, its, their, this, that, than, get, gets, unless, where, can",
    )
    .collect()
});

/// Whether a sentence tells what was.
pub(in crate::profile) fn is_past(sentence: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let (mut past, mut present) = (0, 0);
    let mut before = String::new();
    for written in sentence.split(|c: char| !is_part(c)).filter(|word| !word.is_empty()) {
        let word = written.to_lowercase();
        present += usize::from(PRESENT.contains(word.as_str()));
        // `Required Ligatures` is a name.
        let small = written.starts_with(char::is_lowercase);
        let regular = small && word.len() > 3 && word.ends_with("ed") && !word.ends_with("eed") && !before.is_empty();
        past += usize::from(PAST.contains(word.as_str()) || regular && !BEFORE_A_PARTICIPLE.contains(before.as_str()));
        before = word;
    }
    past > present
}

/// Verbs that begin the description of a command, a function or a field: `Inserts the page number.`
static DESCRIBING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    listed(
        "adds, allows, appends, applies, assigns, changes, checks, closes, contains, controls, converts, copies, \
         creates, defines, deletes, describes, determines, disables, displays, draws, enables, executes, expands, \
         forces, generates, gets, gives, holds, ignores, indicates, initializes, inserts, installs, limits, lists, \
         loads, makes, marks, matches, opens, outputs, prevents, prints, produces, provides, puts, raises, reads, \
         removes, replaces, resets, returns, searches, selects, sends, sets, shows, specifies, starts, stops, stores, \
         switches, turns, typesets, updates, uses, writes",
    )
    .collect()
});

/// Whether a sentence describes what something does without saying its name, as lists of commands do.
pub(in crate::profile) fn is_description(sentence: &str) -> bool {
    let first: String = sentence.trim_start().chars().take_while(|c| c.is_alphabetic()).collect();
    DESCRIBING.contains(first.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_recognised_behind_conditions_too() {
        for sentence in [
            "Open the valve.",
            "Then close it.",
            "If it leaks, replace the seal.",
            "Please wait",
            "Do not use force",
            "To leave, press q.",
        ] {
            assert!(is_imperative(sentence), "{sentence}");
        }
        for sentence in [
            "The valve opens.",
            "Use of force is wrong.",
            "If it leaks, the seal is worn.",
            "Set theory has sets.",
            "Open it?",
        ] {
            assert_eq!(is_imperative(sentence), sentence.starts_with("Set theory"), "{sentence}");
        }
    }

    #[test]
    fn what_was_is_told_from_what_is_done() {
        assert!(is_past("The firm moved to Leeds and built a mill."));
        assert!(is_past("She was born in 1902."));
        assert!(!is_past("The account is locked after five failed attempts."));
        assert!(!is_past("Open the installed file."));
        assert!(!is_past("Contextual Alternates, Required Ligatures, Expert Forms"));
    }

    #[test]
    fn what_a_command_does_is_described_without_its_name() {
        assert!(is_description("Inserts the page number of the frame."));
        assert!(!is_description("The frame inserts a page."));
    }
}
