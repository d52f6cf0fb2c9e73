//! Addresses of servers that people name.

use reqwest::Url;

/// The address of a server, or what is wrong with it. What is wrong never repeats it: it may have a password in it, and an
/// address that has one would be told and written down with everything that comes from there.
pub(crate) fn server_address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| format!("is no address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("is neither http:// nor https://".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("has a user or a password in it".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("has something behind the path".to_owned());
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_addresses_of_servers_are_taken_and_no_other_is_repeated() {
        for good in ["https://example.org", " http://[::1]:8080/v1/ ", "http://localhost"] {
            assert!(server_address(good).is_ok(), "{good}");
        }
        for (bad, says) in [
            ("secret", "no address"),
            ("https://", "no address"),
            ("secret:secret@example.org", "neither http"),
            ("ftp://secret@example.org", "neither http"),
            ("https://secret@example.org", "a user or a password"),
            ("https://:secret@example.org", "a user or a password"),
            ("https://example.org/?token=secret", "behind the path"),
            ("https://example.org/#secret", "behind the path"),
        ] {
            let told = server_address(bad).unwrap_err();
            assert!(told.contains(says) && !told.contains("secret"), "{bad}: {told}");
        }
    }
}
