use super::*;
use crate::structure::Provenance;
use crate::structure::tests::{body, heading, line, page};

/// The level and the title of each heading: `2: Pumps`.
fn read(blocks: &[Block]) -> Vec<String> {
    find(blocks, &[], &[]).iter().map(|heading| format!("{}: {}", heading.level, heading.title)).collect()
}

fn titles(blocks: &[Block]) -> Vec<String> {
    find(blocks, &[], &[]).into_iter().map(|heading| heading.title).collect()
}

fn levels(blocks: &[Block], known: &[Heading]) -> Vec<u32> {
    find(blocks, &[], known).iter().map(|heading| heading.level).collect()
}

fn pages(parts: impl IntoIterator<Item = Vec<Block>>) -> Vec<Block> {
    parts.into_iter().zip(1..).flat_map(|(part, number)| page(number, [part])).collect()
}

fn under(heading: Block, topic: &str) -> Vec<Block> {
    [vec![heading], body(topic), body(topic)].concat()
}

#[test]
fn several_bold_lines_of_the_body_size_are_headings() {
    let part = |title: &str| [body("what was before"), under(heading(title, 10.0), title)].concat();
    let several = ["Pumps", "Motors", "Screens", "Valves"];
    assert_eq!(titles(&pages(several.map(part))), several);
    assert_eq!(titles(&pages(["Pumps", "Motors"].map(part))), [""; 0], "two bold lines are emphasis");
}

#[test]
fn two_titles_of_one_type_with_space_around_them_are_headings() {
    let part = |title: &str| [body("what was before"), under(heading(title, 10.0), title)].concat();
    let both = [body("what was before"), vec![heading("Risks", 10.0)], under(heading("Valves", 10.0), "valves")];
    let blocks = pages([part("Pumps"), part("Motors"), part("Screens"), both.concat()]);
    assert_eq!(titles(&blocks), ["Pumps", "Motors", "Screens", "Risks", "Valves"]);
}

#[test]
fn a_chapter_directly_above_a_numbered_section_of_its_type_is_a_heading() {
    let chapter = |(title, number): (&str, u32)| {
        let section = |n: u32| under(heading(&format!("{number}.{n} Section"), 14.0), title);
        [vec![heading(title, 14.0)], section(1), section(2)].concat()
    };
    let blocks = pages([("Overview", 1), ("Pumps", 2), ("Motors", 3)].map(chapter));
    let wanted = ["Overview", "1.1 Section", "1.2 Section", "Pumps", "2.1 Section", "2.2 Section"];
    assert_eq!(titles(&blocks)[..6], wanted);
    assert_eq!(titles(&blocks).len(), 9);
}

#[test]
fn sections_of_items_need_no_numbers() {
    let title = |text: &str| under(heading(text, 10.0), text);
    let item = |text: &str, below: [&str; 2]| [title(text), below.map(title).concat()].concat();
    let items = || {
        [
            item("Item 1. Business", ["Brands", "Competition"]),
            item("Item 2. Properties", ["Plants", "Offices"]),
            item("Item 3. Results", ["Gross margin", "Outlook"]),
        ]
    };
    let found = titles(&pages(items()));
    assert_eq!(found.len(), 9, "{found:?}");
    let exhibits = ["1. Statements", "2. Schedules", "3. Exhibits"].map(title).concat();
    assert_eq!(titles(&pages(items().into_iter().chain([exhibits.clone()]))).len(), 12, "a list at the end");
    let numbered = titles(&pages([exhibits].into_iter().chain(items())));
    assert!(!numbered.contains(&"Brands".to_owned()), "labels of a document with numbers: {numbered:?}");
}

#[test]
fn numbered_notes_of_a_report_are_above_their_parts() {
    let title = |text: &str| under(heading(text, 10.0), text);
    let note = |text: &str| [title(text), title("Policy"), title("Figures"), title("Outlook")].concat();
    let notes = |names: [&str; 3]| {
        let items = ["Item 7. Results", "Item 8. Accounts"].map(title).concat();
        pages([items].into_iter().chain(names.map(note)))
    };
    let found = notes(["Note 1. Basis", "Note 2. Leases", "Note 3. Debt"]);
    assert_eq!(levels(&found, &[]), [1, 1, 2, 3, 3, 3, 2, 3, 3, 3, 2, 3, 3, 3], "{:?}", titles(&found));
    let below_tables = titles(&notes(["Note 1. Rounded", "Note 2. Estimated", "Note 1. Unaudited"]));
    assert!(below_tables.iter().all(|title| !title.starts_with("Note")), "{below_tables:?}");
}

#[test]
fn of_two_types_of_one_weight_the_rarer_is_above() {
    let italic = |text: &str| {
        let mut line = heading(text, 12.0);
        line.style.as_mut().expect("a style").italic = true;
        under(line, text)
    };
    let part = |text: &str, below: [&str; 3]| {
        [italic(text), below.map(|title| under(heading(title, 12.0), title)).concat()].concat()
    };
    let parts = [part("Plant", ["Pumps", "Motors", "Screens"]), part("Repairs", ["Tools", "Parts", "Oil"])];
    assert_eq!(levels(&pages(parts), &[]), [1, 2, 2, 2, 1, 2, 2, 2]);
}

#[test]
fn chapters_behind_a_title_without_number_are_not_below_it() {
    let parts = ["Abstract", "1 Plant", "2 Pumps", "3 Motors", "4 Care", "References", "A Tools", "B Parts"];
    let blocks = pages(parts.map(|title| under(heading(title, 14.0), title)));
    assert_eq!(titles(&blocks), parts);
    assert_eq!(levels(&blocks, &[]), [1; 8]);
}

#[test]
fn a_number_in_the_type_of_text_goes_on_from_one_in_bold() {
    let part = |title: &str| match title.matches('.').count() {
        2 => under(line(title), title),
        1 => under(heading(title, 12.0), title),
        _ => under(heading(title, 14.0), title),
    };
    let below = ["1.1 水泵", "1.1.1 启动", "1.2 电机", "1.2.1 保养", "1.3 格栅", "1.3.1 清理", "1.4 阀门"];
    let parts: Vec<&str> = std::iter::once("1 泵站").chain(below).collect();
    let blocks = pages(parts.iter().copied().map(part));
    assert_eq!(titles(&blocks), parts);
    assert_eq!(levels(&blocks, &[]), [1, 2, 3, 2, 3, 2, 3, 2]);
}

#[test]
fn the_first_section_below_each_chapter_of_plain_text_is_found() {
    let titles = ["第1章 泵站", "1.1 水泵", "1.2 电机", "第2章 运行", "2.1 启动", "2.2 停止"];
    let under = |title: &str| [title, "泵站的供电来自两条线路。"].map(Block::paragraph);
    let found = read(&titles.map(under).concat());
    assert_eq!(found, ["1: 第1章 泵站", "2: 1.1 水泵", "2: 1.2 电机", "1: 第2章 运行", "2: 2.1 启动", "2: 2.2 停止"]);
}

#[test]
fn indented_articles_of_a_law_in_plain_text_are_headings() {
    let article = |number: &str| {
        let text = format!("　　第{number}条　{}", "当事人应当按照约定全面履行自己的义务。".repeat(3));
        Block::new(crate::load::BlockKind::Line, text, None)
    };
    let found = read(&["九百九十九", "一千", "一千零一"].map(article));
    assert_eq!(found, ["1: 第九百九十九条", "1: 第一千条", "1: 第一千零一条"]);
}

#[test]
fn captions_listings_and_list_items_are_not_headings() {
    let with = |more: Vec<Block>| {
        let part = |title: &str| under(heading(title, 14.0), title);
        let more = [body("a"), more, body("b")].concat();
        let blocks = pages([[part("Plant"), part("Pumps")].concat(), part("Motors"), more, part("Screens")]);
        titles(&blocks)
    };
    let known = ["Plant", "Pumps", "Motors", "Screens"];
    assert_eq!(with(vec![]), known);
    for caption in ["Figure 3: The wet well", "Table 2 Ratings", "图 2-1 泵站", "Note: read this", "表 3 数据"] {
        assert_eq!(with(vec![heading(caption, 14.0)]), known, "{caption}");
    }
    let listing = ["fn main() {", "    start();", "}"].map(|text| line(text).fixed().size(14.0).bold());
    assert_eq!(with(listing.into()), known);
    assert_eq!(with(vec![line("Usage of the command").fixed().size(14.0).bold()]), known, "what is typed");
    let items = ["1. Close the valve", "2. Open the other", "3. Wait for the lamp"].map(|text| line(text).below());
    assert_eq!(with(items.into()), known);
    for text in ["· · ·", "= 14 + 3", "The end of a sentence that wraps,", "Contents . . . . . . 3"] {
        assert_eq!(with(vec![heading(text, 14.0)]), known, "{text}");
    }
}

#[test]
fn a_name_in_a_fixed_font_is_a_heading_behind_a_number() {
    let part = |title: &str| match title.contains('.') {
        true => under(heading(title, 12.0).fixed(), title),
        false => under(heading(title, 14.0), title),
    };
    let parts = ["1 Files", "1.1 control", "1.2 changelog", "2 Tools", "2.1 debuild(file, sign)"];
    assert_eq!(titles(&pages(parts.map(part))), parts);
    let listing = ["1.1 pump", "1.2 valve", "1.3 screen"].map(|text| line(text).fixed());
    let with_listing = pages(parts.map(part).into_iter().chain([[body("a"), listing.into()].concat()]));
    assert_eq!(titles(&with_listing), parts, "a listing is set like text");
}

#[test]
fn a_document_of_one_page_has_its_headings() {
    let title = vec![heading("How to prime a pump", 20.0)];
    let parts = ["Before", "Starting", "Afterwards"].map(|title| under(heading(title, 14.0), title));
    let blocks = page(1, std::iter::once(title).chain(parts));
    assert_eq!(titles(&blocks), ["Before", "Starting", "Afterwards"]);
}

#[test]
fn a_number_on_a_line_of_its_own_belongs_to_the_title_below() {
    let chapter = |number: &str, title: &str| {
        [vec![heading(number, 14.0), heading(title, 20.0)], body(title), body(title)].concat()
    };
    let blocks =
        pages([chapter("Chapter 1", "Plant"), chapter("Chapter 2", "Operation"), chapter("Chapter 3", "Repairs")]);
    assert_eq!(titles(&blocks), ["Chapter 1 Plant", "Chapter 2 Operation", "Chapter 3 Repairs"]);
}

#[test]
fn a_title_over_two_lines_is_put_together() {
    let long = vec![heading("What the station does and what it does not do in or-", 16.0)];
    let long = [long, vec![heading("dinary weather", 16.0).goes_on()], body("a"), body("b")].concat();
    let blocks = pages([under(heading("Plant", 16.0), "c"), long, under(heading("Repairs", 16.0), "d")]);
    assert_eq!(titles(&blocks)[1], "What the station does and what it does not do in ordinary weather");
}

#[test]
fn letters_of_index_groups_are_below_the_index() {
    let with_letters = |size: f32| {
        let group = |letter: &str| [vec![heading(letter, size)], body(letter)].concat();
        let mut blocks = pages(["Plant", "Operation"].map(|title| under(heading(title, 18.0), title)));
        let index = [vec![heading("Index", 18.0)], ["A", "B", "C", "D"].map(group).concat()].concat();
        blocks.extend(page(3, [index]));
        read(&blocks)
    };
    let wanted = ["1: Plant", "1: Operation", "1: Index", "2: A", "2: B", "2: C", "2: D"];
    assert_eq!(with_letters(10.0), wanted);
    assert_eq!(with_letters(13.0), wanted[..3], "outlines leave larger ones out");
}

#[test]
fn numbered_chapters_are_found_in_text_without_looks() {
    let texts = ["Chapter 1 Plant", "Water enters by gravity.", "Chapter 2 Operation", "In ordinary weather it"];
    let texts = texts.into_iter().chain(["Chapter 3 Repairs", "Most failures began with neglect."]);
    let blocks: Vec<Block> = texts.map(Block::paragraph).collect();
    assert_eq!(titles(&blocks), ["Chapter 1 Plant", "Chapter 2 Operation", "Chapter 3 Repairs"]);
    let prose: Vec<Block> = ["One thing.", "1 more thing", "Another"].map(Block::paragraph).into();
    assert_eq!(titles(&prose), [""; 0]);
}

#[test]
fn numbers_without_subsections_are_headings_beside_one_that_has_them() {
    let parts = [
        ["1 Scope", "This document covers pumps."],
        ["2 Terms", "Pump: a machine."],
        ["3 Rules", "3.1 Daily"],
        ["Look at the gauge.", "3.2 Weekly"],
        ["Grease it.", "4 Contacts"],
    ];
    let blocks: Vec<Block> = parts.concat().into_iter().chain(["Call Ann."]).map(Block::paragraph).collect();
    let wanted = ["1: 1 Scope", "1: 2 Terms", "1: 3 Rules", "2: 3.1 Daily", "2: 3.2 Weekly", "1: 4 Contacts"];
    assert_eq!(read(&blocks), wanted);
    let list = ["1 Close the valve", "It turns hard.", "2 Open the drain", "Water runs out."].map(Block::paragraph);
    let with_list = [blocks, list.to_vec()].concat();
    assert_eq!(titles(&with_list), ["3 Rules", "3.1 Daily", "3.2 Weekly"], "numbers that begin anew may be a list");
}

#[test]
fn headings_of_a_listed_type_are_added() {
    let parts = ["1 Plant", "1.1 Pumps", "1.2 Motors", "2 Operation", "2.1 Starting"];
    let blocks = pages(parts.map(|title| under(heading(title, 12.0), title)));
    let listed: Vec<Heading> =
        find(&blocks, &[], &[]).into_iter().filter(|heading| !heading.title.starts_with("1.2")).collect();
    assert_eq!(listed.len(), 4);
    let all = find(&blocks, &[], &listed);
    let motors = all.iter().find(|heading| heading.title == "1.2 Motors").expect("it looks like 1.1");
    assert_eq!((motors.level, all.len()), (2, 5));
}

#[test]
fn titles_below_a_listed_note_are_its_parts() {
    let notes = ["Note 1. Basis", "Policy", "Note 2. Leases", "Terms", "Note 3. Debt", "Rates"];
    let titles = ["Item 1. Results", "Item 2. Accounts", "Income", "Balance"].into_iter().chain(notes);
    let blocks = pages(titles.map(|title| under(heading(title, 12.0), title)));
    let mut listed = find(&blocks, &[], &[]);
    listed.retain(|heading| !["Policy", "Terms", "Rates"].contains(&heading.title.as_str()));
    for heading in &mut listed {
        heading.level = [("Item", 1), ("Note", 3)]
            .iter()
            .find(|(word, _)| heading.title.starts_with(word))
            .map_or(2, |(_, level)| *level);
    }
    assert_eq!(levels(&blocks, &listed), [1, 1, 2, 2, 3, 4, 3, 4, 3, 4]);
}

#[test]
fn a_title_of_the_type_of_most_chapters_is_one_each_time() {
    let parts = ["Chapter 1 Plant", "Chapter 2 Operation", "Chapter 3 Repairs", "Appendix A Tools", "References"];
    let blocks = pages(parts.map(|title| under(heading(title, 14.0), title)));
    let is_listed = |heading: &Heading| heading.title != "References";
    let listed: Vec<Heading> = find(&blocks, &[], &[]).into_iter().filter(is_listed).collect();
    assert_eq!(listed.len(), 4);
    for _ in 0..20 {
        let all = find(&blocks, &[], &listed);
        assert_eq!((all.len(), all[4].level), (5, 1), "the order of a hash map is random");
    }
}

#[test]
fn numbers_go_on_below_those_of_the_contents() {
    let parts = ["1 Plant", "1.1 Pumps", "2 Operation", "2.1 Starting"];
    let below = |title: &str| {
        let steps = [".1 Priming", ".2 Venting", ".9 A step too far"];
        steps.map(|step| under(heading(&format!("{}{step}", &title[..title.find(' ').unwrap()]), 10.0), step))
    };
    let part = |title: &str| match title.contains('.') {
        true => [under(heading(title, 12.0), title), below(title).concat()].concat(),
        false => under(heading(title, 14.0), title),
    };
    let blocks = pages(parts.map(part));
    let is_listed = |heading: &Heading| parts.contains(&heading.title.as_str());
    let listed: Vec<Heading> = find(&blocks, &[], &[]).into_iter().filter(is_listed).collect();
    assert_eq!(listed.len(), 4);
    let mut added = find(&blocks, &[], &listed);
    added.retain(|heading| !is_listed(heading));
    let titles: Vec<&str> = added.iter().map(|heading| heading.title.as_str()).collect();
    assert_eq!(titles, ["1.1.1 Priming", "1.1.2 Venting", "2.1.1 Priming", "2.1.2 Venting"]);
    assert!(added.iter().all(|heading| heading.level == 3));
}

#[test]
fn lone_numbers_do_not_count() {
    let title = |text: &str| under(heading(text, 16.0), text);
    let blocks = pages(["Pumps", "A guide to pumps", "21 April 2004", "Valves"].map(title));
    assert_eq!(titles(&blocks), ["Pumps", "A guide to pumps", "Valves"]);
    assert!(find(&blocks, &[], &[]).iter().all(|heading| heading.provenance == Provenance::Typography));
    let blocks = pages(["A Pumps", "B Valves", "C Motors"].map(title));
    assert!(find(&blocks, &[], &[]).iter().all(|heading| heading.provenance == Provenance::Numbering));
}

#[test]
fn authors_before_numbered_headings_are_not_sections() {
    let front = [vec![heading("A guide", 20.0), heading("Edda Marsh", 14.0)], under(heading("Abstract", 14.0), "it")];
    let parts = ["1 Pumps", "2 Valves", "3 Motors", "Thanks"].map(|title| under(heading(title, 14.0), title));
    let mut blocks = page(1, [front.concat(), parts[0].clone()]);
    blocks.extend(parts[1..].iter().zip(2..).flat_map(|(part, number)| page(number, [part.clone()])));
    assert_eq!(titles(&blocks), ["Abstract", "1 Pumps", "2 Valves", "3 Motors", "Thanks"]);
}

#[test]
fn the_second_line_of_a_title_may_be_indented_after_its_number() {
    let title = |number: u32| {
        let lines = [heading(&format!("{number} An overview of what the station"), 12.0), heading("does", 12.0)];
        // The second line begins after the number, close below the first.
        let mut part = page(number, [[lines.to_vec(), body("a"), body("b")].concat()]);
        let style = part[0].style.clone().unwrap();
        part[1].style.as_mut().unwrap().baseline = style.baseline + 14.0;
        part[1].style.as_mut().unwrap().left += 20.0;
        part
    };
    let blocks: Vec<Block> = (1..4).flat_map(title).collect();
    assert_eq!(titles(&blocks)[1], "2 An overview of what the station does");
}

#[test]
fn a_script_that_is_set_larger_is_text() {
    let mixed = |topic: &str| {
        let latin = |text: &str| line(text).size(11.6);
        [body(topic), vec![latin("\\setfont sets the font")], vec![latin("of all the text,").goes_on()]].concat()
    };
    let part = |title: &str| [vec![heading(title, 15.0)], mixed(title), mixed(title), mixed(title)].concat();
    let mut blocks = pages(["Plant", "Pumps", "Motors"].map(part));
    blocks.extend(page(4, [vec![line("Options").size(11.6)], body("it")]));
    assert_eq!(titles(&blocks), ["Plant", "Pumps", "Motors"]);
}

#[test]
fn numbers_in_body_type_are_headings_if_they_run_through_the_document() {
    let section = |(i, title): (usize, &str)| {
        let text: Vec<Block> = (0..5).flat_map(|_| body(title)).collect();
        page(i as u32 + 1, [body("before"), vec![line(&format!("{}. {title}", i + 1)).indented(120.0)], text])
    };
    let sections = ["Introduction", "Getting started", "Conclusion"];
    let blocks: Vec<Block> = sections.into_iter().enumerate().flat_map(section).collect();
    assert_eq!(titles(&blocks), ["1. Introduction", "2. Getting started", "3. Conclusion"]);
    let twice = [blocks.clone(), page(4, [vec![line("1. Close the valve")], body("it")])].concat();
    assert_eq!(titles(&twice), [""; 0], "a list begins anew");
}

#[test]
fn a_page_all_in_bold_has_no_headings() {
    let blocks = page(1, (0..10).map(|_| body("a").into_iter().map(Block::bold).collect()));
    assert_eq!(titles(&blocks), [""; 0]);
    assert_eq!(titles(&[]), [""; 0]);
}

#[test]
fn items_of_a_bold_list_are_not_headings() {
    let list =
        || ["(1) Close the valve", "(2) Open the drain", "(3) Wait for it"].map(|item| line(item).bold()).to_vec();
    let part = |title: &str, topic: &str| [under(heading(title, 14.0), topic), list(), body(topic)].concat();
    let blocks = pages([part("1 Starting", "pumps"), part("2 Stopping", "valves"), part("3 Cleaning", "screens")]);
    assert_eq!(titles(&blocks), ["1 Starting", "2 Stopping", "3 Cleaning"]);
}
