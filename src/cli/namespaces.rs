//! `kb namespaces`: the knowledge bases inside a store.

use clap::{Args, Subcommand};

use super::global::WaitArgs;
use super::input::{NOT_CONFIRMED, confirm};
use super::invocation::Context;
use crate::error::{Error, Result};
use crate::render::{NamespaceLine, namespace_list, namespace_removed, namespace_renamed};
use crate::store::{Namespace, Snapshot};
use crate::text::count;

/// List, rename or remove the namespaces of the store
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb namespaces                          with counts and sizes
  kb namespaces rename drafts archive
  kb namespaces remove archive           asks first; --yes in scripts

The first `kb ingest -n NAME` makes a namespace. Renaming and removing leave your own files alone.")]
pub struct NamespacesArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Rename a namespace
    Rename {
        /// Its name
        #[arg(value_name = "OLD")]
        old: String,
        /// Its new name, which must be free
        #[arg(value_name = "NEW")]
        new: String,
        #[command(flatten)]
        wait: WaitArgs,
    },
    /// Remove a namespace and all documents in it; the files stay
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        /// Skip the confirmation
        #[arg(short, long)]
        yes: bool,
        #[command(flatten)]
        wait: WaitArgs,
    },
}

impl NamespacesArgs {
    /// Whether it renames or removes one.
    pub(super) fn is_change(&self) -> bool {
        self.action.is_some()
    }
}

pub async fn run(context: &Context, args: NamespacesArgs) -> Result<u8> {
    let store = context.store()?;
    match args.action {
        None => {
            let mut lines = Vec::new();
            for namespace in store.namespaces()? {
                lines.push(line(&namespace).await);
            }
            context.show(namespace_list(&lines))?;
            Ok(u8::from(lines.is_empty()))
        }
        Some(Action::Rename { old, new, wait }) => {
            let (from, to) = (store.namespace(&old)?, store.namespace(&new)?);
            from.rename_to(&to, &wait.lock_timeout(context)).await?;
            context.show(namespace_renamed(from.name(), to.name()))
        }
        Some(Action::Remove { name, yes, wait }) => {
            let namespace = store.namespace(&name)?;
            namespace.must_exist()?;
            if !yes && !confirm(&question(&line(&namespace).await))? {
                context.tell("nothing was removed");
                return Ok(NOT_CONFIRMED.exit_code());
            }
            namespace.remove(&wait.lock_timeout(context)).await?;
            context.show(namespace_removed(&name))
        }
    }
}

/// A damaged namespace must not hide the others: its line names the error.
async fn line(namespace: &Namespace) -> NamespaceLine {
    let line = NamespaceLine { name: namespace.name().to_owned(), bytes: namespace.size().all, ..Default::default() };
    let counted = async {
        let snapshot = Snapshot::open(namespace).await?;
        let [documents, chunks] = snapshot.counts().await?;
        let manifest = snapshot.manifest();
        Ok::<_, Error>(NamespaceLine {
            generation: Some(manifest.generation),
            published_at: Some(manifest.published_at.clone()),
            documents: Some(documents),
            chunks: Some(chunks),
            ..line.clone()
        })
    };
    counted.await.unwrap_or_else(|error| NamespaceLine { error: Some(error.to_line()), ..line })
}

fn question(line: &NamespaceLine) -> String {
    match line.documents {
        Some(documents) => format!("remove the namespace {:?} with {}", line.name, count(documents, "document")),
        None => format!("remove the namespace {:?}", line.name),
    }
}
