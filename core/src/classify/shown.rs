//! What of an error may be shown in a log: names, ids and models as programs write them, and nothing like a key.

/// Whether a code or name may be shown: a word as programmers write them, and nothing that looks like a key.
pub(super) fn is_plain_token(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'$'))
        && text.bytes().filter(u8::is_ascii_digit).count() <= 6
        && !looks_secret(text)
}

/// Whether it is the id of a request, as providers write them.
pub(super) fn is_request_id(text: &str) -> bool {
    (4..=128).contains(&text.len())
        && text.bytes().all(|b| {
            b.is_ascii_alphanumeric()
                || matches!(b, b'_' | b'.' | b'-' | b':' | b'/' | b'+' | b'=' | b',' | b';' | b'|')
        })
        && !looks_secret(text)
}

/// Whether it is a model's name.
pub(super) fn is_model_name(text: &str) -> bool {
    (2..=96).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b':' | b'/' | b'@'))
        && !looks_secret(text)
}

/// How keys and tokens begin: OpenAI and its kin, Google, AWS, GitHub, Slack, Groq, Hugging Face, xAI, JWT.
fn looks_secret(text: &str) -> bool {
    const PREFIXES: [&str; 16] = [
        "sk-",
        "sk_",
        "pk-",
        "rk-",
        "AIza",
        "AKIA",
        "ASIA",
        "ghp_",
        "gho_",
        "github_pat_",
        "xox",
        "gsk_",
        "hf_",
        "xai-",
        "eyJ",
        "Bearer",
    ];
    PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}
