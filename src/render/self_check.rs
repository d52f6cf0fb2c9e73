//! The results of a self-check.

use serde::Serialize;
use serde_json::json;

use super::grid::Grid;
use super::page::Page;
use super::style::BAD;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SelfCheck {
    pub name: &'static str,
    pub ok: bool,
    /// What was found, or what failed.
    pub detail: String,
    pub milliseconds: u64,
}

/// What `kb self-check` shows.
pub fn self_checked(checks: &[SelfCheck]) -> Page {
    let ok = checks.iter().all(|check| check.ok);
    let mut page = Page::new("self_check", &json!({ "version": env!("CARGO_PKG_VERSION"), "ok": ok }))
        .without_namespace()
        .with_items("self_check", checks)
        .with_paths(checks.iter().filter(|check| !check.ok).map(|check| check.name));
    let rows = checks.iter().map(|check| {
        let outcome = if check.ok { "ok" } else { "failed" };
        vec![check.name.to_owned(), outcome.to_owned(), check.detail.clone()]
    });
    page.grid(Grid::new(&["check", "result", "details"], &[], rows));
    match ok {
        true => page.line("kb works here"),
        false => page.styled(BAD, "kb does not work here as it should"),
    }
    page
}
