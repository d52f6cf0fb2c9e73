//! Excel workbooks, through `calamine`: each sheet is a section, and each block of rows in it a table.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::panic::catch_unwind;

use calamine::{Data, Reader, SheetType, Xlsx};

use super::package::{Archive, wrong_format};
use super::{Block, Document, Format};
use crate::error::{Error, Result, Setting};
use crate::text::{char_count, tables};

/// The rows and columns of the largest sheet that Excel makes.
const SHEET: (u32, u32) = (1_048_576, 16_384);
/// The most cells with a value that are read, over all sheets.
const MOST_CELLS: usize = 1_000_000;
/// A longer text counts as several cells: thousands of cells and sheets may share one long text.
const CHARACTERS_PER_CELL: usize = 50;
/// A table with more columns is not aligned: its empty cells could be a million times those with a value.
const MOST_COLUMNS: usize = 200;
/// Without alignment, values stand below wrong heads. So a sheet with fewer cells may have as many empty ones as one
/// with this number.
const LEAST_ASSUMED_CELLS: usize = 100_000;

/// The cells with a value, by row and column. Sparse, because a sheet may have cells at its ends and none between.
type Sheet = BTreeMap<u32, Cells>;
type Cells = BTreeMap<u32, String>;

/// Reads a workbook. Formulas give the values that Excel last computed.
///
/// # Errors
/// If it is not a workbook, unpacks to too much, or a sheet is damaged.
pub fn parse(bytes: &[u8]) -> Result<Document> {
    Archive::open(bytes, "XLSX")?.refuse_bomb()?;
    // The library adds and multiplies the numbers of cells without a check.
    catch_unwind(|| read(bytes)).unwrap_or_else(|_| Err(damaged("its parser crashed, as on a number out of range")))
}

fn damaged(reason: &str) -> Error {
    Error::failed(format!("the workbook is damaged: {reason}"))
        .hint(format!("open it in Excel and save it again, or skip it with {}", Setting("exclude")))
}

fn broken(error: calamine::XlsxError) -> Error {
    Error::failed(format!("cannot be read as an Excel workbook: {error}")).hint(wrong_format())
}

fn read(bytes: &[u8]) -> Result<Document> {
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(broken)?;
    let mut document = Document::new(Format::Excel, "calamine");
    let mut left = MOST_CELLS;
    let sheets = workbook.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let names: Vec<String> = sheets.map(|sheet| sheet.name.clone()).collect();
    for name in names {
        let sheet = sheet(&mut workbook, &name, &mut left)?;
        document.blocks.push(Block::heading(1, name));
        document.blocks.extend(blocks(sheet));
    }
    if left == 0 {
        document.warnings.push(format!("only its beginning is read: {MOST_CELLS} cells, or fewer if they are long"));
    }
    Ok(document)
}

/// Reads at most `left` cells of a sheet.
fn sheet(workbook: &mut Xlsx<Cursor<&[u8]>>, name: &str, left: &mut usize) -> Result<Sheet> {
    let mut sheet = Sheet::new();
    let mut cells = workbook.worksheet_cells_reader(name).map_err(broken)?;
    while let Some(cell) = cells.next_cell().map_err(broken)?.filter(|_| *left > 0) {
        let (row, column) = cell.get_position();
        if row >= SHEET.0 || column >= SHEET.1 {
            return Err(damaged("a cell lies outside of the largest sheet"));
        }
        let shown = text(&Data::from(cell.get_value().clone()));
        if !shown.trim().is_empty() {
            *left = left.saturating_sub(1 + char_count(&shown) / CHARACTERS_PER_CELL);
            sheet.entry(row).or_default().insert(column, shown);
        }
    }
    Ok(sheet)
}

/// A block for each run of adjacent rows: text for a single cell, otherwise a table without empty columns.
fn blocks(sheet: Sheet) -> Vec<Block> {
    let mut rows: Vec<(u32, Cells)> = sheet.into_iter().collect();
    rows.chunk_by_mut(|(above, _), (below, _)| above + 1 == *below).filter_map(block).collect()
}

fn block(run: &mut [(u32, Cells)]) -> Option<Block> {
    if let [(_, row)] = run
        && row.len() == 1
    {
        return row.pop_first().map(|(_, text)| Block::paragraph(text));
    }
    let columns: BTreeSet<u32> = run.iter().flat_map(|(_, row)| row.keys()).copied().collect();
    let cells = run.iter().map(|(_, row)| row.len()).sum::<usize>().max(LEAST_ASSUMED_CELLS);
    let is_aligned = columns.len() <= MOST_COLUMNS && tables::may_fill(cells, run.len(), columns.len());
    let rows = run.iter_mut().map(|(_, row)| match is_aligned {
        true => columns.iter().map(|column| row.remove(column).unwrap_or_default()).collect(),
        false => std::mem::take(row).into_values().collect(),
    });
    tables::write(rows.collect()).map(Block::paragraph)
}

/// The text of a cell as Excel shows it.
fn text(cell: &Data) -> String {
    match cell {
        // A duration may be longer than a day.
        Data::DateTime(time) if time.is_duration() => {
            let seconds = (time.as_f64() * 86_400.0).round() as i64;
            let (sign, seconds) = (if seconds < 0 { "-" } else { "" }, seconds.abs());
            format!("{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
        }
        Data::DateTime(time) => {
            let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
            let (date, clock) =
                (format!("{year:04}-{month:02}-{day:02}"), format!("{hour:02}:{minute:02}:{second:02}"));
            match (time.as_f64(), (hour, minute, second)) {
                // Values below 1 are a time of day.
                (value, _) if value < 1.0 => clock,
                (_, (0, 0, 0)) => date,
                _ => format!("{date} {clock}"),
            }
        }
        // Excel stores 17 digits and shows 15: 0.1 + 0.2 is 0.3. Whole numbers may be identifiers.
        Data::Float(number) if number.fract() != 0.0 => {
            format!("{number:.14e}").parse::<f64>().unwrap_or(*number).to_string()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::package::zip_of;
    use super::*;

    fn workbook(rows: &str) -> Vec<u8> {
        with_sheets(r#"<sheet name="泵站 Pumps" sheetId="1" r:id="r1"/>"#, rows)
    }

    fn with_sheets(sheets: &str, rows: &str) -> Vec<u8> {
        const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
        const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        const RELATIONS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
        let relation = |kind: &str, target: &str| {
            let relation = format!(r#"<Relationship Id="r1" Type="{OFFICE}/{kind}" Target="{target}"/>"#);
            format!(r#"<Relationships xmlns="{RELATIONS}">{relation}</Relationships>"#)
        };
        let book = format!(r#"<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{sheets}</sheets></workbook>"#);
        let sheet = format!(r#"<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>"#);
        zip_of(&[
            ("_rels/.rels", &relation("officeDocument", "xl/workbook.xml")),
            ("xl/workbook.xml", &book),
            ("xl/_rels/workbook.xml.rels", &relation("worksheet", "worksheets/sheet1.xml")),
            ("xl/worksheets/sheet1.xml", &sheet),
        ])
    }

    fn cell(place: &str, text: &str) -> String {
        format!(r#"<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>"#)
    }

    #[test]
    fn sheets_are_sections_and_blocks_of_rows_tables() {
        let rows = [
            format!(r#"<row r="1">{}</row>"#, cell("B1", "Pumps of the station")),
            format!(r#"<row r="3">{}{}</row>"#, cell("B3", "name"), cell("D3", "bar")),
            format!(r#"<row r="4">{}<c r="D4"><v>3.5</v></c></row>"#, cell("B4", "P-1")),
        ];
        let document = parse(&workbook(&rows.concat())).unwrap();
        let table = "| name | bar |\n| --- | --- |\n| P-1 | 3.5 |";
        assert_eq!(document.blocks, Block::in_markdown(["# 泵站 Pumps", "Pumps of the station", table]));
    }

    #[test]
    fn times_are_shown_as_days_times_and_hours() {
        use calamine::{
            ExcelDateTime,
            ExcelDateTimeType::{DateTime, TimeDelta},
        };
        let shown = |value, kind| text(&Data::DateTime(ExcelDateTime::new(value, kind, false)));
        assert_eq!(shown(1.25, TimeDelta), "30:00:00");
        assert_eq!((shown(0.5, DateTime), shown(46083.0, DateTime)), ("12:00:00".to_owned(), "2026-03-02".to_owned()));
        assert_eq!(shown(46083.5, DateTime), "2026-03-02 12:00:00");
    }

    #[test]
    fn calculated_numbers_are_shown_without_their_noise() {
        let shown = |number: f64| text(&Data::Float(number));
        assert_eq!([shown(0.1 + 0.2), shown(-1234.56), shown(3.0)], ["0.3", "-1234.56", "3"]);
        assert_eq!(shown(1_234_567_890_123_456.0), "1234567890123456");
    }

    #[test]
    fn a_cell_outside_of_the_sheet_is_damage() {
        // The last one is more than the library can count to.
        for place in ["XFE1", "A1048577", "ZZZZZ99999999", "A99999999999"] {
            let error = parse(&workbook(&format!(r#"<row r="1">{}</row>"#, cell(place, "x")))).unwrap_err();
            assert!(error.message().starts_with("the workbook is damaged: "), "{place}: {error}");
        }
    }

    #[test]
    fn a_long_cell_that_a_hundred_sheets_share_is_read_up_to_a_limit() {
        let sheet = |number| format!(r#"<sheet name="s{number}" sheetId="{number}" r:id="r1"/>"#);
        let sheets: String = (1..=100).map(sheet).collect();
        let rows = format!(r#"<row r="1">{}</row>"#, cell("A1", &"a".repeat(1 << 20)));
        let document = parse(&with_sheets(&sheets, &rows)).unwrap();
        assert!(document.texts().concat().len() < 60 << 20);
        assert!(document.warnings[0].starts_with("only its beginning is read"), "{:?}", document.warnings);
    }

    #[test]
    fn other_files_are_refused_and_distant_cells_cost_little() {
        assert!(parse(b"text").unwrap_err().message().contains("XLSX"));
        let error = parse(&zip_of(&[("a.txt", "x")])).unwrap_err();
        assert!(error.message().contains("Excel workbook"), "{error}");
        // A cell at the end of the sheet must not make a billion empty ones.
        let far = workbook(&format!(
            r#"<row r="1">{}</row><row r="1048576">{}</row>"#,
            cell("A1", "x"),
            cell("XFD1048576", "y")
        ));
        assert_eq!(parse(&far).unwrap().texts(), ["泵站 Pumps", "x", "y"]);
    }
}
