//! A namespace as one file: a zip archive of the files of its published generations, with a list of their hashes.
//!
//! Promise: an import takes exactly what was exported, or nothing. Names in an archive cannot lead elsewhere, because
//! an import accepts only names that an export writes. Entries are not compressed, so an archive cannot grow when it is
//! unpacked.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::check::check;
use super::durable::sync_above;
use super::file_list::{FileList, ListedFile, copy_and_hash, files_of, sync_folders};
use super::files::{begin_whole, remove_older, sync_folder};
use super::format::Format;
use super::layout::{Namespace, SYNONYMS, Store};
use super::lock::LockTimeout;
use super::sink::Sink;
use super::snapshot::Snapshot;
use super::writer::Writer;
use crate::error::{Error, NextStep, Result, Setting};
use crate::knowledge::names::synonyms::Synonyms;
use crate::text::count;

/// The entry with the list of the others.
const LIST: &str = "kb-export.json";
/// The prefix of folders of unfinished imports. It begins like [`WRITING`](super::files::WRITING), so that a folder
/// with nothing but one of them may still become a store.
const IMPORTING: &str = ".writing-import-";
/// The age at which such a folder is taken for the leftover of an interrupted import.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);
/// The folder in such a folder that becomes the namespace. It lies as deep in the store as a namespace.
const UNPACKED: &str = "namespace";
/// The maximum length of the list, in bytes.
pub(super) const LONGEST_LIST: u64 = 64 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Archived {
    #[serde(skip)]
    pub namespace: String,
    #[serde(skip)]
    pub generation: u64,
    pub documents: usize,
    pub files: usize,
    pub bytes: u64,
}

/// Writes a namespace into a new file. Holds the writer lock meanwhile. After an error there is no file.
pub async fn export(namespace: &Namespace, file: &Path, lock_timeout: &LockTimeout) -> Result<Archived> {
    let taken =
        || Error::usage(format!("{} already exists", file.display())).hint("name a new file, or remove that one");
    if file == Path::new("-") {
        return Err(Error::usage("an export goes into a file, not to standard output").hint("name a new file"));
    }
    if file.symlink_metadata().is_ok() {
        return Err(taken());
    }
    // Opening also finishes an interrupted publication.
    let writer = Writer::open_existing(namespace, lock_timeout).await?;
    let snapshot = Snapshot::open(namespace).await?;
    let generation = snapshot.manifest().generation;
    let [documents, ..] = snapshot.counts().await?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let refused = |error: std::io::Error| Error::io("write", file, &error);
    let mut target = begin_whole(folder).map_err(refused)?;
    let mut list =
        FileList { namespace: namespace.name().to_owned(), generation, format: Format::own(), files: BTreeMap::new() };
    let mut zip = ZipWriter::new(Sink::new(target.as_file_mut()));
    for (name, path) in files_of(namespace.root())? {
        let listed = add(&mut zip, &name, &path)?;
        if zip.get_ref().is_some_and(Sink::has_failed) {
            break;
        }
        list.files.insert(name, listed);
    }
    let text = serde_json::to_vec_pretty(&list).expect("plain data has a JSON form");
    let written = || -> std::io::Result<()> {
        zip.start_file(LIST, options())?;
        zip.write_all(&text)?;
        zip.finish()?.end()
    };
    written().map_err(refused)?;
    target.as_file().sync_all().map_err(refused)?;
    target.persist_noclobber(file).map_err(|error| {
        if error.error.kind() == std::io::ErrorKind::AlreadyExists { taken() } else { refused(error.error) }
    })?;
    sync_folder(folder)?;
    drop(writer);
    Ok(archived(list, documents))
}

fn archived(list: FileList, documents: usize) -> Archived {
    Archived {
        documents,
        files: list.files.len(),
        bytes: list.bytes().unwrap_or(u64::MAX),
        generation: list.generation,
        namespace: list.namespace,
    }
}

/// Large files need the 64-bit form of sizes.
fn options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true)
}

/// Copies a file into the archive. Its errors are those of the file; the archive keeps its own.
fn add<W: Write + Seek>(zip: &mut ZipWriter<W>, name: &str, path: &Path) -> Result<ListedFile> {
    let mut copy = || -> std::io::Result<ListedFile> {
        zip.start_file(name, options())?;
        copy_and_hash(&mut File::open(path)?, zip)
    };
    copy().map_err(|error| Error::io("export", path, &error))
}

fn open(file: &Path) -> Result<(ZipArchive<BufReader<File>>, FileList)> {
    let failed = |error: std::io::Error| Error::io("import", file, &error);
    let facts = file.metadata().map_err(|error| Error::reading(file, &error))?;
    if !facts.is_file() {
        // Reading a pipe could wait for ever.
        return Err(Error::usage(format!("{} is not a file", file.display())).hint("name a file that kb exported"));
    }
    let opened = File::open(file).map_err(failed)?;
    let mut zip = ZipArchive::new(BufReader::new(opened)).map_err(|error| damaged(file, &error.to_string()))?;
    let list = read_list(&mut zip, facts.len()).map_err(|reason| damaged(file, &reason))?;
    list.format.must_be_readable(file)?;
    Ok((zip, list))
}

/// Imports the namespace of an archive into a store, under its own name or another one, and checks all of it first.
/// Makes the store if it does not exist, and returns whether it did. After an error nothing is changed.
pub async fn import(store: &Store, file: &Path, name: Option<&str>) -> Result<(Archived, bool)> {
    let (mut zip, list) = open(file)?;
    let namespace = store.namespace(name.unwrap_or(&list.namespace))?;
    let taken = || {
        Error::usage(format!("a namespace {:?} already exists", namespace.name())).hint(format!(
            "name another one with {}, or remove that one with `{}`",
            Setting("namespace"),
            NextStep::RemoveNamespace
        ))
    };
    if namespace.root().symlink_metadata().is_ok() {
        return Err(taken());
    }
    let missing: Vec<&Path> = store.root().ancestors().take_while(|folder| !folder.exists()).collect();
    store.make_folder()?;
    let unpacked = unpack_and_check(&mut zip, &list, &namespace, file).await;
    let (aside, documents) = unpacked.inspect_err(|_| {
        // Removes only empty folders, the innermost first.
        missing.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
    })?;
    let (_, is_new) = Store::open_or_create(Some(store.root()), store.root())?;
    let folder = namespace.folder();
    std::fs::create_dir_all(folder).map_err(|error| Error::io("write", folder, &error))?;
    std::fs::rename(aside.path().join(UNPACKED), namespace.root()).map_err(|error| {
        match namespace.root().exists() {
            true => taken().caused_by(error),
            false => Error::io("write", namespace.root(), &error),
        }
    })?;
    sync_above(&namespace)?;
    Ok((Archived { namespace: namespace.name().to_owned(), ..archived(list, documents) }, is_new))
}

/// A new folder in the store of a namespace, for files that may take its place. It removes itself.
pub(super) fn temporary_folder(namespace: &Namespace) -> Result<TempDir> {
    let folder = namespace.store();
    remove_older(folder, IMPORTING, ABANDONED);
    let made = tempfile::Builder::new().prefix(IMPORTING).tempdir_in(folder);
    made.map_err(|error| Error::io("write", folder, &error))
}

fn damaged(file: &Path, reason: &str) -> Error {
    Error::failed(format!("{} is not an exported namespace, or is damaged: {reason}", file.display()))
        .hint("export it again; nothing was changed")
}

fn read_list<R: Read + Seek>(zip: &mut ZipArchive<R>, length: u64) -> Result<FileList, String> {
    let entry = zip.by_name(LIST).map_err(|_| format!("it has no {LIST}"))?;
    let mut text = String::new();
    entry.take(LONGEST_LIST).read_to_string(&mut text).map_err(|error| error.to_string())?;
    let list: FileList = serde_json::from_str(&text).map_err(|error| format!("{LIST}: {error}"))?;
    list.check_names()?;
    // Several entries may share the same bytes of the archive.
    if list.bytes().is_none_or(|bytes| bytes > length) {
        return Err(format!("{LIST} lists more than the file holds"));
    }
    if list.files.len() + 1 != zip.len() {
        return Err(format!("{LIST} does not list exactly the files in it"));
    }
    Ok(list)
}

/// Unpacks the files and checks them. Returns the folder with the unpacked one, and the number of documents.
async fn unpack_and_check<R: Read + Seek>(
    zip: &mut ZipArchive<R>,
    list: &FileList,
    namespace: &Namespace,
    file: &Path,
) -> Result<(TempDir, usize)> {
    let aside = temporary_folder(namespace)?;
    let folder = aside.path().join(UNPACKED);
    for (name, listed) in &list.files {
        unpack(zip, name, listed, &folder).map_err(|reason| damaged(file, &format!("{name}: {reason}")))?;
    }
    sync_folders(&folder)?;
    let unpacked = namespace.at_folder(&folder)?;
    // The folder is removed after an error, so errors name the archive.
    let blame = |error: Error| damaged(file, error.message()).caused_by(error);
    let checked = check(&unpacked).await.map_err(blame)?;
    unpacked.failures().map_err(blame)?;
    unpacked.pages().map_err(blame)?;
    Synonyms::read(&folder.join(SYNONYMS)).map_err(blame)?;
    if checked.generation == u64::MAX {
        let reason = "its generation has the highest possible number, so no command could change it";
        return Err(damaged(file, reason).hint(
            "kb did not write this number: take another export, or ingest the documents again; nothing was changed",
        ));
    }
    if let Some(first) = checked.findings.first() {
        let findings = count(checked.findings.len(), "finding");
        return Err(damaged(file, &format!("a check has {findings}, such as {}: {}", first.id, first.what)).hint(
            format!(
                "repair the original namespace with `{}` and export it again; nothing was changed",
                NextStep::Repair
            ),
        ));
    }
    Ok((aside, checked.documents))
}

fn unpack<R: Read + Seek>(
    zip: &mut ZipArchive<R>,
    name: &str,
    listed: &ListedFile,
    folder: &Path,
) -> Result<(), String> {
    let mut entry = zip.by_name(name).map_err(|error| error.to_string())?;
    if entry.compression() != CompressionMethod::Stored {
        return Err("it is compressed, which an export never does".to_owned());
    }
    let path = folder.join(name);
    let mut write = || -> std::io::Result<ListedFile> {
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        let mut target = File::create_new(&path)?;
        let copied = copy_and_hash(&mut entry.by_ref().take(listed.bytes + 1), &mut target)?;
        target.sync_all()?;
        Ok(copied)
    };
    let written = write().map_err(|error| error.to_string())?;
    (written == *listed).then_some(()).ok_or_else(|| "its content differs from the export".to_owned())
}
