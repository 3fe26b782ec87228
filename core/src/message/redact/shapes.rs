//! What secrets look like: the key formats of vendors, and what only chance writes.

/// A vendor's key format: how it begins, and how much must follow.
struct Format {
    prefix: &'static str,
    tail: Tail,
}

/// What must follow a prefix, so that it is a key and no name.
#[derive(Clone, Copy)]
enum Tail {
    /// This many characters, whichever.
    Any(usize),
    /// This many characters, among them a digit or a capital: the prefix also begins ordinary names (`hf_hub_download`).
    Mixed(usize),
}

use Tail::{Any, Mixed};

const fn format(prefix: &'static str, tail: Tail) -> Format {
    Format { prefix, tail }
}

/// From the vendors' documentation and secret scanners' public rules. Adding a vendor is adding a row.
const FORMATS: &[Format] = &[
    // Model providers
    format("sk-", Any(6)), // OpenAI (sk-proj-, sk-svcacct-, sk-admin-), Anthropic (sk-ant-), OpenRouter, DeepSeek, LiteLLM, Langfuse
    format("AIza", Any(20)), // Google
    format("AQ.", Mixed(20)), // Google AI Studio, since 2025
    format("ya29.", Any(10)), // Google OAuth access token
    format("1//0", Mixed(20)), // Google OAuth refresh token
    format("GOCSPX-", Any(10)), // Google OAuth client secret
    format("gsk_", Mixed(10)), // Groq
    format("xai-", Mixed(12)), // xAI
    format("r8_", Mixed(12)), // Replicate
    format("hf_", Mixed(12)), // Hugging Face
    format("api_org_", Mixed(12)), // Hugging Face organisations
    format("pplx-", Mixed(16)), // Perplexity: its models (pplx-70b-online) are shorter
    format("fw_", Mixed(12)), // Fireworks
    format("tgp_v1_", Any(10)), // Together
    format("nvapi-", Mixed(12)), // NVIDIA
    format("csk-", Mixed(12)), // Cerebras
    format("pa-", Mixed(24)), // Voyage
    format("jina_", Mixed(16)), // Jina
    format("vck_", Mixed(12)), // Vercel AI Gateway
    format("ABSK", Mixed(20)), // Amazon Bedrock, long-term
    format("bedrock-api-key-", Any(10)), // Amazon Bedrock, short-term
    format("AKIA", Mixed(16)), // AWS access key id
    format("ASIA", Mixed(16)), // AWS temporary access key id
    format("dapi", Mixed(28)), // Databricks
    format("esecret_", Mixed(12)), // Anyscale
    format("up_", Mixed(20)), // Upstage
    format("sk_", Mixed(12)), // ElevenLabs, Stripe (sk_live_)
    format("rk_live_", Any(8)), // Stripe
    format("whsec_", Any(8)), // Stripe, Svix
    // What agents' tools use
    format("tvly-", Mixed(10)), // Tavily
    format("fc-", Mixed(24)),   // Firecrawl
    format("lsv2_", Mixed(12)), // LangSmith
    format("ls__", Mixed(12)),  // LangSmith, before 2024
    format("pcsk_", Mixed(12)), // Pinecone
    format("BSA", Mixed(24)),   // Brave Search
    format("ghp_", Mixed(12)),  // GitHub
    format("gho_", Mixed(12)),
    format("ghu_", Mixed(12)),
    format("ghs_", Mixed(12)),
    format("ghr_", Mixed(12)),
    format("github_pat_", Mixed(12)),
    format("glpat-", Mixed(12)), // GitLab
    format("npm_", Mixed(24)),   // npm
    format("pypi-", Mixed(24)),  // PyPI
    format("xoxb-", Any(8)),     // Slack
    format("xoxp-", Any(8)),
    format("xoxa-", Any(8)),
    format("xoxs-", Any(8)),
    format("xapp-", Mixed(12)),
    format("SG.", Mixed(20)),     // SendGrid
    format("key-", Mixed(32)),    // Mailgun
    format("ntn_", Mixed(16)),    // Notion
    format("secret_", Mixed(24)), // Notion, before 2024
    format("lin_api_", Any(10)),  // Linear
    format("sbp_", Mixed(20)),    // Supabase
    format("dop_v1_", Any(10)),   // DigitalOcean
    format("hvs.", Mixed(12)),    // HashiCorp Vault
    format("ATATT3", Mixed(20)),  // Atlassian
    format("phx_", Mixed(16)),    // PostHog
    format("sntrys_", Any(10)),   // Sentry
    format("AGE-SECRET-KEY-1", Any(10)),
    format("eyJ", Mixed(16)), // JSON Web Tokens (RFC 7519): `{"` in base64url
    // Whose account it is
    format("org-", Mixed(12)),    // OpenAI organisation
    format("proj_", Mixed(12)),   // OpenAI project
    format("user-", Mixed(16)),   // OpenAI user
    format("wrkspc_", Mixed(12)), // Anthropic workspace
    format("acct_", Mixed(10)),   // Stripe account
];

/// The length of the key that `text` begins with.
pub(super) fn key(text: &[u8]) -> Option<usize> {
    let first = text.first()?;
    let rows = FORMATS.iter().filter(|row| row.prefix.as_bytes().first() == Some(first));
    rows.filter(|row| text.starts_with(row.prefix.as_bytes())).find_map(|row| {
        let rest = text.get(row.prefix.len()..)?;
        let head = rest.get(..MOST_DECISIVE).unwrap_or(rest);
        let found = head.get(..tail_length(head))?;
        let is_key = match row.tail {
            Any(least) => found.len() >= least,
            Mixed(least) => {
                found.len() >= least && found.iter().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
            }
        };
        (is_key || found.contains(&b'*')).then(|| row.prefix.len() + tail_length(rest))
    })
}

/// So much of a tail decides; were it all, a text of nothing but prefixes would be read over and over.
const MOST_DECISIVE: usize = 64;

/// Letters, digits, `-`, `_`, the stars of a mask, and dots that do not end a sentence.
fn tail_length(text: &[u8]) -> usize {
    let end = text.iter().position(|&b| !(is_word(b) || matches!(b, b'*' | b'.'))).unwrap_or(text.len());
    let dots = text.get(..end).unwrap_or_default().iter().rev().take_while(|&&b| b == b'.').count();
    end - dots
}

/// What words, names and most keys are made of.
pub(super) fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
}

/// `token68` of RFC 9110 §11.2, and the stars of a mask.
pub(super) fn is_token(b: u8) -> bool {
    is_word(b) || matches!(b, b'.' | b'~' | b'+' | b'/' | b'=' | b'*')
}

/// What can stand in a value without quotes.
pub(super) fn is_value(b: u8) -> bool {
    !b.is_ascii_whitespace()
        && !matches!(
            b,
            b'"' | b'\''
                | b'`'
                | b','
                | b';'
                | b'&'
                | b'('
                | b')'
                | b'['
                | b']'
                | b'{'
                | b'}'
                | b'<'
                | b'>'
                | b'\\'
                | b'|'
        )
}

/// Whether a value reads like a secret and not like a word of a sentence.
pub(super) fn looks_secret(value: &str) -> bool {
    let value = value.trim_end_matches(['.', '!', '?', ':']);
    let capital_inside = value.bytes().skip(1).any(|b| b.is_ascii_uppercase())
        && value.bytes().any(|b| b.is_ascii_lowercase());
    value.len() >= 6
        && (value.len() >= 20
            || capital_inside
            || value.bytes().any(|b| b.is_ascii_digit() || matches!(b, b'+' | b'=' | b'*')))
}

/// Beginnings of ids that are meant to be read out to a provider's support.
const PUBLIC_IDS: &[&str] = &[
    "req_",
    "req-",
    "chatcmpl-",
    "cmpl-",
    "resp_",
    "msg_",
    "run_",
    "thread_",
    "call_",
    "toolu_",
    "file-",
    "batch_",
    "gen-",
    "evt_",
    "ftjob-",
];

/// Long hex, or letters and digits mixed as only chance mixes them.
pub(super) fn is_random(word: &str) -> bool {
    if word.len() < 32 || is_uuid(word) || PUBLIC_IDS.iter().any(|id| word.starts_with(id)) {
        return false;
    }
    let longest = word.split(['-', '_']).map(str::len).max().unwrap_or(0);
    let hex = longest >= 32 && word.bytes().all(|b| b.is_ascii_hexdigit());
    // Base64 of text has few digits, but changes its case more often than any camelCase name.
    let restless = longest >= 40 && flips(word) * 3 >= word.len();
    hex || longest >= 64 || restless || longest >= 16 && changes(word) >= 3
}

/// Base64 with its `+` and `/`: long stretches between slashes, which paths do not have.
pub(super) fn is_base64(blob: &str) -> bool {
    if blob.len() < 32 || is_uuid(blob) || !blob.bytes().any(|b| matches!(b, b'+' | b'/')) {
        return false;
    }
    let has = |class: fn(&u8) -> bool| blob.bytes().any(|b| class(&b));
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    let longest = blob.split(['+', '/', '-', '_']).map(str::len).max().unwrap_or(0);
    let stretches = blob.split('/').filter(|part| !part.is_empty()).count();
    // An AWS secret access key: 40 characters, often with two or three slashes.
    let aws = blob.len() == 40 && !blob.contains(['-', '_']) && flips(blob) >= 10;
    mixed && longest >= 12 && (aws || blob.len() / stretches.max(1) >= 16 && changes(blob) >= 3)
}

/// A 12-digit AWS account number between the colons of an ARN.
pub(super) fn is_account(before: u8, word: &str, after: u8) -> bool {
    word.len() == 12 && before == b':' && after == b':' && word.bytes().all(|b| b.is_ascii_digit())
}

/// A number too long for a count, or the pattern of a UUID.
pub(super) fn is_tenant_id(word: &str) -> bool {
    word.len() >= 8 && word.bytes().all(|b| b.is_ascii_digit())
        || word.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

fn is_uuid(word: &str) -> bool {
    let lengths = word.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && word.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// How often a letter stands beside a digit.
fn changes(word: &str) -> usize {
    let pairs = word.bytes().zip(word.bytes().skip(1));
    pairs
        .filter(|(a, b)| {
            a.is_ascii_digit() && b.is_ascii_alphabetic() || a.is_ascii_alphabetic() && b.is_ascii_digit()
        })
        .count()
}

/// How often the case changes between neighbours.
fn flips(word: &str) -> usize {
    let pairs = word.bytes().zip(word.bytes().skip(1));
    pairs.filter(|(a, b)| a.is_ascii_uppercase() != b.is_ascii_uppercase()).count()
}
