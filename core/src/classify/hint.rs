//! How long a server asked to wait: `Retry-After` and its kin, from headers, bodies and prose.
//!
//! The most precise hint wins, and a hint is a whole number of milliseconds: never negative, never infinite. Sources:
//! RFC 9110 §10.2.3 (Retry-After) and §5.6.7 (dates), the OpenAI and Anthropic SDKs (`retry-after-ms`), Anthropic's and
//! OpenAI's rate limit pages (`*-reset`), google.rpc.RetryInfo.

use super::key::Key;
use super::limits::FAMILIES;
use super::thrown::{Node, cut};
use crate::time::Millis;

/// A longer hint is a mistake, not a wait: 366 days.
const LONGEST_MS: f64 = 366.0 * 86_400_000.0;

/// Seconds or milliseconds as written to whole milliseconds, if it can be a wait.
fn millis(ms: f64) -> Option<Millis> {
    (0.0..=LONGEST_MS).contains(&ms).then(|| Millis::from_f64(ms.ceil()))
}

/// Digits with at most one decimal point, as servers write spans; no sign, exponent or word.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let plain = text.len() <= 24
        && text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && text.bytes().any(|b| b.is_ascii_digit());
    if plain { crate::number::roughly(text) } else { None }
}

/// What the headers ask for. `now`: milliseconds since the epoch, for dates, where the response has no `date`.
///
/// `limits`: whether the response refused for its rate, so that the reset of an exhausted limit is a hint.
#[must_use]
pub fn from_headers(headers: Node<'_>, now: Option<u64>, limits: bool) -> Option<Millis> {
    let text = |key: Key| headers.get(key).and_then(|node| Some(node.text()?.trim()));
    // Of gRPC (A6, "pushback") a negative number: it forbids another try, and is no wait.
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

/// The value of `Retry-After`: seconds, fractions of them too, or a date.
fn retry_after(value: &str, now: Option<u64>) -> Option<Millis> {
    if let Some(seconds) = decimal(value) {
        return millis(seconds * 1000.0);
    }
    if let Some(span) = duration(value).filter(|(_, rest)| rest.trim().is_empty()) {
        return millis(span.0);
    }
    let due = http_date(value).or_else(|| iso_date(value))?;
    Some(Millis(due.saturating_sub(now?))).filter(|span| span.as_f64() <= LONGEST_MS)
}

/// The longest reset among the exhausted limits; where none says how much is left, the longest of all.
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

/// The `RateLimit` field of draft-ietf-httpapi-ratelimit-headers: `"default";r=0;t=30`; before draft 08
/// `limit=100, remaining=0, reset=30`. What has something left asks for nothing.
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

/// A reset is a span (`6m0s`, `12`), a date (RFC 3339), or a Unix time in seconds or milliseconds. Past ones say nothing.
pub(super) fn until_reset(value: &str, now: Option<u64>) -> Option<Millis> {
    let until = |due: f64| {
        let left = due - Millis(now?).as_f64();
        if left > 0.0 { millis(left) } else { None }
    };
    match decimal(value) {
        Some(number) if number > 1e11 => until(number),
        Some(number) if number > 1e8 => until(number * 1000.0),
        Some(seconds) => millis(seconds * 1000.0),
        None => match duration(value) {
            Some((span, rest)) if rest.trim().is_empty() => millis(span),
            _ => iso_date(value).and_then(|due| until(Millis(due).as_f64())),
        },
    }
}

/// A span with units at the beginning of the text, in milliseconds, and what follows it: `7m12s`, `1.5s`, `644ms`,
/// `6m0s`, `26 seconds`, `1 hour and 5 minutes`.
#[must_use]
pub(crate) fn duration(text: &str) -> Option<(f64, &str)> {
    let mut rest = text.trim_start();
    let mut total = None;
    for _ in 0..6 {
        let digits = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let Some(number) = rest.get(..digits).and_then(decimal) else { break };
        let after = rest.get(digits..)?.trim_start_matches([' ', '\u{a0}']);
        let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let Some(unit) = after.get(..letters).and_then(unit) else { break };
        total = Some(total.unwrap_or(0.0) + number * unit);
        let next = after.get(letters..)?;
        let joined = next.trim_start();
        rest = joined.strip_prefix("and ").unwrap_or(joined.strip_prefix(", ").unwrap_or(next)).trim_start();
        if !rest.starts_with(|c: char| c.is_ascii_digit()) {
            rest = next;
            break;
        }
    }
    total.map(|ms| (ms, rest))
}

fn unit(word: &str) -> Option<f64> {
    const UNITS: [(&[&str], f64); 5] = [
        (&["ms", "msec", "msecs", "millis", "millisecond", "milliseconds"], 1.0),
        (&["s", "sec", "secs", "second", "seconds"], 1000.0),
        (&["m", "min", "mins", "minute", "minutes"], 60_000.0),
        (&["h", "hr", "hrs", "hour", "hours"], 3_600_000.0),
        (&["d", "day", "days"], 86_400_000.0),
    ];
    UNITS
        .iter()
        .find(|(names, _)| names.iter().any(|name| name.eq_ignore_ascii_case(word)))
        .map(|(_, ms)| *ms)
}

/// The span of google.rpc.RetryInfo: `23s`, `23.429760048s`.
#[must_use]
pub(crate) fn retry_info(text: &str) -> Option<Millis> {
    duration(text).and_then(|(ms, _)| millis(ms))
}

/// A number of seconds or milliseconds that an error or a body states.
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

/// Introduces milliseconds where no unit follows.
const MILLISECONDS_LEAD: &str = "retryafterms=";

/// No more of a text is searched for a span.
const PROSE: usize = 2048;

/// "Please try again in 7m12s.", "retry after 26 seconds": the span, if the unit is said (a bare number means seconds
/// only after "retry after", as in the header of that name).
#[must_use]
pub(crate) fn from_prose(text: &str) -> Option<Millis> {
    let text = cut(text, PROSE);
    let bytes = text.as_bytes();
    // The letters with which a lead begins: t, r, p, w, a, m.
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

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Milliseconds since the epoch of an HTTP date in any of its three forms (RFC 9110 §5.6.7).
#[must_use]
pub(crate) fn http_date(text: &str) -> Option<u64> {
    let text = cut(text, 40);
    let mut day = None;
    let mut month = None;
    let mut year = None;
    let mut time = None;
    for part in text.split([' ', ',', '-']).filter(|part| !part.is_empty()) {
        if part.contains(':') {
            time = Some(clock(part)?);
        } else if let Some(index) =
            MONTHS.iter().position(|m| part.get(..3).is_some_and(|p| p.eq_ignore_ascii_case(m)))
        {
            month = month.or(Some(index as u64 + 1));
        } else if let Ok(number) = part.parse::<u64>() {
            match (day, year) {
                (None, _) => day = Some(number),
                (_, None) => year = Some(if part.len() == 2 { two_digits(number) } else { number }),
                _ => return None,
            }
        }
    }
    epoch(year?, month?, day?, time?)
}

/// RFC 850 wrote years with two digits; those up to 69 are of this century.
const fn two_digits(year: u64) -> u64 {
    if year < 70 { 2000 + year } else { 1900 + year }
}

/// Milliseconds since the epoch of a date by RFC 3339: `2026-01-01T00:00:00.5Z`, `…+02:00`.
#[must_use]
pub(crate) fn iso_date(text: &str) -> Option<u64> {
    let text = cut(text.trim(), 40);
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let mut parts = date.split('-').map(str::parse::<u64>);
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    let zone = time.find(['Z', 'z', '+']).or_else(|| time.rfind('-')).unwrap_or(time.len());
    let base = epoch(year, month, day, clock(time.get(..zone)?.trim_end())?)?;
    let offset = time.get(zone..)?;
    let Some(sign) = offset.chars().next().filter(|c| matches!(c, '+' | '-')) else { return Some(base) };
    let minutes = offset_minutes(offset.get(1..)?)?;
    if sign == '+' { base.checked_sub(minutes * 60_000) } else { base.checked_add(minutes * 60_000) }
}

/// Minutes of an offset from UTC: `02:00`, and without the colon (ISO 8601's basic format) `0200` and `02`.
fn offset_minutes(text: &str) -> Option<u64> {
    let (hours, minutes) = match text.split_once(':') {
        Some(parts) => parts,
        None => (text.get(..2)?, text.get(2..)?),
    };
    let two_digits = |digits: &str| {
        (digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit()))
            .then(|| digits.parse::<u64>().ok())?
    };
    let minutes = if minutes.is_empty() { Some(0) } else { two_digits(minutes) };
    Some(two_digits(hours).filter(|&h| h < 24)? * 60 + minutes.filter(|&m| m < 60)?)
}

/// Milliseconds of `hh:mm:ss` with an optional fraction.
fn clock(text: &str) -> Option<u64> {
    let mut parts = text.split(':');
    let hours = parts.next()?.parse::<u64>().ok().filter(|&h| h < 24)?;
    let minutes = parts.next()?.parse::<u64>().ok().filter(|&m| m < 60)?;
    let seconds = decimal(parts.next().unwrap_or("0"))?;
    // 1.001 s are 1000.9999999999999 ms to a double.
    (seconds < 61.0).then(|| (hours * 60 + minutes) * 60_000 + Millis::from_f64(seconds * 1000.0 + 0.5).0)
}

/// Milliseconds since 1970 of a date and a time of that day.
fn epoch(year: u64, month: u64, day: u64, time_ms: u64) -> Option<u64> {
    let whole = |part: u64| i64::try_from(part).ok();
    let days = crate::calendar::days_since_1970(whole(year)?, whole(month)?, whole(day)?)?;
    Some(u64::try_from(days).ok()? * 86_400_000 + time_ms)
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
    fn a_wait_is_no_longer_than_a_year_and_a_number_no_longer_than_24_digits() {
        let wait = |value: &str| headers(&format!(r#"{{"retry-after":"{value}"}}"#));
        assert_eq!(wait("172800"), Some(172_800_000));
        assert_eq!(wait("31622400"), Some(366 * 86_400_000));
        assert_eq!(wait("31622401"), None);
        assert_eq!(decimal(&"0".repeat(24)), Some(0.0));
        assert_eq!(decimal(&"0".repeat(25)), None);
    }

    #[test]
    fn a_reset_that_is_now_or_no_whole_text_is_no_wait() {
        let reset = |value: &str| until_reset(value, Some(NOW)).map(|span| span.0);
        assert_eq!(reset(&(NOW / 1000 + 5).to_string()), Some(5000));
        assert_eq!(reset(&NOW.to_string()), None);
        assert_eq!(reset("6m"), Some(360_000));
        assert_eq!(reset("6m or so"), None);
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
    fn years_of_two_digits_and_hours_of_a_day() {
        assert_eq!(http_date("Sunday, 06-Nov-94 08:49:37 GMT"), Some(784_111_777_000));
        assert_eq!(two_digits(69), 2069);
        assert_eq!(two_digits(70), 1970);
        assert_eq!(offset_minutes("23:59"), Some(23 * 60 + 59));
        assert_eq!((offset_minutes("24:00"), offset_minutes("23:60")), (None, None));
        assert_eq!(clock("23:59:60"), Some((23 * 60 + 59) * 60_000 + 60_000));
        for beyond in ["24:00:00", "23:60:00", "23:59:61"] {
            assert_eq!(clock(beyond), None, "{beyond}");
        }
    }

    #[test]
    fn dates() {
        for text in
            ["Sun, 22 Nov 2026 00:00:00 GMT", "Sunday, 22-Nov-26 00:00:00 GMT", "Sun Nov 22 00:00:00 2026"]
        {
            assert_eq!(http_date(text), Some(NOW), "{text}");
        }
        for text in [
            "2026-11-22T00:00:00Z",
            "2026-11-22T02:00:00+02:00",
            "2026-11-21T19:00:00.000-05:00",
            "2026-11-22T02:00:00+0200",
            "2026-11-22 02:00:00 +0200",
            "2026-11-21T18:30:00-0530",
            "2026-11-22T02:00:00+02",
        ] {
            assert_eq!(iso_date(text), Some(NOW), "{text}");
        }
        for text in ["2026-11-22T02:00:00+2", "2026-11-22T02:00:00+02000", "2026-11-22T02:00:00+02:60"] {
            assert_eq!(iso_date(text), None, "{text}");
        }
        assert_eq!(iso_date("2026-11-22T00:00:01.001Z"), Some(NOW + 1001));
        assert_eq!(http_date("soon"), None);
    }

    #[test]
    fn a_day_that_no_calendar_has_is_no_date() {
        for text in
            ["2026-02-31T00:00:00Z", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2100-02-29T00:00:00Z"]
        {
            assert_eq!(iso_date(text), None, "{text}");
        }
        assert_eq!(http_date("Tue, 31 Feb 2026 00:00:00 GMT"), None);
        assert!(iso_date("2028-02-29T00:00:00Z").is_some());
        assert_eq!(headers(r#"{"retry-after":"2026-11-22T02:02:00+0200"}"#), Some(120_000));
    }

    #[test]
    fn spans() {
        for (text, ms) in [
            ("7m12s", 432_000.0),
            ("1.5s", 1500.0),
            ("644ms.", 644.0),
            ("6m0s", 360_000.0),
            ("26 seconds", 26_000.0),
            ("1 hour and 5 minutes", 3_900_000.0),
            ("1h2m3.5s", 3_723_500.0),
            ("23.429760048s", 23_429.760_048),
        ] {
            assert_eq!(duration(text).map(|d| d.0), Some(ms), "{text}");
        }
        assert_eq!(duration("30 apples"), None);
        assert_eq!(duration("-5s"), None);
    }

    #[test]
    fn the_most_precise_header_wins() {
        assert_eq!(headers(r#"{"retry-after":"2","retry-after-ms":"1500"}"#), Some(1500));
        assert_eq!(headers(r#"{"retry-after":"7","x-ratelimit-reset-tokens":"6.92s"}"#), Some(7000));
        assert_eq!(headers(r#"{"retry-after":"0.25"}"#), Some(250));
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
        // Anthropic sends these with every answer, a 529 among them.
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
    fn what_is_no_wait_is_no_hint() {
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
