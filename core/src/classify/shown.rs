//! Decides which parts of an error a log may show: names, ids and models in the form in which programs write them, and
//! nothing like a key.

use crate::message::is_key;

/// Returns `true` if a code or name may be shown: a word in the form of an identifier that does not look like a key.
pub(super) fn is_plain_token(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'$'))
        && text.bytes().filter(u8::is_ascii_digit).count() <= 6
        && !looks_secret(text)
}

/// Returns `true` for the id of a request, in the forms that providers use.
pub(super) fn is_request_id(text: &str) -> bool {
    (4..=128).contains(&text.len())
        && text.bytes().all(|b| {
            b.is_ascii_alphanumeric()
                || matches!(b, b'_' | b'.' | b'-' | b':' | b'/' | b'+' | b'=' | b',' | b';' | b'|')
        })
        && !looks_secret(text)
}

/// Returns `true` for a path in a request, such as `messages[0].content` or `tools.0.function.parameters`.
pub(super) fn is_path(text: &str) -> bool {
    (1..=96).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'$' | b'[' | b']'))
        && text.bytes().filter(u8::is_ascii_digit).count() <= 6
        && !text.split(['.', '[', ']']).any(looks_secret)
}

/// Returns `true` for a model's name.
pub(super) fn is_model_name(text: &str) -> bool {
    (2..=96).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b':' | b'/' | b'@'))
        && !looks_secret(text)
}

/// Returns `true` if it begins like a vendor's keys, or names a credential.
fn looks_secret(text: &str) -> bool {
    is_key(text) || text.starts_with("Bearer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ids_and_models_are_shown_and_keys_are_not() {
        for shown in ["insufficient_quota", "ER_DUP-1.2$x", "a", &"x".repeat(64), "e123456"] {
            assert!(is_plain_token(shown), "{shown}");
        }
        for hidden in ["", "two words", "späť", &"x".repeat(65), "e1234567", "sk-abcdef"] {
            assert!(!is_plain_token(hidden), "{hidden}");
        }
        for shown in ["req_1234567890", "a:b/c+d=e,f;g|h.i-j", "1234", &"x".repeat(128)] {
            assert!(is_request_id(shown), "{shown}");
        }
        for hidden in ["123", "two words", &"x".repeat(129), "Bearer-abc", "sk-abcdef"] {
            assert!(!is_request_id(hidden), "{hidden}");
        }
        for shown in
            ["messages", "tools[0].function.parameters", "messages.[12].content", "response_format.$ref"]
        {
            assert!(is_path(shown), "{shown}");
        }
        for hidden in ["", "two words", "a/b", "x.sk-abcdef", &"x".repeat(97)] {
            assert!(!is_path(hidden), "{hidden}");
        }
        for shown in ["o3", "meta/llama-4:free", "gpt-5.1@2026", &"x".repeat(96)] {
            assert!(is_model_name(shown), "{shown}");
        }
        for hidden in ["x", "a model", &"x".repeat(97), "hf_abcdef1234567"] {
            assert!(!is_model_name(hidden), "{hidden}");
        }
    }

    #[test]
    fn a_key_of_any_vendor_that_redaction_knows_is_not_shown() {
        for key in [
            "glpat-aBcDeFgHiJkLmNoPqRsT",
            "npm_aBcDeFgHiJkLmNoPqRsTuVwXyZ",
            "hvs.aBcDeFgHiJkLmNoPqRsT",
            "pplx-aBcDeFgHiJkLmNoPqRsT",
        ] {
            assert!(!is_plain_token(key) && !is_request_id(key) && !is_model_name(key), "{key}");
        }
    }
}
