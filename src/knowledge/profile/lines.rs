//! Splits a parent chunk into lines by form: steps, entries, rows, code, questions, prose.

use crate::text::han::ONE_TO_TEN;
use crate::text::{first_chars, join_line};

/// The most characters in the head of an entry (`timeout:`, `-v, --verbose`) …
const LONGEST_HEAD: usize = 44;
/// … and its most words.
const MOST_WORDS_IN_HEAD: usize = 5;
/// A shorter line that ends a sentence ends its paragraph.
const FULL_LINE: usize = 40;
/// The least share of code characters in a line of code, in per cent.
const CODE_PERCENT: usize = 12;
/// The most code characters in a name: `work_mem (integer)`.
const MOST_SIGNS_OF_A_NAME: usize = 4;
/// The fewest lines of code with explanations that make a list.
const LEAST_EXPLAINED: usize = 2;
/// Characters of a line that are read.
const LONGEST_LINE: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A numbered item: `1.`, `(2)`, `Step 3`, `第三步`.
    Step,
    /// An item with a bullet.
    Bullet,
    /// A row of a table.
    Row,
    /// Program text, a command, input for a typesetter.
    Code,
    /// A name and its meaning.
    Entry,
    /// A question of a list of questions.
    Question,
    /// Its answer.
    Answer,
    /// Any other text, with the lines of a paragraph joined.
    Prose,
}

/// A line, or several that one paragraph was broken into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub form: Form,
    /// Without number, bullet or mark.
    pub text: String,
    /// Its characters without white space.
    pub size: usize,
}

pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    let (mut fenced, mut broken) = (false, true);
    let mut last_width = 0;
    for raw in text.lines() {
        let line = raw.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            (fenced, broken) = (!fenced, true);
            continue;
        }
        if line.is_empty() {
            broken = true;
            continue;
        }
        let line = first_chars(line, LONGEST_LINE);
        let (form, words) = if fenced { (Form::Code, line) } else { form_of(line) };
        if form == Form::Row && is_rule(words) {
            continue;
        }
        let indented = raw.starts_with([' ', '\t']);
        let size = words.chars().filter(|c| !c.is_whitespace()).count();
        let width = line.chars().count();
        let open = out.last_mut().filter(|_| !broken && form == Form::Prose);
        match open {
            // An indented text below a short line explains it.
            Some(last) if indented && last.form == Form::Prose && is_head(&last.text) => {
                last.form = Form::Entry;
                last.text = format!("{}: {words}", last.text);
                last.size += size;
            }
            Some(last) if goes_on(last, last_width, indented) => {
                join_line(&mut last.text, words);
                last.size += size;
            }
            _ => out.push(Line { form, text: words.to_owned(), size }),
        }
        (last_width, broken) = (width, false);
    }
    explained(out)
}

/// Turns single lines of code, each explained by the next line, into entries: a list of functions. A line after a colon
/// is an example and stays code.
fn explained(mut lines: Vec<Line>) -> Vec<Line> {
    let announced = |i: usize| i > 0 && lines[i - 1].text.ends_with([':', '：']);
    let form = |i: usize| lines.get(i).map(|line| line.form);
    let single = |i: usize| form(i) == Some(Form::Code) && (i == 0 || form(i - 1) != Some(Form::Code)) && !announced(i);
    let heads: Vec<usize> = (0..lines.len()).filter(|&i| single(i) && form(i + 1) == Some(Form::Prose)).collect();
    if heads.len() >= LEAST_EXPLAINED {
        for head in heads {
            lines[head].form = Form::Entry;
            lines[head + 1].form = Form::Entry;
        }
    }
    lines
}

/// Whether a line of prose continues the line before it.
fn goes_on(last: &Line, last_width: usize, indented: bool) -> bool {
    let ended = last.text.ends_with(['.', '。', '！', '？', '：', ':', '!', '?', '；']);
    match last.form {
        Form::Row | Form::Code => false,
        Form::Entry => indented,
        _ => indented || !ended || last_width >= FULL_LINE,
    }
}

/// The form of a line, and its words without the mark.
fn form_of(line: &str) -> (Form, &str) {
    if line.starts_with('|') {
        return (Form::Row, line);
    }
    if let Some(words) = after_mark(line, &["Q:", "Q.", "问：", "问:", "Ｑ：", "Q：", "问题："]) {
        return (Form::Question, words);
    }
    if let Some(words) = after_mark(line, &["A:", "A.", "答：", "答:", "Ａ：", "A："]) {
        return (Form::Answer, words);
    }
    if let Some(words) = step(line) {
        return (Form::Step, words);
    }
    if let Some(words) = after_mark(line, &["- ", "* ", "• ", "•", "‣ ", "◦ ", "– ", "● ", "■ ", "· "]) {
        let form = if entry(words) || begins_with_name(words) { Form::Entry } else { Form::Bullet };
        return (form, words);
    }
    if is_code(line) {
        return (Form::Code, line);
    }
    if entry(line) || begins_with_name(line) {
        return (Form::Entry, line);
    }
    (Form::Prose, line)
}

fn after_mark<'t>(line: &'t str, marks: &[&str]) -> Option<&'t str> {
    marks.iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim_start)
}

/// The text after the number of a numbered item.
fn step(line: &str) -> Option<&str> {
    let lower = line.get(..5).map(str::to_ascii_lowercase);
    if lower.as_deref() == Some("step ") {
        let rest = line[5..].trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        return Some(rest.trim_start_matches(['.', ':', ')', ' ', '–', '-']));
    }
    if let Some(rest) = line.strip_prefix('第') {
        let rest = rest.trim_start_matches(|c: char| ONE_TO_TEN.contains(c) || c.is_ascii_digit());
        return rest.strip_prefix('步').map(|rest| rest.trim_start_matches(['，', '：', '、', ':', ' ']));
    }
    if let Some(rest) = line.strip_prefix(['①', '②', '③', '④', '⑤', '⑥', '⑦', '⑧', '⑨', '⑩']) {
        return Some(rest.trim_start());
    }
    let bracketed = line.starts_with(['(', '（']);
    let inner = line.trim_start_matches(['(', '（']);
    let digits = inner.trim_start_matches(|c: char| c.is_ascii_digit() || ONE_TO_TEN.contains(c));
    let number = inner.len() - digits.len();
    if number == 0 || number > 6 {
        return None;
    }
    let rest = if bracketed {
        digits.strip_prefix([')', '）'])?
    } else if inner.starts_with(|c: char| c.is_ascii_digit()) {
        let rest = digits.strip_prefix([')', '）', '、', '．']).or_else(|| digits.strip_prefix(". "));
        rest.or_else(|| digits.strip_prefix('.').filter(|rest| rest.starts_with(crate::text::is_wide)))?
    } else {
        digits.strip_prefix('、')?
    };
    Some(rest.trim_start())
}

/// Whether a line is a name and its meaning.
fn entry(line: &str) -> bool {
    let wide = line.find("  ").or_else(|| line.find('\t')).map(|at| (at, at));
    let colon = line.find(": ").map(|at| (at, at + 1)).or_else(|| line.find('：').map(|at| (at, at + '：'.len_utf8())));
    let dash = [" – ", " — ", " = "].iter().find_map(|dash| line.find(dash).map(|at| (at, at + dash.len())));
    [wide, colon, dash].into_iter().flatten().any(|(at, behind)| {
        is_head(&line[..at])
            && line[behind..].trim().chars().count() > 1
            && !line[behind..].trim_start().starts_with('|')
    })
}

/// Whether a line begins with a command or an option and words follow: `\\textwidth Width of the text`.
fn begins_with_name(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return false };
    let first = first.trim_start_matches('*');
    let command = first.strip_prefix('\\').is_some_and(|name| name.starts_with(char::is_alphabetic));
    let option = first.starts_with("--") || (first.starts_with('-') && first.chars().count() == 2);
    let default = first.starts_with('[') && first.contains(']');
    (command || option || default) && words.take(2).filter(|word| word.chars().any(char::is_alphabetic)).count() > 0
}

/// Whether words can be the head of an entry: few, and not a sentence.
fn is_head(words: &str) -> bool {
    let words = words.trim();
    let announces = ["example", "examples", "note", "例", "例子", "示例", "注", "结果", "说明"];
    !words.is_empty()
        && !announces.contains(&words.to_lowercase().as_str())
        && words.chars().count() <= LONGEST_HEAD
        && words.split_whitespace().count() <= MOST_WORDS_IN_HEAD
        && !words.ends_with(['.', '。', '？', '?', '!', '！', ','])
        && !words.contains(['，', '。', '；', ';'])
}

/// Whether a row separates the head of a table from its body.
fn is_rule(row: &str) -> bool {
    row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '=' | '+'))
}

fn is_code(line: &str) -> bool {
    if ["$ ", "# ", ">>> ", "> ", "% ", "// ", "/* "].iter().any(|prompt| line.starts_with(prompt)) {
        return true;
    }
    let entry = entry(line);
    if line.contains(crate::text::is_wide) && (entry || !line.starts_with(['\\', '<', '{'])) {
        return false;
    }
    let (mut signs, mut all) = (0, 0);
    for c in line.chars().filter(|c| !c.is_whitespace()) {
        all += 1;
        signs += usize::from(matches!(
            c,
            '{' | '}' | '(' | ')' | '[' | ']' | ';' | '=' | '<' | '>' | '\\' | '$' | '&' | '_' | '"'
        ));
    }
    let ends_like_code = line.ends_with(['{', '}', ';', '\\']) || line.ends_with("):") || line.ends_with("\\hline");
    let opens = ["\\begin{", "\\end{", "#include", "import ", "def ", "</", "<?"];
    // Few code characters may be a name with brackets, the head of an entry.
    let dense = signs * 100 >= all * CODE_PERCENT && signs > MOST_SIGNS_OF_A_NAME && !line.ends_with('.') && !entry;
    dense || (ends_like_code && signs > 0) || opens.iter().any(|o| line.starts_with(o))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forms(text: &str) -> Vec<(Form, String)> {
        lines(text).into_iter().map(|line| (line.form, line.text)).collect()
    }

    fn form(line: &str) -> Form {
        forms(line)[0].0
    }

    #[test]
    fn numbers_of_many_kinds_are_steps() {
        let steps = "1. Open it|2) Close it|(3) wait|Step 4. Go|第五步，打开|（6）关闭|七、结束|⑧ 完|9.打开";
        for line in steps.split('|') {
            assert_eq!(form(line), Form::Step, "{line}");
        }
        for line in ["1.5 bar at most", "2024 was dry", "(see below)", "第三章"] {
            assert_ne!(form(line), Form::Step, "{line}");
        }
    }

    #[test]
    fn entries_rows_code_and_questions_differ() {
        assert_eq!(form("timeout: seconds before it gives up"), Form::Entry);
        assert_eq!(form("超时：单位秒"), Form::Entry);
        assert_eq!(form("Ctrl+N  New document"), Form::Entry);
        assert_eq!(form("| a | b |"), Form::Row);
        assert_eq!(form("for (i = 0; i < n; i++) {"), Form::Code);
        assert_eq!(form("$ kb search pump"), Form::Code);
        assert_eq!(form("Q: Why?"), Form::Question);
        assert_eq!(form("答：因为。"), Form::Answer);
        assert_eq!(form("- open the valve"), Form::Bullet);
        assert_eq!(form("It runs (mostly) well."), Form::Prose);
    }

    #[test]
    fn explained_functions_are_entries_and_examples_are_not() {
        let list = "int length(path p, bool b);\n\nThis is how many segments it has.\n\nint size(path p, bool b);\n\nThis is more.";
        assert!(lines(list).iter().all(|line| line.form == Form::Entry), "{:?}", lines(list));
        let example =
            "For example:\n\nshipout(bbox(0.25cm), 2);\n\nThis draws.\n\nWrite:\n\nshipout(bbox(0.5cm), 2);\n\nDone.";
        assert!(lines(example).iter().all(|line| line.form != Form::Entry), "{:?}", lines(example));
        assert_eq!(form("\\textwidth Width of the text"), Form::Entry);
        assert_eq!(form("• --verbose Says more"), Form::Entry);
    }

    #[test]
    fn broken_lines_are_joined_and_explanations_follow_their_names() {
        assert_eq!(
            forms("The pump was started and\nran.\n\nNew"),
            [(Form::Prose, "The pump was started and ran.".to_owned()), (Form::Prose, "New".to_owned()),]
        );
        assert_eq!(
            forms("work_mem (integer)\n    Memory for a sort."),
            [(Form::Entry, "work_mem (integer): Memory for a sort.".to_owned())]
        );
        assert_eq!(forms("泵站\n维护"), [(Form::Prose, "泵站维护".to_owned())]);
    }

    proptest! {
        #[test]
        fn anything_has_lines(text in "(\\PC|\n){0,200}") {
            let size: usize = lines(&text).iter().map(|line| line.size).sum();
            prop_assert!(size <= text.chars().count());
        }
    }
}
