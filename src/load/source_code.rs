//! Source code, through `tree-sitter`: each definition is a section with its name, and what is defined in it below it.
//!
//! The text stays as it is, line by line, but for blank lines. A section begins with the comments and attributes above its definition.

use tree_sitter::{Language, Node, Parser, TreeCursor};

use super::document::{Block, Document, Format};
use super::plain::lines_to_blocks;
use crate::error::{Error, Result};
use crate::text::{squeeze, truncate};

/// What defines something, in the words of the grammars. One of them means the same in all languages that have it.
const DEFINITIONS: [&str; 40] = [
    "abstract_class_declaration",
    "annotation_type_declaration",
    "class_declaration",
    "class_definition",
    "class_specifier",
    "const_item",
    "constructor_declaration",
    "conversion_operator_declaration",
    "destructor_declaration",
    "enum_declaration",
    "enum_item",
    "enum_specifier",
    "function_declaration",
    "function_definition",
    "function_item",
    "generator_function_declaration",
    "impl_item",
    "interface_declaration",
    "internal_module",
    "macro_definition",
    "method_declaration",
    "method_definition",
    "mod_item",
    "module",
    "namespace_declaration",
    "namespace_definition",
    "operator_declaration",
    "property_declaration",
    "record_declaration",
    "static_item",
    "struct_declaration",
    "struct_item",
    "struct_specifier",
    "trait_declaration",
    "trait_item",
    "type_alias_declaration",
    "type_definition",
    "type_spec",
    "union_item",
    "union_specifier",
];
/// What holds one definition and begins above or before it.
const AROUND: [&str; 9] = [
    "ambient_declaration",
    "decorated_definition",
    "export_statement",
    "expression_statement",
    "lexical_declaration",
    "template_declaration",
    "type_declaration",
    "type_definition",
    "variable_declaration",
];
/// What defines a function where its value is one.
const VALUES: [&str; 5] =
    ["assignment_expression", "field_definition", "pair", "public_field_definition", "variable_declarator"];
/// What may be exported without a name.
const EXPORTED: [&str; 4] = ["arrow_function", "class", "function_expression", "generator_function"];
/// What else is called as it begins, where it has no name.
const NAMELESS: [&str; 3] = ["conversion_operator_declaration", "impl_item", "operator_declaration"];
/// Shorter definitions stay in the text around them. What stands above a function or type counts, but not above a value: it
/// would be longer than the value.
const LEAST_LINES: usize = 2;
const LEAST_LINES_OF_VALUE: usize = 3;
/// The most characters of a section's title.
const LONGEST_TITLE: usize = 120;
/// Definitions in definitions are sections so deep.
const DEEPEST: u8 = 6;

/// A definition that becomes a section.
#[derive(Debug)]
struct Definition {
    title: String,
    /// From 1.
    level: u8,
    /// The first line, with what stands above the definition and belongs to it.
    first: usize,
    /// The line after the last.
    end: usize,
}

/// Reads source code of a language.
///
/// # Errors
/// If the parser gives up.
pub fn parse(text: &str, format: Format) -> Result<Document> {
    let mut document = Document::new(format, "tree-sitter");
    let lines: Vec<&str> = text.lines().collect();
    let mut sections = definitions(text, format)?;
    begin_between(&mut sections, &lines);
    sections.extend(tail(&sections, &lines));
    let ends: Vec<usize> = sections.iter().map(|section| section.first).chain([lines.len()]).collect();
    document.blocks = lines_to_blocks(&lines[..ends[0]].join("\n"), None);
    for (section, end) in sections.iter().zip(&ends[1..]) {
        document.blocks.push(Block::heading(section.level, section.title.as_str()));
        document.blocks.extend(lines_to_blocks(&lines[section.first..*end].join("\n"), None));
    }
    Ok(document)
}

fn grammars(format: Format) -> Vec<Language> {
    match format {
        Format::C => vec![tree_sitter_c::LANGUAGE.into()],
        Format::Cpp => vec![tree_sitter_cpp::LANGUAGE.into()],
        Format::CSharp => vec![tree_sitter_c_sharp::LANGUAGE.into()],
        Format::Go => vec![tree_sitter_go::LANGUAGE.into()],
        Format::Java => vec![tree_sitter_java::LANGUAGE.into()],
        Format::JavaScript => vec![tree_sitter_javascript::LANGUAGE.into()],
        Format::Php => vec![tree_sitter_php::LANGUAGE_PHP.into()],
        Format::Python => vec![tree_sitter_python::LANGUAGE.into()],
        Format::Rust => vec![tree_sitter_rust::LANGUAGE.into()],
        // With elements of JSX only the second one goes; with casts in angle brackets, the first.
        Format::TypeScript => {
            vec![tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), tree_sitter_typescript::LANGUAGE_TSX.into()]
        }
        _ => Vec::new(),
    }
}

/// The definitions in the order in which they begin.
fn definitions(text: &str, format: Format) -> Result<Vec<Definition>> {
    let gave_up = || Error::failed("the parser of its language gives up").hint("read it with `--as text`");
    let mut parsed = None;
    for grammar in grammars(format) {
        let mut parser = Parser::new();
        parser
            .set_language(&grammar)
            .map_err(|error| Error::failed(format!("cannot read {}: {error}", format.name())))?;
        let tree = parser.parse(text, None).ok_or_else(gave_up)?;
        let is_whole = !tree.root_node().has_error();
        if is_whole || parsed.is_none() {
            parsed = Some(tree);
        }
        if is_whole {
            break;
        }
    }
    let tree = parsed.ok_or_else(gave_up)?;
    let mut found = Found { text, all: Vec::new() };
    found.walk(&mut tree.walk());
    Ok(found.all)
}

struct Found<'t> {
    text: &'t str,
    all: Vec<Definition>,
}

impl Found<'_> {
    /// Goes through all nodes but those in functions. Not by recursion: hostile code is nested without an end.
    fn walk(&mut self, cursor: &mut TreeCursor<'_>) {
        // How many of the nodes above are sections, and for each node above whether it is one and what is around it.
        let mut level: u8 = 0;
        let mut above: Vec<(bool, Siblings)> = Vec::new();
        let mut siblings = Siblings::default();
        loop {
            let node = cursor.node();
            let first = siblings.first_line(node);
            let is_section = level < DEEPEST && self.take(node, level + 1, first, siblings.exports);
            let goes_in = !(is_section && is_function(node));
            if goes_in && cursor.goto_first_child() {
                let inside = match AROUND.contains(&node.kind()) {
                    true => Siblings {
                        around: true,
                        exports: node.kind() == "export_statement",
                        lead: Some((first, node.start_position().row)),
                        end: None,
                    },
                    false => Siblings::default(),
                };
                above.push((is_section, std::mem::replace(&mut siblings, inside)));
                level += u8::from(is_section);
                continue;
            }
            siblings.pass(node);
            while !cursor.goto_next_sibling() {
                let Some((was_section, outside)) = above.pop() else { return };
                level -= u8::from(was_section);
                siblings = outside;
                cursor.goto_parent();
                siblings.pass(cursor.node());
            }
        }
    }

    /// Takes a node where it is a definition of its own, which begins on the line `first` with what stands above it.
    fn take(&mut self, node: Node<'_>, level: u8, first: usize, is_exported: bool) -> bool {
        let end = last_line(node) + 1;
        // Of several definitions on a line the first one is a section.
        let is_below_last = self.all.last().is_none_or(|last| last.first < first);
        let is_value = ["const_item", "static_item", "property_declaration"].contains(&node.kind());
        let is_long = match is_value {
            true => end - node.start_position().row >= LEAST_LINES_OF_VALUE,
            false => end - first >= LEAST_LINES,
        };
        if !is_definition(node, is_exported) || !is_long || !is_below_last {
            return false;
        }
        let Some(title) = self.title(node) else { return false };
        self.all.push(Definition { title, level, first, end });
        true
    }

    /// The name, behind the type that a method of Go is of; for some without a name, what stands in front of the body.
    fn title(&self, node: Node<'_>) -> Option<String> {
        let text = |node: Node<'_>| self.text.get(node.byte_range()).unwrap_or_default();
        let named = ["name", "left", "property", "key"].into_iter().find_map(|field| node.child_by_field_name(field));
        let title = match (named, declared(node)) {
            (Some(name), _) => match (node.child_by_field_name("receiver"), node.kind()) {
                (Some(receiver), _) => {
                    let receiver = text(receiver).trim_matches(['(', ')']).split('[').next().unwrap_or_default();
                    let of = receiver.rsplit([' ', '*']).next().unwrap_or_default();
                    format!("{of}.{}", text(name))
                }
                (None, "destructor_declaration") => format!("~{}", text(name)),
                (None, _) => text(name).trim_matches(['"', '\'']).to_owned(),
            },
            (None, Some(declared)) => {
                let name = text(declared);
                // A macro defines it, such as TEST: what tells is between its brackets.
                let is_macro = node.child_by_field_name("type").is_none()
                    && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
                match node.child_by_field_name("declarator").filter(|_| is_macro) {
                    Some(whole) => text(whole).to_owned(),
                    None => name.to_owned(),
                }
            }
            (None, None) if NAMELESS.contains(&node.kind()) || EXPORTED.contains(&node.kind()) => {
                let body = node.child_by_field_name("body")?;
                self.text.get(node.start_byte()..body.start_byte())?.to_owned()
            }
            (None, None) => return None,
        };
        let title = truncate(&squeeze(&title), LONGEST_TITLE);
        (!title.is_empty()).then_some(title)
    }
}

/// The name in the declarator of a function of C or C++, which pointers, references, brackets and parameters stand around.
fn declared(node: Node<'_>) -> Option<Node<'_>> {
    let mut declared = node.child_by_field_name("declarator")?;
    while declared.kind() != "operator_cast" {
        let inner = match declared.kind() {
            "reference_declarator" | "parenthesized_declarator" => declared.named_child(0),
            _ => declared.child_by_field_name("declarator"),
        };
        let Some(inner) = inner else { break };
        declared = inner;
    }
    Some(declared)
}

/// `is_exported` is for what stands directly in an export, which may have no name.
fn is_definition(node: Node<'_>, is_exported: bool) -> bool {
    let kind = node.kind();
    match kind {
        _ if is_exported && EXPORTED.contains(&kind) => true,
        _ if VALUES.contains(&kind) => {
            ["value", "right"].into_iter().find_map(|field| node.child_by_field_name(field)).is_some_and(is_function)
        }
        // `mod x;` and `struct x y` define nothing here; the root of Python is a module too.
        "mod_item" | "module" | "struct_specifier" | "class_specifier" | "enum_specifier" | "union_specifier" => {
            node.child_by_field_name("body").is_some()
        }
        _ => node.is_named() && DEFINITIONS.contains(&kind),
    }
}

/// Whether a node holds statements: what is defined among them is of no use elsewhere.
fn is_function(node: Node<'_>) -> bool {
    let kind = node.kind();
    VALUES.contains(&kind) || ["function", "method", "structor", "operator"].iter().any(|part| kind.contains(part))
}

/// The last line of a node. A comment of Rust ends at the beginning of the next line.
fn last_line(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 { end.row.saturating_sub(1).max(node.start_position().row) } else { end.row }
}

/// What stands in front of a node, in the node that holds both.
#[derive(Debug, Default)]
struct Siblings {
    /// Whether the node that holds them is [around](AROUND) one definition.
    around: bool,
    /// Whether that node is an export.
    exports: bool,
    /// The first and the last line of comments and attributes that nothing else follows.
    lead: Option<(usize, usize)>,
    /// The last line of the sibling before.
    end: Option<usize>,
}

impl Siblings {
    /// The first line of the next node with the comments and attributes above it.
    fn first_line(&self, node: Node<'_>) -> usize {
        let row = node.start_position().row;
        self.lead.filter(|(_, last)| last + 1 >= row).map_or(row, |(first, _)| first)
    }

    fn pass(&mut self, node: Node<'_>) {
        let (kind, end) = (node.kind(), last_line(node));
        let leads = ["comment", "attribute", "decorator"].iter().any(|part| kind.contains(part));
        // A comment behind code is about that.
        let begins_line = self.end.is_none_or(|before| before < node.start_position().row);
        // What stands around several definitions leads the first.
        let leads_on = self.around && !is_definition(node, self.exports);
        self.lead = (leads_on || leads && begins_line).then(|| (self.first_line(node), end));
        self.end = Some(end);
    }
}

/// Lets a section begin where the one before it ends: what stands between two definitions of the same level is about the
/// second one. What stands in front of the first of several is about all of them.
fn begin_between(sections: &mut [Definition], lines: &[&str]) {
    let mut open: Vec<usize> = Vec::new();
    for section in sections {
        let first = section.first;
        // The last end of the definitions that end in front of this one. In broken code they need not be nested.
        let mut from = None;
        while let Some(end) = open.pop_if(|end| *end <= first) {
            from = from.max(Some(end));
        }
        open.push(section.end);
        if let Some(from) = from {
            section.first = from + closing(&lines[from..first]);
        }
    }
}

/// A section of the code behind the last definition, with its first line as title. Comments alone make no section.
fn tail(sections: &[Definition], lines: &[&str]) -> Option<Definition> {
    let end = sections.iter().map(|section| section.end).max()?;
    let first = end + closing(lines.get(end..)?);
    let is_comment = |line: &&str| ["//", "/*", "*", "#"].iter().any(|mark| line.trim_start().starts_with(mark));
    let title = lines[first..].iter().find(|line| !line.trim().is_empty() && !is_comment(line))?;
    let title = truncate(&squeeze(title), LONGEST_TITLE);
    Some(Definition { title, level: 1, first, end: lines.len() })
}

/// How many lines are blank or only close what is open.
fn closing(lines: &[&str]) -> usize {
    let is_closing = |c: char| c.is_whitespace() || matches!(c, ')' | ']' | '}' | ';' | ',');
    let closes = |line: &&&str| line.chars().all(is_closing) || line.trim_start().starts_with("#endif");
    lines.iter().take_while(closes).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::BlockKind;

    /// The sections as `level title`, and the lines of each.
    fn sections(text: &str, format: Format) -> Vec<(String, Vec<String>)> {
        let mut sections = vec![(String::new(), Vec::new())];
        for block in parse(text, format).unwrap().blocks {
            match block.kind {
                BlockKind::Heading(level) => sections.push((format!("{level} {}", block.text), Vec::new())),
                _ => sections.last_mut().unwrap().1.push(block.text),
            }
        }
        sections
    }

    fn titles(text: &str, format: Format) -> Vec<String> {
        sections(text, format).into_iter().skip(1).map(|(title, _)| title).collect()
    }

    #[test]
    fn each_language_gives_its_definitions() {
        for (format, text, wanted) in [
            (
                Format::C,
                "typedef struct {\n int a;\n int b;\n} pump_t;\n\nstatic int *prime(pump_t *p)\n{\n return 0;\n}\n",
                &["1 pump_t", "1 prime"][..],
            ),
            (
                Format::Cpp,
                "namespace yard {\ntemplate <class T>\nclass Pump {\n void prime() {\n  run();\n }\n};\nvoid Pump::stop() {\n halt();\n}\n}\n",
                &["1 yard", "2 Pump", "3 prime", "2 Pump::stop"],
            ),
            (
                Format::CSharp,
                "namespace Yard {\n/// A pump.\npublic class Pump {\n  public Pump() {\n    Run();\n  }\n  public int Prime(int x) {\n    return x;\n  }\n}\n}\n",
                &["1 Yard", "2 Pump", "3 Pump", "3 Prime"],
            ),
            (
                Format::Go,
                "package yard\n\ntype Pump struct {\n\tLitres int\n}\n\nfunc (p *Pump) Prime() error {\n\treturn nil\n}\n\nfunc main() {\n\trun()\n}\n",
                &["1 Pump", "1 Pump.Prime", "1 main"],
            ),
            (
                Format::Java,
                "package yard;\n\npublic class Pump {\n  @Override\n  public void prime() {\n    run();\n  }\n}\n",
                &["1 Pump", "2 prime"],
            ),
            (
                Format::JavaScript,
                "export class Pump {\n  prime() {\n    run();\n  }\n}\nexport const stop = async (pump) => {\n  halt(pump);\n};\nstart();\n",
                &["1 Pump", "2 prime", "1 stop", "1 start();"],
            ),
            (
                Format::Php,
                "<?php\nnamespace Yard;\n\nclass Pump {\n  public function prime($x) {\n    return $x;\n  }\n}\n",
                &["1 Pump", "2 prime"],
            ),
            (
                Format::Python,
                "import os\n\n\n@dataclass\nclass Pump:\n    litres: int\n\n    def prime(self):\n        # slowly\n        return 1\n\n\nif __name__ == \"__main__\":\n    run()\n",
                &["1 Pump", "2 prime", "1 if __name__ == \"__main__\":"],
            ),
            (
                Format::Rust,
                "mod other;\n/// A pump.\nstruct Pump {\n    litres: u32,\n}\n\nimpl Display for Pump {\n    #[inline]\n    fn fmt(&self) {\n        run()\n    }\n}\n",
                &["1 Pump", "1 impl Display for Pump", "2 fmt"],
            ),
            (
                Format::TypeScript,
                "interface Pump {\n  litres: number;\n}\nexport function View(p: Pump) {\n  return <div>{p.litres}</div>;\n}\n",
                &["1 Pump", "1 View"],
            ),
            (
                Format::TypeScript,
                "export abstract class Pump {\n  prime(): void {\n    run(<any>this);\n  }\n}\n",
                &["1 Pump", "2 prime"],
            ),
        ] {
            assert_eq!(titles(text, format), wanted, "{format:?}");
        }
    }

    #[test]
    fn what_has_no_plain_name_is_called_as_people_do() {
        for (format, text, wanted) in [
            (
                Format::Cpp,
                "std::vector<int>& refs() {\n}\nint (*lookup(int x))(int) {\n}\nTEST_F(PumpTest, Primes) {\n}\nstruct P {\n operator bool() const {\n }\n};\n#endif\n// end\n",
                &["1 refs", "1 lookup", "1 TEST_F(PumpTest, Primes)", "1 P", "2 operator bool() const"][..],
            ),
            (
                Format::CSharp,
                "class P {\n ~P() {\n }\n public static P operator +(P a, P b) {\n }\n}\n",
                &["1 P", "2 ~P", "2 public static P operator +(P a, P b)"],
            ),
            (
                Format::Go,
                "type (\n\tA struct {\n\t\tx int\n\t}\n\t// B is b.\n\tB struct {\n\t\ty int\n\t}\n)\n\nfunc (l *List[K, V]) Get() {\n}\n",
                &["1 A", "1 B", "1 List.Get"],
            ),
            (
                Format::JavaScript,
                "export default class extends Base {\n run() {\n }\n}\nexports.stop = function () {\n};\nmodule.exports = {\n bar: () => {\n },\n};\n",
                &["1 class extends Base", "2 run", "1 exports.stop", "1 bar"],
            ),
            (
                Format::JavaScript,
                "export default function () {\n}\nexport const a = () => {\n}, b = () => {\n};\n",
                &["1 function ()", "1 a", "1 b"],
            ),
            (
                Format::TypeScript,
                "declare module 'yard' {\n  x: 1;\n}\nclass P {\n  save = async () => {\n  };\n}\n",
                &["1 yard", "1 P", "2 save"],
            ),
            (Format::Python, "def main():\n    run()\n\ndef usage():\n    say()\n", &["1 main", "1 usage"]),
        ] {
            assert_eq!(titles(text, format), wanted, "{format:?}");
        }
    }

    #[test]
    fn a_section_begins_with_what_is_said_about_it() {
        let text = "// Pumps of the yard.\n\nuse std::fmt;\n\nconst A: u32 = 1; // of a\n/// Primes.\n///\n/// Slowly.\n#[must_use]\nfn prime() {\n    \
                    fill();\n}\n\n/// The most.\nconst MOST: u32 = 3;\n\nfn stop() {\n    halt();\n}\n";
        let found = sections(text, Format::Rust);
        let first = |title: &str| found.iter().find(|(own, _)| own == title).unwrap().1[0].clone();
        assert_eq!(found[0].1, ["// Pumps of the yard.", "use std::fmt;", "const A: u32 = 1; // of a"]);
        assert_eq!((first("1 prime").as_str(), first("1 stop").as_str()), ("/// Primes.", "/// The most."));
    }

    #[test]
    fn a_comment_is_not_torn_apart() {
        let text = "class A {\n  void f() {\n    x();\n  }\n\n  /**\n   * The most.\n   */\n  static final int MOST = 3;\n\n  void g() {\n    y();\n  }\n}\n";
        let found = sections(text, Format::Java);
        assert_eq!(found[2].1.last().unwrap(), "  }");
        assert_eq!(found[3].1[0], "  /**");
    }

    #[test]
    fn members_behind_the_last_method_stay_in_their_class() {
        let text = "class A {\n void f() {\n  run();\n }\n int x;\n};\n\nclass B {\n int y;\n int z;\n};\n";
        let found = sections(text, Format::Cpp);
        assert_eq!(
            found[2],
            ("2 f".to_owned(), [" void f() {", "  run();", " }", " int x;", "};"].map(str::to_owned).to_vec())
        );
        assert_eq!(found[3].1[0], "class B {");
    }

    #[test]
    fn every_line_is_in_a_section_whatever_the_code_is() {
        let deep = format!("{}fn x() {{\n\n}}\n{}", "mod a {\n".repeat(300), "}\n".repeat(300));
        let shared = "tef struct {\n int b;\n} A： struct {\n int b;\n} pump4ypedef struct {\n int ;}\nbt0 A： struct {\n int b;\n} pump4\n";
        for text in [shared, "", "}{ fn (", "fn a() {}fn b() {}\n", "\u{feff}fn 泵() {\n\n}\n", deep.as_str()] {
            for format in [Format::C, Format::Rust, Format::Python, Format::CSharp, Format::TypeScript] {
                let lines: Vec<String> = sections(text, format).into_iter().flat_map(|(_, lines)| lines).collect();
                let wanted: Vec<&str> =
                    text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
                assert_eq!(lines, wanted, "{format:?} {text:.40}");
            }
        }
    }
}
