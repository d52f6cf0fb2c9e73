//! The sources that a typed path or glob stands for, in filters and in the rules of `kb.toml`.

use std::borrow::Cow;
use std::path::Path;

use globset::GlobMatcher;

use crate::globs;
use crate::paths::is_address;
use crate::text::fold;

/// A typed path or glob. Case does not matter. With `/` in front, it begins at the root of a source.
#[derive(Debug, Clone)]
pub enum SourcePattern {
    /// It begins at any folder, because sources outside of the store's folder have their whole path.
    Glob(GlobMatcher),
    RootedGlob(GlobMatcher),
    /// A file, the end of its path, or a folder on it; [folded](fold), with the `/` in front.
    Place(String),
}

/// A source with `/` at its root: the store's folder, or that of the file system for sources outside of it.
fn from_root(source: &str) -> Cow<'_, str> {
    match source.starts_with('/') || is_address(Path::new(source)) {
        true => source.into(),
        false => format!("/{source}").into(),
    }
}

impl SourcePattern {
    /// The error says why a glob is invalid.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim().strip_prefix("./").unwrap_or(text.trim());
        if !text.contains(['*', '?', '[', '{']) {
            return Ok(SourcePattern::Place(fold(text.trim_end_matches('/'))));
        }
        match text.starts_with('/') {
            true => globs::matcher(&fold(text)).map(SourcePattern::RootedGlob),
            false => globs::matcher(&format!("**/{}", fold(text))).map(SourcePattern::Glob),
        }
    }

    pub fn has(&self, source: &str) -> bool {
        let source = fold(source);
        match self {
            SourcePattern::Glob(matcher) => matcher.is_match(&source),
            SourcePattern::RootedGlob(matcher) => matcher.is_match(&*from_root(&source)),
            // `/` itself, which every address of a web page has inside.
            SourcePattern::Place(place) if place.is_empty() => source.starts_with('/'),
            SourcePattern::Place(place) if place.starts_with('/') => {
                let source = from_root(&source);
                let rest = source.strip_prefix(place.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            SourcePattern::Place(place) => {
                source == *place
                    || source.strip_prefix(place.as_str()).is_some_and(|rest| rest.starts_with('/'))
                    || source.strip_suffix(place.as_str()).is_some_and(|rest| rest.ends_with('/'))
                    || source.contains(&format!("/{place}/"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_and_places_find_sources() {
        let has = |typed: &str, source: &str| SourcePattern::new(typed).unwrap().has(source);
        assert!(has("docs/**/*.pdf", "docs/a/b.PDF") && has("docs/**/*.pdf", "docs/b.pdf"));
        assert!(!has("docs/*.pdf", "docs/a/b.pdf") && has("*.pdf", "docs/a/b.pdf") && has("手册*.md", "文档/手册1.md"));
        assert!(has("*.{md,txt}", "a.txt") && !has("*.{md,txt}", "a.pdf"));
        assert!(has("docs/**/*.pdf", "/home/ann/docs/a.pdf") && !has("/docs/*.pdf", "/home/docs/a.pdf"));
        assert!(has("*/a.pdf", "/home/ann/docs/a.pdf") && has("**/a.pdf", "a.pdf"));
        assert!(!has("docs/*.pdf", "olddocs/a.pdf") && has("/home/*/a.pdf", "/home/ann/a.pdf"));
        assert!(has("docs", "docs/a.pdf") && has("docs/", "docs/a.pdf") && !has("docs", "docs2/a.pdf"));
        assert!(has("a.pdf", "docs/a.pdf") && has("./docs/a.pdf", "docs/a.pdf") && !has("a.pdf", "docs/ba.pdf"));
        assert!(SourcePattern::new("a[b").is_err());
    }

    #[test]
    fn a_slash_in_front_means_the_root_of_the_store_or_of_the_file_system() {
        let has = |typed: &str, source: &str| SourcePattern::new(typed).unwrap().has(source);
        assert!(has("/contracts/**", "contracts/a/b.pdf") && !has("/contracts/**", "old/contracts/b.pdf"));
        assert!(has("/*.pdf", "a.pdf") && !has("/*.pdf", "contracts/a.pdf") && !has("/*.pdf", "/home/a.pdf"));
        assert!(has("/contracts", "contracts/a.pdf") && has("/contracts/", "contracts/old/a.pdf"));
        assert!(has("/a.pdf", "a.pdf") && !has("/a.pdf", "contracts/a.pdf") && !has("/contracts", "contracts2/a.pdf"));
        assert!(has("/home/ann", "/home/ann/a.pdf") && !has("/ann", "/home/ann/a.pdf"));
        assert!(!has("/**/a.pdf", "https://example.org/a.pdf") && has("**/a.pdf", "https://example.org/a.pdf"));
    }

    #[test]
    fn a_folder_below_others_is_found_by_its_name() {
        let has = |typed: &str, source: &str| SourcePattern::new(typed).unwrap().has(source);
        assert!(has("md", "documents/md/a.pdf") && has("md/", "documents/md/old/a.pdf"));
        assert!(has("md/old", "documents/md/old/a.pdf") && has("docs", "/home/ann/docs/a.pdf"));
        assert!(has("/", "/home/ann/a.pdf") && !has("/", "https://example.org/a") && !has("/", "docs/a.pdf"));
        assert!(!has("md", "documents/amd/a.pdf") && !has("/md", "documents/md/a.pdf") && !has("md", "documents/a.md"));
    }
}
