//! Finds a store, recognises a folder as a store, and names the files in it.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use super::files::{WRITING, name_of as file_name, paths_in, sync_folder, write_whole};
use super::format::{FORMAT_FILE, Format};
use super::namespace_name::{folder_of_name, name_of_folder, namespace_name};
use super::source_name::{STANDARD_INPUT, name_of, text_of};
use super::untrusted::{check_folder, check_keyword};
use crate::config::KnownStores;
use crate::error::{Error, NextStep, Result, Setting};
use crate::paths::{is_address, is_of_another_user, real};
use crate::text::{alike, first_of};

/// The folder of a store inside a project; commands search for it upwards.
const FOLDER: &str = ".kb";
/// Files and folders that a person may create before the store exists.
const SETTINGS: [&str; 3] = ["kb.toml", SYNONYMS, "prompts"];
/// Tells git to leave the store alone.
const IGNORE: &str = ".gitignore";
/// The file with synonyms of a store or of a namespace.
pub const SYNONYMS: &str = "synonyms.txt";
const NAMESPACES: &str = "namespaces";
pub(super) const CACHE: &str = "cache";
/// The file that names the published generation of a namespace.
pub(super) const PUBLISHED: &str = "MANIFEST.json";
/// How many similar namespaces an error names.
const MOST_NAMED: usize = 5;
/// Names at least as alike as this (Jaro-Winkler) are suggested.
const SIMILAR: f64 = 0.75;

/// A store on local disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    root: PathBuf,
    /// Whether readers may write: the user has created the store, written to it or trusts it.
    own: bool,
}

impl Store {
    /// Opens the store that was named, or the nearest `.kb/` from `from` upwards.
    pub fn open(named: Option<&Path>, from: &Path) -> Result<Self> {
        let root = match named {
            Some(named) => on_disk(named)?,
            None => find_upwards(from)?.ok_or_else(no_store_here)?,
        };
        Store { root, own: false }.checked()
    }

    /// Whether there is a store in a folder or above it.
    pub fn is_within(folder: &Path) -> bool {
        nearest(folder).is_some()
    }

    /// The folder of the store that was named, or of the nearest one upwards, whoever owns it. It may contain only
    /// settings.
    pub fn folder(named: Option<&Path>, from: &Path) -> Result<PathBuf> {
        let root = match named {
            Some(named) => on_disk(named)?,
            None => nearest(from).unwrap_or_else(|| from.join(FOLDER)),
        };
        let is_one = [FORMAT_FILE, SETTINGS[0]].iter().any(|file| root.join(file).exists());
        match (is_one, named) {
            (true, _) => Ok(root),
            (false, None) => Err(no_store_here()),
            (false, Some(_)) => Err(no_store_at(&root)),
        }
    }

    /// Opens the store like [`open`](Self::open), or creates it if it does not exist: at the place named, or as `.kb/`
    /// in `from`. After an error nothing is changed.
    pub fn open_or_create(named: Option<&Path>, from: &Path) -> Result<(Self, bool)> {
        let store = Store::planned(named, from)?;
        if store.root.join(FORMAT_FILE).exists() {
            return Ok((store, false));
        }
        store.make_folder()?;
        // Keeps a store inside a project out of version control, as other tools do with caches. It is written first:
        // after a crash, kb would take the folder for a finished store and never write it. Writing `kb.json` syncs the
        // folder.
        let ignore = store.root.join(IGNORE);
        if !ignore.exists() {
            let written = write_whole(&ignore, |file| file.write_all(b"*\n").and_then(|()| file.sync_all()));
            written.map_err(|error| Error::io("write", &ignore, &error))?;
        }
        Format::write(&store.root)?;
        Ok((store, true))
    }

    /// Makes its folder, which is not a store yet.
    pub(super) fn make_folder(&self) -> Result<()> {
        let folders = folders_to_sync(&self.root);
        std::fs::create_dir_all(&self.root).map_err(|error| Error::io("create the store", &self.root, &error))?;
        folders.into_iter().try_for_each(sync_folder)
    }

    /// The store that [`open_or_create`](Self::open_or_create) would create.
    pub fn planned(named: Option<&Path>, from: &Path) -> Result<Self> {
        let root = match named {
            Some(named) => on_disk(named)?,
            None => find_upwards(from)?.unwrap_or_else(|| from.join(FOLDER)),
        };
        // A store that does not exist yet is the user's own.
        let store = Store { root, own: true };
        if store.root.join(FORMAT_FILE).exists() {
            return store.checked();
        }
        store.refuse_foreign_folder()?;
        Ok(store)
    }

    /// Lets readers repair the store and keep caches in it, because the user created it.
    pub fn as_own(self) -> Self {
        Store { own: true, ..self }
    }

    /// Whether readers may repair it and keep caches in it.
    pub fn is_own(&self) -> bool {
        self.own
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The namespaces with a published generation, by name.
    pub fn namespaces(&self) -> Result<Vec<Namespace>> {
        let paths = paths_in(&self.root.join(NAMESPACES))?;
        let mut names: Vec<String> = paths.iter().filter_map(|path| name_of_folder(file_name(path))).collect();
        // Namespaces below a name come right after it.
        names.sort_unstable_by(|a, b| a.split('/').cmp(b.split('/')));
        let all = names.iter().map(|name| self.namespace(name)).collect::<Result<Vec<_>>>()?;
        Ok(all.into_iter().filter(Namespace::exists).collect())
    }

    /// The namespace with the given name, whether it exists or not.
    pub fn namespace(&self, name: &str) -> Result<Namespace> {
        let name = namespace_name(name)?;
        let root = self.root.join(NAMESPACES).join(folder_of_name(&name));
        Namespace { name, root, own: self.own }.checked()
    }

    /// The name of a source in the store: the path relative to the project if the source lies in it, so that a project
    /// can be moved with its store; otherwise the absolute path. Always with `/`; bytes that are not UTF-8 as `%E9`. A
    /// path that begins like the name of standard input gets `./` in front.
    pub fn source_name(&self, path: &Path) -> String {
        let path = real(path);
        let relative = match self.project() {
            Some(project) => path.strip_prefix(project).map(Path::to_owned).unwrap_or(path),
            None => path,
        };
        let parts: Vec<_> = relative.iter().map(text_of).collect();
        match parts.split_first() {
            Some((first, rest)) if first == "/" => format!("/{}", rest.join("/")),
            Some((first, _)) if first.starts_with(STANDARD_INPUT) => format!("./{}", parts.join("/")),
            _ => parts.join("/"),
        }
    }

    /// The names before those of the sources in a folder: its own, and the empty one if the project lies in it.
    pub fn names_before(&self, folder: &Path) -> impl Iterator<Item = String> {
        let own = self.source_name(folder);
        let is_above = !own.is_empty() && self.project().is_some_and(|project| project.starts_with(real(folder)));
        std::iter::once(own).chain(is_above.then(String::new))
    }

    /// The folder that sources are relative to, if they are.
    fn project(&self) -> Option<PathBuf> {
        let root = real(&self.root);
        root.parent().filter(|_| root.file_name().is_some_and(|name| name == FOLDER)).map(Path::to_owned)
    }

    /// The file that a source name means.
    pub fn source_path(&self, source: &str) -> PathBuf {
        let root = real(&self.root);
        root.parent().unwrap_or(&root).join(source.split('/').map(name_of).collect::<Vec<_>>().join(OsStr::new("/")))
    }

    /// Checks that this program can read the store and that nothing in it leads elsewhere.
    fn checked(self) -> Result<Self> {
        let Some(format) = Format::read(&self.root)? else {
            self.refuse_foreign_folder()?;
            return Err(no_store_at(&self.root));
        };
        format.must_be_readable(&self.root)?;
        // What is inside a namespace is checked when it is opened.
        check_folder(&self.root.join(NAMESPACES), 1)?;
        check_folder(&self.root.join(CACHE), 2)?;
        // A store that only a newer version may write to is not repaired.
        let own = format.is_writable() && KnownStores::of_user().has(&self.root);
        Ok(Store { own, ..self })
    }

    fn refuse_foreign_folder(&self) -> Result<()> {
        // Another process may be creating a store here, or may have been interrupted.
        let is_ours = |path: &PathBuf| {
            let name = file_name(path);
            name.starts_with(WRITING) || name == IGNORE || SETTINGS.contains(&name)
        };
        let is_free = !self.root.exists() || (self.root.is_dir() && paths_in(&self.root)?.iter().all(is_ours));
        if is_free || self.root.join(FORMAT_FILE).exists() {
            return Ok(());
        }
        Err(Error::failed(format!("{} is not a knowledge base: it has no {FORMAT_FILE}", self.root.display()))
            .hint(store_inside(&self.root).unwrap_or_else(|| format!("name another place with {}", Setting("kb")))))
    }
}

fn no_store_here() -> Error {
    let hint = format!("make one with `{}`, or name one with {}", NextStep::Ingest("PATH…"), Setting("kb"));
    Error::failed("there is no knowledge base here or in any folder above").hint(hint)
}

fn no_store_at(root: &Path) -> Error {
    let error = Error::failed(format!("there is no knowledge base at {}", root.display()));
    error.hint(store_inside(root).unwrap_or_else(|| format!("make one there with `{}`", NextStep::Ingest("PATH…"))))
}

/// The hint for a project that was named instead of the store in it.
fn store_inside(root: &Path) -> Option<String> {
    let store = root.join(FOLDER);
    store
        .join(FORMAT_FILE)
        .exists()
        .then(|| format!("its store is {}: name that with {}", store.display(), Setting("kb")))
}

/// The nearest store upwards. Refuses a store of another user, as git does with repositories: anybody may have put it
/// into a shared folder above.
fn find_upwards(from: &Path) -> Result<Option<PathBuf>> {
    let Some(root) = nearest(from) else { return Ok(None) };
    if is_of_another_user(&root) && KnownStores::of_user().trusted(&root).is_none() {
        let hint = format!("name it with {} to use it, or trust it with `{}`", Setting("kb"), NextStep::Trust);
        return Err(Error::failed(format!("the store at {} belongs to another user", root.display())).hint(hint));
    }
    Ok(Some(root))
}

fn nearest(from: &Path) -> Option<PathBuf> {
    from.ancestors().map(|folder| folder.join(FOLDER)).find(|folder| folder.join(FORMAT_FILE).exists())
}

/// The folders whose entries name a new store: the one above it, and the one above each folder that is made for it.
/// Without a sync of all of them, a power loss after the first ingest could take the whole store.
fn folders_to_sync(root: &Path) -> Vec<&Path> {
    let made = root.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let above = std::iter::once(root).chain(made).map(|folder| folder.parent().unwrap_or(folder));
    above.map(|above| if above.as_os_str().is_empty() { Path::new(".") } else { above }).collect()
}

/// The folder that was named. Refuses an address, because `remote` replaces addresses by the folder of a copy.
fn on_disk(named: &Path) -> Result<PathBuf> {
    if is_address(named) {
        return Err(Error::usage(format!("{} is not a folder on a local disk", named.display())).hint("name a folder"));
    }
    // The system cannot resolve `none/..` if the folder `none` does not exist.
    let leads_back = named.components().any(|part| part == Component::ParentDir);
    Ok(if leads_back { real(named) } else { named.to_owned() })
}

/// A knowledge base inside a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    name: String,
    root: PathBuf,
    /// The same as in the store.
    own: bool,
}

impl Namespace {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether readers may repair it and keep caches in it.
    pub fn is_own(&self) -> bool {
        self.own
    }

    pub(crate) fn store(&self) -> &Path {
        self.root.ancestors().nth(2).expect("a namespace lies in the folder `namespaces` of a store")
    }

    /// The same namespace in another folder, for an import.
    pub(super) fn at_folder(&self, folder: &Path) -> Result<Self> {
        Namespace { root: folder.to_owned(), own: false, ..self.clone() }.checked()
    }

    /// The namespace, if nothing in its folder leads out of it.
    fn checked(self) -> Result<Self> {
        check_folder(&self.root, usize::MAX)?;
        check_keyword(&self.keyword())?;
        Ok(self)
    }

    /// The folder of the LanceDB tables.
    pub fn tables(&self) -> PathBuf {
        self.root.join("tables")
    }

    /// The folder of the keyword index.
    pub fn keyword(&self) -> PathBuf {
        self.root.join("keyword")
    }

    /// Whether it has a published generation.
    pub fn exists(&self) -> bool {
        self.root.join(PUBLISHED).exists()
    }

    /// The error of commands on a namespace that does not exist, with similar or other names.
    pub(super) fn nothing_ingested(&self) -> Error {
        let all = Store { root: self.store().to_owned(), own: self.own }.namespaces().unwrap_or_default();
        self.nothing_ingested_among(all.iter().map(Namespace::name))
    }

    /// The same where these are the published namespaces.
    pub fn nothing_ingested_among<'n>(&self, names: impl Iterator<Item = &'n str>) -> Error {
        let message = format!("nothing was ingested into the namespace {:?} yet", self.name);
        let others: Vec<&str> = names.filter(|name| *name != self.name).collect();
        // In an empty store every name is as good as another, and a folder means an ingest that was cut off.
        let is_wrong_name = !others.is_empty() && !self.root.exists();
        let error = if is_wrong_name { Error::usage(message) } else { Error::failed(message) };
        let mut near = alike(others.iter().map(|name| ((*name).to_owned(), *name)), &self.name, SIMILAR);
        near.truncate(MOST_NAMED);
        match (near.as_slice(), others.as_slice()) {
            ([], []) => error.hint(format!("ingest some documents with `{}`", NextStep::Ingest("PATH…"))),
            ([], some) => {
                let some = first_of(some.iter().map(|name| (*name).to_owned()));
                error.hint(format!("name another one with {}: {some}", Setting("namespace")))
            }
            (near, _) => error.hint(format!("did you mean {}?", near.join(" or "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_named_instead_of_its_store_is_told_from_other_folders() {
        let folder = tempfile::tempdir().unwrap();
        Store::open_or_create(None, folder.path()).unwrap();
        let project = Some(folder.path());
        for refused in [Store::planned(project, folder.path()).err(), Store::folder(project, folder.path()).err()] {
            let refused = refused.unwrap();
            let store = folder.path().join(FOLDER).display().to_string();
            assert!(refused.next_step().is_some_and(|hint| hint.contains(&store)), "{refused}");
        }
    }

    #[test]
    fn a_half_created_store_is_not_a_foreign_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".writing-x1y2z3"), "{").unwrap();
        assert!(Store::open_or_create(Some(folder.path()), folder.path()).is_ok_and(|(_, created)| created));
    }

    #[test]
    fn git_ignores_a_store_from_its_first_moment() {
        let folder = tempfile::tempdir().unwrap();
        let (format, ignore) = (folder.path().join(FORMAT_FILE), folder.path().join(IGNORE));
        let create = || Store::open_or_create(Some(folder.path()), folder.path());
        create().unwrap();
        assert_eq!(std::fs::read_to_string(&ignore).unwrap(), "*\n");
        let written = |path: &Path| path.metadata().unwrap().modified().unwrap();
        assert!(written(&ignore) <= written(&format));
        // Interrupted between the two.
        std::fs::remove_file(&format).unwrap();
        assert!(create().is_ok_and(|(_, created)| created));
    }

    #[test]
    fn every_folder_that_names_a_new_store_is_synced() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        assert_eq!(folders_to_sync(&here.join(".kb")), [here]);
        assert_eq!(folders_to_sync(&here.join("a/b/.kb")), [here.join("a/b"), here.join("a"), here.to_owned()]);
        assert_eq!(folders_to_sync(Path::new("none/.kb")), [Path::new("none"), Path::new(".")]);
        assert_eq!(folders_to_sync(Path::new(".kb")), [Path::new(".")]);
    }

    #[test]
    fn settings_may_be_written_before_the_store() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("kb.toml"), "").unwrap();
        std::fs::create_dir(folder.path().join("prompts")).unwrap();
        assert!(Store::open(Some(folder.path()), folder.path()).is_err(), "it is no store yet");
        assert!(Store::open_or_create(Some(folder.path()), folder.path()).is_ok_and(|(_, created)| created));
    }

    #[test]
    fn a_file_is_never_named_like_standard_input() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::planned(None, folder.path()).unwrap();
        for path in ["stdin:notes.md", "stdin:notes/a.md"] {
            let name = store.source_name(&folder.path().join(path));
            assert_eq!(name, format!("./{path}"));
            assert_eq!(store.source_path(&name), folder.path().canonicalize().unwrap().join(path));
        }
        assert_eq!(store.source_name(&folder.path().join("a/stdin:notes.md")), "a/stdin:notes.md");
    }
}
