//! The explanation of a classification: every rule that was tried, in order, its conditions, and the rule that decided.
//!
//! The slow counterpart of [`classify`](super::classify): the same signals and the same table, with each condition put
//! into words.

use super::classification::{Classification, Context, Decision, Layer};
use super::decide::examine;
use super::packed::{self, Held, plain};
use super::rules::{RULES, Rule, When};
use super::signals::Flag;
use super::thrown::Thrown;
use crate::Code;
use crate::text::joined;
use serde::Serialize;

/// A classification with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The result of [`classify`](super::classify) for the same error.
    pub classification: Classification,
    /// The signals that were read: statuses, names, codes and numbers, never a message's text.
    pub signals: serde_json::Value,
    /// The rules that were tried, in their order. The last one decided.
    pub tried: Vec<Tried>,
    /// Later changes of the deciding rule's verdict, in sentences: by the layer, or by the provider's own statement.
    pub afterwards: Vec<String>,
}

/// A rule that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// The rule's id.
    pub rule: &'static str,
    /// The code that it gives.
    pub code: Code,
    /// The page, RFC or specification on which the rule is based.
    pub source: &'static str,
    /// `true` if all of its conditions held.
    pub decided: bool,
    /// `true` if something that it requires was present. Conditions that require an absence do not count.
    pub close: bool,
    /// Its conditions up to the first that did not hold.
    pub checks: Vec<Check>,
}

/// One condition of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The requirement and, if it held, the signal that fulfilled it.
    pub wanted: String,
    /// `true` if it held.
    pub held: bool,
}

/// One rule of the table, for a look-up by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleCard {
    /// The code that it gives.
    pub code: Code,
    /// `true` if sending the same request again can help.
    pub retryable: bool,
    /// The page, RFC or specification on which the rule is based.
    pub source: &'static str,
    /// Its conditions, all of which must hold.
    pub wanted: Vec<String>,
}

/// Classifies a thrown value, and returns the rules that were tried, and why each did or did not hold.
///
/// ```
/// use halfopen::classify::{Context, Thrown, explain};
/// let thrown = Thrown::from_json(r#"{"status":429,"error":{"code":"insufficient_quota"}}"#);
/// let explanation = explain(&thrown, &Context::default());
/// let decided = explanation.tried.last().unwrap();
/// assert_eq!(decided.rule, "http.429.insufficient_quota");
/// assert_eq!(decided.checks[1].wanted, "code insufficient_quota");
/// ```
#[must_use]
pub fn explain(thrown: &Thrown, context: &Context) -> Explanation {
    let (decision, (signals, trace, stated)) = examine(thrown, context, |signals| {
        (signals.to_json(), packed::trace(signals), signals.stated_retry())
    });
    let afterwards = afterwards(stated, &decision, context.layer);
    Explanation { classification: decision.named(), signals, tried: tried(trace), afterwards }
}

/// Returns the changes of a rule's verdict: by the response's or the client's statement (see
/// [`Signals::stated_retry`](super::Signals)), by the remedy, by the failing layer, and because prose alone justifies
/// no retry.
#[must_use]
pub fn afterwards(stated: Option<(&str, bool)>, decision: &Decision, layer: Option<Layer>) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some((who, retry)) = stated {
        sentences.push(joined(&[who, if retry { "true" } else { "false" }, "."]));
    }
    let &Decision { rule, code, words_alone, .. } = decision;
    let mut ruled = packed::code(rule);
    if let Some(found) = &decision.remedy {
        let (kind, row, changed) = (found.remedy.kind(), found.id(), found.code(ruled));
        let is = [", so ", ruled.as_str(), " is ", changed.as_str()];
        let because = joined(if changed == ruled { &[] } else { &is });
        sentences.push(joined(&["The remedy is ", kind, ", by the row ", row, &because, "."]));
        ruled = changed;
    }
    if code != ruled {
        let layer = match layer {
            Some(Layer::Model) => "model",
            Some(Layer::Tool) => "tool",
            _ => "agent",
        };
        sentences.push(joined(&[ruled.as_str(), " is ", code.as_str(), " in the layer '", layer, "'."]));
    }
    if words_alone {
        sentences.push(joined(&[code.as_str(), " by words alone; name the code in retryOn to retry it."]));
    }
    sentences
}

/// Returns the rule of that id, if the table has it.
#[must_use]
pub fn rule(id: &str) -> Option<RuleCard> {
    let rule = RULES.iter().find(|rule| rule.id == id)?;
    Some(RuleCard {
        code: rule.code,
        retryable: rule.retryable,
        source: rule.source,
        wanted: rule.when.iter().map(|condition| wanted(*condition)).collect(),
    })
}

/// Returns the rules that were tried, from the output of [`packed::trace`].
fn tried(trace: Vec<Vec<Held>>) -> Vec<Tried> {
    RULES.iter().zip(trace).map(|(rule, held)| one_tried(rule, held)).collect()
}

fn one_tried(rule: &Rule, held: Vec<Held>) -> Tried {
    let decided = held.len() == rule.when.len();
    let close = held.iter().any(|held| !held.absence);
    let mut checks = Vec::with_capacity(held.len() + 1);
    for (condition, held) in rule.when.iter().zip(held) {
        checks.push(Check { wanted: held.by.unwrap_or_else(|| wanted(*condition)), held: true });
    }
    if let Some(condition) = rule.when.get(checks.len()) {
        checks.push(Check { wanted: wanted(*condition), held: false });
    }
    Tried { rule: rule.id, code: rule.code, source: rule.source, decided, close, checks }
}

/// Returns a condition in words.
fn wanted(condition: When) -> String {
    match condition {
        When::Status(statuses) => join("status ", statuses.iter().map(u16::to_string)),
        When::Between(from, to) => format!("status {from} to {to}"),
        When::NoStatus => "no failing status".into(),
        When::Any(codes) => one_of(codes.len(), "its code", "codes"),
        When::Named(classes) => one_of(classes.len(), "its class", "classes"),
        When::Spells(words) => {
            let like = words.first().copied().map(plain).unwrap_or_default();
            format!("a code or class of {} kinds, as “{like}”", words.len())
        }
        When::Says(phrases) | When::Opens(phrases) | When::Begins(phrases) => {
            let like = phrases.first().copied().map(plain).unwrap_or_default();
            match phrases.len() {
                1 => format!("the words “{like}”"),
                count => format!("one of {count} phrases, as “{like}”"),
            }
        }
        When::Is(flag) => flag_says(flag).into(),
        When::Not(flag) => format!("not: {}", flag_says(flag)),
        When::Listed(outcome) => format!("a name that a list gives as {outcome:?}"),
        When::Said(outcome) => format!("a sentence of the kind {outcome:?}"),
        When::Hinted(outcome) => format!("a word that hints at {outcome:?}"),
        When::Rpc(numbers) => join("JSON-RPC ", numbers.iter().map(i32::to_string)),
    }
}

fn one_of(count: usize, one: &str, many: &str) -> String {
    if count == 1 { one.into() } else { format!("one of its {count} {many}") }
}

fn join(before: &str, parts: impl Iterator<Item = String>) -> String {
    let mut out = before.to_owned();
    for (index, part) in parts.enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        out.push_str(&part);
    }
    out
}

const fn flag_says(flag: Flag) -> &'static str {
    match flag {
        Flag::Child => "from a child process",
        Flag::KilledChild => "a child process killed by its timeout",
        Flag::LockFile => "a lock file that is there already",
        Flag::FileOfSettings => "a file of settings",
        Flag::FailedState => "a failed state",
        Flag::FileCall => "a system call on a file",
        Flag::SpawnCall => "a process that did not start",
        Flag::NetCall => "a system call on a socket",
        Flag::LimitZero => "a quota of zero",
        Flag::LongQuota => "a quota by the day or longer",
        Flag::ShortQuota => "a quota by the hour or shorter",
        Flag::Html => "a body of HTML",
        Flag::CutJson => "JSON that breaks off",
        Flag::BadJson => "a parser found no JSON",
        Flag::Issues => "validation issues",
        Flag::Rpc => "a JSON-RPC error",
        Flag::OtherModelKind => "another kind of model",
        Flag::BotWall => "a bot wall",
        Flag::Program => "a fault in the program",
        Flag::LimitReached => "a limit with nothing left",
        Flag::Answered => "a response with headers",
        Flag::Silent => "no text",
        Flag::Body => "a response's body",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_ends_at_the_first_condition_that_does_not_hold() {
        let thrown = Thrown::from_json(r#"{"name":"TimeoutError","message":"late"}"#);
        let explanation = explain(&thrown, &Context::default());
        let reset = explanation.tried.iter().find(|rule| rule.rule == "net.reset").unwrap();
        let checks: Vec<_> = reset.checks.iter().map(|check| (check.wanted.as_str(), check.held)).collect();
        assert_eq!(checks, [("class TimeoutError", true), ("one of its 4 codes", false)]);
        assert!(reset.close);
        assert!(explanation.tried.iter().any(|rule| rule.rule == "net.http2" && !rule.close));
        let decided = explanation.tried.last().unwrap();
        assert_eq!((decided.rule, decided.decided), ("timeout.abort", true));
    }

    #[test]
    fn changes_of_a_verdict_are_explained() {
        let said = |json: &str, layer: Option<Layer>| {
            explain(&Thrown::from_json(json), &Context { layer, ..Context::default() }).afterwards
        };
        let missing = r#"{"code":"ENOENT","syscall":"open"}"#;
        assert!(said(missing, None).is_empty());
        assert_eq!(said(missing, Some(Layer::Model)), ["NOT_FOUND is UNKNOWN in the layer 'model'."]);
        let overloaded = said(r#"{"status":529}"#, Some(Layer::Tool));
        assert_eq!(overloaded, ["PROVIDER_OVERLOADED is SERVER_ERROR in the layer 'tool'."]);
        assert_eq!(
            said(r#"{"status":429,"headers":{"x-should-retry":"false"},"retryable":true}"#, None),
            ["The response says x-should-retry: false."]
        );
        assert_eq!(said(r#"{"status":429,"retryable":true}"#, None), ["The client says retryable: true."]);
    }
}
