//! The dashboard's view of a log, for programs: its findings, calls, runs and policies as JSON.
//!
//! `npx halfopen diagnose` and `npx halfopen mcp` load this crate as a wasm module, so that a command line, a coding agent
//! and the page have the same checks and the same words. A question names what it wants:
//!
//! ```
//! use halfopen_diagnose::Diagnosis;
//! let mut diagnosis = Diagnosis::default();
//! diagnosis.take(r#"{"v":1,"source":"a","seq":1,"time":0,"policy":"chat","call":"a-1","type":"call.started"}"#);
//! let answer = diagnosis.query(r#"{"query":"calls","filter":"policy:chat"}"#);
//! assert!(answer.contains(r#""id":"a-1""#));
//! ```
//!
//! A question that cannot be answered has `{"error": …}` as its answer, in words that say what was expected. Texts of the log
//! are redacted, and stay on their line.
//!
//! The module imports nothing. Node calls `seed` of `module.rs` once, then writes a text to the place that `room` returns, and
//! calls `take` for whole lines of the log or `query` for a question; `answer` is the answer's place.

mod calls;
mod findings;
mod instant;
mod policies;
mod runs;
mod shown;

use halfopen_model::check::{Finding, Pass};
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use serde::Deserialize;
use serde_json::{Value, json};

/// A question about a log.
#[derive(Deserialize)]
#[serde(tag = "query", rename_all = "kebab-case", deny_unknown_fields)]
enum Question {
    /// The contents of the log: numbers of events, calls and runs, its time range, and the lines that are no events.
    Log,
    /// The findings, worst first.
    Findings,
    /// The calls that pass a filter of the dashboard, oldest first.
    Calls {
        #[serde(default)]
        filter: String,
        /// The number of the first call to return.
        #[serde(default)]
        from: u32,
        most: Option<usize>,
    },
    /// One call, by its id.
    Call { id: String },
    /// The runs, newest first. `skip` counts those that the asker has.
    Runs {
        #[serde(default)]
        skip: usize,
        most: Option<usize>,
    },
    /// One run, by its id.
    Run { id: String },
    /// The policies, those with the most calls first.
    Policies,
    /// One policy by its name: its options and its numbers.
    Policy { name: String },
    /// The question of a call as a test, by its id. `halfopen_answers` answers it.
    Test {
        id: String,
        /// The finding whose change the test demands, by the id of its check. Default: the worst that has this call as its
        /// evidence and such a demand.
        finding: Option<String>,
        /// In TypeScript.
        #[serde(default)]
        typescript: bool,
        /// The module and the export of the user's policy.
        #[serde(default)]
        module: String,
        #[serde(default)]
        export: String,
    },
}

/// A log, and its findings once a question needed them.
#[derive(Default)]
pub struct Diagnosis {
    log: Log,
    /// The findings, and the number of events that they are of.
    found: Option<(u64, Vec<Finding>)>,
}

impl Diagnosis {
    /// Takes whole lines of a log.
    pub fn take(&mut self, lines: &str) {
        for line in lines.lines().filter(|line| !line.is_empty()) {
            self.log.take(line);
        }
    }

    /// Answers a question; both are JSON.
    pub fn query(&mut self, question: &str) -> String {
        let answer = serde_json::from_str(question)
            .map_err(|misfit| misfit.to_string())
            .and_then(|question| self.answer(question));
        let answer = answer.unwrap_or_else(|error| shown::shown(json!({ "error": error })));
        answer.to_string()
    }

    fn answer(&mut self, question: Question) -> Result<Value, String> {
        let now = self.log.bounds().map_or(Moment::from_ms(0.0), |bounds| bounds.1);
        let log = &self.log;
        let found = match question {
            Question::Log => self::log(log),
            Question::Findings => {
                let found = self.findings();
                json!({ "findings": findings::cards(&self.log, &found, now) })
            }
            Question::Calls { filter, from, most } => calls::list(log, &filter, from, most, now)?,
            Question::Call { id } => calls::call(log, &id, now)?,
            Question::Runs { skip, most } => runs::list(log, skip, most, now),
            Question::Run { id } => runs::run(log, &id, now)?,
            Question::Policies => policies::list(log),
            Question::Policy { name } => {
                let found = self.findings();
                policies::policy(&self.log, &name, &found, now)?
            }
            // Not shown: the module that answers it redacts what it quotes of the log.
            Question::Test { id, finding, typescript, module, export } => {
                let found = self.findings();
                let form = calls::Form { plain: !typescript, module, export };
                return calls::test(&self.log, &id, finding.as_deref(), &found, form);
            }
        };
        Ok(shown::shown(found))
    }

    /// The findings of the log as it is now.
    fn findings(&mut self) -> Vec<Finding> {
        let events = self.log.totals.events;
        if let Some((_, found)) = self.found.as_ref().filter(|found| found.0 == events) {
            return found.clone();
        }
        let mut pass = Pass::begin(&self.log);
        while pass.step(&self.log, u32::MAX) {}
        let found = pass.findings(&self.log);
        self.found = Some((events, found.clone()));
        found
    }
}

fn log(log: &Log) -> Value {
    let losses = &log.losses;
    let bounds = log.bounds().map(|(from, to)| (instant::iso(from), instant::iso(to)));
    json!({
        "events": log.totals.events,
        "calls": log.totals.calls,
        "retries": log.totals.retries,
        "runs": log.runs.iter().len(),
        "processes": log.processes(),
        "from": bounds.as_ref().map(|bounds| &bounds.0),
        "to": bounds.as_ref().map(|bounds| &bounds.1),
        "rejected": losses.rejected,
        "torn": losses.torn,
        "dropped": losses.dropped,
        "unknown": losses.unknown,
        "evicted": losses.evicted,
        "reasons": losses.reasons,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INCIDENT: &str = include_str!("../../../tests/fixtures/incident.jsonl");

    fn incident() -> Diagnosis {
        let mut diagnosis = Diagnosis::default();
        diagnosis.take(INCIDENT);
        diagnosis
    }

    fn ask(diagnosis: &mut Diagnosis, question: &str) -> Value {
        serde_json::from_str(&diagnosis.query(question)).unwrap()
    }

    #[test]
    fn findings_are_those_of_the_page_with_where_they_are_seen() {
        let found = ask(&mut incident(), r#"{"query":"findings"}"#);
        let titles: Vec<_> =
            found["findings"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
        assert_eq!(
            titles,
            [
                "Only the fallback answered 9 calls of 'support-desk' in a row",
                "10 retries of SERVER_ERROR in a row, and none succeeded"
            ]
        );
        let seen = &found["findings"][0]["evidence"][0];
        assert_eq!(seen["kind"], "call");
        let id = seen["id"].as_str().unwrap();
        let call = ask(&mut incident(), &format!(r#"{{"query":"call","id":"{id}"}}"#));
        assert_eq!(call["status"], "fallback");
        assert!(call["steps"].as_array().unwrap().len() > 1, "{call}");
    }

    #[test]
    fn findings_are_of_the_events_that_the_log_has_by_then() {
        let mut diagnosis = Diagnosis::default();
        assert_eq!(ask(&mut diagnosis, r#"{"query":"findings"}"#)["findings"], json!([]));
        diagnosis.take(INCIDENT);
        assert_eq!(ask(&mut diagnosis, r#"{"query":"findings"}"#)["findings"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn calls_come_in_pages_that_follow_each_other() {
        let mut diagnosis = incident();
        let all = ask(&mut diagnosis, r#"{"query":"calls","filter":"status:fallback"}"#);
        let total = all["total"].as_u64().unwrap();
        assert_eq!(all["calls"].as_array().unwrap().len() as u64, total);
        assert_eq!(all["next"], Value::Null);
        let first = ask(&mut diagnosis, r#"{"query":"calls","filter":"status:fallback","most":2}"#);
        let next = first["next"].as_u64().unwrap();
        let second = ask(
            &mut diagnosis,
            &format!(r#"{{"query":"calls","filter":"status:fallback","from":{next},"most":2}}"#),
        );
        assert_eq!(second["calls"][0], all["calls"][2]);
        assert_eq!(first["total"], total);
    }

    #[test]
    fn a_question_that_cannot_be_answered_says_why() {
        for (question, expected) in [
            (r#"{"query":"call","id":"nowhere"}"#, "no call 'nowhere'"),
            (r#"{"query":"run","id":"nowhere"}"#, "no run 'nowhere'"),
            (r#"{"query":"policy","name":"nowhere"}"#, "no policy 'nowhere'; it has 'support-desk'"),
            (r#"{"query":"calls","filter":"colour:red"}"#, "expected one of the keys code, rule"),
            (r#"{"query":"weather"}"#, "unknown variant `weather`"),
            ("", "EOF"),
        ] {
            let answer = ask(&mut incident(), question);
            let error = answer["error"].as_str().unwrap();
            assert!(error.contains(expected), "{question}: {error}");
        }
    }

    #[test]
    fn a_policy_has_its_options_its_numbers_and_its_findings() {
        let policy = ask(&mut incident(), r#"{"query":"policy","name":"support-desk"}"#);
        assert_eq!(policy["options"]["retry"]["maxRetries"], 2);
        assert!(policy["calls"].as_u64().unwrap() > 10, "{policy}");
        assert_eq!(policy["findings"].as_array().unwrap().len(), 2);
        assert_eq!(policy["breaker"]["name"], "support-desk");
    }

    #[test]
    fn a_call_is_a_test() {
        let mut diagnosis = incident();
        let calls = ask(&mut diagnosis, r#"{"query":"calls","filter":"status:fallback","most":1}"#);
        let id = calls["calls"][0]["id"].as_str().unwrap();
        let test = ask(&mut diagnosis, &format!(r#"{{"query":"test","id":"{id}"}}"#));
        let number = u32::try_from(test["number"].as_u64().unwrap()).unwrap();
        let code = halfopen_answers::answer(number, test["question"].as_str().unwrap()).unwrap();
        assert!(code.contains("createPolicy } from 'halfopen';"), "{code}");
        // In JavaScript, unless the question wants TypeScript.
        assert!(!code.contains("ms: number"), "{code}");
        let typed = ask(&mut diagnosis, &format!(r#"{{"query":"test","id":"{id}","typescript":true}}"#));
        let code = halfopen_answers::answer(number, typed["question"].as_str().unwrap()).unwrap();
        assert!(code.contains("ms: number"), "{code}");
    }

    #[test]
    fn a_test_can_demand_some_findings_and_says_which() {
        let mut diagnosis = incident();
        let calls = ask(&mut diagnosis, r#"{"query":"calls","most":1}"#);
        let id = calls["calls"][0]["id"].as_str().unwrap();
        for (finding, expected) in [
            (
                "loop",
                "no test for the finding 'loop'; there is one for short-timeout, no-timeout, hair-trigger",
            ),
            ("no-timeout", "has no finding 'no-timeout'"),
        ] {
            let test =
                ask(&mut diagnosis, &format!(r#"{{"query":"test","id":"{id}","finding":"{finding}"}}"#));
            assert!(test["error"].as_str().unwrap().contains(expected), "{test}");
        }
    }

    #[test]
    fn secrets_and_hidden_letters_of_a_log_are_not_shown() {
        let mut diagnosis = Diagnosis::default();
        diagnosis.take(
            r#"{"v":1,"source":"a","seq":1,"time":0,"policy":"sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF","call":"a-1","type":"call.started","task":"x\u001b[31m\u202ey"}"#,
        );
        let answer = diagnosis.query(r#"{"query":"calls"}"#);
        assert!(!answer.contains("abcdefghijkl"), "{answer}");
        assert!(!answer.contains("\\u001b") && !answer.contains('\u{202e}'), "{answer}");
    }

    #[test]
    fn lines_that_are_no_events_are_counted() {
        let mut diagnosis = Diagnosis::default();
        diagnosis.take("what?\n\n{\"v\":1,\"source\":\"a\"");
        let log = ask(&mut diagnosis, r#"{"query":"log"}"#);
        assert_eq!(log["rejected"].as_u64().unwrap() + log["torn"].as_u64().unwrap(), 2, "{log}");
        assert_eq!(log["from"], Value::Null);
    }

    #[test]
    fn runs_have_their_steps_and_their_end() {
        let mut diagnosis = Diagnosis::default();
        diagnosis.take(
            r#"{"v":1,"source":"a","seq":1,"time":0,"run":"r-1","type":"run.started","name":"desk","task":"refund 7"}
{"v":1,"source":"a","seq":2,"time":10,"run":"r-1","type":"run.step","step":1}
{"v":1,"source":"a","seq":3,"time":20,"run":"r-1","type":"run.tool","tool":"refund","outcome":"failed","code":"TIMEOUT","repeated":1,"durationMs":9}"#,
        );
        let runs = ask(&mut diagnosis, r#"{"query":"runs"}"#);
        assert_eq!((&runs["total"], &runs["runs"][0]["id"]), (&json!(1), &json!("r-1")));
        let run = ask(&mut diagnosis, r#"{"query":"run","id":"r-1"}"#);
        assert_eq!(run["title"], "refund 7");
        assert!(run["timeline"][0]["parts"][0]["text"].as_str().unwrap().starts_with("refund"), "{run}");
    }
}
