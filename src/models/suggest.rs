//! A model that can read what another one cannot.

use super::catalogue::{KnownModel, catalogue};
use super::record::ModelKind;
use super::{Installed, Models};
use crate::embed::Coverage;
use crate::error::Result;

/// It must read at least this share of the text.
const LEAST_SHARE: f32 = 0.9;

/// The name of an embedding model that reads each of some texts: one that is here, otherwise the smallest that can be had. `None` where
/// there is none.
///
/// # Errors
/// Where the list of models is damaged; it is part of the program.
pub fn model_that_reads(texts: &[&str], models: &Models) -> Result<Option<String>> {
    // A folder of models that cannot be read has none to suggest.
    let here: Vec<Installed> = models.here().unwrap_or_default();
    let is_here = |model: &KnownModel| here.iter().any(|own| own.name == model.name);
    let reads = |model: &&KnownModel| {
        let coverage = Coverage { scripts: model.scripts.clone() };
        model.kind == ModelKind::Text && texts.iter().all(|text| coverage.share(text) >= LEAST_SHARE)
    };
    let nearest = catalogue()?
        .iter()
        .filter(reads)
        .min_by_key(|model| (!is_here(model), model.bytes.unwrap_or(u64::MAX), model.name.as_str()));
    Ok(nearest.map(|model| model.name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::catalogue::known;

    #[test]
    fn a_model_that_reads_chinese_is_found_and_reads_it() {
        let models = Models::open("");
        let name = model_that_reads(&["离心泵在启动前必须灌满水。"], &models).unwrap().unwrap();
        let model = known(&name).unwrap().unwrap();
        assert!(Coverage { scripts: model.scripts.clone() }.share("离心泵") >= LEAST_SHARE, "{name}");
        let all = ["Насос и 离心泵 and pump"];
        assert!(model_that_reads(&all, &models).unwrap().is_some(), "there are some for all");
        // For some documents of the one and some of the other kind, the model is one for both.
        let both = model_that_reads(&["离心泵", "The pump moves water."], &models).unwrap().unwrap();
        let model = known(&both).unwrap().unwrap();
        assert!(Coverage { scripts: model.scripts.clone() }.share("pump") >= LEAST_SHARE, "{both}");
        assert_ne!(both, name);
    }
}
