//! Spans and dates as servers write them: in headers, bodies and prose.

use super::thrown::cut;
use crate::time::Millis;

/// No caller waits for longer: 366 days.
pub(super) const LONGEST_MS: f64 = 366.0 * 86_400_000.0;

/// Rounds a written number of seconds or milliseconds to whole milliseconds, if it can be a wait.
pub(super) fn millis(ms: f64) -> Option<Millis> {
    (0.0..=LONGEST_MS).contains(&ms).then(|| Millis::from_f64(ms.ceil()))
}

/// Parses digits with at most one decimal point, as servers write spans; no sign, exponent or word.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let plain = text.len() <= 24
        && text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && text.bytes().any(|b| b.is_ascii_digit());
    if plain { crate::number::roughly(text) } else { None }
}

/// Parses a reset: a span (`6m0s`, `12`), a date (RFC 3339), or a Unix time in seconds or milliseconds. A past one
/// counts as absent.
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

/// Splits off a span with units from the beginning of the text, in milliseconds: `7m12s`, `1.5s`, `644ms`, `6m0s`, `26
/// seconds`, `1 hour and 5 minutes`.
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

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Parses an HTTP date in any of its three forms to milliseconds since the epoch (RFC 9110 §5.6.7).
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

/// RFC 850 wrote years with two digits. Those up to 69 belong to this century.
const fn two_digits(year: u64) -> u64 {
    if year < 70 { 2000 + year } else { 1900 + year }
}

/// Parses a date of RFC 3339 to milliseconds since the epoch: `2026-01-01T00:00:00.5Z`, `…+02:00`.
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

/// Parses an offset from UTC to minutes: `02:00`, and without the colon (ISO 8601's basic format) `0200` and `02`.
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

/// Parses `hh:mm:ss` with an optional fraction to milliseconds.
fn clock(text: &str) -> Option<u64> {
    let mut parts = text.split(':');
    let hours = parts.next()?.parse::<u64>().ok().filter(|&h| h < 24)?;
    let minutes = parts.next()?.parse::<u64>().ok().filter(|&m| m < 60)?;
    let seconds = decimal(parts.next().unwrap_or("0"))?;
    // As a double, 1.001 s are 1000.9999999999999 ms.
    (seconds < 61.0).then(|| (hours * 60 + minutes) * 60_000 + Millis::from_f64(seconds * 1000.0 + 0.5).0)
}

/// Returns the milliseconds since 1970 of a date and a time of that day.
fn epoch(year: u64, month: u64, day: u64, time_ms: u64) -> Option<u64> {
    let whole = |part: u64| i64::try_from(part).ok();
    let days = crate::calendar::days_since_1970(whole(year)?, whole(month)?, whole(day)?)?;
    Some(u64::try_from(days).ok()? * 86_400_000 + time_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-22T00:00:00Z.
    const NOW: u64 = 1_795_305_600_000;

    #[test]
    fn a_reset_that_is_now_or_no_whole_text_is_no_wait() {
        let reset = |value: &str| until_reset(value, Some(NOW)).map(|span| span.0);
        assert_eq!(reset(&(NOW / 1000 + 5).to_string()), Some(5000));
        assert_eq!(reset(&NOW.to_string()), None);
        assert_eq!(reset("6m"), Some(360_000));
        assert_eq!(reset("6m or so"), None);
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
}
