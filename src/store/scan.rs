//! Reads rows of the tables: those that a filter matches, one by one where a table may not fit into memory, and those
//! that another generation lacks.

use std::collections::{HashMap, HashSet};

use futures::TryStreamExt;
use futures::future::try_join_all;
use lance::dataset::fragment::FileFragment;
use lance::dataset::scanner::Scanner;
use lance_table::format::Fragment;
use lancedb::Table;
use lancedb::arrow::arrow_array::RecordBatch;
use lancedb::expr::{DfExpr, col, lit};

use super::convert::{Columns, VECTOR, map_rows};
use super::tables::{Tables, is_damage};
use super::version_files::Unreadable;
use crate::error::{Error, NextStep, Result};

/// The number of rows read at once by their ids.
const ROWS_AT_ONCE: usize = 8192;

/// Which columns of a table are read.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'a> {
    All,
    WithoutVectors,
    Named(&'a [&'a str]),
}

/// A condition on rows.
pub(super) type Filter = DfExpr;

/// The rows that have one of the values in a column, however many.
pub(super) fn any_of(column: &str, values: &[impl AsRef<str>]) -> Filter {
    col(column).in_list(values.iter().map(|value| lit(value.as_ref())).collect(), false)
}

/// A fragment as it was written, before rows were deleted.
pub(super) fn with_deleted(fragment: &Fragment) -> Fragment {
    Fragment { deletion_file: None, ..fragment.clone() }
}

impl Tables {
    pub(super) async fn all_rows(&self, scan: Scanner) -> Result<Vec<RecordBatch>> {
        let rows = async { scan.try_into_stream().await?.try_collect().await };
        rows.await.map_err(|error: lance::Error| self.read_error(&error))
    }

    /// Reads a value from each row that matches a filter.
    pub(super) async fn read<T>(
        &self,
        table: &Table,
        filter: Option<Filter>,
        columns: Wanted<'_>,
        of: impl Fn(&Columns, usize) -> Result<T>,
    ) -> Result<Vec<T>> {
        let rows = self.all_rows(self.scan(table, filter, columns).await?).await?;
        map_rows(table.name(), &rows, of)
    }

    pub(super) async fn read_with<T>(
        &self,
        table: &Table,
        (column, values): (&str, &[impl AsRef<str>]),
        columns: Wanted<'_>,
        of: impl Fn(&Columns, usize) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.read(table, Some(any_of(column, values)), columns, of).await
    }

    /// Calls `show` for each row that matches a filter, in the order of the table. For tables that may not fit into
    /// memory.
    pub(super) async fn each(
        &self,
        table: &Table,
        filter: Option<Filter>,
        columns: Wanted<'_>,
        show: impl FnMut(&Columns, usize) -> Result<()>,
    ) -> Result<()> {
        self.each_of(table, self.scan(table, filter, columns).await?, show).await
    }

    /// Calls `show` for each row of a table that the same table of `other`, another generation, may lack or have
    /// otherwise: all other rows are equal in both.
    pub(super) async fn each_unshared(
        &self,
        table: fn(&Tables) -> &Table,
        other: &Tables,
        columns: Wanted<'_>,
        mut show: impl FnMut(&Columns, usize) -> Result<()>,
    ) -> Result<()> {
        let theirs = other.fragments(table(other)).await?;
        let theirs: HashMap<u64, FileFragment> = theirs.into_iter().map(|one| (one.metadata().id, one)).collect();
        let (table, mut unshared, mut undeleted) = (table(self), Vec::new(), Vec::new());
        for own in self.fragments(table).await? {
            let fragment = own.metadata();
            match theirs.get(&fragment.id) {
                Some(their) if their.metadata() == fragment => {}
                Some(their) if with_deleted(their.metadata()) == with_deleted(fragment) => {
                    let (own, their) = (self.deleted_of(&own).await?, other.deleted_of(their).await?);
                    let only_there = their.difference(&own);
                    undeleted.extend(only_there.map(|row| fragment.id << 32 | u64::from(*row)));
                }
                _ => unshared.push(fragment.clone()),
            }
        }
        if !unshared.is_empty() {
            let mut scan = self.scan(table, None, columns).await?;
            scan.with_fragments(unshared);
            self.each_of(table, scan, &mut show).await?;
        }
        self.each_with_address(table, &undeleted, columns, show).await
    }

    async fn each_with_address(
        &self,
        table: &Table,
        addresses: &[u64],
        columns: Wanted<'_>,
        mut show: impl FnMut(&Columns, usize) -> Result<()>,
    ) -> Result<()> {
        for some in addresses.chunks(ROWS_AT_ONCE) {
            each_row(table, &self.rows_at(table, some, columns).await?, &mut show)?;
        }
        Ok(())
    }

    /// Reads a value from each row with one of these addresses, in their order.
    pub(super) async fn read_at<T>(
        &self,
        table: &Table,
        addresses: &[u64],
        columns: Wanted<'_>,
        of: impl Fn(&Columns, usize) -> Result<T>,
    ) -> Result<Vec<T>> {
        map_rows(table.name(), &[self.rows_at(table, addresses, columns).await?], of)
    }

    /// The rows with these addresses, in their order.
    pub(super) async fn rows_at(&self, table: &Table, addresses: &[u64], columns: Wanted<'_>) -> Result<RecordBatch> {
        let dataset = self.dataset(table).await?;
        let columns = match self.names_of(table, columns).await? {
            // A damaged table may lack one.
            Some(names) => dataset.schema().project(&names).map_err(|error| self.read_error(&error))?,
            None => dataset.schema().clone(),
        };
        let rows = dataset.take_rows(addresses, columns).await.map_err(|error| self.read_error(&error))?;
        if rows.num_rows() != addresses.len() {
            let (table, read, wanted) = (table.name(), rows.num_rows(), addresses.len());
            return Err(Error::failed(format!("the table {table} gave {read} rows instead of {wanted}"))
                .hint(format!("check the namespace with `{}`", NextStep::Check)));
        }
        Ok(rows)
    }

    /// The fragments of a table: files of rows, with those that are deleted.
    pub(super) async fn fragments(&self, table: &Table) -> Result<Vec<FileFragment>> {
        Ok(self.dataset(table).await?.get_fragments())
    }

    /// The deleted rows of a fragment, by their places in it.
    pub(super) async fn deleted_of(&self, fragment: &FileFragment) -> Result<HashSet<u32>> {
        let deleted = fragment.get_deletion_vector().await.map_err(|error| self.read_error(&error))?;
        Ok(deleted.map(|rows| rows.iter().collect()).unwrap_or_default())
    }

    pub(super) async fn data_files(&self) -> Result<usize> {
        let each = self.all().map(|table| self.fragments(table));
        let each = try_join_all(each).await?;
        Ok(each.iter().flatten().map(|fragment| fragment.metadata().files.len()).sum())
    }

    pub(super) async fn each_batch_of(
        &self,
        table: &Table,
        fragment: Fragment,
        columns: Wanted<'_>,
        show: impl FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let mut scan = self.scan(table, None, columns).await?;
        scan.with_fragments(vec![fragment]);
        self.each_batch(scan, show).await
    }

    pub(super) async fn each_batch(
        &self,
        scan: Scanner,
        mut show: impl FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let mut batches = scan.try_into_stream().await.map_err(|error| self.read_error(&error))?;
        while let Some(batch) = batches.try_next().await.map_err(|error| self.read_error(&error))? {
            show(batch)?;
        }
        Ok(())
    }

    async fn each_of(
        &self,
        table: &Table,
        scan: Scanner,
        mut show: impl FnMut(&Columns, usize) -> Result<()>,
    ) -> Result<()> {
        self.each_batch(scan, |batch| each_row(table, &batch, &mut show)).await
    }

    pub(super) async fn scan(&self, table: &Table, filter: Option<Filter>, columns: Wanted<'_>) -> Result<Scanner> {
        let dataset = self.dataset(table).await?;
        let mut scan = dataset.scan();
        scan.use_scalar_index(self.indexed);
        if let Some(filter) = filter {
            scan.filter_expr(filter);
        }
        if let Some(names) = self.names_of(table, columns).await? {
            scan.project(&names).map_err(|error| self.read_error(&error))?;
        }
        Ok(scan)
    }

    /// The names of the wanted columns; `None` for all.
    async fn names_of(&self, table: &Table, columns: Wanted<'_>) -> Result<Option<Vec<String>>> {
        Ok(match columns {
            Wanted::All => None,
            Wanted::Named(names) => Some(names.iter().map(|name| (*name).to_owned()).collect()),
            Wanted::WithoutVectors => {
                let dataset = self.dataset(table).await?;
                let names = dataset.schema().fields.iter().map(|field| field.name.clone());
                Some(names.filter(|name| name != VECTOR).collect())
            }
        })
    }

    /// Reads everything and returns the first table that cannot be read.
    pub(super) async fn unreadable(&self) -> Result<Option<Unreadable>> {
        for table in self.all() {
            match self.each(table, None, Wanted::All, |_, _| Ok(())).await {
                Err(error) if is_damage(&error) => {
                    return Ok(Some(Unreadable(format!("the table {}: {}", table.name(), error.message()))));
                }
                outcome => outcome?,
            }
        }
        Ok(None)
    }
}

fn each_row(table: &Table, batch: &RecordBatch, mut show: impl FnMut(&Columns, usize) -> Result<()>) -> Result<()> {
    let columns = Columns { table: table.name(), batch };
    (0..batch.num_rows()).try_for_each(|row| show(&columns, row))
}
