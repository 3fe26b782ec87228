//! Pasted text: JSON, a line of a log, lines of JSON, a stack trace as Node prints it. Each becomes thrown values.
//!
//! Nothing here runs or trusts a text: it is cut, parsed by serde or by lines, and handed to the classifier as JSON.

use halfopen::classify::Thrown;
use serde_json::{Map, Value, json};

/// Most characters that are taken of what is pasted; the classifier reads a quarter of them.
pub const MOST: usize = 256 * 1024;
/// Most lines that become an error each.
const MOST_LINES: usize = 50;

/// One error that was pasted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pasted {
    /// How it was read, in words.
    pub(crate) kind: &'static str,
    /// The thrown value, as JSON.
    pub(crate) json: String,
}

impl Pasted {
    fn new(kind: &'static str, value: &Value) -> Self {
        Self { kind, json: value.to_string() }
    }

    /// As the classifier takes it.
    pub(crate) fn thrown(&self) -> Thrown {
        Thrown::from_json(&self.json)
    }
}

/// The errors of a text: one, or one for each line where every line is JSON.
pub(crate) fn read(text: &str) -> Vec<Pasted> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str::<Value>(text)
        && (value.is_object() || value.is_array())
    {
        return vec![record(value)];
    }
    let mut lines = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()).take(MOST_LINES) {
        match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => lines.push(record(value)),
            _ => return vec![prose(text)],
        }
    }
    if lines.is_empty() { vec![prose(text)] } else { lines }
}

/// An object: an event of Halfopen, a logger's record with its error in it, or the error itself.
fn record(mut value: Value) -> Pasted {
    if value.get("type").and_then(Value::as_str) == Some("attempt.failed")
        && let Some(signals) = value.get("signals").and_then(Value::as_object)
    {
        return Pasted::new("the signals of an event", &of_signals(signals));
    }
    // pino, bunyan and winston put the error under these.
    for key in ["err", "exception", "error"] {
        if value.get("level").is_some() && value.get(key).is_some_and(Value::is_object) {
            let mut inner = value.get_mut(key).map(Value::take).unwrap_or_default();
            // pino writes the class as `type`.
            let class = inner.get("type").filter(|class| key == "err" && class.is_string()).cloned();
            if let (Some(object), Some(class)) = (inner.as_object_mut(), class) {
                object.entry("name").or_insert(class);
            }
            return Pasted::new("a logger's record", &inner);
        }
    }
    Pasted::new("JSON", &value)
}

/// The signals that an event carries, as an error that says the same: its wording is not in the log.
pub(crate) fn of_signals(signals: &Map<String, Value>) -> Value {
    let list = |key: &str| {
        signals.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().iter().cloned()
    };
    let mut out = Map::new();
    let mut inner = Value::Null;
    for code in list("codes").rev() {
        inner =
            if inner.is_null() { json!({ "code": code }) } else { json!({ "code": code, "error": inner }) };
    }
    let mut causes = Value::Null;
    for name in list("names").skip(1).collect::<Vec<_>>().into_iter().rev() {
        causes =
            if causes.is_null() { json!({ "name": name }) } else { json!({ "name": name, "cause": causes }) };
    }
    for (key, value) in [
        ("name", list("names").next().unwrap_or_default()),
        ("status", signals.get("status").cloned().unwrap_or_default()),
        ("code", signals.get("rpc").cloned().unwrap_or_default()),
        ("error", inner),
        ("cause", causes),
    ] {
        if !value.is_null() {
            out.insert(key.into(), value);
        }
    }
    if let Some(should) = signals.get("shouldRetry").filter(|should| should.is_boolean()) {
        out.insert("headers".into(), json!({ "x-should-retry": should.to_string() }));
    }
    Value::Object(out)
}

/// Text: a stack trace if it has frames, else the message of an error, after what a log puts before it.
fn prose(text: &str) -> Pasted {
    let frames = text.lines().any(is_frame);
    let kind = if frames { "a stack trace" } else { "text" };
    let mut sections = sections(text);
    let mut cause = Value::Null;
    while let Some(section) = sections.pop() {
        let mut error = error_of(&section);
        if !cause.is_null() {
            error.insert("cause".into(), cause);
        }
        cause = Value::Object(error);
    }
    Pasted::new(kind, &cause)
}

fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ") && line.len() > 3
}

/// The error and its causes, each with its message's lines and the properties printed below its frames.
struct Section<'a> {
    head: Vec<&'a str>,
    properties: Vec<(&'a str, &'a str)>,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut all = vec![Section { head: Vec::new(), properties: Vec::new() }];
    let mut framed = false;
    for line in text.lines() {
        let bare = line.trim();
        let cause = bare.strip_prefix("[cause]: ").or_else(|| bare.strip_prefix("Caused by: "));
        if let Some(rest) = cause.filter(|_| all.len() < 8) {
            framed = false;
            all.push(Section { head: vec![rest], properties: Vec::new() });
            continue;
        }
        let Some(last) = all.last_mut() else { break };
        if is_frame(line) {
            framed = true;
            // Node opens the properties at the end of the last frame: `at run (x.js:1:2) {`.
        } else if framed {
            if let Some(pair) = property(bare) {
                last.properties.push(pair);
            }
        } else {
            last.head.push(line);
        }
    }
    all
}

/// `status: 429,` or `code: 'ECONNRESET'`, as `util.inspect` writes them.
fn property(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_end_matches([',', '}', ' ']).split_once(": ")?;
    let key = key.trim_matches(['\'', '[', ']']);
    let plain =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-$".contains(&byte));
    plain.then_some((key, value))
}

fn error_of(section: &Section<'_>) -> Map<String, Value> {
    let text = section.head.join("\n");
    let (name, message) = name_and_message(text.trim());
    let mut error = Map::new();
    error.insert("name".into(), name.into());
    error.insert("message".into(), message.into());
    for &(key, value) in section.properties.iter().take(60) {
        let quoted =
            value.len() > 1 && value.starts_with(['\'', '"', '`']) && value.ends_with(['\'', '"', '`']);
        let read = if quoted {
            value.get(1..value.len() - 1).map(Value::from)
        } else {
            serde_json::from_str::<Value>(value).ok().filter(|value| !value.is_object())
        };
        if let Some(read) = read {
            error.entry(key).or_insert(read);
        }
    }
    error
}

/// The class before a message, wherever a log has put it: `2026-11-22 ERROR agent RateLimitError: 429 …`.
fn name_and_message(text: &str) -> (&str, &str) {
    let first = text.lines().next().unwrap_or_default();
    let mut from = 0;
    while let Some(colon) = first.get(from..).and_then(|rest| rest.find(':')).map(|at| from + at) {
        let before = first.get(..colon).unwrap_or_default();
        // `TypeError [ERR_INVALID_URL]: …` has its code in brackets.
        let code = before.strip_suffix(']').and_then(|before| before.rfind(" ["));
        let before = code.and_then(|at| before.get(..at)).unwrap_or(before);
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let name = before.get(start..).unwrap_or_default();
        let is_class = (name.ends_with("Error") || name.ends_with("Exception"))
            && name.starts_with(|c: char| c.is_ascii_uppercase());
        if is_class {
            return (name, text.get(colon + 1..).unwrap_or_default().trim_start());
        }
        from = colon + 1;
    }
    ("Error", text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfopen::classify::{Context, classify};

    fn rules(text: &str) -> Vec<(&'static str, &'static str)> {
        read(text).iter().map(|one| (one.kind, classify(&one.thrown(), &Context::default()).rule)).collect()
    }

    #[test]
    fn a_stack_trace_as_node_prints_it_has_its_properties_and_its_cause() {
        let trace = "TypeError: fetch failed\n    at node:internal/deps/undici/undici:13510:13\n    at async main \
            (/app/agent.js:3:9) {\n  [cause]: Error: read ECONNRESET\n      at TLSWrap.onStreamRead \
            (node:internal/stream_base_commons:216:20) {\n    errno: -104,\n    code: 'ECONNRESET',\n    syscall: \
            'read'\n  }\n}";
        let read = read(trace);
        let value: Value = serde_json::from_str(&read[0].json).unwrap();
        assert_eq!(value["name"], "TypeError");
        assert_eq!(value["cause"]["code"], "ECONNRESET");
        let found = classify(&read[0].thrown(), &Context::default());
        assert_eq!((read[0].kind, found.code), ("a stack trace", halfopen::Code::NetworkError));
        let sdk = "RateLimitError: 429 You exceeded your current quota\n    at Function.generate \
            (/app/node_modules/openai/error.mjs:63:20) {\n  status: 429,\n  code: 'insufficient_quota',\n  param: \
            null\n}";
        assert_eq!(rules(sdk), [("a stack trace", "http.429.insufficient_quota")]);
    }

    #[test]
    fn a_line_of_a_log_is_read_past_its_time_and_level() {
        let line =
            "2026-11-22T01:02:03.004Z ERROR [agent] step 3: InternalServerError: 503 Service Unavailable";
        let value: Value = serde_json::from_str(&read(line)[0].json).unwrap();
        assert_eq!(
            (&value["name"], &value["message"]),
            (&json!("InternalServerError"), &json!("503 Service Unavailable"))
        );
        let url: Value =
            serde_json::from_str(&read("TypeError [ERR_INVALID_URL]: Invalid URL")[0].json).unwrap();
        assert_eq!(url["name"], "TypeError");
    }

    #[test]
    fn lines_of_json_are_an_error_each() {
        let lines = "{\"level\":50,\"msg\":\"failed\",\"err\":{\"type\":\"APIError\",\"message\":\"x\",\"status\":529}}\n\n{\"v\":1,\"type\":\"attempt.failed\",\"signals\":{\"status\":429,\"codes\":[\"insufficient_quota\"],\"names\":[\"RateLimitError\"]}}\n{\"status\":408}\n";
        assert_eq!(
            rules(lines),
            [
                ("a logger's record", "http.529"),
                ("the signals of an event", "http.429.insufficient_quota"),
                ("JSON", "http.408")
            ]
        );
    }

    #[test]
    fn whatever_is_pasted_is_read_within_bounds() {
        for text in
            ["", "   ", "null", "[", "{\"a\":", "at ", "[cause]: ", "é: é", "Error:", "\u{0}\u{1f}", ": : :"]
        {
            assert_eq!(read(text).len(), 1, "{text:?}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(&deep).len(), 1);
        let causes = "[cause]: Error: x\n".repeat(10_000);
        assert_eq!(read(&causes).len(), 1);
        assert_eq!(read(&"{}\n".repeat(10_000)).len(), MOST_LINES);
    }
}
