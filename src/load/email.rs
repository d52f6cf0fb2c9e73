//! Email, through `mail-parser`: one message, or the messages of a mailbox, each a section with its subject.

use std::collections::BTreeMap;

use mail_parser::{Address, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use super::html;
use super::package::wrong_format;
use super::plain::lines_to_blocks;
use super::{Block, Document, Format};
use crate::error::{Error, Result};
use crate::text::{squeeze, visible};

/// The deepest nesting of messages inside messages that is read.
const NESTED: usize = 5;

/// Reads an `.eml` file.
///
/// # Errors
/// If it has no message headers.
pub fn parse(bytes: &[u8]) -> Result<Document> {
    let mut document = Document::new(Format::Email, "mail-parser");
    let message = MessageParser::default().parse(bytes).filter(has_headers).ok_or_else(no_message)?;
    document.title = message.subject().map(squeeze).filter(|subject| !subject.is_empty());
    document.metadata = fields(&message);
    document.blocks = blocks(&message, NESTED, &mut document.warnings);
    Ok(document)
}

/// Reads a mailbox.
///
/// # Errors
/// If it contains no message.
pub fn parse_mailbox(bytes: &[u8]) -> Result<Document> {
    let mut document = Document::new(Format::Mbox, "mail-parser");
    let parser = MessageParser::default();
    for raw in messages(bytes) {
        let Some(message) = parser.parse(&raw).filter(has_headers) else { continue };
        let subject = message.subject().map(squeeze).unwrap_or_default();
        document.section_metadata.insert(document.blocks.len(), fields(&message));
        let titles = [subject, people(message.from())].map(|title| visible(&title).trim().to_owned());
        let title = titles.into_iter().find(|title| !title.is_empty()).unwrap_or_else(|| "—".to_owned());
        document.blocks.push(Block::heading(1, title));
        document.blocks.extend(blocks(&message, NESTED, &mut document.warnings));
    }
    if document.blocks.is_empty() { Err(no_message()) } else { Ok(document) }
}

/// Splits a mailbox into messages. A message begins after a `From …` line that follows a blank line and precedes a
/// header, because sentences begin with "From" too. Mailboxes put `>` before such sentences.
fn messages(bytes: &[u8]) -> Vec<Vec<u8>> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let is_blank = |line: &[u8]| line.iter().all(u8::is_ascii_whitespace);
    let is_header = |line: &[u8]| {
        let name = line.iter().take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
        name > 0 && line.get(name) == Some(&b':')
    };
    let mut messages: Vec<Vec<u8>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let is_behind_blank = at == 0 || is_blank(lines[at - 1]);
        if line.starts_with(b"From ") && is_behind_blank && lines.get(at + 1).is_some_and(|next| is_header(next)) {
            messages.push(Vec::new());
            continue;
        }
        let quotes = line.iter().take_while(|byte| **byte == b'>').count();
        let line = if quotes > 0 && line[quotes..].starts_with(b"From ") { &line[1..] } else { line };
        if let Some(message) = messages.last_mut() {
            message.extend_from_slice(line);
        }
    }
    messages
}

fn no_message() -> Error {
    Error::failed("is not an email: it has no message headers").hint(wrong_format())
}

fn has_headers(message: &Message<'_>) -> bool {
    message.from().is_some() || message.date().is_some() || message.subject().is_some()
}

/// Who wrote to whom, and when.
fn fields(message: &Message<'_>) -> BTreeMap<String, String> {
    let date = message.date().filter(|date| date.is_valid()).map(mail_parser::DateTime::to_rfc3339).unwrap_or_default();
    let all = [
        ("author", people(message.from())),
        ("to", people(message.to())),
        ("cc", people(message.cc())),
        ("date", date),
    ];
    let named = all.into_iter().filter(|(_, value)| !value.is_empty());
    named.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn people(of: Option<&Address<'_>>) -> String {
    let each = of.into_iter().flat_map(Address::iter).filter_map(|one| match (one.name(), one.address()) {
        (Some(name), Some(address)) => Some(format!("{} <{address}>", squeeze(name))),
        (Some(name), None) => Some(squeeze(name)),
        (None, address) => address.map(str::to_owned),
    });
    each.collect::<Vec<_>>().join(", ")
}

/// The plain text, or else the HTML text; then the messages inside, and the names of the attachments, with the text of
/// those that are text.
fn blocks(message: &Message<'_>, nested: usize, warnings: &mut Vec<String>) -> Vec<Block> {
    let mut blocks: Vec<Block> = message.text_bodies().flat_map(|part| text(part, warnings)).collect();
    if blocks.is_empty() {
        blocks = message.html_bodies().flat_map(|part| text(part, warnings)).collect();
    }
    // A message may consist of another message alone.
    let root = message.parts.first().filter(|part| matches!(part.body, PartType::Message(_)));
    for part in root.into_iter().chain(message.attachments()) {
        if let PartType::Message(inner) = &part.body
            && nested > 0
        {
            let people = people(inner.from());
            let subject = inner.subject().map(squeeze).unwrap_or_default();
            blocks.push(Block::paragraph(format!("[{people}: {subject}]")));
            blocks.extend(self::blocks(inner, nested - 1, warnings));
        }
    }
    let name = |part: &MessagePart<'_>| match part.attachment_name() {
        Some(name) => Some(squeeze(name)),
        None if matches!(part.body, PartType::Message(_)) && nested == 0 => Some("message".to_owned()),
        None => None,
    };
    let names: Vec<String> = message.attachments().filter_map(name).collect();
    if !names.is_empty() {
        blocks.push(Block::paragraph(format!("[{}]", names.join(", "))));
    }
    blocks.extend(message.attachments().flat_map(|part| text(part, warnings)));
    blocks
}

fn text(part: &MessagePart<'_>, warnings: &mut Vec<String>) -> Vec<Block> {
    match &part.body {
        PartType::Text(text) => lines_to_blocks(text, None),
        PartType::Html(text) => {
            let page = html::parse(text);
            warnings.extend(page.warnings);
            page.blocks.into_iter().map(|block| Block::paragraph(block.text)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "From: Ann <ann@example.org>\r\nTo: bob@example.org\r\n\
        Subject: =?UTF-8?B?5rC05rO15ZGK6K2m?=\r\nDate: Mon, 2 Mar 2026 10:00:00 +0000\r\n\
        MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
        --b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe pump is hot.\r\n\r\nStop it.\r\n\
        --b\r\nContent-Type: application/pdf; name=\"log.pdf\"\r\nContent-Disposition: attachment; filename=\"log.pdf\"\r\n\r\nx\r\n--b--\r\n";

    #[test]
    fn a_message_has_its_subject_people_time_and_text() {
        let document = parse(MESSAGE.as_bytes()).unwrap();
        assert_eq!(document.title.as_deref(), Some("水泵告警"));
        let fields = [("author", "Ann <ann@example.org>"), ("to", "bob@example.org"), ("date", "2026-03-02T10:00:00Z")];
        for (name, value) in fields {
            assert_eq!(document.metadata[name], value);
        }
        assert_eq!(document.blocks, Block::in_markdown(["The pump is hot.", "Stop it.", "[log.pdf]"]));
    }

    #[test]
    fn a_message_in_html_alone_is_read() {
        let message = "From: a@b.c\nSubject: x\nContent-Type: text/html\n\n<h1>Alarm</h1><p>The pump is hot.</p>";
        assert_eq!(parse(message.as_bytes()).unwrap().texts(), ["Alarm", "The pump is hot."]);
    }

    #[test]
    fn the_messages_of_a_mailbox_are_sections() {
        let mailbox = "From a@b.c Mon Mar  2 10:00:00 2026\nFrom: a@b.c\nSubject: One\n\nFirst.\n\n\
                       From d@e.f Mon Mar  2 11:00:00 2026\nFrom: Dan <d@e.f>\nSubject: Two\n\nSecond.\n";
        let document = parse_mailbox(mailbox.as_bytes()).unwrap();
        assert_eq!(document.blocks, Block::in_markdown(["# One", "First.", "# Two", "Second."]));
        assert_eq!(document.section_metadata[&2]["author"], "Dan <d@e.f>");
    }

    #[test]
    fn no_text_of_a_message_is_lost() {
        let texts = |message: &str| parse(message.as_bytes()).unwrap().texts().join("|");
        let head = "From: a@b.c\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart";
        let empty_plain = format!(
            "{head}/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n \n--b\nContent-Type: text/html\n\n<p>News.</p>\n--b--\n"
        );
        assert_eq!(texts(&empty_plain), "News.");
        let forwarded = format!(
            "{head}/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nSee below.\n--b\nContent-Type: message/rfc822\n\nFrom: d@e.f\nSubject: Old\n\nInside.\n--b--\n"
        );
        let all = texts(&forwarded);
        assert!(all.contains("See below.") && all.contains("Old") && all.contains("Inside."), "{all}");
        let mailbox = "From a@b.c Mon\nFrom: a@b.c\nSubject: One\n\nDear all,\n\nFrom the start we knew it.\n\n>From here on too.\n";
        let read = parse_mailbox(mailbox.as_bytes()).unwrap();
        assert_eq!(read.texts(), ["One", "Dear all,", "From the start we knew it.", "From here on too."]);
    }

    #[test]
    fn files_without_messages_are_refused() {
        let nameless = parse_mailbox(b"From a\nFrom: \0\n\nText.\n").unwrap();
        assert_eq!(nameless.blocks[0], Block::heading(1, "—"));
        assert!(parse(b"").is_err() && parse(b"just text").is_err() && parse_mailbox(b"just text").is_err());
    }
}
