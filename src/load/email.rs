//! Email, through `mail-parser`: one message, or the messages of a mailbox, each a section with its subject.

use mail_parser::mailbox::mbox::MessageIterator;
use mail_parser::{Address, Message, MessageParser, MimeHeaders, PartType};

use super::document::{Block, Document, Format};
use super::html;
use super::package::wrong_format;
use super::plain::lines_to_blocks;
use crate::error::{Error, Result};
use crate::text::squeeze;

/// Reads an `.eml` file.
///
/// # Errors
/// If it has no headers of a message.
pub fn parse(bytes: &[u8]) -> Result<Document> {
    let mut document = Document::new(Format::Email, "mail-parser");
    let message = MessageParser::default().parse(bytes).filter(has_headers).ok_or_else(no_message)?;
    document.title = message.subject().map(squeeze).filter(|subject| !subject.is_empty());
    document.metadata = fields(&message).into_iter().collect();
    document.blocks = blocks(&message);
    Ok(document)
}

/// Reads a mailbox.
///
/// # Errors
/// If there is no message in it.
pub fn parse_mailbox(bytes: &[u8]) -> Result<Document> {
    let mut document = Document::new(Format::Mbox, "mail-parser");
    let parser = MessageParser::default();
    for raw in MessageIterator::new(bytes).flatten() {
        let Some(message) = parser.parse(raw.contents()).filter(has_headers) else { continue };
        let subject = message.subject().map(squeeze).unwrap_or_default();
        document.section_metadata.insert(document.blocks.len(), fields(&message).into_iter().collect());
        let title = if subject.is_empty() { people(message.from()) } else { subject };
        document.blocks.push(Block::heading(1, if title.is_empty() { "—".to_owned() } else { title }));
        document.blocks.extend(blocks(&message));
    }
    if document.blocks.is_empty() { Err(no_message()) } else { Ok(document) }
}

fn no_message() -> Error {
    Error::failed("is not an email: it has no headers of a message").hint(wrong_format())
}

fn has_headers(message: &Message<'_>) -> bool {
    message.from().is_some() || message.date().is_some() || message.subject().is_some()
}

/// Who wrote to whom, and when.
fn fields(message: &Message<'_>) -> Vec<(String, String)> {
    let date = message.date().map(mail_parser::DateTime::to_rfc3339).unwrap_or_default();
    let all = [
        ("author", people(message.from())),
        ("to", people(message.to())),
        ("cc", people(message.cc())),
        ("date", date),
    ];
    let named = all.into_iter().filter(|(_, value)| !value.is_empty());
    named.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Names with their addresses.
fn people(of: Option<&Address<'_>>) -> String {
    let each = of.into_iter().flat_map(Address::iter).filter_map(|one| match (one.name(), one.address()) {
        (Some(name), Some(address)) => Some(format!("{} <{address}>", squeeze(name))),
        (Some(name), None) => Some(squeeze(name)),
        (None, address) => address.map(str::to_owned),
    });
    each.collect::<Vec<_>>().join(", ")
}

/// The text, from HTML where there is no plain one, and the names of what is attached.
fn blocks(message: &Message<'_>) -> Vec<Block> {
    let plain: Vec<&str> = message
        .text_bodies()
        .filter_map(|part| match &part.body {
            PartType::Text(text) => Some(&**text),
            _ => None,
        })
        .collect();
    let mut blocks: Vec<Block> = match plain.is_empty() {
        false => plain.iter().flat_map(|text| lines_to_blocks(text, None)).collect(),
        true => message
            .html_bodies()
            .filter_map(
                |part| if let PartType::Html(text) = &part.body { Some(html::parse(text).blocks) } else { None },
            )
            .flatten()
            .map(|block| Block::paragraph(block.text))
            .collect(),
    };
    let names: Vec<&str> = message.attachments().filter_map(MimeHeaders::attachment_name).collect();
    if !names.is_empty() {
        blocks.push(Block::paragraph(format!("[{}]", names.join(", "))));
    }
    blocks
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
        assert_eq!(document.metadata["author"], "Ann <ann@example.org>");
        assert_eq!(
            (&*document.metadata["to"], &*document.metadata["date"]),
            ("bob@example.org", "2026-03-02T10:00:00Z")
        );
        let expected = ["The pump is hot.", "Stop it.", "[log.pdf]"].map(Block::paragraph);
        assert_eq!(document.blocks, expected);
    }

    #[test]
    fn a_message_in_html_alone_is_read() {
        let message = "From: a@b.c\nSubject: x\nContent-Type: text/html\n\n<h1>Alarm</h1><p>The pump is hot.</p>";
        let texts: Vec<String> =
            parse(message.as_bytes()).unwrap().blocks.into_iter().map(|block| block.text).collect();
        assert_eq!(texts, ["Alarm", "The pump is hot."]);
    }

    #[test]
    fn the_messages_of_a_mailbox_are_sections() {
        let mailbox = "From a@b.c Mon Mar  2 10:00:00 2026\nFrom: a@b.c\nSubject: One\n\nFirst.\n\n\
                       From d@e.f Mon Mar  2 11:00:00 2026\nFrom: Dan <d@e.f>\nSubject: Two\n\nSecond.\n";
        let document = parse_mailbox(mailbox.as_bytes()).unwrap();
        let expected = [
            Block::heading(1, "One"),
            Block::paragraph("First."),
            Block::heading(1, "Two"),
            Block::paragraph("Second."),
        ];
        assert_eq!(document.blocks, expected);
        assert_eq!(document.section_metadata[&2]["author"], "Dan <d@e.f>");
    }

    #[test]
    fn what_is_no_message_is_refused() {
        assert!(parse(b"").is_err() && parse(b"just text").is_err() && parse_mailbox(b"just text").is_err());
    }
}
