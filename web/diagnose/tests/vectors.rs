//! The findings of recorded logs, in `tests/vectors/findings.json`: the module that Node loads is held to them by
//! `pkg/test/diagnose/module.test.ts`, and the page by `tests/e2e/diagnose.test.ts`.
//! `UPDATE=1 cargo test -p halfopen-diagnose --test vectors` rewrites the file.

use halfopen_diagnose::Diagnosis;
use serde_json::{Value, json};
use std::path::Path;

/// Logs of `tests/fixtures`, and how many of their lines there are by then.
const LOGS: &[(&str, usize)] = &[
    ("incident", 40),
    ("incident", 80),
    ("incident", 115),
    ("agent-day", 90),
    ("agent-day", 184),
    ("export-cases", 110),
    ("export-cases", 210),
    ("throttled", 300),
    ("throttled", 700),
    ("throttled", 1_311),
];

#[test]
fn the_findings_of_recorded_logs_are_those_of_the_file() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let found: Vec<_> = LOGS
        .iter()
        .map(|&(name, lines)| {
            let log = std::fs::read_to_string(tests.join(format!("fixtures/{name}.jsonl"))).unwrap();
            let mut diagnosis = Diagnosis::default();
            log.lines().take(lines).for_each(|line| diagnosis.take(line));
            let answer: Value = serde_json::from_str(&diagnosis.query(r#"{"query":"findings"}"#)).unwrap();
            json!({ "log": name, "lines": lines, "findings": answer["findings"] })
        })
        .collect();
    let found = serde_json::to_string_pretty(&found).unwrap() + "\n";
    let path = tests.join("vectors/findings.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == found,
        "tests/vectors/findings.json is stale: UPDATE=1 cargo test -p halfopen-diagnose --test vectors"
    );
    assert!(found.matches("\"title\"").count() >= 10, "logs in which something is found");
}
