//! The secrets that redaction misses and the texts that it removes in error, measured by kind on seeded samples in
//! sentences. `UPDATE_DOCS=1 cargo test -p halfopen --test redaction` writes the rates into `docs/redaction.md`.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod harmless;
mod pattern;
mod secrets;

use halfopen::message::{MARK, redact};
use harmless::HARMLESS;
use pattern::{Random, sample};
use secrets::{Kind, NAMED, TOKENS};
use std::fmt::Write as _;

/// Samples of each kind.
const SAMPLES: usize = 2000;

/// The text around a token.
const AROUND_TOKENS: &[&str] = &[
    "@",
    "Incorrect API key provided: @. You can find yours in the settings.",
    "failed with @ in the message",
    "{\"error\":{\"message\":\"bad credentials @\",\"code\":401}}",
    "the value '@' was refused",
    "first line\n@\nlast line",
    "call (@) failed",
    "bad\\n@\\nend",
    "got @, expected another",
    "密钥 @。请检查",
    "Error: @",
    "stderr: \"@\"",
];

/// The text around an identifier, and around a text with a name in it.
const AROUND_NAMES: &[&str] = &[
    "@",
    "2026-11-22 10:00:01 ERROR @ (line 3)",
    "starting with\n@\nfailed",
    "Error: @",
    "the configuration says @, which was refused",
];

/// The text of a sample, and its secret.
fn placed(pattern: &str, around: &[&str], random: &mut Random) -> (String, String) {
    let marked = sample(pattern, random);
    let text = random.one_of(around).replacen('@', &marked, 1);
    match text.split_once('«') {
        Some((before, rest)) => {
            let (secret, after) = rest.split_once('»').unwrap();
            (format!("{before}{secret}{after}"), secret.to_owned())
        }
        None => (text, marked),
    }
}

/// Returns `true` if six characters in a row of the secret are still there.
fn leaks(clean: &str, secret: &str) -> bool {
    let mut bounds: Vec<usize> = secret.char_indices().map(|(at, _)| at).collect();
    bounds.push(secret.len());
    let run = 6.min(bounds.len() - 1);
    bounds.windows(run + 1).any(|part| clean.contains(&secret[part[0]..part[run]]))
}

struct Rate {
    kind: &'static str,
    wrong: usize,
    example: String,
}

fn rates(kinds: &[Kind], around: &[&str], is_wrong: impl Fn(&str, &str) -> bool) -> Vec<Rate> {
    let measured = kinds.iter().map(|&(kind, pattern)| {
        let mut random = Random(kind.bytes().fold(7, |seed, b| seed * 31 % 1_000_003 + u64::from(b)));
        let mut rate = Rate { kind, wrong: 0, example: String::new() };
        for _ in 0..SAMPLES {
            let (text, secret) = placed(pattern, around, &mut random);
            if is_wrong(&text, &secret) {
                rate.wrong += 1;
                rate.example = format!("{text:?} -> {:?}", redact(&text));
            }
        }
        rate
    });
    measured.collect()
}

fn missed() -> Vec<Rate> {
    let is_wrong = |text: &str, secret: &str| {
        let clean = redact(text);
        leaks(&clean, secret) || !clean.contains(MARK)
    };
    let mut all = rates(TOKENS, AROUND_TOKENS, is_wrong);
    all.extend(rates(NAMED, AROUND_NAMES, is_wrong));
    all
}

fn mangled() -> Vec<Rate> {
    let mut around = AROUND_NAMES.to_vec();
    around.extend(["request @ failed", "could not find '@'", "see @ for more"]);
    rates(HARMLESS, &around, |text, _| redact(text) != text)
}

fn percent(wrong: usize, of: usize) -> f64 {
    100.0 * wrong as f64 / of as f64
}

fn report(title: &str, rates: &[Rate]) -> String {
    let wrong: usize = rates.iter().map(|rate| rate.wrong).sum();
    let all = rates.len() * SAMPLES;
    let mut out = format!("{title}: {wrong} of {all} ({:.3} %)\n", percent(wrong, all));
    for rate in rates.iter().filter(|rate| rate.wrong > 0) {
        let _ = writeln!(out, "  {:>6.2} % {} {}", percent(rate.wrong, SAMPLES), rate.kind, rate.example);
    }
    out
}

static PAGE: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Holds the table of rates in `docs/redaction.md` between its marks; `UPDATE_DOCS=1` writes it.
fn hold(section: &str, rates: &[Rate]) {
    // Both tests write the one page.
    let _page = PAGE.lock();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/redaction.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (begin, end) = (format!("<!-- {section} -->\n"), format!("<!-- end of {section} -->"));
    let (head, rest) = page.split_once(&begin).unwrap();
    let (_, tail) = rest.split_once(&end).unwrap();
    let wrong: usize = rates.iter().map(|rate| rate.wrong).sum();
    let all = rates.len() * SAMPLES;
    let mut table =
        format!("{} kinds, {all} samples, {wrong} {section}: {:.3} %.\n\n", rates.len(), percent(wrong, all));
    let _ = writeln!(table, "| kind | {section} |\n|---|---|");
    for rate in rates {
        let _ = writeln!(table, "| {} | {:.2} % |", rate.kind, percent(rate.wrong, SAMPLES));
    }
    let made = format!("{head}{begin}{table}{end}{tail}");
    if std::env::var_os("UPDATE_DOCS").is_some() && made != page {
        std::fs::write(path, &made).unwrap();
    } else {
        assert!(
            made == page,
            "docs/redaction.md is stale: UPDATE_DOCS=1 cargo test -p halfopen --test redaction"
        );
    }
}

#[test]
fn secrets_are_redacted_wholly() {
    let rates = missed();
    let said = report("missed", &rates);
    println!("{said}");
    let worst = rates.iter().map(|rate| rate.wrong).max().unwrap();
    let all: usize = rates.iter().map(|rate| rate.wrong).sum();
    assert!(percent(worst, SAMPLES) <= 0.5, "{said}");
    assert!(percent(all, rates.len() * SAMPLES) <= 0.02, "{said}");
    hold("missed", &rates);
}

#[test]
fn harmless_identifiers_survive() {
    let rates = mangled();
    let said = report("mangled", &rates);
    println!("{said}");
    let worst = rates.iter().map(|rate| rate.wrong).max().unwrap();
    assert!(percent(worst, SAMPLES) <= 0.1, "{said}");
    hold("mangled", &rates);
}
