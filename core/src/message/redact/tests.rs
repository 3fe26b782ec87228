//! Laws of redaction; what it takes out and leaves is in `tests/vectors/redact.json`.

use super::*;
use proptest::prelude::*;

/// Texts made of the parts of secrets and of their surroundings.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9_-]{1,50}",
        "[a-zA-Z0-9+/=]{20,60}",
        "[0-9a-f]{28,40}",
        "\\PC{0,6}",
        prop::sample::select(vec![
            " ",
            "\n",
            ":",
            ": ",
            "=",
            ",",
            ";",
            "; ",
            "\"",
            "'",
            "\\\"",
            "\\n",
            "%20",
            "%40",
            "%3D",
            "://",
            "@",
            ".",
            "..",
            "/",
            "?",
            "&",
            "[",
            "]",
            "[redacted]",
            "redacted",
            "Bearer ",
            "Basic ",
            "Authorization: ",
            "Cookie: ",
            "api_key",
            "\"api-key\":\"",
            "password=",
            "token ",
            "key",
            "API key provided",
            " is ",
            "sk-",
            "AIza",
            "eyJ",
            "org-",
            "projects/",
            "-----BEGIN ",
            "PRIVATE KEY-----",
            "-----END ",
            "****",
            "a@b.co",
            "é",
            "日本",
            "request_id ",
            "curl -u ",
            "--api-key ",
            "<password>",
            "</",
            "machine login password ",
            "kind: Secret",
            "data:\n  x: ",
            "discord ",
            "Twitter_",
            "\\\\\"",
            "\\u0026",
            "xY18Q~",
            "123456789:A",
            "hooks.slack.com/services/",
            "postgres://u:p/",
            "?code=",
            "||",
            "{",
            "}",
            "(",
            "null",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn twice_is_once(text in pieces()) {
        let once = redact(&text);
        prop_assert_eq!(redact(&once), once);
    }

    #[test]
    fn anything_at_all_is_only_shortened_or_marked(text in "\\PC{0,200}") {
        let clean = redact(&text);
        prop_assert_eq!(redact(&clean), clean.clone());
        prop_assert!(clean.len() <= text.len() + clean.matches(MARK).count() * MARK.len());
    }

    #[test]
    fn a_key_goes_wherever_it_stands(before in "\\PC{0,30}", after in "\\PC{0,30}", tail in "[A-Za-z0-9]{24,48}") {
        let key = format!("sk-proj-{tail}");
        let clean = redact(&format!("{before} {key} {after}"));
        prop_assert!(!clean.contains(&tail), "{}", clean);
    }

    #[test]
    fn prose_stays(words in prop::collection::vec("[a-z]{1,11}", 0..30)) {
        // Random words form "pw is b" once in many thousand sentences.
        prop_assume!(!words.iter().any(|word| names_secret(word)));
        let text = words.join(" ");
        prop_assert_eq!(redact(&text), text);
    }
}

/// The failures that the property found. Each is small, and joins pieces that hardly ever occur side by side.
#[test]
fn twice_is_once_for_what_the_property_found() {
    for text in [
        "--a00AAaAa0aAAaA0a-A0_A-0--api-key b",
        "KEY=aA0/aaa==aAAA===A0/:A0A0000-A00Aaaa__---0a_a__Aa_A0aପ",
        "--key aA0/aaa==aAAA===A0/:A0A0000-A00Aaaa__---0a_a__Aa_A0aପ",
        "discord sk-Authorization: __-AA0aA0a_A_a0--A",
        "--api-key %3Db",
        "xY18Q~a-A_aaa__-_A0aAAaaaaa0_A-0-A.00aA-aa0aAA-0_aA0-aAAAaA__A__--A",
        "kind: SecretA0Aaa0A00Aa=aAaAa0++a_0aa0AA00Aa_0_-aaa-_AA_?code=aA_0-0A￼",
        "a@b.coé0a00a00a0a0000aaaaaa0000a0a0aa00",
    ] {
        let once = redact(text);
        assert_eq!(redact(&once), once, "{text}");
    }
}

thread_local! {
    /// Counts the bytes that `run` has examined.
    pub(super) static LOOKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Texts that a careless scanner would read again and again: none takes more than a few looks at each byte.
#[test]
fn no_text_is_costly() {
    let traps = [
        "a.",
        "a@",
        "a@b.",
        "://",
        "a://",
        "a/",
        "a+",
        "key=",
        "key: ",
        "sk-",
        "hf_.",
        "npm_-",
        "\"",
        "'",
        "-----BEGIN ",
        "a:",
        "eyJ.",
        "projects/",
        "a;",
        "Cookie: a;",
        "%40",
        "'password':'",
        "\\\"key\\\":\\\"",
        "*",
        "****",
        "Bearer ",
        "a ",
        "é",
        "[redacted]",
        "[",
        "API key is ",
        "=",
        "token=\\",
        "\\",
        "\\\"",
        "<key>",
        "--key ",
        "--key=",
        "curl -u ",
        "curl -u=",
        "discord:",
        "discord ",
        "twitter_discord: ",
        "a://b:c/",
        "://b:c/",
        "kind: Secret data: ",
        "data: kind",
        "kind:",
        "machine login password ",
        "?code=",
        "api_v2=",
        "api_v2:a=",
        "hooks.slack.com/services/",
        "aQ~",
        "1Q~.",
        "12345:A",
        "secret: a",
        "key||",
    ];
    for trap in traps {
        let text = trap.repeat(40_000 / trap.len());
        LOOKED.set(0);
        let clean = redact(&text);
        assert!(LOOKED.get() <= 16 * text.len(), "{trap:?}: {} looks at {} bytes", LOOKED.get(), text.len());
        assert!(clean.len() <= text.len() * 12);
    }
}
