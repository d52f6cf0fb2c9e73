//! Settings: what `kb config` and `kb trust` show.

use std::path::Path;

use serde_json::json;

use super::grid::Grid;
use super::page::Page;
use crate::config::{ListedSetting, RiskySetting};
use crate::error::NextStep;

/// What `kb config` shows.
pub fn setting_list(settings: &[ListedSetting]) -> Page {
    let mut page = Page::list("config", "setting", settings)
        .without_namespace()
        .with_paths(settings.iter().map(|one| &one.setting));
    let row = |one: &ListedSetting| vec![one.setting.clone(), one.value.clone(), one.from.clone()];
    page.grid(Grid { whole: vec![0], ..Grid::new(&["setting", "value", "from"], &[], settings.iter().map(row)) });
    page
}

/// What `kb trust` shows: the store, and the settings that count from now on.
pub fn store_trusted(store: &Path, settings: &[RiskySetting]) -> Page {
    let mut page = with_settings(store, settings, true);
    let path = store.display();
    page.line(match settings.is_empty() {
        true => format!("trusted {path}; it sets nothing that needs trust"),
        false => format!("trusted {path} with these settings; a changed kb.toml or prompt needs trust again"),
    });
    page
}

/// What `kb trust --dry-run` shows: the store, whether it is trusted, and the settings that need trust.
pub fn store_to_trust(store: &Path, settings: &[RiskySetting], is_trusted: bool) -> Page {
    let mut page = with_settings(store, settings, is_trusted);
    let path = store.display();
    page.line(match (settings.is_empty(), is_trusted) {
        (true, true) => format!("{path} is trusted; it sets nothing that needs trust"),
        (true, false) => format!("{path} is not trusted; it sets nothing that needs trust"),
        (false, true) => format!("{path} is trusted with these settings"),
        (false, false) => format!("{path} is not trusted with these settings; `{}` trusts it", NextStep::Trust),
    });
    page
}

/// What `kb trust --revoke` shows.
pub fn store_not_trusted(store: &Path, was_known: bool) -> Page {
    let mut page = with_settings(store, &[], false);
    let path = store.display();
    page.line(match was_known {
        true => format!("forgot {path}; it is no longer trusted"),
        false => format!("{path} was not trusted"),
    });
    page
}

/// A page about a store with its settings that need trust.
fn with_settings(store: &Path, settings: &[RiskySetting], is_trusted: bool) -> Page {
    let path = store.display().to_string();
    let mut page = Page::new("trust", &json!({ "store": path, "trusted": is_trusted }))
        .without_namespace()
        .with_items("setting", settings)
        .with_paths([&path]);
    let rows = settings.iter().map(|risky| vec![risky.setting.clone(), risky.value.clone(), risky.can.to_owned()]);
    page.grid(Grid::new(&["setting", "value", "what it can do"], &[], rows));
    page.gap();
    page
}
