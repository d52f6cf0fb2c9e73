//! Jupyter notebooks, through `serde_json`: their Markdown with its headings, code, and what the code printed.

use serde_json::Value;

use super::{Block, Document, Format};
use super::{markdown, package};
use crate::error::{Error, Result};
use crate::text::{squeeze, truncate};

/// The most characters kept of one output: the rest of a log says no more.
const LONGEST_OUTPUT: usize = 2000;

/// Reads a notebook.
///
/// # Errors
/// If it is not JSON with cells.
pub fn parse(text: &str) -> Result<Document> {
    let refused = |reason: String| Error::failed(format!("is not a notebook: {reason}")).hint(package::wrong_format());
    let notebook: Value = serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
    // Notebooks before version 4 have their cells in worksheets.
    let cells = notebook["cells"].as_array().or_else(|| notebook["worksheets"][0]["cells"].as_array());
    let cells = cells.ok_or_else(|| refused("it has no cells".to_owned()))?;
    let metadata = &notebook["metadata"];
    let language = metadata["language_info"]["name"].as_str().or_else(|| metadata["kernelspec"]["language"].as_str());
    let language = language.unwrap_or_default();
    let mut document = Document::new(Format::Notebook, "serde_json");
    let blocks = &mut document.blocks;
    for cell in cells {
        let text = joined(if cell["source"].is_null() { &cell["input"] } else { &cell["source"] });
        match cell["cell_type"].as_str() {
            // Parsed cell by cell, so that an open fence ends with its cell.
            Some("markdown") => blocks.extend(markdown::parse(&text).blocks),
            Some("code") => {
                blocks.extend(Block::listing(language, &text));
                blocks.extend(cell["outputs"].as_array().into_iter().flatten().filter_map(output));
            }
            Some("heading") => {
                let level = cell["level"].as_u64().unwrap_or(1).clamp(1, 6) as u8;
                blocks.push(Block::heading(level, squeeze(&text)));
            }
            _ => blocks.extend(Block::listing("", &text)),
        }
    }
    document.title = metadata["title"].as_str().map(str::to_owned).or_else(|| document.only_top_heading());
    document.add_metadata("programming_language", language.to_owned());
    Ok(document)
}

/// Joins a text, which is a string or a list of lines.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// The text of an output. Pictures and other data are left out.
fn output(output: &Value) -> Option<Block> {
    let text = match output["output_type"].as_str() {
        Some("stream") => joined(&output["text"]),
        Some("error") => format!("{}: {}", joined(&output["ename"]), joined(&output["evalue"])),
        _ => {
            let plain = joined(&output["data"]["text/plain"]);
            if plain.is_empty() { joined(&output["text"]) } else { plain }
        }
    };
    Block::listing("", &truncate(&text, LONGEST_OUTPUT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_text_code_and_output() {
        let notebook = serde_json::json!({
            "cells": [
                { "cell_type": "markdown", "source": ["# 泵 Pumps\n", "\n", "All of them."] },
                { "cell_type": "code", "source": "print(1)\n", "outputs": [
                    { "output_type": "stream", "text": ["1\n"] },
                    { "output_type": "display_data", "data": { "image/png": "iVBOR" } },
                    { "output_type": "error", "ename": "ValueError", "evalue": "no pump" },
                ] },
                { "cell_type": "raw", "source": "a ``` b" },
                { "cell_type": "markdown", "source": "```\nnever closed" },
                { "cell_type": "markdown", "source": "## Later" },
            ],
            "metadata": { "kernelspec": { "language": "python" } },
        });
        let document = parse(&notebook.to_string()).unwrap();
        assert_eq!(document.blocks[0], Block::heading(1, "泵 Pumps"));
        let all = document.texts().join("\n");
        for part in
            ["All of them.", "```python\nprint(1)\n```", "```\n1\n```", "ValueError: no pump", "````\na ``` b\n````"]
        {
            assert!(all.contains(part), "{part}: {all}");
        }
        assert_eq!(document.blocks.last(), Some(&Block::heading(2, "Later")));
        assert!(!all.contains("iVBOR") && document.metadata["programming_language"] == "python");
        assert_eq!((document.format, document.title.as_deref()), (Format::Notebook, Some("泵 Pumps")));
    }

    #[test]
    fn other_files_are_refused() {
        for bad in ["", "{}", "[]", "{\"cells\": 1}", &"[".repeat(100_000)] {
            let error = parse(bad).unwrap_err();
            assert!(error.message().starts_with("is not a notebook"), "{error}");
        }
    }
}
