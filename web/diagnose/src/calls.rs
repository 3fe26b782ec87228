//! Calls: those that pass a filter, and one with everything that the page shows of it.

use crate::instant::iso;
use crate::shown::object;
use halfopen_answers::{AsTest, Question as _, wire};
use halfopen_model::check::{Evidence, Finding};
use halfopen_model::export::test::as_test;
use halfopen_model::view::details::{AttemptDetails, CallDetails, Step, describe};
use halfopen_model::view::words;
use halfopen_store::call::{Call, Outcome};
use halfopen_store::numbers::CallNumber;
use halfopen_store::query::Query;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use serde_json::{Map, Value, json};

/// Most calls in one answer.
const MOST: usize = 1_000;

pub(crate) fn list(
    log: &Log,
    filter: &str,
    from: u32,
    most: Option<usize>,
    now: Moment,
) -> Result<Value, String> {
    let query = Query::parse(filter).map_err(|misread| misread.0)?;
    let filter = query.prepare(&log.names);
    let most = most.map_or(MOST, |most| most.clamp(1, MOST));
    let (mut total, mut next, mut calls) = (0_u64, None, Vec::new());
    for (number, call) in log.calls().filter(|(_, call)| filter.passes(log, call, now)) {
        total += 1;
        if number.0 < from {
            continue;
        }
        if calls.len() < most {
            calls.push(row(log, number, call, now));
        } else if next.is_none() {
            next = Some(number.0);
        }
    }
    Ok(json!({ "total": total, "calls": calls, "next": next }))
}

/// A call in one row. `number` is its place in the log, from which a next page begins.
fn row(log: &Log, number: CallNumber, call: &Call, now: Moment) -> Value {
    let text = |name| log.names.text(name);
    json!({
        "number": number.0,
        "id": call.id,
        "policy": text(call.policy),
        "status": call.status.word(),
        "code": text(call.code),
        "attempts": call.tries(),
        "at": iso(call.started),
        "tookMs": (call.end_or(now) - call.started).round(),
        "says": words::call(log, call, now),
    })
}

pub(crate) fn call(log: &Log, id: &str, now: Moment) -> Result<Value, String> {
    let number = find(log, id)?;
    let details = describe(log, number, now, &iso).ok_or_else(|| missing(id))?;
    let names = |calls: &[(CallNumber, String)]| {
        calls.iter().map(|(number, title)| name(log, *number, title)).collect::<Vec<_>>()
    };
    let CallDetails {
        title, status, sentence, facts, parent, children, more_children, steps, reader, ..
    } = &details;
    Ok(json!({
        "id": details.id,
        "title": title,
        "status": status,
        "sentence": sentence,
        "facts": named(facts),
        "parent": parent.as_ref().map(|(number, title)| name(log, *number, title)),
        "children": names(children),
        "moreChildren": more_children,
        "steps": steps.iter().map(step).collect::<Vec<_>>(),
        // Nothing where the agent went on, or the log does not have it.
        "userMessage": reader.as_ref().map(|reader| &reader.shown).filter(|shown| !shown.is_empty()),
    }))
}

fn name(log: &Log, number: CallNumber, title: &str) -> Value {
    json!({ "id": log.call(number).map(|call| &call.id), "title": title })
}

fn named(facts: &[(&'static str, String)]) -> Map<String, Value> {
    object(facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into())))
}

fn step(step: &Step) -> Value {
    match step {
        Step::Attempt(attempt) => {
            let AttemptDetails { number, outcome, target, duration, code, rule, details, signals, facts } =
                &**attempt;
            let outcome = match outcome {
                Outcome::Running => "running",
                Outcome::Succeeded => "succeeded",
                Outcome::Failed => "failed",
            };
            json!({
                "attempt": number,
                "outcome": outcome,
                "target": target,
                "took": duration,
                "code": code,
                "rule": rule,
                "details": details,
                "signals": signals,
                "facts": named(facts),
            })
        }
        Step::Wait { text, .. } => json!({ "wait": text }),
        Step::Mark { text, .. } => json!({ "event": text }),
    }
}

/// The form of a test.
pub(crate) struct Form {
    pub(crate) plain: bool,
    pub(crate) module: String,
    pub(crate) export: String,
}

/// The findings that a test can demand the change of: `web/answers` has a test for each.
const DEMANDED: [&str; 3] = ["short-timeout", "no-timeout", "hair-trigger"];

/// The question that the dashboard's other module answers with the test: this one would have to have the classifier for it.
pub(crate) fn test(
    log: &Log,
    id: &str,
    finding: Option<&str>,
    found: &[Finding],
    Form { plain, module, export }: Form,
) -> Result<Value, String> {
    let number = find(log, id)?;
    let question = as_test(log, number).ok_or_else(|| missing(id))?;
    let policy = log.call(number).map(|call| call.policy);
    let mut of_call = found.iter().filter(|one| Some(one.key.policy) == policy);
    let names = |one: &Finding| one.evidence.contains(&Evidence::Call(number));
    let demanded = match finding {
        Some(check) if !DEMANDED.contains(&check) => {
            return Err(format!(
                "there is no test for the finding '{check}'; there is one for {}",
                DEMANDED.join(", ")
            ));
        }
        Some(check) => {
            let one = of_call.find(|one| one.key.check == check).ok_or_else(|| {
                format!(
                    "the policy of the call '{id}' has no finding '{check}': the tool findings lists them"
                )
            })?;
            if !names(one) {
                return Err(format!(
                    "the finding '{check}' does not name the call '{id}': take one of its evidence"
                ));
            }
            Some(one)
        }
        None => of_call.find(|one| DEMANDED.contains(&one.key.check) && names(one)),
    };
    // The breaker refuses calls because of another one: that is the one to play.
    let opener = demanded.filter(|one| one.key.check == "hair-trigger").and_then(|one| {
        let calls = || {
            one.evidence.iter().filter_map(|evidence| match evidence {
                Evidence::Call(number) => Some(*number),
                _ => None,
            })
        };
        let is_shown =
            log.call(number).is_some_and(|call| call.tries() > 0) && calls().any(|of| of == number);
        calls().next().filter(|_| !is_shown)
    });
    let question = opener.and_then(|opener| as_test(log, opener)).unwrap_or(question);
    let settings = demanded.into_iter().flat_map(|one| &one.settings);
    let question = AsTest {
        plain,
        yours: true,
        module,
        export,
        finding: demanded.map_or_else(String::new, |one| one.key.check.to_owned()),
        settings: settings.map(|setting| (setting.path.to_owned(), setting.to.clone())).collect(),
        ..question
    };
    let demands = demanded.map(|one| one.key.check);
    Ok(
        json!({ "number": AsTest::NUMBER, "question": wire::to_text(&question), "demands": demands, "policy": question.policy }),
    )
}

fn find(log: &Log, id: &str) -> Result<CallNumber, String> {
    log.call_by_id(id).ok_or_else(|| missing(id))
}

fn missing(id: &str) -> String {
    format!("the log has no call '{id}'")
}
