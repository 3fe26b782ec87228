//! The shapes of secrets without a vendor's prefix: random strings, and tokens in several parts.

use super::bytes::{TOKEN, WORD};
use crate::text::{contains, words_of};

/// Replaces a secret.
pub const MARK: &str = "[redacted]";

/// Returns `true` for a character of words, names and most keys.
pub(super) const fn is_word(b: u8) -> bool {
    WORD.has(b)
}

/// Returns `true` for a character of tokens.
pub(super) const fn is_token(b: u8) -> bool {
    TOKEN.has(b)
}

/// Returns `true` if a value looks like a secret and not like a word of a sentence.
pub(super) fn looks_secret(value: &str) -> bool {
    let value = value.trim_end_matches(['.', '!', '?', ':']);
    let capital_inside = value.bytes().skip(1).any(|b| b.is_ascii_uppercase())
        && value.bytes().any(|b| b.is_ascii_lowercase());
    value.len() >= 6
        && (value.len() >= 20
            || capital_inside
            || value.bytes().any(|b| b.is_ascii_digit() || matches!(b, b'+' | b'=' | b'*')))
}

/// Prefixes of ids that a user may read to a provider's support.
const PUBLIC_IDS: &str = "req_ req- chatcmpl- cmpl- resp_ resp- msg_ run_ run- thread_ call_ toolu_ srvtoolu_ \
     file- file_ batch_ msgbatch_ gen- gen_ evt_ event_ ftjob- rs_ fc_ fco_ vs_ vsf_ ws_ fs_ \
     ci_ cu_ ig_ mcp_ mcpl_ mcpr_ lsh_ ctc_ asst_ step_ conv_ item_ sess_ fp_ eval_ evalrun_ \
     modr- embd- aitxt- aiobj- container_ cntr_ cmsg- sha1- sha256- sha384- sha512- video_";

/// Returns `true` if a word begins like a public id.
pub(super) fn is_public(word: &str) -> bool {
    words_of(PUBLIC_IDS).any(|id| word.as_bytes().starts_with(id))
}

/// Returns `true` for long hex, or letters and digits mixed as only in random strings.
pub(super) fn is_random(word: &str) -> bool {
    let length = word.len();
    if length < 32 || is_hex_id(word) || is_public(word) {
        return false;
    }
    let pieces = || word.split(['-', '_']);
    let longest = pieces().map(str::len).max().unwrap_or(0);
    let hex = longest >= 32 && word.bytes().all(|b| b.is_ascii_hexdigit());
    // Base64 of text has few digits, but changes its case more often than any camelCase name.
    let restless = longest >= 40 && flips(word) * 3 >= length;
    let mixed = pieces()
        .any(|piece| piece.len() >= 16 && (changes(piece) >= 3 || is_dense(piece) && !is_camel(piece)));
    let unread = longest >= 32 && joints(word.as_bytes()) * 7 >= length && vowels(word) * 4 < length;
    let endless = longest >= 64 && (is_gibberish(word) || word.bytes().any(|b| b.is_ascii_digit()));
    hex || restless || mixed || unread || endless || is_dense_throughout(word)
}

/// 40 hex digits: most are the names of commits.
pub(super) fn is_commit(word: &str) -> bool {
    word.len() == 40 && word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'))
}

/// Base64 with its `+` and `/`: letters and digits mixed in all parts, which paths do not have.
pub(super) fn is_base64(blob: &str) -> bool {
    if blob.len() < 32 || is_hex_id(blob) || !blob.bytes().any(|b| matches!(b, b'+' | b'/')) {
        return false;
    }
    let has = |class: fn(&u8) -> bool| blob.bytes().any(|b| class(&b));
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    // UUIDs and public ids in a path are mixed like random strings, but harmless.
    let parts = || blob.split('/').filter(|part| !part.is_empty() && !is_hex_id(part) && !is_public(part));
    let length: usize = parts().map(str::len).sum();
    let joints: usize = parts().map(|part| joints(part.as_bytes())).sum();
    mixed && length >= 24 && length / parts().count().max(1) >= 6 && joints * 6 >= length
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

/// A UUID, RFC 9562 §4.
pub(super) fn is_uuid(word: &str) -> bool {
    word.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && word.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// A UUID, or an id of tracing: W3C `traceparent`, B3, AWS X-Ray.
pub(super) fn is_hex_id(word: &str) -> bool {
    const PATTERNS: &[&[usize]] =
        &[&[8, 4, 4, 4, 12], &[2, 32, 16, 2], &[32, 16, 1], &[32, 16, 1, 16], &[1, 8, 24]];
    let lengths = || word.split('-').map(str::len);
    PATTERNS.iter().any(|pattern| lengths().eq(pattern.iter().copied()))
        && word.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// Returns `true` for a value behind a weak name that must be random: no number, no date, no version, no path.
pub(super) fn is_opaque(value: &str) -> bool {
    let value = value.trim_end_matches(['.', '!', '?', ':', '=']);
    let joints = joints(value.as_bytes());
    value.len() >= 10
        && value
            .bytes()
            .all(|b| is_token(b) || matches!(b, b':' | b'%' | b'$' | b'!' | b'@' | b'#' | b'^' | b'&'))
        && !is_hex_id(value)
        && !is_public(value)
        && !contains(value, "://")
        && (joints >= 3 && value.bytes().any(|b| b.is_ascii_digit()) || joints * 4 >= value.len())
}

/// Returns `true` if letters do not form words: few vowels, or many consonants in a row.
pub(super) fn is_gibberish(word: &str) -> bool {
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let vowels = vowels(word);
    let consonants = |part: &[u8]| part.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let longest = word.as_bytes().split(|&b| is_vowel(b)).map(consonants).max().unwrap_or(0);
    letters >= 8 && (vowels * 10 < letters * 3 || longest >= if letters >= 12 { 4 } else { 5 })
}

fn is_vowel(b: u8) -> bool {
    matches!(b.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

fn vowels(word: &str) -> usize {
    word.bytes().filter(|&b| is_vowel(b)).count()
}

/// Returns `true` for letters and digits of a random string, in one piece.
pub(super) fn is_mixed(word: &[u8]) -> bool {
    joints(word) * 13 >= word.len()
        && word.iter().all(u8::is_ascii_alphanumeric)
        && word.iter().any(u8::is_ascii_digit)
}

/// Returns `true` if it is mixed like base64: one joint in five characters. Names of camel case have one in eight,
/// random strings two in five.
pub(super) fn is_dense(word: &str) -> bool {
    joints(word.as_bytes()) * 5 >= word.len()
}

/// A name of words: letters alone, no two capitals beside each other (`mapModelErrorCodeToAgentErrorCode`).
fn is_camel(word: &str) -> bool {
    let capitals = |pair: &[u8]| pair.iter().all(u8::is_ascii_uppercase);
    word.bytes().all(|b| b.is_ascii_alphabetic()) && !word.as_bytes().windows(2).any(capitals)
}

/// Base64url with `-` and `_` in it; a name with a random part at its end (CloudFormation's) is not mixed at its beginning.
fn is_dense_throughout(word: &str) -> bool {
    let has = |class: fn(&u8) -> bool| word.bytes().any(|b| class(&b));
    let (head, tail) = word.as_bytes().split_at(word.len() / 2);
    is_dense(word)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && joints(head) * 8 >= head.len()
        && joints(tail) * 8 >= tail.len()
}

/// Matches a token of several parts that no prefix reveals. `text` is the text, `from..end` its word; returns the
/// token's end.
pub(super) fn in_parts(text: &[u8], from: usize, end: usize) -> Option<(usize, usize)> {
    let word = text.get(from..end)?;
    let rest = text.get(end..)?;
    let run =
        |rest: &[u8], belongs: fn(u8) -> bool| rest.iter().take(400).take_while(|&&b| belongs(b)).count();
    let digits = word.iter().all(u8::is_ascii_digit);
    match rest.first().copied().unwrap_or(0) {
        // Telegram: the bot's number, `:`, 35 characters that begin with `A`.
        b':' if digits && (5..=16).contains(&word.len()) => {
            let key = rest.get(1..)?;
            let length = run(key, is_word);
            (key.first() == Some(&b'A') && (33..=46).contains(&length)).then_some((from, end + 1 + length))
        }
        // Facebook: the application's number, `|`, its secret.
        b'|' | b'%' if digits && (15..=16).contains(&word.len()) => {
            let sign = if rest.starts_with(b"%7C") { 3 } else { 1 };
            let length = run(rest.get(sign..)?, is_word);
            (27..=40).contains(&length).then_some((from, end + sign + length))
        }
        // Discord: the bot's number in base64, a time, a signature.
        b'.' if (23..=30).contains(&word.len()) && matches!(word.first(), Some(b'M' | b'N' | b'O')) => {
            let time = run(rest.get(1..)?, is_word);
            let sign = rest.get(1 + time..)?;
            let length = run(sign.get(1..)?, is_word);
            (sign.first() == Some(&b'.') && (5..=8).contains(&time) && (25..=48).contains(&length))
                .then_some((from, end + 2 + time + length))
        }
        // HashiCorp Terraform.
        b'.' if word.len() == 14 && rest.starts_with(b".atlasv1.") => {
            let length = run(rest.get(9..)?, |b| is_word(b) || b == b'=');
            (length >= 30).then_some((from, end + 9 + length))
        }
        // Microsoft Entra: three characters, a digit, `Q~`, 31 to 34 more.
        b'~' if word.last() == Some(&b'Q') && word.iter().nth_back(1).is_some_and(u8::is_ascii_digit) => {
            let begin = (end - 2).checked_sub(3)?;
            let head = text.get(begin..end - 2)?;
            let length = run(rest.get(1..)?, |b| is_word(b) || matches!(b, b'.' | b'~'));
            let dots = rest.get(1..1 + length)?.iter().rev().take_while(|&&b| b == b'.').count();
            let known = head.iter().all(|&b| is_word(b) || matches!(b, b'.' | b'~'));
            // If an earlier pass removed the rest, the token is incomplete.
            let is_cut_short = rest.get(1 + length..)?.starts_with(MARK.as_bytes());
            (known && !is_cut_short && (28..=40).contains(&(length - dots)))
                .then_some((begin.min(from), end + 1 + length - dots))
        }
        // MaxMind.
        _ => {
            (word.len() == 40 && word.ends_with(b"_mmk") && word.get(6) == Some(&b'_')).then_some((from, end))
        }
    }
}

/// Counts the changes between letters and digits.
fn changes(word: &str) -> usize {
    let pairs = word.bytes().zip(word.bytes().skip(1));
    pairs
        .filter(|(a, b)| {
            a.is_ascii_digit() && b.is_ascii_alphabetic() || a.is_ascii_alphabetic() && b.is_ascii_digit()
        })
        .count()
}

/// Counts the changes of case between neighbours.
fn flips(word: &str) -> usize {
    let pairs = word.bytes().zip(word.bytes().skip(1));
    pairs.filter(|(a, b)| a.is_ascii_uppercase() != b.is_ascii_uppercase()).count()
}

/// Counts the changes between capitals, small letters and digits, except from a capital to a small letter, as words
/// begin.
fn joints(word: &[u8]) -> usize {
    let class = |b: u8| match b {
        b'A'..=b'Z' => 1,
        b'a'..=b'z' => 2,
        b'0'..=b'9' => 3,
        _ => 0,
    };
    let pairs = word.iter().zip(word.iter().skip(1)).map(|(&a, &b)| (class(a), class(b)));
    pairs.filter(|&(a, b)| a != b && a != 0 && b != 0 && (a, b) != (1, 2)).count()
}
