//! Taking a model away.

use std::path::Path;

use super::download::{DOWNLOADING, is_downloaded_by_another};
use super::lock::{Hold, Worker};
use super::place::check_name;
use super::{Installed, Models, known};
use crate::embed::EMBEDDED;
use crate::error::{Error, Result, or_gone};

/// What the names of folders begin with that are being removed.
const REMOVING: &str = ".removing-";

impl Models {
    /// Removes what is left of a download of a model that never got here. Gives the name it would have had and the bytes
    /// that its files had, where there was anything.
    ///
    /// # Errors
    /// Where another process is downloading it, or the disk does not let it.
    pub fn remove_download(&self, name: &str) -> Result<Option<(String, u64)>> {
        let name = known(name)?.map_or(name, |model| model.name.as_str());
        if check_name(name).is_err() || self.installed(name)?.is_some() {
            return Ok(None);
        }
        Ok(self.clear_download(name)?.map(|bytes| (name.to_owned(), bytes)))
    }

    /// Removes what is left of a download under a name, and gives the bytes it had, where there was anything.
    fn clear_download(&self, name: &str) -> Result<Option<u64>> {
        let place = self.folder().join(format!("{DOWNLOADING}{name}"));
        if !place.is_dir() {
            return Ok(None);
        }
        let hold = Hold::of(self.folder())?;
        if hold.worker(&place) == Worker::Another {
            return Err(is_downloaded_by_another(name));
        }
        let bytes = size_of(&place);
        remove_folder(&place)?;
        Ok(Some(bytes))
    }

    /// The model of a name that can be removed.
    ///
    /// # Errors
    /// Where there is none, or it is part of the program.
    pub fn removable(&self, name: &str) -> Result<Installed> {
        if name.eq_ignore_ascii_case(EMBEDDED) {
            return Err(Error::usage(format!("{EMBEDDED} is part of kb and cannot be removed")));
        }
        match self.installed(name)? {
            Some(found) => Ok(found),
            None => Err(Error::usage(format!("there is no model {name:?} in {}", self.folder().display()))
                .hint("`kb models` lists what is here")),
        }
    }

    /// Removes a model, and what is left of a download of it. From one moment to the next it is not here any more.
    /// Gives the bytes that its files had.
    ///
    /// # Errors
    /// Where another process is downloading it, or the disk does not let it.
    pub fn remove(&self, model: &Installed) -> Result<u64> {
        let bytes = size_of(&model.folder);
        self.clear_download(&model.name)?;
        self.clear_removed()?;
        let aside = self.folder().join(format!("{REMOVING}{}", model.name));
        std::fs::rename(&model.folder, &aside).map_err(|error| Error::io("remove", &model.folder, &error))?;
        remove_folder(&aside)?;
        Ok(bytes)
    }

    /// Takes away what a removal left that was killed.
    fn clear_removed(&self) -> Result<()> {
        let entries = std::fs::read_dir(self.folder()).map_err(|error| Error::io("read", self.folder(), &error))?;
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(REMOVING)) {
                remove_folder(&entry.path())?;
            }
        }
        Ok(())
    }
}

/// Removes a folder that may be gone already.
pub(super) fn remove_folder(folder: &Path) -> Result<()> {
    or_gone(std::fs::remove_dir_all(folder)).map_err(|error| Error::io("remove", folder, &error))
}

/// Bytes of the files in a folder; what cannot be read counts nothing.
fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => size_of(&entry.path()),
            _ => entry.metadata().map_or(0, |about| about.len()),
        })
        .sum()
}
