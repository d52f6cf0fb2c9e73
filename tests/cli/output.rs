//! What people see: snapshots of the tables and the Markdown of daily commands.

use crate::common::Sandbox;

#[test]
fn tables_and_markdown_match_their_snapshots() {
    let sandbox = Sandbox::with_fixtures();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.add_filter(r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME");
    settings.add_filter(r"\d+\.\d s\b", "N.N s");
    settings.bind(|| {
        insta::assert_snapshot!("toc_table", sandbox.kb(&["toc", "pump-station-manual.pdf", "--format", "table"]).out);
        insta::assert_snapshot!("toc_markdown", sandbox.kb(&["toc", "泵站维护手册.pdf"]).out);
        insta::assert_snapshot!("section_markdown", sandbox.kb(&["section", "network-guide.md", "1.2"]).out);
        insta::assert_snapshot!("docs_table", sandbox.kb(&["docs", "--format", "table"]).out);
        insta::assert_snapshot!("docs_one", sandbox.kb(&["docs", "network-guide.md"]).out);
        insta::assert_snapshot!(
            "search_keyword_table",
            sandbox.kb(&["search", "推力轴承温度过高", "-k", "1", "--format", "table"]).out
        );
        insta::assert_snapshot!("ingest_again", sandbox.kb(&["ingest", "docs"]).out);
    });
}
