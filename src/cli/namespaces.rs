//! `kb namespaces`: the knowledge bases inside a store.

use std::io::{BufRead, IsTerminal, Write};

use clap::{Args, Subcommand};

use super::Context;
use super::waiting::WaitArgs;
use crate::error::{Error, Result, plain_io};
use crate::render::{NamespaceLine, NamespaceList, NamespaceOutcome, NamespaceView};
use crate::store::{Namespace, Snapshot};
use crate::text::count;

/// List the knowledge bases inside the store; rename or remove one
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb namespaces                          all of them, with counts and sizes
  kb namespaces rename drafts archive
  kb namespaces remove archive           asks first; --yes in scripts

A namespace is made by the first `kb ingest -n NAME`. Renaming and removing take no file but those in the store.")]
pub struct NamespacesArgs {
    #[command(subcommand)]
    step: Option<Step>,
}

#[derive(Debug, Subcommand)]
enum Step {
    /// Give a namespace another name
    Rename {
        /// Its name
        #[arg(value_name = "OLD")]
        old: String,
        /// The name it gets; no namespace may have it
        #[arg(value_name = "NEW")]
        new: String,
        #[command(flatten)]
        wait: WaitArgs,
    },
    /// Remove a namespace with all that was ingested into it; the files stay
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
        #[command(flatten)]
        wait: WaitArgs,
    },
}

pub async fn run(context: &Context, args: NamespacesArgs) -> Result<u8> {
    let store = context.store()?;
    match args.step {
        None => {
            let mut lines = Vec::new();
            for namespace in store.namespaces()? {
                lines.push(line(&namespace).await);
            }
            context.show(&NamespaceList(&lines))?;
            Ok(u8::from(lines.is_empty()))
        }
        Some(Step::Rename { old, new, wait }) => {
            let (from, to) = (store.namespace(&old)?, store.namespace(&new)?);
            from.rename_to(&to, &wait.patience(context)).await?;
            context.show(&NamespaceView(&NamespaceOutcome::Renamed { from: old, to: new }))?;
            Ok(0)
        }
        Some(Step::Remove { name, yes, wait }) => {
            let namespace = store.namespace(&name)?;
            namespace.must_exist()?;
            if !yes {
                confirm(&line(&namespace).await)?;
            }
            namespace.remove(&wait.patience(context)).await?;
            context.show(&NamespaceView(&NamespaceOutcome::Removed { name }))?;
            Ok(0)
        }
    }
}

/// What there is to say of a namespace. One that is damaged must not hide the others.
async fn line(namespace: &Namespace) -> NamespaceLine {
    let mut line =
        NamespaceLine { name: namespace.name().to_owned(), bytes: namespace.size().all, ..Default::default() };
    let counted = async {
        let snapshot = Snapshot::open(namespace).await?;
        let [documents, _, chunks] = snapshot.counts().await?;
        Ok::<_, Error>((snapshot.manifest().clone(), documents, chunks))
    };
    match counted.await {
        Ok((manifest, documents, chunks)) => {
            line.generation = Some(manifest.generation);
            line.published_at = Some(manifest.published_at);
            line.documents = Some(documents);
            line.chunks = Some(chunks);
        }
        Err(error) => line.error = Some(error.to_line()),
    }
    line
}

/// Asks at the terminal; without one, nothing is removed unasked.
fn confirm(line: &NamespaceLine) -> Result<()> {
    let what = match line.documents {
        Some(documents) => format!("the namespace {:?} with {}", line.name, count(documents, "document")),
        None => format!("the namespace {:?}", line.name),
    };
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(Error::usage(format!(
            "{what} is not removed without a question, and there is no terminal to ask at"
        ))
        .hint("say --yes if you mean it"));
    }
    let mut err = anstream::stderr();
    write!(err, "Remove {what}? [y/N] ")?;
    err.flush()?;
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Error::failed(format!("cannot read the answer: {}", plain_io(&error))))?;
    if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Error::usage("nothing was removed"))
}
