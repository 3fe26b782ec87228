//! The wait that a server requested: `Retry-After` and similar fields, from headers, bodies and prose.
//!
//! The most precise hint wins (`Signals::hint` has the order; `gather.rs` finds the fields of a body), and a hint is a whole
//! number of milliseconds: never negative, never infinite. Sources:
//! RFC 9110 §10.2.3 (Retry-After) and §5.6.7 (dates), the OpenAI and Anthropic SDKs (`retry-after-ms`), Anthropic's and
//! OpenAI's rate limit pages (`*-reset`), google.rpc.RetryInfo.

use super::key::Key;
use super::limits::FAMILIES;
use super::span::{LONGEST_MS, decimal, duration, http_date, iso_date, millis, until_reset};
use super::thrown::{Node, cut};
use crate::time::Millis;

/// Returns the wait that the headers request. `now`: milliseconds since the epoch, for dates in a response without
/// `date`.
///
/// `limits`: the response refused because of a rate, so the reset of an exhausted limit counts.
#[must_use]
pub fn from_headers(headers: Node<'_>, now: Option<u64>, limits: bool) -> Option<Millis> {
    let text = |key: Key| headers.get(key).and_then(|node| Some(node.text()?.trim()));
    // In gRPC (A6, "pushback") a negative number forbids a retry, and is no wait.
    let precise =
        text(Key::RetryAfterMs).or_else(|| text(Key::MsRetryAfterMs)).or_else(|| text(Key::GrpcPushback));
    if let Some(hint) = precise.and_then(|value| millis(decimal(value)?)) {
        return Some(hint);
    }
    let now = text(Key::Date).and_then(http_date).or(now);
    if let Some(hint) = text(Key::RetryAfter).and_then(|value| retry_after(value, now)) {
        return Some(hint);
    }
    if limits { from_limits(headers, now) } else { None }
}

/// Reads the value of `Retry-After`: seconds, possibly with a fraction, or a date. Some servers write a Unix time.
fn retry_after(value: &str, now: Option<u64>) -> Option<Millis> {
    if let Some(seconds) = decimal(value) {
        return until_reset(value, now).or_else(|| far(seconds * 1000.0));
    }
    if let Some(span) = duration(value).filter(|(_, rest)| rest.trim().is_empty()) {
        return far(span.0);
    }
    let due = http_date(value).or_else(|| iso_date(value))?;
    far(Millis(due.saturating_sub(now?)).as_f64())
}

/// A longer wait than the longest is that one: a server that says "in thirty years" does not want to be called again in a
/// second. More than a hundred years are an error of the sender.
fn far(ms: f64) -> Option<Millis> {
    if ms > 100.0 * LONGEST_MS { None } else { millis(ms.min(LONGEST_MS)) }
}

/// Returns the longest reset among the exhausted limits; if no limit states its remainder, the longest of all.
fn from_limits(headers: Node<'_>, now: Option<u64>) -> Option<Millis> {
    let text = |key: Key| headers.get(key).and_then(|node| Some(node.text()?.trim()));
    let mut exhausted = None;
    let mut any = None;
    for family in FAMILIES {
        let Some(span) = text(family.reset).and_then(|value| until_reset(value, now)) else { continue };
        match text(family.remaining).and_then(decimal) {
            Some(0.0) => exhausted = exhausted.max(Some(span)),
            Some(_) => {}
            None => any = any.max(Some(span)),
        }
    }
    exhausted.or(any).or_else(|| text(Key::DraftLimits).and_then(from_draft))
}

/// Reads the `RateLimit` field of draft-ietf-httpapi-ratelimit-headers: `"default";r=0;t=30`; before draft 08
/// `limit=100, remaining=0, reset=30`. A limit with something left requests no wait.
fn from_draft(value: &str) -> Option<Millis> {
    let parameter = |names: [&str; 2]| {
        value.split([';', ',']).find_map(|part| {
            let (name, number) = part.trim().split_once('=')?;
            names.contains(&name.trim()).then(|| decimal(number.trim())).flatten()
        })
    };
    let left = parameter(["r", "remaining"]);
    let seconds = parameter(["t", "reset"]).filter(|_| left.is_none_or(|left| left == 0.0))?;
    millis(seconds * 1000.0)
}

/// Reads the span of google.rpc.RetryInfo: `23s`, `23.429760048s`.
#[must_use]
pub(crate) fn retry_info(text: &str) -> Option<Millis> {
    duration(text).and_then(|(ms, _)| millis(ms))
}

/// Reads a number of seconds or milliseconds from a field of an error or a body.
#[must_use]
pub(crate) fn stated(node: Node<'_>, unit_ms: f64) -> Option<Millis> {
    let number = node.number().or_else(|| node.text().and_then(|text| decimal(text.trim())));
    match number {
        Some(number) => millis(number * unit_ms),
        None => node.text().and_then(retry_info),
    }
}

/// How prose introduces a span.
const LEADS: [&str; 20] = [
    "try again in ",
    "try again after ",
    "retry in ",
    "retry after ",
    "retrying in ",
    "retry-after: ",
    "retry your request after ",
    "please wait ",
    "wait for ",
    "available in ",
    "available again in ",
    "resets in ",
    "reset in ",
    "reset after ",
    "must wait ",
    "retry_after: ",
    "retry_after=",
    "retryafter=",
    "retry-after=",
    MILLISECONDS_LEAD,
];

/// Introduces milliseconds if no unit follows.
const MILLISECONDS_LEAD: &str = "retryafterms=";

/// How much of a text is searched for a span, in bytes.
const PROSE: usize = 2048;

/// Reads the span in "Please try again in 7m12s." or "retry after 26 seconds". The unit must be named: a bare number
/// means seconds only after a lead that begins with "retry", as in the header `Retry-After`.
#[must_use]
pub(crate) fn from_prose(text: &str) -> Option<Millis> {
    let text = cut(text, PROSE);
    let bytes = text.as_bytes();
    // The first letters of a lead: t, r, p, w, a, m.
    let mut at = 0;
    while at + 8 < bytes.len() {
        let letter = bytes.get(at).map_or(b' ', u8::to_ascii_lowercase);
        if matches!(letter, b't' | b'r' | b'p' | b'w' | b'a' | b'm') {
            for lead in LEADS {
                let Some(here) = bytes.get(at..at + lead.len()) else { continue };
                if !here.eq_ignore_ascii_case(lead.as_bytes()) {
                    continue;
                }
                let rest = text.get(at + lead.len()..).unwrap_or_default();
                let rest = ["approximately ", "about ", "another "]
                    .iter()
                    .find_map(|w| rest.strip_prefix(w))
                    .unwrap_or(rest);
                if let Some((ms, _)) = duration(rest) {
                    return millis(ms);
                }
                if lead.starts_with("retry") {
                    let digits = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
                    let number = rest.get(..digits).map(|n| n.trim_end_matches('.'));
                    if let Some(seconds) = number.and_then(decimal) {
                        return millis(if lead == MILLISECONDS_LEAD { seconds } else { seconds * 1000.0 });
                    }
                }
            }
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::Thrown;

    /// 2026-11-22T00:00:00Z.
    const NOW: u64 = 1_795_305_600_000;

    fn headers(json: &str) -> Option<u64> {
        let thrown = Thrown::headers_from_json(json);
        from_headers(thrown.root()?, Some(NOW), true).map(|hint| hint.0)
    }

    #[test]
    fn a_longer_wait_than_a_year_is_a_year_and_a_number_has_at_most_24_digits() {
        let wait = |value: &str| headers(&format!(r#"{{"retry-after":"{value}"}}"#));
        assert_eq!(wait("172800"), Some(172_800_000));
        assert_eq!(wait("31622400"), Some(366 * 86_400_000));
        for far in
            ["31622401", "999999999", "9999 days", "Thu, 01 Jan 2099 00:00:00 GMT", "2099-01-01T00:00:00Z"]
        {
            assert_eq!(wait(far), Some(366 * 86_400_000), "{far}");
        }
        assert_eq!(wait("1795305630"), Some(30_000), "a Unix time");
        assert_eq!(headers(r#"{"retry-after-ms":"99999999999999","retry-after":"2"}"#), Some(2000));
        assert_eq!(decimal(&"0".repeat(24)), Some(0.0));
        assert_eq!(decimal(&"0".repeat(25)), None);
    }

    #[test]
    fn an_error_states_a_wait_of_its_own() {
        let wait = |json: &str| {
            let thrown = Thrown::from_json(json);
            let decided = crate::classify::classify(&thrown, &crate::classify::Context::default());
            decided.hint.map(|hint| hint.0)
        };
        assert_eq!(wait(r#"{"retryAfterMs":1500}"#), Some(1500));
        assert_eq!(wait(r#"{"data":{"retry_after_ms":"1500"}}"#), Some(1500));
        assert_eq!(wait(r#"{"retryAfter":1.5}"#), Some(1500));
        assert_eq!(wait(r#"{"retry_after":"2s"}"#), Some(2000));
        assert_eq!(wait(r#"{"retryAfterSeconds":3}"#), Some(3000));
    }

    #[test]
    fn the_most_precise_header_wins() {
        assert_eq!(headers(r#"{"retry-after":"2","retry-after-ms":"1500"}"#), Some(1500));
        assert_eq!(headers(r#"{"retry-after":"7","x-ratelimit-reset-tokens":"6.92s"}"#), Some(7000));
        assert_eq!(headers(r#"{"retry-after":"0.25"}"#), Some(250));
        assert_eq!(headers(r#"{"retry-after":"2026-11-22T02:02:00+0200"}"#), Some(120_000));
        assert_eq!(headers(r#"{"retry-after":"Sun, 22 Nov 2026 00:00:11 GMT"}"#), Some(11_000));
        assert_eq!(headers(r#"{"retry-after":"Sat, 21 Nov 2026 00:00:11 GMT"}"#), Some(0));
        assert_eq!(
            headers(
                r#"{"retry-after":"Sun, 22 Nov 2026 00:00:11 GMT","date":"Sun, 22 Nov 2026 00:00:01 GMT"}"#
            ),
            Some(10_000)
        );
    }

    #[test]
    fn a_limit_with_something_left_gives_no_hint() {
        // Anthropic sends these with every response, including a 529.
        assert_eq!(
            headers(
                r#"{"anthropic-ratelimit-requests-remaining":"55","anthropic-ratelimit-requests-reset":"2026-11-22T00:00:30Z"}"#
            ),
            None
        );
    }

    #[test]
    fn resets_of_exhausted_limits() {
        assert_eq!(
            headers(
                r#"{"x-ratelimit-remaining-requests":"0","x-ratelimit-reset-requests":"7m12s","x-ratelimit-remaining-tokens":"9","x-ratelimit-reset-tokens":"1h"}"#
            ),
            Some(432_000)
        );
        assert_eq!(
            headers(
                r#"{"anthropic-ratelimit-input-tokens-remaining":"0","anthropic-ratelimit-input-tokens-reset":"2026-11-22T00:00:30Z"}"#
            ),
            Some(30_000)
        );
        assert_eq!(
            headers(
                r#"{"anthropic-ratelimit-input-tokens-remaining":"0","anthropic-ratelimit-input-tokens-reset":"2026-01-01T00:00:00Z"}"#
            ),
            None
        );
        assert_eq!(
            headers(r#"{"x-ratelimit-remaining":"0","x-ratelimit-reset":"1795305660000"}"#),
            Some(60_000)
        );
        assert_eq!(
            headers(r#"{"x-ratelimit-remaining":"0","x-ratelimit-reset":"1795305660"}"#),
            Some(60_000)
        );
    }

    #[test]
    fn the_field_of_the_draft_and_the_pushback_of_grpc() {
        assert_eq!(headers(r#"{"RateLimit":"\"default\";r=0;t=30"}"#), Some(30_000));
        assert_eq!(headers(r#"{"ratelimit":"limit=100, remaining=0, reset=7"}"#), Some(7000));
        assert_eq!(headers(r#"{"ratelimit":"\"default\";r=9;t=30"}"#), None);
        assert_eq!(headers(r#"{"grpc-retry-pushback-ms":"250"}"#), Some(250));
        assert_eq!(headers(r#"{"grpc-retry-pushback-ms":"-1"}"#), None);
    }

    #[test]
    fn an_impossible_wait_is_no_hint() {
        for value in ["-5", "NaN", "Infinity", "1e400", "soon", "", "99999999999999999999999", "7 apples"] {
            assert_eq!(headers(&format!(r#"{{"retry-after":"{value}"}}"#)), None, "{value}");
        }
    }

    #[test]
    fn prose() {
        for (text, ms) in [
            ("Limit 3. Please try again in 7m12s. Visit", 432_000),
            ("Please retry after 26 seconds.", 26_000),
            ("Please try again in 644ms.", 644),
            ("please retry in 23.429760048s.", 23_430),
            ("Retry after 5", 5000),
            ("Error=16500, RetryAfterMs=34, Details=x", 34),
            ("You must wait 60 seconds after deleting a queue", 60_000),
            ("slow down, retry_after=2", 2000),
        ] {
            assert_eq!(from_prose(text).map(|h| h.0), Some(ms), "{text}");
        }
        assert_eq!(from_prose("Please adjust your input and try again."), None);
        assert_eq!(from_prose("try again in a while"), None);
    }
}
