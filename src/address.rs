//! The addresses of servers and pages that users name.

use reqwest::Url;

/// Parses an address. The error never repeats the address, which may contain a password. An address with a password is
/// refused, because kb prints and stores addresses.
pub(crate) fn web_address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| format!("is invalid: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("is neither http:// nor https://".to_owned());
    }
    let has_user = !url.username().is_empty() || url.password().is_some();
    if has_user { Err("has a user or a password in it".to_owned()) } else { Ok(url) }
}

/// Parses the address of a server, in the same way.
pub(crate) fn server_address(text: &str) -> Result<Url, String> {
    let url = web_address(text)?;
    let has_more = url.query().is_some() || url.fragment().is_some();
    if has_more { Err("has a query or a fragment".to_owned()) } else { Ok(url) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_addresses_are_accepted_and_a_refused_one_is_not_repeated() {
        for good in ["https://example.org", " http://[::1]:8080/v1/ ", "http://localhost"] {
            assert!(server_address(good).is_ok(), "{good}");
        }
        for (bad, says) in [
            ("secret", "is invalid"),
            ("https://", "is invalid"),
            ("secret:secret@example.org", "neither http"),
            ("ftp://secret@example.org", "neither http"),
            ("https://secret@example.org", "a user or a password"),
            ("https://:secret@example.org", "a user or a password"),
            ("https://example.org/?token=secret", "a query or a fragment"),
            ("https://example.org/#secret", "a query or a fragment"),
        ] {
            let message = server_address(bad).unwrap_err();
            assert!(message.contains(says) && !message.contains("secret"), "{bad}: {message}");
        }
    }
}
