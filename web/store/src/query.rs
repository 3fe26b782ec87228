//! The filter's small grammar: `code:RATE_LIMITED provider:openai retrying duration>2s -status:ok trip`.
//!
//! Terms stand side by side and must all hold; `-` before one turns it round; a value may list choices with commas. Within
//! quotes a space, a comma or a sign is a letter like any other: `task:"book, cut",plan` lists two tasks. A word without a
//! key is looked for in every name of the call, and, from three letters on, in what its failures say: messages, technical
//! details, request ids, and what the user read. `group:task` narrows nothing: it puts the calls of one task together.

use crate::call::{Call, Outcome, Status, Wait};
use crate::names::{Name, Names};
use crate::numbers::ShortNumber;
use crate::store::Log;
use crate::time::Moment;
use halfopen_log::{Event, Kind};
use std::cell::RefCell;
use std::collections::HashMap;

/// Keys with a name as their value, and what they look at.
const NAME_KEYS: &[(&str, &str)] = &[
    ("code", "an attempt's or the call's error code"),
    ("rule", "the rule that classified an attempt"),
    ("provider", "the provider of an attempt"),
    ("model", "the model of an attempt"),
    ("policy", "the policy's name"),
    ("task", "the call's task"),
    ("operation", "the name of the function that ran, of a call without a task"),
    ("source", "the process"),
    ("host", "the machine of the process"),
    ("deployment", "the deployment of the process: production, eu-west"),
    ("version", "the application's version in the process"),
    ("status", "running, waiting, queued, ok, fallback, failed, rejected, cancelled, silent"),
    ("why", "why the call ended: exhausted, not-retryable, deadline, hint, budget, …"),
    ("call", "the call's id, or its beginning"),
    ("trace", "the trace id"),
];

/// Keys with a text as their value, which is looked for in what failures say.
const TEXT_KEYS: &[(&str, &str)] = &[
    ("message", "a part of a failure's message, of its technical details, or of what the user read"),
    ("request", "the provider's id of a failed request, or a part of it"),
];

/// What rows can be grouped by.
const GROUPS: &[(&str, Group)] = &[
    ("task", Group::Task),
    ("trace", Group::Trace),
    ("policy", Group::Policy),
    ("source", Group::Source),
    ("host", Group::Host),
    ("deployment", Group::Deployment),
    ("version", Group::Version),
];

/// By what the rows of a view are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Task,
    Trace,
    Policy,
    Source,
    Host,
    Deployment,
    Version,
}

impl Group {
    /// The word that stands for it in filters.
    pub fn word(self) -> &'static str {
        GROUPS.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }

    /// The group of a call, by a name and, of a policy, its process: that of the outermost call that it is part of.
    pub fn of(self, log: &Log, call: &Call) -> (Name, Option<Name>) {
        let outermost = log.call(call.root).unwrap_or(call);
        match self {
            Self::Task => (outermost.task, None),
            Self::Trace => (outermost.trace, None),
            Self::Policy => (outermost.policy, Some(outermost.source)),
            Self::Source => (outermost.source, None),
            Self::Host => (log.about(outermost.source).host, None),
            Self::Deployment => (log.about(outermost.source).deployment, None),
            Self::Version => (log.about(outermost.source).version, None),
        }
    }
}

/// Words that stand for themselves.
const WORDS: &[(&str, &str)] = &[
    ("retrying", "waits to try again now"),
    ("retried", "was tried more than once"),
    ("open", "goes on"),
    ("silent", "has not ended, and its process no longer reports"),
    ("probe", "was a breaker's probe"),
    ("hinted", "the provider said how long to wait"),
    ("streamed", "answered in chunks"),
    ("nested", "was made within another call"),
    ("failing", "failed, was refused or fell back"),
];

/// Keys with a number as their value.
const NUMBER_KEYS: &[(&str, &str)] = &[
    ("duration", "of the whole call: duration>2s, duration<300ms"),
    ("attempts", "how often the operation was called: attempts>=3"),
    ("wait", "the longest planned wait: wait>5s"),
    ("http", "an attempt's status code: http:429, http>=500"),
];

/// What the `?` sheet and the search field's help say.
pub fn help() -> impl Iterator<Item = (String, &'static str)> {
    let named = NAME_KEYS.iter().map(|&(key, says)| (format!("{key}:…"), says));
    let words = WORDS.iter().map(|&(word, says)| (word.to_owned(), says));
    let numbers = NUMBER_KEYS.iter().map(|&(key, says)| (format!("{key}>…"), says));
    let texts = TEXT_KEYS.iter().map(|&(key, says)| (format!("{key}:…"), says));
    let group = (
        "group:…".to_owned(),
        "puts the calls of one task, trace, policy, source, host, deployment or version together: group:task",
    );
    named.chain(texts).chain(words).chain(numbers).chain([group])
}

/// Most characters of a filter that are read.
const LONGEST: usize = 2_000;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Compare {
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
    Equal,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Named {
        key: &'static str,
        choices: Vec<String>,
    },
    Word(&'static str),
    Number {
        key: &'static str,
        compare: Compare,
        value: f64,
    },
    Text {
        text: String,
        /// The word that stands for itself, where the text may be one or the beginning of a name.
        word: Option<&'static str>,
    },
    /// What is looked for in what failures say.
    Said {
        key: &'static str,
        choices: Vec<String>,
    },
}

/// A filter, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    terms: Vec<(bool, Test)>,
    /// By what rows are grouped.
    pub group: Option<Group>,
}

/// A filter that cannot be read: the term, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread(pub String);

impl Query {
    /// Reads a filter that is being typed: the last word may become a longer one, such as `open` on the way to `openai`, so a
    /// word that stands for itself is looked for in names as well.
    ///
    /// # Errors
    /// As [`Query::parse`].
    pub fn parse_typed(text: &str) -> Result<Self, Misread> {
        let mut query = Self::parse(text)?;
        if let Some((_, test @ Test::Word(_))) = query.terms.last_mut()
            && let Test::Word(word) = *test
            && text.to_lowercase().ends_with(word)
        {
            *test = Test::Text { text: word.to_owned(), word: Some(word) };
        }
        Ok(query)
    }

    /// Reads a filter. A key whose value is yet to come narrows nothing.
    ///
    /// # Errors
    /// Says which term cannot be read and what was expected in its place.
    pub fn parse(text: &str) -> Result<Self, Misread> {
        let (mut terms, mut group) = (Vec::new(), None);
        for term in split(text, char::is_whitespace) {
            if let Some(by) = term.strip_prefix("group:") {
                let known = GROUPS.iter().find(|row| row.0.eq_ignore_ascii_case(by));
                let misread = || {
                    let words: Vec<_> = GROUPS.iter().map(|row| format!("group:{}", row.0)).collect();
                    Misread(format!("‘{term}’: expected {}", words.join(", ")))
                };
                group = Some(known.ok_or_else(misread)?.1);
                continue;
            }
            let (wanted, body) = match term.strip_prefix('-') {
                Some(rest) if !rest.is_empty() => (false, rest),
                _ => (true, term.as_str()),
            };
            match parse_term(body)? {
                Test::Named { choices, .. } | Test::Said { choices, .. } if choices.is_empty() => {}
                test => terms.push((wanted, test)),
            }
        }
        Ok(Self { terms, group })
    }

    /// Whether everything passes.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The filter made ready for the names of a log.
    pub fn prepare(&self, names: &Names) -> Filter {
        let tests = self.terms.iter().map(|(wanted, test)| (*wanted, Ready::of(test))).collect();
        let mut filter = Filter { tests, group: self.group, sweeps: 0, fresh: 0, said: RefCell::default() };
        if !self.terms.is_empty() {
            filter.learn_all(names);
        }
        filter
    }
}

/// The parts of a text between the separators that stand outside of quotes. The quotes stay: [`unquoted`] removes them.
fn split(text: &str, separates: impl Fn(char) -> bool) -> Vec<String> {
    let (mut parts, mut part, mut quoted) = (Vec::new(), String::new(), false);
    for letter in text.chars().take(LONGEST) {
        quoted ^= letter == '"';
        if separates(letter) && !quoted {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(letter);
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

/// A part as names are compared with it: without its quotes, in lower case.
fn unquoted(part: &str) -> String {
    part.replace('"', "").to_lowercase()
}

fn parse_term(term: &str) -> Result<Test, Misread> {
    if let Some(&(word, _)) = WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(term)) {
        return Ok(Test::Word(word));
    }
    let at = match term.char_indices().find(|(_, letter)| matches!(letter, ':' | '<' | '>' | '=' | '"')) {
        Some((at, sign)) if sign != '"' => at,
        _ => return Ok(Test::Text { text: unquoted(term), word: None }),
    };
    let (key, rest) = term.split_at(at);
    let signs = rest.len() - rest.trim_start_matches([':', '<', '>', '=']).len();
    let (sign, value) = rest.split_at(signs);
    let text_key = TEXT_KEYS.iter().find(|(known, _)| known.eq_ignore_ascii_case(key));
    if let (Some(&(key, _)), ":" | "=") = (text_key, sign) {
        let choices = split(value, |letter| letter == ',');
        return Ok(Test::Said { key, choices: choices.iter().map(|choice| unquoted(choice)).collect() });
    }
    let number_key = NUMBER_KEYS.iter().find(|(known, _)| known.eq_ignore_ascii_case(key));
    let name_key = NAME_KEYS.iter().find(|(known, _)| known.eq_ignore_ascii_case(key));
    match (name_key, number_key) {
        (Some(&(key, _)), _) if matches!(sign, ":" | "=") => {
            let choices = split(value, |letter| letter == ',');
            Ok(Test::Named { key, choices: choices.iter().map(|choice| unquoted(choice)).collect() })
        }
        (_, Some(&(key, _))) => {
            let compare = match sign {
                "<" => Compare::Less,
                "<=" => Compare::LessOrEqual,
                ">" => Compare::More,
                ">=" => Compare::MoreOrEqual,
                _ => Compare::Equal,
            };
            let value = parse_number(&unquoted(value)).ok_or_else(|| {
                Misread(format!(
                    "‘{term}’: expected a number or a time such as 2s, 300ms or 1.5m after {sign}"
                ))
            })?;
            Ok(Test::Number { key, compare, value })
        }
        _ => {
            let known = NAME_KEYS.iter().chain(TEXT_KEYS).chain(NUMBER_KEYS);
            let known = known.map(|(key, _)| *key).chain(["group"]).collect::<Vec<_>>().join(", ");
            Err(Misread(format!("‘{term}’: expected one of the keys {known}")))
        }
    }
}

/// A number, or a time in milliseconds: `2s`, `300ms`, `1.5m`.
fn parse_number(text: &str) -> Option<f64> {
    let units = [("ms", 1.0), ("s", 1_000.0), ("m", 60_000.0), ("h", 3_600_000.0), ("", 1.0)];
    let (digits, factor) =
        units.iter().find_map(|&(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    let value = halfopen_log::number(digits.trim())?;
    (value.is_finite() && value >= 0.0).then_some(value * factor)
}

enum Ready {
    Names { key: &'static str, choices: Vec<String>, found: Vec<bool> },
    Status(Vec<String>),
    Call(Vec<String>),
    Word(&'static str),
    Number { key: &'static str, compare: Compare, value: f64 },
    Anywhere { found: Vec<bool>, text: String, word: Option<&'static str> },
    Said { key: &'static str, choices: Vec<String> },
}

/// A filter whose names are numbers already: asking it of a call compares no text.
pub struct Filter {
    tests: Vec<(bool, Ready)>,
    /// By what rows are grouped.
    pub group: Option<Group>,
    /// The names that it knows: those of that sweep, and so many of the fresh ones since.
    sweeps: u32,
    fresh: usize,
    /// Whether a text was found in what a call's failures say, by the test's place and the call's newest event: a line is
    /// read once.
    said: RefCell<HashMap<(usize, ShortNumber), bool>>,
}

/// Most calls whose texts are remembered.
const MOST_READ: usize = 200_000;
/// The shortest word without a key that is looked for in what failures say.
const SHORTEST: usize = 3;

impl Ready {
    /// The test, for no names as yet.
    fn of(test: &Test) -> Self {
        match test {
            Test::Named { key: "status", choices } => Self::Status(choices.clone()),
            Test::Named { key: "call", choices } => Self::Call(choices.clone()),
            Test::Named { key, choices } => Self::Names { key, choices: choices.clone(), found: Vec::new() },
            Test::Word(word) => Self::Word(word),
            &Test::Number { key, compare, value } => Self::Number { key, compare, value },
            Test::Said { key, choices } => Self::Said { key, choices: choices.clone() },
            &Test::Text { ref text, word } => Self::Anywhere { text: text.clone(), found: Vec::new(), word },
        }
    }

    /// Tests a name, so that it is known by its number.
    fn learn(&mut self, name: Name, text: &str) {
        let (holds, found) = match self {
            Self::Names { choices, found, .. } => {
                (!text.is_empty() && choices.iter().any(|choice| matches_choice(text, choice)), found)
            }
            Self::Anywhere { text: part, found, .. } => (text.contains(part.as_str()), found),
            _ => return,
        };
        let place = name.0 as usize;
        if found.len() <= place {
            found.resize(place + 1, false);
        }
        if let Some(found) = found.get_mut(place) {
            *found = holds;
        }
    }
}

/// A choice holds for the whole name, or for its beginning where it ends in `*`.
fn matches_choice(text: &str, choice: &str) -> bool {
    choice.strip_suffix('*').map_or(text == choice, |start| text.starts_with(start))
}

impl Filter {
    /// Makes the filter ready for the names that have come since it was.
    pub fn learn(&mut self, names: &Names) {
        if self.tests.is_empty() {
            return;
        }
        if self.sweeps != names.sweeps() {
            self.learn_all(names);
            return;
        }
        for &name in names.fresh(self.fresh) {
            self.learn_one(name, names.text(name));
        }
        self.fresh = names.fresh(0).len();
    }

    fn learn_all(&mut self, names: &Names) {
        for (name, text) in names.iter() {
            self.learn_one(name, text);
        }
        (self.sweeps, self.fresh) = (names.sweeps(), names.fresh(0).len());
    }

    fn learn_one(&mut self, name: Name, text: &str) {
        let text = text.to_lowercase();
        self.tests.iter_mut().for_each(|(_, test)| test.learn(name, &text));
    }

    /// Whether a call passes; `now` measures what has not ended.
    pub fn passes(&self, log: &Log, call: &Call, now: Moment) -> bool {
        let mut tests = self.tests.iter().enumerate();
        tests.all(|(place, (wanted, test))| self.holds(place, test, log, call, now) == *wanted)
    }

    fn holds(&self, place: usize, test: &Ready, log: &Log, call: &Call, now: Moment) -> bool {
        match test {
            Ready::Anywhere { text, .. } => {
                let one = std::slice::from_ref(text);
                holds(test, log, call, now)
                    || (text.chars().count() >= SHORTEST
                        && self.says(place, log, call, &["message", "request"], one))
            }
            Ready::Said { key, choices } => self.says(place, log, call, &[key], choices),
            _ => holds(test, log, call, now),
        }
    }

    /// Whether a call's failures say one of these.
    fn says(&self, place: usize, log: &Log, call: &Call, keys: &[&str], choices: &[String]) -> bool {
        let failed = call.attempts.iter().any(|attempt| attempt.outcome == Outcome::Failed);
        let Some(&newest) = call.events.last().filter(|_| failed || call.status == Status::Failed) else {
            return false;
        };
        let mut known = self.said.borrow_mut();
        if known.len() >= MOST_READ {
            known.clear();
        }
        *known.entry((place, newest)).or_insert_with(|| {
            let ended_by = call.attempts.iter().filter_map(|attempt| attempt.ended_by);
            let mut lines = ended_by.map(|event| log.line(event)).chain([log.line_of(newest)]);
            lines.any(|line| choices.iter().any(|choice| line_says(line, keys, choice)))
        })
    }
}

/// Whether an event says a text, which is in lower case.
fn line_says(line: &str, keys: &[&str], wanted: &str) -> bool {
    // A text without letters that JSON or Unicode writes in two ways is looked for in the line first: most lines are not parsed.
    let plain = wanted.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -_.:".contains(&byte));
    if plain && !contains(line.as_bytes(), wanted.as_bytes()) {
        return false;
    }
    let Ok(event) = Event::parse(line) else { return false };
    let has = |text: Option<&str>| text.is_some_and(|text| text.to_lowercase().contains(wanted));
    keys.iter().any(|&key| match (&event.kind, key) {
        (Kind::AttemptFailed(failed), "request") => has(failed.request_id.as_ref().map(|id| id.as_str())),
        (Kind::AttemptFailed(failed), _) => {
            has(Some(failed.technical_details.as_str()))
                || has(failed.message.as_ref().map(|text| text.as_str()))
                || has(failed.error_class.as_ref().map(|text| text.as_str()))
        }
        (Kind::CallFailed(failed), "message") => has(Some(failed.user_message.as_str())),
        _ => false,
    })
}

/// Whether ASCII letters stand in a text, in whatever case.
fn contains(text: &[u8], wanted: &[u8]) -> bool {
    let Some(first) = wanted.first() else { return true };
    text.windows(wanted.len()).any(|part| {
        part.first().is_some_and(|byte| byte.eq_ignore_ascii_case(first)) && part.eq_ignore_ascii_case(wanted)
    })
}

fn holds(test: &Ready, log: &Log, call: &Call, now: Moment) -> bool {
    match test {
        Ready::Names { key, found, .. } => names_of(key, log, call, &mut |name| has(found, name)),
        Ready::Status(choices) => choices.iter().any(|choice| choice == call.status.word()),
        Ready::Call(choices) => {
            choices.iter().any(|choice| call.id.to_lowercase().starts_with(choice.as_str()))
        }
        Ready::Word(word) => word_holds(word, call),
        Ready::Number { key, compare, value } => {
            numbers_of(key, call, now, &mut |found| compares(*compare, found, *value))
        }
        Ready::Said { .. } => false,
        Ready::Anywhere { found, text, word } => {
            word.is_some_and(|word| word_holds(word, call))
                || NAME_KEYS.iter().any(|(key, _)| names_of(key, log, call, &mut |name| has(found, name)))
                || call.id.to_lowercase().contains(text.as_str())
        }
    }
}

fn has(found: &[bool], name: Name) -> bool {
    !name.is_none() && found.get(name.0 as usize).copied().unwrap_or(false)
}

fn names_of(key: &str, log: &Log, call: &Call, test: &mut dyn FnMut(Name) -> bool) -> bool {
    match key {
        "code" => test(call.code) || call.attempts.iter().any(|attempt| test(attempt.code)),
        "rule" => call.attempts.iter().any(|attempt| test(attempt.rule)),
        "provider" => call.attempts.iter().any(|attempt| test(attempt.provider)),
        "model" => call.attempts.iter().any(|attempt| test(attempt.model)),
        "policy" => test(call.policy),
        "task" => test(call.task),
        "operation" => test(call.operation),
        "source" => test(call.source),
        "host" => test(log.about(call.source).host),
        "deployment" => test(log.about(call.source).deployment),
        "version" => test(log.about(call.source).version),
        "why" => test(call.why),
        "trace" => test(call.trace),
        _ => false,
    }
}

fn numbers_of(key: &str, call: &Call, now: Moment, test: &mut dyn FnMut(f64) -> bool) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    match key {
        "duration" => test(call.end_or(now) - call.started),
        "attempts" => test(call.tries() as f64),
        "wait" => test(call.waits.iter().filter_map(Wait::planned_ms).fold(0.0, f64::max)),
        "http" => call
            .attempts
            .iter()
            .any(|attempt| attempt.status_code > 0 && test(f64::from(attempt.status_code))),
        _ => false,
    }
}

fn word_holds(word: &str, call: &Call) -> bool {
    match word {
        "retrying" => call.status == Status::Waiting,
        "retried" => call.retries() > 0,
        "open" => call.status.is_open(),
        "silent" => call.status == Status::Silent,
        "probe" => call.attempts.iter().any(|attempt| attempt.probe),
        "hinted" => call.attempts.iter().any(|attempt| attempt.retry_after_ms.is_some()),
        "streamed" => call.attempts.iter().any(|attempt| attempt.chunks > 0),
        "nested" => call.parent.is_some(),
        "failing" => matches!(call.status, Status::Failed | Status::Rejected | Status::Degraded),
        _ => false,
    }
}

#[expect(clippy::float_cmp, reason = "a status code or a count, both whole")]
fn compares(compare: Compare, found: f64, value: f64) -> bool {
    match compare {
        Compare::Less => found < value,
        Compare::LessOrEqual => found <= value,
        Compare::More => found > value,
        Compare::MoreOrEqual => found >= value,
        Compare::Equal => found == value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Stage;
    use crate::store::Log;

    fn log() -> Log {
        let mut log = Log::default();
        let lines = [
            r#"{"type":"call.started","call":"c1","policy":"chat","task":"plan the trip"}"#,
            r#"{"type":"attempt.started","call":"c1","attempt":1,"provider":"openai","model":"gpt-4o"}"#,
            r#"{"type":"attempt.failed","call":"c1","attempt":1,"durationMs":5,"code":"RATE_LIMITED","severity":"retriable","retryable":true,"rule":"http.429","statusCode":429,"requestId":"req_81F2","technicalDetails":"Slow down, \"please\""}"#,
            r#"{"type":"retry.scheduled","call":"c1","attempt":2,"delayMs":4000,"dueAt":9000,"minMs":3000,"maxMs":5000,"source":"backoff","process":"s"}"#,
            r#"{"type":"call.started","call":"c2","policy":"search"}"#,
            r#"{"type":"attempt.started","call":"c2","attempt":1,"provider":"bing"}"#,
            r#"{"type":"attempt.succeeded","call":"c2","attempt":1,"durationMs":5}"#,
            r#"{"type":"call.succeeded","call":"c2","attempts":1,"durationMs":5}"#,
            r#"{"type":"call.started","call":"c3","policy":"shears","task":"book, cut"}"#,
        ];
        for (seq, line) in lines.iter().enumerate() {
            let head = format!(r#"{{"v":1,"seq":{seq},"time":{},"#, 1000 * (seq + 1));
            let source = if line.contains("process") { "" } else { r#""source":"s","# };
            assert!(log.take(&line.replacen('{', &format!("{head}{source}"), 1)), "{:?}", log.losses);
        }
        log
    }

    fn found(text: &str) -> Vec<String> {
        let log = log();
        let filter = Query::parse(text).unwrap().prepare(&log.names);
        log.calls()
            .filter(|(_, call)| filter.passes(&log, call, Moment::from_ms(20_000.0)))
            .map(|(_, call)| call.id.to_string())
            .collect()
    }

    #[test]
    fn a_key_whose_value_is_yet_to_come_narrows_nothing() {
        for text in ["provider:", "-provider:", "message:", "status:ok code:"] {
            let without = if text.starts_with("status") { "status:ok" } else { "" };
            assert_eq!(found(text), found(without), "{text}");
        }
        assert!(Query::parse("provider:").unwrap().is_empty());
    }

    #[test]
    fn while_it_is_typed_a_word_of_its_own_may_become_a_name() {
        let mut stage = Stage::new();
        stage.call("s", "ended", r#","task":"opening""#).succeed("s", "ended").call("s", "running", "");
        let found = |query: Query| {
            let filter = query.prepare(&stage.log.names);
            let calls = stage.log.calls().filter(|(_, call)| filter.passes(&stage.log, call, stage.time));
            calls.map(|(_, call)| call.id.to_string()).collect::<Vec<_>>()
        };
        let typed = |text| found(Query::parse_typed(text).unwrap());
        assert_eq!(found(Query::parse("open").unwrap()), ["running"]);
        for begun in ["open", "Open", "status:ok,running open"] {
            assert_eq!(typed(begun), ["ended", "running"], "{begun}");
        }
        for finished in ["open ", "open group:task", "open status:running"] {
            assert_eq!(typed(finished), ["running"], "{finished}");
        }
        assert_eq!(typed("opening"), ["ended"]);
    }

    #[test]
    fn terms_narrow_to_the_calls_that_hold_all_of_them() {
        for (text, expected) in [
            ("", &["c1", "c2", "c3"][..]),
            ("code:RATE_LIMITED provider:openai retrying duration>2s", &["c1"]),
            ("code:rate_limited,timeout", &["c1"]),
            ("provider:open*", &["c1"]),
            ("-provider:openai", &["c2", "c3"]),
            ("status:ok", &["c2"]),
            ("http:429", &["c1"]),
            ("http>=500", &[]),
            ("wait>=4s", &["c1"]),
            ("attempts:1", &["c1", "c2"]),
            ("TRIP", &["c1"]),
            ("task:\"plan the trip\"", &["c1"]),
            ("task:\"book, cut\"", &["c3"]),
            ("task:\"book, cut\",\"plan the trip\"", &["c1", "c3"]),
            ("task:book,cut", &[]),
            ("-task:\"BOOK, *\"", &["c1", "c2"]),
            ("\"k, c\"", &["c3"]),
            ("\"task:book\"", &[]),
            ("duration>\"2s\" trip", &["c1"]),
            ("c2", &["c2"]),
            ("duration<5s -open", &["c2"]),
            ("message:\"slow down\"", &["c1"]),
            ("message:other,please", &["c1"]),
            ("message:\"slow up\"", &[]),
            ("request:req_81f2", &["c1"]),
            ("-request:81f", &["c2", "c3"]),
            ("81f2", &["c1"]),
            ("SLOW", &["c1"]),
            // Names of fields are no messages.
            ("message:severity", &[]),
            ("durationMs", &[]),
            // Two letters are looked for in names alone.
            ("sl", &[]),
            ("group:task", &["c1", "c2", "c3"]),
            ("group:trace chat", &["c1"]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn calls_are_found_and_grouped_by_what_their_process_says_of_itself() {
        let mut stage = Stage::new();
        for (process, host, version) in [("a", "worker-1", "1.4.0"), ("b", "worker-2", "1.4.1")] {
            let about = format!(r#""host":"{host}","version":"{version}","deployment":"eu""#);
            stage.event(process, "process.started", &about).call(process, &format!("of-{process}"), "");
        }
        stage.call("c", "of-c", "");
        let log = &stage.log;
        let found = |text: &str| {
            let query = Query::parse(text).unwrap();
            let filter = query.prepare(&log.names);
            let all = log.calls().filter(|(_, call)| filter.passes(log, call, stage.time));
            let of = |call: &Call| query.group.map_or("", |group| log.names.text(group.of(log, call).0));
            all.map(|(_, call)| format!("{} {}", call.id, of(call)).trim().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found("host:worker-2"), ["of-b"]);
        assert_eq!(found("version:1.4.*"), ["of-a", "of-b"]);
        assert_eq!(found("-deployment:eu"), ["of-c"]);
        assert_eq!(found("worker-1"), ["of-a"]);
        assert_eq!(found("group:version"), ["of-a 1.4.0", "of-b 1.4.1", "of-c"]);
        assert_eq!(found("group:source host:worker*"), ["of-a a", "of-b b"]);
    }

    #[test]
    fn what_cannot_be_read_names_the_term_and_what_was_expected() {
        let misread = Query::parse("provider:openai duration>soon").unwrap_err();
        assert!(misread.0.starts_with("‘duration>soon’: expected a number or a time"), "{misread:?}");
        assert!(Query::parse("group:colour").unwrap_err().0.contains("expected group:task"));
        assert!(Query::parse("colour:red").unwrap_err().0.contains("expected one of the keys code, rule"));
    }
}
