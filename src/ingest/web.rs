//! Fetches one page from the web, and nothing that it links to.
//!
//! Promises: kb sends nothing to an address in a private network unless the user allows it, also after name resolution
//! and redirects. It connects to the very address that it checked. It limits size, time and type before anything is
//! parsed.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::time::Duration;

use encoding_rs::Encoding;
use jiff::fmt::rfc2822;
use reqwest::header::{
    ACCEPT, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION,
};
use reqwest::{Client, Response, StatusCode, Url};

use crate::address::web_address;
use crate::error::{Error, Result, Setting, innermost};
use crate::http::{self, read_body};
use crate::load::Format;
use crate::store::{STANDARD_INPUT, Validators};
use crate::text::{printable, size, truncate};

/// For a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Redirects in a row.
const MOST_REDIRECTS: usize = 10;
/// Characters of an address or a type in a message.
const SHOWN: usize = 200;
const ACCEPTED: &str = "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.5";

const TYPES: [(&str, Format); 14] = [
    ("text/html", Format::Html),
    ("application/xhtml+xml", Format::Html),
    ("application/pdf", Format::Pdf),
    ("text/markdown", Format::Markdown),
    ("text/x-markdown", Format::Markdown),
    ("text/csv", Format::Csv),
    ("text/tab-separated-values", Format::Csv),
    ("application/epub+zip", Format::Epub),
    ("application/jsonl", Format::Jsonl),
    ("application/x-ndjson", Format::Jsonl),
    ("application/x-ipynb+json", Format::Notebook),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", Format::Docx),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Format::Excel),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", Format::PowerPoint),
];
/// Media types that do not tell the format: the extension of the address or the content decides.
const AMBIGUOUS_TYPES: [&str; 4] = ["", "text/plain", "application/octet-stream", "binary/octet-stream"];

/// Whether a source is a file, not standard input or a page on the web.
pub(super) fn is_file(source: &str) -> bool {
    !source.starts_with(STANDARD_INPUT) && !is_page(source)
}

pub fn is_page(source: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| source.get(..scheme.len()).is_some_and(|own| own.eq_ignore_ascii_case(scheme)))
}

/// Parses an address that a user names, without its fragment: the store names its source so. Refuses a user and a
/// password in it, which the store would keep.
pub fn address(text: &str) -> Result<Url> {
    let mut url = web_address(text).map_err(|what| {
        Error::usage(format!("the address {what}")).hint("write it like https://example.org/page.html")
    })?;
    url.set_fragment(None);
    Ok(url)
}

/// What may be fetched.
#[derive(Clone, Copy)]
pub(super) struct Allowed<'a> {
    /// The largest answer of a format, in bytes.
    pub largest: &'a (dyn Fn(Option<Format>) -> u64 + Sync),
    /// Addresses in private networks and of this machine.
    pub private: bool,
    /// For the whole page, redirects included.
    pub time: Duration,
}

pub(super) struct Page {
    pub bytes: Vec<u8>,
    pub format: Option<Format>,
    /// Time of its last change, in nanoseconds since 1970; 0 if the server does not say.
    pub mtime_ns: i64,
    pub validators: Validators,
    /// The address that redirects led to, if any.
    pub moved_to: Option<Url>,
}

/// Fetches a page; `None` if it is unchanged since `before`.
pub(super) async fn fetch(url: &Url, before: Option<&Validators>, allowed: Allowed<'_>) -> Result<Option<Page>> {
    let late = |_| {
        Error::failed(format!("did not arrive within {} s", allowed.time.as_secs()))
            .hint(format!("try again later, or raise {}", Setting("file_timeout")))
    };
    tokio::time::timeout(allowed.time, follow(url, before, allowed)).await.map_err(late)?
}

async fn follow(first: &Url, before: Option<&Validators>, allowed: Allowed<'_>) -> Result<Option<Page>> {
    let mut url = first.clone();
    for _ in 0..=MOST_REDIRECTS {
        let mut request = client(&url, allowed.private).await?.get(url.clone()).header(ACCEPT, ACCEPTED);
        // The validators of another address do not apply.
        let before = before.filter(|before| before.address == url.as_str());
        if let Some(etag) = before.and_then(|before| before.etag.as_ref()) {
            request = request.header(IF_NONE_MATCH, etag);
        }
        if let Some(date) = before.and_then(|before| before.last_modified.as_ref()) {
            request = request.header(IF_MODIFIED_SINCE, date);
        }
        let response = request.send().await.map_err(|error| unreachable(&error))?;
        let status = response.status();
        if status == StatusCode::NOT_MODIFIED && before.is_some() {
            return Ok(None);
        }
        if status.is_redirection() {
            url = target(&url, response.headers())?;
            continue;
        }
        if !status.is_success() {
            return Err(Error::failed(format!("answers with HTTP {}", status.as_u16())).hint("open it in a browser"));
        }
        let moved_to = (url != *first).then(|| url.clone());
        return read(&url, response, allowed).await.map(|page| Some(Page { moved_to, ..page }));
    }
    Err(Error::failed(format!("redirects more than {MOST_REDIRECTS} times")).hint("name the address to which it leads"))
}

/// The next address of a redirect.
fn target(from: &Url, headers: &HeaderMap) -> Result<Url> {
    let to = headers.get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default();
    let joined = from.join(to).ok().filter(|_| !to.is_empty());
    joined.and_then(|url| address(url.as_str()).ok()).ok_or_else(|| {
        Error::failed(format!("redirects to {:?}, which is not a web page", shown(to))).hint("name another address")
    })
}

/// A client that connects only to the IP addresses that the host has now.
async fn client(url: &Url, private: bool) -> Result<Client> {
    let (host, port) = (url.host_str().unwrap_or_default().to_owned(), url.port_or_known_default().unwrap_or(443));
    let name = host.trim_matches(['[', ']']).to_owned();
    let resolve = tokio::task::spawn_blocking(move || (name.as_str(), port).to_socket_addrs().map(Vec::from_iter));
    let addresses: Vec<SocketAddr> = match resolve.await {
        Ok(Ok(addresses)) if !addresses.is_empty() => addresses,
        _ => {
            return Err(Error::failed(format!("cannot be fetched: no address found for {host}"))
                .hint("check its name and the network"));
        }
    };
    if let Some(own) = addresses.iter().find(|address| is_link_local(address.ip())) {
        // Machines in data centres serve their credentials at such addresses.
        return Err(Error::failed(format!("{host} has the link-local address {}, which kb never contacts", own.ip())));
    }
    if !private && let Some(own) = addresses.iter().find(|address| !is_public(address.ip())) {
        return Err(Error::failed(format!("{host} has the address {} in a private network", own.ip()))
            .hint(format!("{} allows it", Setting("allow_private"))));
    }
    http::client(CONNECT_TIMEOUT)
        .no_proxy()
        .resolve_to_addrs(&host, &addresses)
        .build()
        .map_err(|error| Error::failed(format!("cannot be requested: {}", innermost(&error))))
}

/// Whether an address is on the internet: not loopback, private, link-local, multicast or reserved.
fn is_public(address: IpAddr) -> bool {
    match as_v4(address) {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            let is_special = v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_documentation()
                || v4.is_multicast()
                || a == 0
                || a >= 240
                || (a == 100 && (64..128).contains(&b))
                || (a == 192 && b == 0 && c == 0)
                || (a == 198 && (18..20).contains(&b));
            !is_special
        }
        // Global unicast, without the part for documentation.
        IpAddr::V6(v6) => (v6.segments()[0] & 0xe000) == 0x2000 && v6.segments()[..2] != [0x2001, 0x0db8],
    }
}

/// Whether an address is link-local: on the same cable, or the host of a virtual machine.
fn is_link_local(address: IpAddr) -> bool {
    match as_v4(address) {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    }
}

/// The IPv4 address that an IPv6 address stands for (mapped, NAT64 or 6to4), if it does.
fn as_v4(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    match v6.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
            Ipv4Addr::new(a, b, c, d).into()
        }
        _ => address,
    }
}

async fn read(url: &Url, mut response: Response, allowed: Allowed<'_>) -> Result<Page> {
    let text = |name: HeaderName| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (stated, etag, last_modified) = (text(CONTENT_TYPE).unwrap_or_default(), text(ETAG), text(LAST_MODIFIED));
    let format = format(url, &stated)?;
    let largest = (allowed.largest)(format);
    let too_large = || {
        Error::failed(format!("is larger than {}", size(largest)))
            .hint(format!("{} raises the limit", Setting("max_file_size")))
    };
    if response.content_length().is_some_and(|length| length > largest) {
        return Err(too_large());
    }
    let bytes = read_body(&mut response, largest).await.map_err(|error| unreachable(&error))?;
    let bytes = bytes.ok_or_else(too_large)?;
    let changed = last_modified.as_deref().and_then(|date| rfc2822::parse(date).ok());
    let mtime_ns = changed.and_then(|date| i64::try_from(date.timestamp().as_nanosecond()).ok()).unwrap_or_default();
    let bytes = if is_text(&stated) { in_utf8(bytes, &stated) } else { bytes };
    let content_hash = blake3::hash(&bytes).to_hex().to_string();
    let validators = Validators { address: url.to_string(), content_hash, etag, last_modified };
    Ok(Page { bytes, format, mtime_ns, validators, moved_to: None })
}

/// The format of an answer; `None` if its content decides.
fn format(url: &Url, stated: &str) -> Result<Option<Format>> {
    let kind = stated.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if let Some((_, format)) = TYPES.iter().find(|(known, _)| *known == kind) {
        return Ok(Some(*format));
    }
    if AMBIGUOUS_TYPES.contains(&kind.as_str()) || kind.starts_with("text/") {
        return Ok(Format::from_path(std::path::Path::new(url.path())));
    }
    Err(Error::failed(format!("has the type {:?}, which kb does not read", shown(&kind)))
        .hint(format!("kb reads {}", Format::names(", "))))
}

/// Whether a media type is text. The encoding that another type states means nothing.
fn is_text(stated: &str) -> bool {
    let kind = stated.trim_start().to_ascii_lowercase();
    kind.starts_with("text/") || kind.starts_with("application/xhtml")
}

/// Converts text from the encoding in the header to UTF-8. Valid UTF-8 stays as it is.
fn in_utf8(bytes: Vec<u8>, stated: &str) -> Vec<u8> {
    let charset = stated.to_ascii_lowercase().split("charset=").nth(1).map(|rest| {
        rest.trim_start_matches(['"', '\'']).split(['"', '\'', ';', ' ']).next().unwrap_or_default().to_owned()
    });
    match charset.and_then(|label| Encoding::for_label(label.as_bytes())) {
        Some(encoding) if std::str::from_utf8(&bytes).is_err() => encoding.decode(&bytes).0.into_owned().into_bytes(),
        _ => bytes,
    }
}

fn unreachable(error: &reqwest::Error) -> Error {
    Error::failed(format!("cannot be fetched: {}", shown(&innermost(error)))).hint("check the address and the network")
}

fn shown(text: &str) -> String {
    truncate(&printable(text), SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_on_the_internet_are_public() {
        for public in ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        let private = "127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 \
                       255.255.255.255 192.0.2.1 198.18.0.1 ::1 :: fe80::1 fc00::1 fd12::1 ff02::1 ::ffff:127.0.0.1 \
                       64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1";
        for private in private.split(' ') {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for link in ["169.254.169.254", "fe80::1", "::ffff:169.254.1.1"] {
            assert!(is_link_local(link.parse().unwrap()), "{link}");
        }
        assert!(!is_link_local("127.0.0.1".parse().unwrap()));
    }

    #[test]
    fn an_address_is_kept_without_its_fragment() {
        assert_eq!(address("https://example.org/a?b=c#d").unwrap().as_str(), "https://example.org/a?b=c");
        assert!(is_page("HTTPS://example.org") && !is_page("docs/http.md") && !is_page("stdin:x"));
    }

    #[test]
    fn the_media_type_or_the_extension_gives_the_format() {
        let of = |path: &str, kind: &str| format(&Url::parse(&format!("https://example.org/{path}")).unwrap(), kind);
        assert_eq!(of("a", "text/html; charset=gbk").unwrap(), Some(Format::Html));
        assert_eq!(of("a.md", "text/plain").unwrap(), Some(Format::Markdown));
        assert_eq!(of("a.pdf", "application/octet-stream").unwrap(), Some(Format::Pdf));
        assert_eq!(of("a", "").unwrap(), None);
        assert!(of("a.html", "image/png").unwrap_err().message().contains("image/png"));
    }

    #[test]
    fn text_is_decoded_as_its_header_says_unless_it_is_utf8() {
        let gbk = encoding_rs::GBK.encode("水泵").0.into_owned();
        assert_eq!(in_utf8(gbk, "text/html; charset=\"GBK\""), "水泵".as_bytes());
        assert!(is_text("Text/HTML; charset=gbk") && !is_text("application/pdf; charset=utf-8"));
        assert_eq!(in_utf8("水泵".into(), "text/html; charset=gbk"), "水泵".as_bytes(), "a wrong header");
    }
}
