//! The calls that pass a filter.

use super::grammar::{Compare, Group, Query, Test};
use super::keys::{Holds, Key, NAMED, Named, Names as NamesOf, Numbers, TEXTS, Texts, matches_choice};
use crate::call::{Call, Outcome, Status};
use crate::names::{Name, Names};
use crate::numbers::ShortNumber;
use crate::store::Log;
use crate::time::Moment;
use halfopen_log::Event;
use std::cell::RefCell;
use std::collections::HashMap;

impl Query {
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

enum Ready {
    Names { names_of: NamesOf, choices: Vec<String>, found: Vec<bool> },
    Status(Vec<String>),
    Call(Vec<String>),
    Word(Holds),
    Number { numbers_of: Numbers, compare: Compare, value: f64 },
    Anywhere { found: Vec<bool>, text: String, word: Option<Holds> },
    Said { key: &'static Key<Texts>, choices: Vec<String> },
}

/// A filter with its names as numbers, so that testing a call compares no text.
pub struct Filter {
    tests: Vec<(bool, Ready)>,
    /// The grouping of rows.
    pub group: Option<Group>,
    /// The names that it knows: up to this sweep, and this number of those that were added after it.
    sweeps: u32,
    fresh: usize,
    /// Results of searches in the failures of calls, by the index of the test and the call's newest event, so that a line is
    /// read once.
    said: RefCell<HashMap<(usize, ShortNumber), bool>>,
}

/// Most calls whose texts are remembered.
const MOST_READ: usize = 200_000;
/// The shortest word without a key that is searched for in the texts of failures.
const SHORTEST: usize = 3;

impl Ready {
    /// The test, before it knows any names.
    fn of(test: &Test) -> Self {
        match test {
            Test::Named { key, choices } => match key.reads {
                Named::Status => Self::Status(choices.clone()),
                Named::Id => Self::Call(choices.clone()),
                Named::Names(names_of) => {
                    Self::Names { names_of, choices: choices.clone(), found: Vec::new() }
                }
            },
            Test::Word(word) => Self::Word(word.reads),
            &Test::Number { key, compare, value } => Self::Number { numbers_of: key.reads, compare, value },
            Test::Said { key, choices } => Self::Said { key, choices: choices.clone() },
            Test::Text { text, word } => {
                Self::Anywhere { text: text.clone(), found: Vec::new(), word: word.map(|word| word.reads) }
            }
        }
    }

    /// Tests a name and remembers the result under its number.
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

impl Filter {
    /// Tests the names that were added since the last call.
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

    /// Returns `true` if a call passes. Open calls are measured up to `now`.
    pub fn passes(&self, log: &Log, call: &Call, now: Moment) -> bool {
        let mut tests = self.tests.iter().enumerate();
        tests.all(|(place, (wanted, test))| self.holds(place, test, log, call, now) == *wanted)
    }

    fn holds(&self, place: usize, test: &Ready, log: &Log, call: &Call, now: Moment) -> bool {
        match test {
            Ready::Anywhere { text, .. } => {
                let one = std::slice::from_ref(text);
                holds(test, log, call, now)
                    || (text.chars().count() >= SHORTEST && self.says(place, log, call, TEXTS, one))
            }
            Ready::Said { key, choices } => self.says(place, log, call, std::slice::from_ref(*key), choices),
            _ => holds(test, log, call, now),
        }
    }

    /// Returns `true` if a call's failures have one of these texts.
    fn says(&self, place: usize, log: &Log, call: &Call, keys: &[Key<Texts>], choices: &[String]) -> bool {
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

/// Returns `true` if an event has a text, which is in lower case.
fn line_says(line: &str, keys: &[Key<Texts>], wanted: &str) -> bool {
    // A text that JSON can write in only one way is searched for in the raw line first, so most lines are not parsed.
    let plain = wanted.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -_.:".contains(&byte));
    if plain && !contains(line.as_bytes(), wanted.as_bytes()) {
        return false;
    }
    let Ok(event) = Event::parse(line) else { return false };
    let has = |text: Option<&str>| text.is_some_and(|text| text.to_lowercase().contains(wanted));
    keys.iter().any(|key| (key.reads)(&event.kind, &has))
}

/// Returns `true` if ASCII letters occur in a text, in either case.
fn contains(text: &[u8], wanted: &[u8]) -> bool {
    let Some(first) = wanted.first() else { return true };
    text.windows(wanted.len()).any(|part| {
        part.first().is_some_and(|byte| byte.eq_ignore_ascii_case(first)) && part.eq_ignore_ascii_case(wanted)
    })
}

fn holds(test: &Ready, log: &Log, call: &Call, now: Moment) -> bool {
    match test {
        Ready::Names { names_of, found, .. } => names_of(log, call, &mut |name| has(found, name)),
        Ready::Status(choices) => choices.iter().any(|choice| matches_choice(call.status.word(), choice)),
        Ready::Call(choices) => {
            choices.iter().any(|choice| call.id.to_lowercase().starts_with(choice.as_str()))
        }
        Ready::Word(holds) => holds(call),
        Ready::Number { numbers_of, compare, value } => {
            numbers_of(call, now, &mut |found| compares(*compare, found, *value))
        }
        Ready::Said { .. } => false,
        Ready::Anywhere { found, text, word } => {
            let mut test = |name| has(found, name);
            word.is_some_and(|holds| holds(call))
                || NAMED.iter().any(|key| match key.reads {
                    Named::Names(names_of) => names_of(log, call, &mut test),
                    Named::Status | Named::Id => false,
                })
                || call.id.to_lowercase().contains(text.as_str())
        }
    }
}

fn has(found: &[bool], name: Name) -> bool {
    !name.is_none() && found.get(name.0 as usize).copied().unwrap_or(false)
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
            // Two letters are searched for only in names.
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
        for unknown in ["status:refused", "status:ok,refused", "-status:success"] {
            let misread = Query::parse(unknown).unwrap_err().0;
            assert!(misread.ends_with("expected one of the statuses ok, fallback, failed, rejected, cancelled, running, waiting, queued, silent"), "{misread}");
        }
        assert!(Query::parse("status:REJECTED status:r*").is_ok());
        // While it is typed it may become one.
        assert!(Query::parse_typed("status:rej").is_ok() && Query::parse_typed("status:rej x").is_err());
        assert!(Query::parse_typed("status:x").is_err());
        assert!(Query::parse("colour:red").unwrap_err().0.contains("expected one of the keys code, rule"));
    }
}
