//! Laws of classification, whatever is thrown: no panic, bounded hints, bounded texts, no contradiction.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halfopen::Severity;
use halfopen::classify::{
    Classification, Context, Key, Layer, Thrown, classify, classify_with_signals, parse_retry_after,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::time::{Duration, UNIX_EPOCH};

const YEAR_MS: u64 = 366 * 86_400_000;

/// Words that rules and hints look for, so that random errors come near them.
const WORDS: &[&str] = &[
    "rate_limit_exceeded",
    "insufficient_quota",
    "429",
    "503",
    "try again in 7m12s",
    "Retry after 5",
    "ECONNRESET",
    "AbortError",
    "model",
    "not found",
    "{\"error\":{\"code\":",
    "RESOURCE_EXHAUSTED",
    "\"",
    "'",
    "\u{fe0f}“",
    "<html>",
    "é",
    "PerDay",
    "limit: 0",
    "1e309",
    "-7",
    "99999999999999999999",
    "Sun, 22 Nov 2026 00:00:11 GMT",
    "2026-11-22T00:00:30Z",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,80}",
        proptest::collection::vec(proptest::sample::select(WORDS), 0..8).prop_map(|words| words.join(" ")),
        proptest::sample::select(WORDS).prop_map(str::to_owned),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => proptest::sample::select(Key::ALL).prop_map(|key| key.name().to_owned()),
        1 => "[a-zA-Z_-]{0,12}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (100u16..600).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((name(), inner), 0..8)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn context() -> impl Strategy<Value = Context> {
    let layer =
        proptest::sample::select(vec![None, Some(Layer::Model), Some(Layer::Tool), Some(Layer::Agent)]);
    (layer, any::<Option<u64>>()).prop_map(|(layer, now)| Context { layer, now, ..Context::default() })
}

fn holds(found: &Classification, context: &Context) -> Result<(), TestCaseError> {
    prop_assert_eq!(found.retryable, found.severity == Severity::Retriable);
    prop_assert!(found.hint.is_none_or(|hint| hint.0 <= YEAR_MS), "{:?}", found.hint);
    prop_assert!(found.technical_details.len() <= 1200);
    match context.layer {
        Some(Layer::Model) => prop_assert!(found.code.is_model_code()),
        Some(Layer::Tool) => {
            prop_assert!(found.code.is_tool_code() || found.code.as_str() == "TOOL_EXECUTION_ERROR")
        }
        _ => {}
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_json_is_classified(thrown in value(), context in context()) {
        let thrown = Thrown::from_json(&thrown.to_string());
        let (found, signals) = classify_with_signals(&thrown, &context);
        holds(&found, &context)?;
        prop_assert!(signals.to_string().len() <= 600);
        // The same value twice is the same error.
        prop_assert_eq!(classify(&thrown, &context), found);
    }

    #[test]
    fn any_text_is_classified(thrown in text(), status in proptest::option::of(100u16..600)) {
        let context = Context::default();
        holds(&classify(&Thrown::from_json(&thrown), &context), &context)?;
        let error = json!({ "message": thrown, "status": status });
        holds(&classify(&Thrown::from_json(&error.to_string()), &context), &context)?;
    }

    #[test]
    fn json_cut_anywhere_is_classified(thrown in value(), at in 0usize..400) {
        let text = thrown.to_string();
        let cut = &text[..text.floor_char_boundary(at.min(text.len()))];
        let context = Context::default();
        holds(&classify(&Thrown::from_json(cut), &context), &context)?;
    }

    #[test]
    fn any_bytes_in_the_lane_are_classified(bytes in proptest::collection::vec(0u8..130, 0..400)) {
        let context = Context::default();
        holds(&classify(&Thrown::from_bytes(&bytes), &context), &context)?;
    }

    #[test]
    fn any_headers_give_a_bounded_hint(headers in proptest::collection::vec((name(), text()), 0..12), now in any::<Option<u64>>()) {
        let headers: Map<String, Value> = headers.into_iter().map(|(name, value)| (name, value.into())).collect();
        let hint = parse_retry_after(&Value::Object(headers).to_string(), now);
        prop_assert!(hint.is_none_or(|hint| hint.0 <= YEAR_MS), "{hint:?}");
    }

    #[test]
    fn a_secret_in_any_place_is_not_shown(key in proptest::sample::select(Key::ALL), inner in proptest::sample::select(Key::ALL)) {
        let secret = ["sk", "proj", "AbCdEfGh1234567890IjKlMnOp"].join("-");
        for thrown in [json!({ key.name(): secret }), json!({ key.name(): { inner.name(): format!("Bearer {secret}") } })] {
            let (found, signals) = classify_with_signals(&Thrown::from_json(&thrown.to_string()), &Context::default());
            let shown = format!("{} {:?} {signals}", found.technical_details, found.provider);
            prop_assert!(!shown.contains(&secret), "{shown}");
        }
    }
}

#[test]
fn ten_megabytes_are_read_as_four_kibibytes() {
    let began = std::time::Instant::now();
    let context = Context::default();
    for text in [
        "x".repeat(10_000_000),
        "rate limit ".repeat(900_000),
        "[".repeat(10_000_000),
        "{\"error\":".repeat(1_000_000),
        "\"".repeat(10_000_000),
    ] {
        let _ = classify(&Thrown::from_json(&text), &context);
        let _ = classify(&Thrown::from_json(&json!({ "message": text }).to_string()), &context);
    }
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

/// The three forms of RFC 9110 §5.6.7.
fn http_date(seconds: u64, form: usize) -> String {
    let fixed = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds));
    let [day, date, month, year, time, _] = fixed.split(' ').collect::<Vec<_>>()[..] else { unreachable!() };
    let day = day.trim_end_matches(',');
    let rest = match day {
        "Tue" => "sday",
        "Wed" => "nesday",
        "Thu" => "rsday",
        "Sat" => "urday",
        _ => "day",
    };
    match form {
        0 => fixed,
        1 => format!("{day}{rest}, {date}-{month}-{} {time} GMT", &year[2..]),
        _ => format!("{day} {month} {:>2} {time} {year}", date.trim_start_matches('0')),
    }
}

/// Milliseconds since the epoch, by the crate that HTTP servers of Rust read dates with.
fn by_httpdate(text: &str) -> Option<u64> {
    let time = httpdate::parse_http_date(text).ok()?;
    u64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

/// The time that `Retry-After` names, by this crate: seen from a minute before.
fn by_us(text: &str, due: u64) -> Option<u64> {
    let now = due.saturating_sub(60_000);
    let wait = parse_retry_after(&json!({ "retry-after": text }).to_string(), Some(now))?;
    Some(now + wait.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a_date_is_read_as_httpdate_reads_it(seconds in 60_u64..4_102_444_800, form in 0_usize..3) {
        // Years of two digits are of this century, up to 69; the day of the week belongs to that year.
        prop_assume!(form != 1 || seconds < 3_155_760_000);
        let text = http_date(seconds, form);
        let due = by_httpdate(&text);
        prop_assert!(due.is_some(), "{text}");
        prop_assert_eq!(by_us(&text, due.unwrap()), due, "{}", text);
    }

    /// Where a letter is another one, and httpdate still reads a date of that form, it means the same.
    #[test]
    fn a_date_with_a_letter_changed_too(seconds in 60_u64..4_102_444_800, form in 0_usize..3, at in 0_usize..29, letter in "[0-9 :,A-Za-z-]") {
        let mut text = http_date(seconds, form);
        let at = at % text.len();
        text.replace_range(at..=at, &letter);
        let there = by_httpdate(&text).filter(|&due| due >= 60_000);
        // The parser does not check every character between the numbers.
        if let Some(due) = there.filter(|due| http_date(due / 1000, form) == text) {
            prop_assert_eq!(by_us(&text, due), Some(due), "{}", text);
        }
    }

    #[test]
    fn whole_seconds_are_what_rust_parses(seconds in 0_u64..40_000_000) {
        let wait = parse_retry_after(&json!({ "retry-after": seconds.to_string() }).to_string(), None);
        prop_assert_eq!(wait.map(|wait| wait.0), Some((seconds * 1000).min(YEAR_MS)));
    }
}
