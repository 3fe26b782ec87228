//! Where the sources that rules and vocabularies name can be read.

use std::fmt::Write as _;

/// Returns the address of a rule's source: an address unchanged, an RFC at its section.
#[must_use]
pub fn source_url(source: &str) -> Option<String> {
    if source.starts_with("https://") {
        return Some(source.to_owned());
    }
    let first = source.strip_prefix("RFC ")?.split(',').next().unwrap_or_default();
    let (number, section) = first.split_once(" §").unwrap_or((first, ""));
    let mut url = format!("https://www.rfc-editor.org/rfc/rfc{number}");
    if !section.is_empty() {
        let _ = write!(url, "#section-{section}");
    }
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::super::rules::RULES;
    use super::super::vocabulary::WORDING;
    use super::*;

    #[test]
    fn every_source_can_be_followed_but_those_of_wording_and_of_knowing_nothing() {
        for rule in RULES.iter().filter(|rule| rule.id != "unknown" && rule.source != WORDING) {
            let url = source_url(rule.source).unwrap_or_default();
            assert!(url.starts_with("https://"), "{}: {}", rule.id, rule.source);
            assert!(!url.contains(' '), "{}: {url}", rule.id);
        }
        assert_eq!(
            source_url("RFC 9110 §15.6.2").as_deref(),
            Some("https://www.rfc-editor.org/rfc/rfc9110#section-15.6.2")
        );
        assert_eq!(source_url("RFC 7725").as_deref(), Some("https://www.rfc-editor.org/rfc/rfc7725"));
    }
}
