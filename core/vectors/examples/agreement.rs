//! Random inputs, and the core's native results: a line of JSON each. `scripts/agreement.mjs` gives the same inputs to
//! the npm package as wasm and as JavaScript, in Node and in browsers, where each result must be the same.
//!
//! `cargo run --example agreement -- <how many> [<seed>]`
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use halfopen::classify::{Context, Thrown, classify, parse_retry_after};
use halfopen::message::{LOCALES, redact};
use halfopen::rng::SplitMix64;
use serde_json::{Map, Value, json};
use std::io::Write;

const VECTORS: &[&str] = &[
    include_str!("../../../tests/vectors/traps.json"),
    include_str!("../../../tests/vectors/classify.json"),
    include_str!("../../../tests/vectors/vocabularies.json"),
];
const HEADERS: &str = include_str!("../../../tests/vectors/retry-after.json");
const SECRETS: &str = include_str!("../../../tests/vectors/redact.json");

/// 2026-11-01T00:00:00Z: without it, dates would count from the clock.
const NOW: u64 = 1_793_491_200_000;

/// Text that is inserted into texts: other scripts, letters of four bytes, line ends, characters that confuse parsers.
const ODD: &[&str] = &[
    "…", "ß", "中文", "😀", "\u{301}", "\u{2028}", "\0", "\t", "{", "\"", "\\", "  ", "429", "Z", "+02:00",
    "=", ";", "%20",
];
/// Where one thrown value lies in another.
const AROUND: &[&str] =
    &["cause", "error", "response", "data", "body", "reason", "detail", "info", "meta", "originalError"];

struct Inputs {
    draws: SplitMix64,
    thrown: Vec<Value>,
    headers: Vec<Value>,
    texts: Vec<String>,
}

fn cases(json: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(json).expect("a vector file");
    file["cases"].as_array().expect("its cases").clone()
}

impl Inputs {
    fn new(seed: u64) -> Self {
        let text = |case: &Value| {
            case["text"].as_array().unwrap().iter().map(|part| part.as_str().unwrap()).collect::<String>()
        };
        Self {
            draws: SplitMix64::new(seed),
            thrown: VECTORS.iter().flat_map(|json| cases(json)).map(|case| case["thrown"].clone()).collect(),
            headers: cases(HEADERS).iter().map(|case| case["headers"].clone()).collect(),
            texts: cases(SECRETS).iter().map(text).collect(),
        }
    }

    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.draws.between(0, count as u64 - 1)).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// A text with a part of another one, or something odd, in it, or cut short.
    fn changed(&mut self, text: &str) -> String {
        let letters: Vec<char> = text.chars().collect();
        let at = self.below(letters.len() + 1);
        let put = match self.below(5) {
            0 => return letters[..at].iter().collect(),
            1 => letters[at..].iter().collect(),
            2 => self.below(100_000).to_string(),
            3 => {
                let other = self.pick(&self.texts.clone());
                let (from, length) = (self.below(other.len() + 1), self.below(80));
                other.chars().skip(from).take(length).collect()
            }
            _ => self.pick(ODD).to_owned(),
        };
        letters[..at].iter().chain(&put.chars().collect::<Vec<_>>()).chain(&letters[at..]).collect()
    }

    /// Changes something in a value: a text, a number, what it has, or where it lies.
    fn change(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.changed(text),
            Value::Number(_) => {
                *value = match self.below(3) {
                    0 => json!(self.below(700)),
                    1 => json!(-1),
                    _ => json!(self.below(50_000).to_string()),
                };
            }
            Value::Array(items) if !items.is_empty() => {
                let at = self.below(items.len());
                self.change(&mut items[at]);
            }
            Value::Object(fields) if !fields.is_empty() => {
                let name = fields.keys().nth(self.below(fields.len())).unwrap().clone();
                match self.below(6) {
                    0 => drop(fields.remove(&name)),
                    1 => drop(fields.insert(self.pick(AROUND).to_owned(), fields[&name].clone())),
                    _ => self.change(fields.get_mut(&name).unwrap()),
                }
            }
            Value::Object(fields) => drop(fields.insert("status".to_owned(), json!(self.below(600)))),
            _ => *value = json!(self.pick(ODD)),
        }
    }

    fn thrown(&mut self) -> Value {
        let mut value = self.pick(&self.thrown.clone());
        if self.one_in(4)
            && let (Value::Object(fields), Value::Object(others)) =
                (&mut value, self.pick(&self.thrown.clone()))
        {
            fields.extend(others);
        }
        for _ in 0..self.below(4) {
            self.change(&mut value);
        }
        if self.one_in(5) {
            value = Value::Object(Map::from_iter([
                ("message".to_owned(), json!("Something went wrong")),
                (self.pick(AROUND).to_owned(), value),
            ]));
        }
        value
    }

    fn classified(&mut self) -> Value {
        let thrown = self.thrown();
        let layer = self.pick(&[None, None, Some("model"), Some("tool"), Some("agent")]);
        let provider = self.pick(&[None, None, None, Some("openai"), Some("postgres")]);
        let context = json!({ "now": NOW, "layer": layer, "provider": provider });
        let read: Context = serde_json::from_value(context.clone()).unwrap();
        let found = classify(&Thrown::from_json(&thrown.to_string()), &read);
        json!({
            "thrown": thrown,
            "context": { "now": NOW, "layer": layer, "provider": provider, "locale": self.pick(LOCALES) },
            "is": {
                "code": found.code.as_str(),
                "severity": found.severity.as_str(),
                "retryable": found.retryable,
                "rule": found.rule,
                "retryAfterMs": found.hint.map(|hint| hint.0),
                "status": found.provider.status_code,
                "requestId": found.provider.request_id,
                "provider": found.provider.provider,
                "model": found.provider.model,
                "technicalDetails": found.technical_details,
            },
        })
    }

    fn redacted(&mut self) -> Value {
        let mut text = self.pick(&self.texts.clone());
        for _ in 0..self.below(3) {
            text = self.changed(&text);
        }
        json!({ "text": text, "redacted": redact(&text) })
    }

    fn waited(&mut self) -> Value {
        let mut headers = self.pick(&self.headers.clone());
        if let Value::Object(fields) = &mut headers
            && !fields.is_empty()
        {
            let at = self.below(fields.len());
            let value = fields.values_mut().nth(at).unwrap();
            *value = json!(self.changed(value.as_str().unwrap_or_default()));
        }
        let wait = parse_retry_after(&headers.to_string(), Some(NOW)).map(|wait| wait.0);
        json!({ "headers": headers, "now": NOW, "waitMs": wait })
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a whole number"));
    let count = arguments.next().unwrap_or(1_000);
    let mut inputs = Inputs::new(arguments.next().unwrap_or(0));
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for turn in 0..count {
        let line = match turn % 8 {
            0 => inputs.redacted(),
            1 => inputs.waited(),
            _ => inputs.classified(),
        };
        writeln!(out, "{line}").expect("somebody reads it");
    }
}
