//! Source code, through `tree-sitter`: each definition is a section with its name, and definitions inside it are below
//! it.
//!
//! Lines stay as they are; blank ones are left out. A section begins with the comments and attributes above its
//! definition.

mod definitions;

use super::plain::lines_to_blocks;
use super::{Block, Document, Format};
use crate::text::{squeeze, truncate};
use definitions::{Definition, LONGEST_TITLE, definitions};

/// Reads source code of a language.
pub fn parse(text: &str, format: Format) -> Document {
    let mut document = Document::new(format, "tree-sitter");
    let lines: Vec<&str> = text.lines().collect();
    let mut sections = definitions(text, format);
    begin_between(&mut sections, &lines);
    sections.extend(tail(&sections, &lines));
    let ends: Vec<usize> = sections.iter().map(|section| section.first).chain([lines.len()]).collect();
    document.blocks = lines_to_blocks(&lines[..ends[0]].join("\n"), None);
    for (section, end) in sections.iter().zip(&ends[1..]) {
        document.blocks.push(Block::heading(section.level, section.title.as_str()));
        document.blocks.extend(lines_to_blocks(&lines[section.first..*end].join("\n"), None));
    }
    document
}

/// Lets a section begin where the one before it ends, because the text between two definitions is about the second one.
/// The text before the first of several is about all of them.
fn begin_between(sections: &mut [Definition], lines: &[&str]) {
    let mut open: Vec<usize> = Vec::new();
    for section in sections {
        let first = section.first;
        // The last end of the definitions that end before this one. In broken code they may overlap.
        let mut from = None;
        while let Some(end) = open.pop_if(|end| *end <= first) {
            from = from.max(Some(end));
        }
        open.push(section.end);
        section.first = from.map_or(first, |from| from + closing(&lines[from..first]));
    }
}

/// A section for the code after the last definition, titled by its first line. Comments alone make no section.
fn tail(sections: &[Definition], lines: &[&str]) -> Option<Definition> {
    let end = sections.iter().map(|section| section.end).max()?;
    let first = end + closing(lines.get(end..)?);
    let is_comment = |line: &&str| ["//", "/*", "*", "#"].iter().any(|mark| line.trim_start().starts_with(mark));
    let title = lines[first..].iter().find(|line| !line.trim().is_empty() && !is_comment(line))?;
    let title = truncate(&squeeze(title), LONGEST_TITLE);
    Some(Definition { title, level: 1, first, end: lines.len() })
}

/// The number of leading lines that are blank or only close brackets or conditions.
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
        for block in parse(text, format).blocks {
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

    /// Checks cases of a language, the titles of its sections, and below them the code.
    fn assert_titles(cases: &[&str]) {
        for case in cases {
            let (head, code) = case.split_once('\n').unwrap();
            let (language, wanted) = head.split_once(": ").unwrap();
            assert_eq!(titles(code, Format::from_name(language).unwrap()).join("|"), wanted, "{case}");
        }
    }

    #[test]
    fn each_language_gives_its_definitions() {
        assert_titles(&[
            "c: 1 pump_t|1 prime\ntypedef struct {\n int a;\n int b;\n} pump_t;\n\nstatic int *prime(pump_t *p)\n{\n return 0;\n}\n",
            "cpp: 1 yard|2 Pump|3 prime|2 Pump::stop\nnamespace yard {\ntemplate <class T>\nclass Pump {\n void prime() {\n  run();\n }\n};\nvoid Pump::stop() {\n halt();\n}\n}\n",
            "csharp: 1 Yard|2 Pump|3 Pump|3 Prime\nnamespace Yard {\n/// A pump.\npublic class Pump {\n  public Pump() {\n    Run();\n  }\n  public int Prime(int x) {\n    return x;\n  }\n}\n}\n",
            "go: 1 Pump|1 Pump.Prime|1 main\npackage yard\n\ntype Pump struct {\n\tLitres int\n}\n\nfunc (p *Pump) Prime() error {\n\treturn nil\n}\n\nfunc main() {\n\trun()\n}\n",
            "java: 1 Pump|2 prime\npackage yard;\n\npublic class Pump {\n  @Override\n  public void prime() {\n    run();\n  }\n}\n",
            "javascript: 1 Pump|2 prime|1 stop|1 start();\nexport class Pump {\n  prime() {\n    run();\n  }\n}\nexport const stop = async (pump) => {\n  halt(pump);\n};\nstart();\n",
            "php: 1 Pump|2 prime\n<?php\nnamespace Yard;\n\nclass Pump {\n  public function prime($x) {\n    return $x;\n  }\n}\n",
            "python: 1 Pump|2 prime|1 if __name__ == \"__main__\":\nimport os\n\n\n@dataclass\nclass Pump:\n    litres: int\n\n    def prime(self):\n        # slowly\n        return 1\n\n\nif __name__ == \"__main__\":\n    run()\n",
            "rust: 1 Pump|1 impl Display for Pump|2 fmt\nmod other;\n/// A pump.\nstruct Pump {\n    litres: u32,\n}\n\nimpl Display for Pump {\n    #[inline]\n    fn fmt(&self) {\n        run()\n    }\n}\n",
            "typescript: 1 Pump|1 View\ninterface Pump {\n  litres: number;\n}\nexport function View(p: Pump) {\n  return <div>{p.litres}</div>;\n}\n",
            "typescript: 1 Pump|2 prime\nexport abstract class Pump {\n  prime(): void {\n    run(<any>this);\n  }\n}\n",
        ]);
    }

    #[test]
    fn definitions_without_a_plain_name_get_a_readable_title() {
        assert_titles(&[
            "cpp: 1 refs|1 lookup|1 TEST_F(PumpTest, Primes)|1 P|2 operator bool() const\nstd::vector<int>& refs() {\n}\nint (*lookup(int x))(int) {\n}\nTEST_F(PumpTest, Primes) {\n}\nstruct P {\n operator bool() const {\n }\n};\n#endif\n// end\n",
            "csharp: 1 P|2 ~P|2 public static P operator +(P a, P b)\nclass P {\n ~P() {\n }\n public static P operator +(P a, P b) {\n }\n}\n",
            "go: 1 A|1 B|1 List.Get\ntype (\n\tA struct {\n\t\tx int\n\t}\n\t// B is b.\n\tB struct {\n\t\ty int\n\t}\n)\n\nfunc (l *List[K, V]) Get() {\n}\n",
            "javascript: 1 class extends Base|2 run|1 exports.stop|1 bar\nexport default class extends Base {\n run() {\n }\n}\nexports.stop = function () {\n};\nmodule.exports = {\n bar: () => {\n },\n};\n",
            "javascript: 1 function ()|1 a|1 b\nexport default function () {\n}\nexport const a = () => {\n}, b = () => {\n};\n",
            "typescript: 1 yard|1 P|2 save\ndeclare module 'yard' {\n  x: 1;\n}\nclass P {\n  save = async () => {\n  };\n}\n",
            "python: 1 main|1 usage\ndef main():\n    run()\n\ndef usage():\n    say()\n",
        ]);
    }

    #[test]
    fn a_section_begins_with_its_comments_and_attributes() {
        let text = "// Pumps of the yard.\n\nuse std::fmt;\n\nconst A: u32 = 1; // of a\n/// Primes.\n///\n/// Slowly.\n#[must_use]\nfn prime() {\n    \
                    fill();\n}\n\n/// The most.\nconst MOST: u32 = 3;\n\nfn stop() {\n    halt();\n}\n";
        let found = sections(text, Format::Rust);
        let first = |title: &str| found.iter().find(|(own, _)| own == title).unwrap().1[0].clone();
        assert_eq!(found[0].1, ["// Pumps of the yard.", "use std::fmt;", "const A: u32 = 1; // of a"]);
        assert_eq!((first("1 prime").as_str(), first("1 stop").as_str()), ("/// Primes.", "/// The most."));
    }

    #[test]
    fn a_comment_is_not_split() {
        let text = "class A {\n  void f() {\n    x();\n  }\n\n  /**\n   * The most.\n   */\n  static final int MOST = 3;\n\n  void g() {\n    y();\n  }\n}\n";
        let found = sections(text, Format::Java);
        assert_eq!(found[2].1.last().unwrap(), "  }");
        assert_eq!(found[3].1[0], "  /**");
    }

    #[test]
    fn members_after_the_last_method_stay_in_their_class() {
        let text = "class A {\n void f() {\n  run();\n }\n int x;\n};\n\nclass B {\n int y;\n int z;\n};\n";
        let found = sections(text, Format::Cpp);
        assert_eq!(found[2].0, "2 f");
        assert_eq!(found[2].1, [" void f() {", "  run();", " }", " int x;", "};"]);
        assert_eq!(found[3].1[0], "class B {");
    }

    #[test]
    fn every_line_is_in_a_section_for_any_code() {
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
