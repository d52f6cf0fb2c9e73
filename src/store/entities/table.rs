//! The table of entities: read, and written within a publication.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use lancedb::arrow::arrow_array::{ArrayRef, RecordBatch, StringArray};
use lancedb::arrow::arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::MentionCounter;
use super::{EntityChange, EntityRow};
use crate::error::{Error, Result};
use crate::ids::DocId;
use crate::store::convert::{Columns, map_rows, to_json};
use crate::store::rows::NewDocument;
use crate::store::snapshot::Snapshot;
use crate::store::tables::{CHUNKS, ENTITIES, Tables};

/// The schema of the table.
pub(in crate::store) fn entities_schema() -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    Arc::new(Schema::new(vec![
        text("entity"),
        text("name"),
        text("type"),
        text("aliases"),
        text("states"),
        text("mentions"),
        text("updated_at"),
    ]))
}

pub(super) fn to_batch(rows: &[&EntityRow]) -> Result<RecordBatch> {
    let texts = |of: &dyn Fn(&EntityRow) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| of(row))))
    };
    let columns = vec![
        texts(&|row| row.key.clone()),
        texts(&|row| row.name.clone()),
        texts(&|row| row.kind.clone()),
        texts(&|row| to_json(&row.aliases)),
        texts(&|row| to_json(&row.states)),
        texts(&|row| to_json(&row.mentions)),
        texts(&|row| row.updated_at.to_string()),
    ];
    RecordBatch::try_new(entities_schema(), columns)
        .map_err(|error| Error::failed(format!("cannot write rows of {ENTITIES}: {error}")))
}

fn from_batches(batches: &[RecordBatch]) -> Result<Vec<EntityRow>> {
    let damaged = |what: &str| Error::failed(format!("the column {what} of the table {ENTITIES} is damaged"));
    map_rows(ENTITIES, batches, |columns, row| {
        Ok(EntityRow {
            key: columns.text("entity", row)?,
            name: columns.text("name", row)?,
            kind: columns.text("type", row)?,
            aliases: columns.json("aliases", row)?,
            states: columns.json("states", row)?,
            mentions: columns.json("mentions", row)?,
            updated_at: columns.str("updated_at", row)?.parse().map_err(|_| damaged("updated_at"))?,
        })
    })
}

impl Tables {
    /// All entities, by key.
    pub(in crate::store) async fn entity_rows(&self) -> Result<Vec<EntityRow>> {
        let mut rows = from_batches(&self.rows(&self.entities, None, None).await?)?;
        rows.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(rows)
    }

    /// Writes what a change of entities and documents makes of the entities, when the chunks of those are written.
    pub(in crate::store) async fn write_entities(
        &self,
        change: &EntityChange,
        removed: &[DocId],
        added: &[NewDocument],
    ) -> Result<()> {
        let before = self.entity_rows().await?;
        let after = change.applied(&before);
        if before.is_empty() && after.is_empty() {
            return Ok(());
        }
        let anew = change.anew;
        let after = if change.renames(&before, &after) || anew {
            let mut counter = MentionCounter::new(after)?;
            counter.forget();
            self.count_mentions(&mut counter).await?;
            counter.into_rows()
        } else if removed.is_empty() && added.is_empty() {
            after
        } else {
            let mut counter = MentionCounter::new(after)?;
            counter.forget_documents(removed);
            let parents = added.iter().flat_map(|new| &new.parents);
            parents.for_each(|parent| counter.count(&parent.doc_id, &parent.titles, &parent.content));
            counter.into_rows()
        };
        let (stale, fresh) = differing(&before, &after, anew);
        self.delete(&self.entities, "entity", &stale).await?;
        self.append(&self.entities, to_batch(&fresh)?).await
    }

    /// Counts the parent chunks of all documents, in one pass over the table.
    pub(in crate::store) async fn count_mentions(&self, counter: &mut MentionCounter) -> Result<()> {
        let parents = Some("chunk_type = 'parent'".to_owned());
        let mut parent_chunks = self.stream(&self.chunks, parents, Some(&["doc_id", "titles", "content"])).await?;
        while let Some(batch) = self.next(&mut parent_chunks).await? {
            let columns = Columns { table: CHUNKS, batch: &batch };
            for row in 0..batch.num_rows() {
                let [doc_id, titles, text] = ["doc_id", "titles", "content"].map(|name| columns.str(name, row));
                counter.count(doc_id?, titles?, text?);
            }
        }
        Ok(())
    }
}

/// The keys of rows that go, and the rows that come; with `anew`, all of them.
fn differing<'a>(before: &[EntityRow], after: &'a [EntityRow], anew: bool) -> (Vec<String>, Vec<&'a EntityRow>) {
    let known: BTreeMap<&str, &EntityRow> = before.iter().map(|row| (row.key.as_str(), row)).collect();
    let fresh: Vec<&EntityRow> = after.iter().filter(|row| anew || known.get(row.key.as_str()) != Some(row)).collect();
    let staying: HashSet<&str> = after.iter().map(|row| row.key.as_str()).collect();
    let gone = known.keys().filter(|key| !staying.contains(*key)).map(|key| (*key).to_owned());
    let replaced = fresh.iter().filter(|row| known.contains_key(row.key.as_str())).map(|row| row.key.clone());
    (gone.chain(replaced).collect(), fresh)
}

impl Snapshot {
    /// All entities, by key.
    ///
    /// # Errors
    /// Where the table cannot be read.
    pub async fn entities(&self) -> Result<Vec<EntityRow>> {
        self.tables.entity_rows().await
    }
}
