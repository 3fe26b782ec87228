//! Recorded errors of real libraries, classified natively. It fails, and names them, if one is not classified as
//! expected, except for those that `tests/tool-errors/given-up.json` names.
//!
//! `tests/tool-errors/copies.mjs` writes the lines that this reads from standard input.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halfopen::classify::{Context, Thrown, classify};
use serde::Deserialize;
use std::process::ExitCode;

#[derive(Deserialize)]
struct Case {
    id: String,
    now: u64,
    /// The copy of the thrown value, in hexadecimal.
    copy: String,
    right: Right,
}

/// Absent fields are not compared: the value does not determine them, or they are not clear.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Right {
    code: String,
    retryable: Option<bool>,
    status: Option<u16>,
    retry_after_ms: Option<u64>,
    /// By how many milliseconds the wait may differ.
    within: Option<u64>,
    request_id: Option<String>,
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.as_bytes().as_chunks::<2>().0;
    digits.iter().map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Returns the differences.
fn wrong(case: &Case) -> Vec<String> {
    let context = Context { now: Some(case.now), ..Context::default() };
    let found = classify(&Thrown::from_bytes(&bytes(&case.copy)), &context);
    let Right { code, retryable, status, retry_after_ms, within, request_id } = &case.right;
    let mut wrong = Vec::new();
    let mut miss = |misses: bool, what: &str, got: String| {
        if misses {
            wrong.push(format!("{}: {what} {got} ({})", case.id, found.rule));
        }
    };
    miss(found.code.as_str() != code, "code", found.code.as_str().to_owned());
    miss(retryable.is_some_and(|right| right != found.retryable), "retryable", found.retryable.to_string());
    let seen = found.provider.status_code;
    miss(status.is_some() && *status != seen, "status", format!("{seen:?}"));
    let seen = found.hint.map(|hint| hint.0);
    let near = |right: u64| seen.is_some_and(|wait| wait.abs_diff(right) <= within.unwrap_or(50));
    miss(retry_after_ms.is_some_and(|right| !near(right)), "wait", format!("{seen:?}"));
    let seen = &found.provider.request_id;
    miss(request_id.is_some() && request_id != seen, "request id", format!("{seen:?}"));
    wrong
}

fn main() -> ExitCode {
    let input = std::io::read_to_string(std::io::stdin()).expect("the lines");
    let cases: Vec<Case> = input.lines().map(|line| serde_json::from_str(line).expect("a case")).collect();
    let given_up: Vec<String> =
        serde_json::from_str(include_str!("../../../tests/tool-errors/given-up.json"))
            .expect("a list of ids");
    let is_given_up =
        |miss: &String| given_up.iter().any(|id| miss.starts_with(&format!("{id}: retryable ")));
    let (known, wrong): (Vec<String>, Vec<String>) = cases.iter().flat_map(wrong).partition(is_given_up);
    eprintln!("{} recorded errors, {} wrong\n{}", cases.len(), wrong.len(), wrong.join("\n"));
    let all_known = known.len() == given_up.len();
    if cases.len() < 3000 || !all_known || !wrong.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
