//! Simulates a power loss for tests: reduces the folder of the store to what was synced.
//!
//! Data that was not synced may survive or not. So there are three kinds: file names survive and contents are cut to
//! what was synced; names are lost too, and replaced or removed files come back; or chance decides for each name and
//! each file. Everything that exists when the first lock is taken counts as synced. Files are linked into a folder
//! beside the store, so that they can come back.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static DISK: Mutex<Option<Disk>> = Mutex::new(None);

/// The synced state of a store.
struct Disk {
    store: PathBuf,
    /// The folder with links to all files, each named by its inode.
    links: PathBuf,
    /// The entries of each folder when it was synced, by inode.
    folders: HashMap<u64, Names>,
    /// The length of each file when it was synced, by inode.
    lengths: HashMap<u64, u64>,
}

type Names = BTreeMap<OsString, Entry>;

/// A file or folder with its inode.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Entry {
    Folder(u64),
    File(u64),
}

/// What is lost of the data that was not synced.
pub(super) enum Loss {
    Contents,
    Names,
    Chance(fastrand::Rng),
}

impl Loss {
    pub(super) fn of(kind: &str) -> Option<Self> {
        match kind {
            "contents" => Some(Loss::Contents),
            "names" => Some(Loss::Names),
            seed => Some(Loss::Chance(fastrand::Rng::with_seed(seed.parse().ok()?))),
        }
    }

    fn keeps_name(&mut self) -> bool {
        match self {
            Loss::Contents => true,
            Loss::Names => false,
            Loss::Chance(random) => random.bool(),
        }
    }

    /// Cuts the copy of a file to what was synced of it, or to more by chance.
    fn cut(&mut self, copy: &Path, synced: u64) -> io::Result<()> {
        let length = fs::metadata(copy)?.len();
        let left = match self {
            Loss::Contents | Loss::Names => synced,
            Loss::Chance(random) => random.u64(synced..=length.max(synced)),
        };
        let file = fs::OpenOptions::new().write(true).open(copy)?;
        file.set_len(left.min(length))?;
        // Some file systems keep the length and lose the content.
        let keeps_length = if let Loss::Chance(random) = self { random.bool() } else { false };
        if keeps_length { file.set_len(length) } else { Ok(()) }
    }
}

/// Records the current state of the store, once.
pub(super) fn begin(store: &Path) -> io::Result<()> {
    let mut disk = DISK.lock().unwrap_or_else(PoisonError::into_inner);
    if disk.is_none() {
        let links = store.with_file_name(format!("links-{}", std::process::id()));
        fs::create_dir(&links)?;
        let mut new = Disk { store: store.to_owned(), links, folders: HashMap::new(), lengths: HashMap::new() };
        new.remember_all(store)?;
        *disk = Some(new);
    }
    Ok(())
}

/// Records that the content of a file is synced.
pub(super) fn synced(path: &Path) -> io::Result<()> {
    with_disk(path, |disk| {
        let facts = fs::metadata(path)?;
        disk.lengths.insert(facts.ino(), facts.len());
        Ok(())
    })
}

pub(super) fn synced_folder(folder: &Path) -> io::Result<()> {
    with_disk(folder, |disk| disk.remember(folder).map(drop))
}

fn with_disk(path: &Path, act: impl FnOnce(&mut Disk) -> io::Result<()>) -> io::Result<()> {
    let mut disk = DISK.lock().unwrap_or_else(PoisonError::into_inner);
    disk.as_mut().filter(|disk| path.starts_with(&disk.store)).map_or(Ok(()), act)
}

/// Replaces the store by what is left of it.
pub(super) fn strike(mut loss: Loss) -> io::Result<()> {
    let disk = DISK.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(disk) = disk.as_ref() else { return Err(io::Error::other("the disk was not watched from the start")) };
    let (left, before) = (disk.links.join("left"), disk.links.join("before"));
    disk.leave(&left, Some(fs::metadata(&disk.store)?.ino()), Some(&disk.store), &mut loss)?;
    fs::rename(&disk.store, before)?;
    fs::rename(left, &disk.store)
}

impl Disk {
    fn remember_all(&mut self, folder: &Path) -> io::Result<()> {
        for name in self.remember(folder)? {
            let path = folder.join(name);
            let facts = fs::symlink_metadata(&path)?;
            if facts.is_dir() {
                self.remember_all(&path)?;
            } else {
                self.lengths.insert(facts.ino(), facts.len());
            }
        }
        Ok(())
    }

    fn remember(&mut self, folder: &Path) -> io::Result<Vec<OsString>> {
        let names = names_in(folder)?;
        for (name, entry) in &names {
            if let Entry::File(number) = entry {
                match fs::hard_link(folder.join(name), self.link(*number)) {
                    Err(error) if !matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => {
                        return Err(error);
                    }
                    _ => {}
                }
            }
        }
        let all = names.keys().cloned().collect();
        self.folders.insert(fs::metadata(folder)?.ino(), names);
        Ok(all)
    }

    fn link(&self, number: u64) -> PathBuf {
        self.links.join(number.to_string())
    }

    /// Writes what is left of a folder: `synced` is the inode of its synced state, `is` its current path.
    fn leave(&self, to: &Path, synced: Option<u64>, is: Option<&Path>, loss: &mut Loss) -> io::Result<()> {
        fs::create_dir(to)?;
        let was = synced.and_then(|number| self.folders.get(&number)).cloned().unwrap_or_default();
        let now = is.map(names_in).transpose()?.unwrap_or_default();
        let names: BTreeSet<&OsString> = was.keys().chain(now.keys()).collect();
        for name in names {
            let (before, after) = (was.get(name), now.get(name));
            let chosen = if before == after || loss.keeps_name() { after } else { before };
            let (copy, path) = (to.join(name), is.map(|is| is.join(name)));
            match chosen {
                None => {}
                Some(Entry::Folder(number)) => {
                    let path = path.filter(|_| chosen == after);
                    self.leave(&copy, Some(*number), path.as_deref(), loss)?;
                }
                Some(Entry::File(number)) => {
                    let from = path.filter(|_| chosen == after).unwrap_or_else(|| self.link(*number));
                    match fs::copy(from, &copy) {
                        // A thread of the keyword index has removed it since it was listed.
                        Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                        copied => copied?,
                    };
                    loss.cut(&copy, self.lengths.get(number).copied().unwrap_or(0))?;
                }
            }
        }
        Ok(())
    }
}

fn names_in(folder: &Path) -> io::Result<Names> {
    let mut names = Names::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Locks contain no data and must not get a second name.
        if entry.file_name().to_string_lossy().ends_with("lock") {
            continue;
        }
        let facts = match entry.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            facts => facts?,
        };
        let number = facts.ino();
        names.insert(entry.file_name(), if facts.is_dir() { Entry::Folder(number) } else { Entry::File(number) });
    }
    Ok(names)
}
