//! The definitions in source code, with their names and the comments above them.

use std::collections::HashSet;
use std::sync::LazyLock;

use tree_sitter::{Language, Node, Parser, Tree, TreeCursor};

use crate::load::Format;
use crate::text::{squeeze, truncate};

/// Node kinds that define something. A kind means the same in all grammars that have it.
const DEFINITIONS: &str = "abstract_class_declaration annotation_type_declaration class_declaration class_definition \
    class_specifier const_item constructor_declaration conversion_operator_declaration destructor_declaration \
    enum_declaration enum_item enum_specifier function_declaration function_definition function_item \
    generator_function_declaration impl_item interface_declaration internal_module macro_definition method_declaration \
    method_definition mod_item module namespace_declaration namespace_definition operator_declaration \
    property_declaration record_declaration static_item struct_declaration struct_item struct_specifier \
    trait_declaration trait_item type_alias_declaration type_definition type_spec union_item union_specifier";
static DEFINING: LazyLock<HashSet<&str>> = LazyLock::new(|| DEFINITIONS.split_whitespace().collect());
/// Node kinds that wrap a definition and begin before it.
const WRAPPERS: &str = "ambient_declaration decorated_definition export_statement expression_statement \
    lexical_declaration template_declaration type_declaration type_definition variable_declaration";
static WRAPPING: LazyLock<HashSet<&str>> = LazyLock::new(|| WRAPPERS.split_whitespace().collect());
/// Node kinds that define a function if their value is one.
const VALUES: [&str; 5] =
    ["assignment_expression", "field_definition", "pair", "public_field_definition", "variable_declarator"];
/// Node kinds that may be exported without a name.
const EXPORTED: [&str; 4] = ["arrow_function", "class", "function_expression", "generator_function"];
/// Other node kinds without a name: their title is the text before the body.
const NAMELESS: [&str; 3] = ["conversion_operator_declaration", "impl_item", "operator_declaration"];
/// Shorter definitions stay in the text around them. Lines above a function or type that belong to it count; lines
/// above a value do not, because they would outnumber its own.
const LEAST_LINES: usize = 2;
const LEAST_LINES_OF_VALUE: usize = 3;
/// The most characters of a section's title.
pub(super) const LONGEST_TITLE: usize = 120;
/// The deepest level of nested definitions that become sections.
const DEEPEST: u8 = 6;

/// A definition that becomes a section.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) title: String,
    /// From 1.
    pub(super) level: u8,
    /// The first line, including the comments and attributes above the definition.
    pub(super) first: usize,
    /// The line after the last.
    pub(super) end: usize,
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
        // Only the second reads elements of JSX, and only the first casts in angle brackets.
        Format::TypeScript => {
            vec![tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), tree_sitter_typescript::LANGUAGE_TSX.into()]
        }
        _ => Vec::new(),
    }
}

/// The definitions, in the order of their first lines.
pub(super) fn definitions(text: &str, format: Format) -> Vec<Definition> {
    let mut found = Found { text, all: Vec::new() };
    if let Some(tree) = tree(text, format) {
        found.walk(&mut tree.walk());
    }
    found.all
}

/// The tree of the first grammar that reads the text without an error, or else of the first.
fn tree(text: &str, format: Format) -> Option<Tree> {
    let mut trees = grammars(format).into_iter().filter_map(|grammar| {
        let mut parser = Parser::new();
        parser.set_language(&grammar).ok()?;
        parser.parse(text, None)
    });
    let first = trees.next()?;
    if !first.root_node().has_error() {
        return Some(first);
    }
    Some(trees.find(|tree| !tree.root_node().has_error()).unwrap_or(first))
}

struct Found<'t> {
    text: &'t str,
    all: Vec<Definition>,
}

impl Found<'_> {
    /// Visits all nodes outside of functions. Iterates, because hostile code nests without end.
    fn walk(&mut self, cursor: &mut TreeCursor<'_>) {
        // The number of ancestors that are sections; and for each ancestor, whether it is one, and its siblings.
        let mut level: u8 = 0;
        let mut above: Vec<(bool, Siblings)> = Vec::new();
        let mut siblings = Siblings::default();
        loop {
            let node = cursor.node();
            let first = siblings.first_line(node);
            let is_section = level < DEEPEST && self.take(node, level + 1, first, siblings.exports);
            let goes_in = !(is_section && is_function(node));
            if goes_in && cursor.goto_first_child() {
                let around = WRAPPING.contains(node.kind());
                let lead = around.then(|| (first, node.start_position().row));
                let inside = Siblings { around, exports: node.kind() == "export_statement", lead, end: None };
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

    /// Adds a node that is a definition of its own and returns whether it is. `first` includes the comments and
    /// attributes above.
    fn take(&mut self, node: Node<'_>, level: u8, first: usize, is_exported: bool) -> bool {
        let end = last_line(node) + 1;
        // Only the first definition on a line becomes a section.
        let is_below_last = self.all.last().is_none_or(|last| last.first < first);
        let is_value = ["const_item", "static_item", "property_declaration"].contains(&node.kind());
        let row = node.start_position().row;
        let is_long = if is_value { end - row >= LEAST_LINES_OF_VALUE } else { end - first >= LEAST_LINES };
        if !is_definition(node, is_exported) || !is_long || !is_below_last {
            return false;
        }
        let Some(title) = self.title(node) else { return false };
        self.all.push(Definition { title, level, first, end });
        true
    }

    /// The name; for a Go method after its type; for some nodes without a name the text before the body.
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
                // A macro such as TEST defines it: the name is among its arguments.
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

/// The name in a C or C++ declarator, inside of pointers, references, brackets and parameters.
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

/// `is_exported`: the node stands directly in an export, so it may have no name.
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
        _ => node.is_named() && DEFINING.contains(kind),
    }
}

/// Whether a node holds statements. Definitions among statements are local.
fn is_function(node: Node<'_>) -> bool {
    let kind = node.kind();
    VALUES.contains(&kind) || ["function", "method", "structor", "operator"].iter().any(|part| kind.contains(part))
}

/// The last line of a node. A comment of Rust ends at the beginning of the next line.
fn last_line(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 { end.row.saturating_sub(1).max(node.start_position().row) } else { end.row }
}

/// The siblings before a node.
#[derive(Debug, Default)]
struct Siblings {
    /// Whether their parent [wraps](WRAPPERS) a definition.
    around: bool,
    /// Whether their parent is an export.
    exports: bool,
    /// The first and the last line of the comments and attributes directly before the next node.
    lead: Option<(usize, usize)>,
    /// The last line of the previous sibling.
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
        // A comment after code on its line is about that code.
        let begins_line = self.end.is_none_or(|before| before < node.start_position().row);
        // In a wrapper, whatever stands before a definition belongs to it.
        let leads_on = self.around && !is_definition(node, self.exports);
        self.lead = (leads_on || leads && begins_line).then(|| (self.first_line(node), end));
        self.end = Some(end);
    }
}
