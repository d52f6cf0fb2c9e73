//! A filter and its negation split the chunks: each parent chunk matches exactly one of them, whatever decides it
//! (documents alone, titles, notes, entities, or no known fact).

use proptest::prelude::*;
use tokio::runtime::Runtime;

use super::{Restriction, scopes_within};
use crate::chunk::ChunkConfig;
use crate::error::Kind;
use crate::ingest::{SourceFacts, prepare};
use crate::load::{Format, parse};
use crate::search::filter::syntax::Filter;
use crate::store::{Change, EntityChange, EntityRow, Namespace, NewDocument, Scope, Snapshot, samples};

/// Documents that differ in everything that filters test: Markdown with metadata, plain text, Chinese, pages.
fn documents() -> Vec<NewDocument> {
    let texts = [
        (
            "docs/pumps.md",
            "---\nauthor: Ann, Bob\ntags: [pump, valve]\ndate: 2024-03-01\nlevel: 7\n---\n# Pumps\n\nPump P-12 runs.\n\n## Valves\n\nClose the valve. It is slow.",
        ),
        ("notes/field.txt", "1 Valves\n\nThe valve of pump P-12.\n\n2 Seals\n\nGrease the seal with care."),
        (
            "docs/水泵.md",
            "---\nauthor: 张三\ndate: 2025\n---\n# 水泵\n\n启动水泵之前关闭阀门。\n\n## 阀门\n\n缓慢关闭。",
        ),
        ("empty.md", "# Nothing said\n\nA."),
    ];
    let prepared = texts.iter().zip(0u8..).map(|((source, text), number)| {
        let format = if source.ends_with("md") { Format::Markdown } else { Format::Text };
        let document = parse(text.as_bytes(), format, &Default::default()).unwrap();
        let facts = SourceFacts {
            source: (*source).to_owned(),
            doc_id: format!("abc12{number}").as_str().into(),
            ..SourceFacts::sample()
        };
        let mut new = prepare(&document, &facts, &ChunkConfig::default(), "2026-11-22T00:00:00Z").new;
        if number == 1 {
            for (parent, page) in new.parents.iter_mut().zip(1..) {
                parent.chunk.page_start = Some(page);
                parent.chunk.page_end = Some(page + 1);
            }
            new.parents[0].chunk.metadata.insert("level".into(), "3".into());
        }
        new
    });
    prepared.collect()
}

async fn snapshot(namespace: &Namespace) -> Snapshot {
    let pump = EntityRow::named("Pump P-12", jiff::Timestamp::UNIX_EPOCH);
    let entities = EntityChange { put: vec![pump], ..EntityChange::default() };
    samples::publish(namespace, Change { add: documents(), entities, ..Change::default() }).await;
    Snapshot::open(namespace).await.unwrap()
}

/// Which parent chunks match a filter.
fn matching(runtime: &Runtime, snapshot: &Snapshot, all: &[(String, String)], filter: Filter) -> Vec<bool> {
    let restriction = Restriction { filter: Some(filter.clone()), ..Restriction::default() };
    let scope = match runtime.block_on(scopes_within(&[snapshot], &restriction)) {
        Ok((mut scopes, _)) => scopes.remove(0),
        // Nothing matches, and the error says so.
        Err(error) => {
            assert!(matches!(error.kind(), Kind::NotFound | Kind::Usage), "{filter}: {error}");
            Scope::Documents(Default::default())
        }
    };
    all.iter().map(|(document, chunk)| scope.admits(document, chunk)).collect()
}

fn filters() -> impl Strategy<Value = String> {
    let keys = "author tags path format title kind time section page language entity level absent";
    let key = prop::sample::select(keys.split(' ').collect::<Vec<_>>());
    let values =
        "Ann|pump|docs/**|markdown|Valves|2024|\"2024-03-01\"|1|2|en|zh|\"Pump P-12\"|5|张三|阀门|\"\"|3..4|2.1";
    let value = prop::sample::select(values.split('|').collect::<Vec<_>>());
    let test = (key, value, 0usize..9).prop_map(|(key, value, relation)| match relation {
        0 => format!("{key} exists"),
        1 => format!("{key} contains {value}"),
        2 => format!("{key} in ({value}, other)"),
        _ => format!("{key} {} {value}", ["=", "!=", "<", "<=", ">", ">="][relation - 3]),
    });
    test.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|filter| format!("not ({filter})")),
            prop::collection::vec(inner.clone(), 2..3).prop_map(|parts| format!("({})", parts.join(" and "))),
            prop::collection::vec(inner, 2..3).prop_map(|parts| format!("({})", parts.join(" or "))),
        ]
    })
}

#[test]
fn a_filter_and_its_negation_split_all_chunks() {
    let runtime = Runtime::new().unwrap();
    let (_folder, namespace) = samples::namespace();
    let snapshot = runtime.block_on(snapshot(&namespace));
    let parents = documents().into_iter().flat_map(|new| new.parents);
    let all: Vec<(String, String)> =
        parents.map(|parent| (parent.doc_id.to_string(), parent.chunk_id.to_string())).collect();
    proptest!(|(text in filters())| {
        // Some values do not fit their key: no page is called Ann.
        if let Ok(filter) = text.parse::<Filter>() {
            let matches = matching(&runtime, &snapshot, &all, filter.clone());
            let others = matching(&runtime, &snapshot, &all, Filter::Not(Box::new(filter)));
            for ((chunk, one), other) in all.iter().zip(matches).zip(others) {
                prop_assert!(one != other, "{text}: {chunk:?} matches {} of the filter and its negation", if one { "both" } else { "none" });
            }
        }
    });
}
