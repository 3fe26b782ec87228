//! The details of a failure's own event: read from its line for Details and Errors.

use crate::format::cut;
use halfopen_answers::About;
use halfopen_log::kind::AttemptFailed;
use halfopen_log::{Event, Json, Kind, Shallow, Text};
use halfopen_store::call::Call;
use halfopen_store::store::Log;

/// Most characters of one text that are shown; the rest is counted.
pub const LONGEST: usize = 4_000;

/// The thrown error and its origin, if no rule knows the error or it is a fault of the program.
pub(super) fn thrown(failed: &AttemptFailed<'_>) -> Vec<(&'static str, String)> {
    let text = |text: Option<&Text<'_>>| text.map_or_else(String::new, |text| cut(text.as_str(), 400));
    let (class, message) = (text(failed.error_class.as_ref()), text(failed.message.as_ref()));
    let sign = if class.is_empty() || message.is_empty() { "" } else { ": " };
    [("Thrown", format!("{class}{sign}{message}")), ("At", text(failed.frame.as_ref()))]
        .into_iter()
        .filter(|fact| !fact.1.is_empty())
        .collect()
}

/// The kind of a remedy that an event or an explanation has as JSON; empty without one.
pub(super) fn remedy_kind(remedy: &Json<'_>) -> String {
    match remedy.at(&["kind"]) {
        Some(Shallow::Text(kind)) => cut(kind.as_str(), 40),
        _ => String::new(),
    }
}

/// A remedy in one line: `rename-parameter (from: max_tokens, to: max_completion_tokens)`.
pub(super) fn remedy(remedy: &Json<'_>) -> Option<String> {
    let kind = Some(remedy_kind(remedy)).filter(|kind| !kind.is_empty())?;
    let details: Vec<_> = remedy
        .members()
        .iter()
        .filter(|(name, _)| name.as_str() != "kind")
        .map(|(name, value)| match value {
            Shallow::Text(text) => format!("{}: {}", name.as_str(), text.as_str()),
            _ => format!("{}: {value}", name.as_str()),
        })
        .collect();
    let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
    Some(cut(&format!("{kind}{details}"), 400))
}

/// The facts of the message to the user of a call that the policy refused.
pub(super) fn about_refusal(log: &Log, call: &Call) -> About {
    let rejected =
        call.events.iter().rev().find_map(|&event| match Event::parse(log.line_of(event)).ok()?.kind {
            Kind::CallRejected(rejected) => Some(rejected),
            _ => None,
        });
    let options = log.options_of(call.policy_id());
    let option = |key: &str| match options.as_ref().and_then(|options| options.at(&[key])) {
        Some(Shallow::Text(text)) => cut(text.as_str(), 120),
        _ => String::new(),
    };
    About {
        provider: option("provider"),
        model: option("model"),
        retry_after_ms: rejected.and_then(|rejected| rejected.retry_after_ms),
        refused_by: log.names.text(call.why).to_owned(),
        ..About::default()
    }
}

/// The message that the user was shown when the call failed.
pub(super) fn user_message(log: &Log, call: &Call) -> String {
    let said = call.events.iter().rev().find_map(|&event| match Event::parse(log.line_of(event)) {
        Ok(Event { kind: Kind::CallFailed(failed), .. }) => Some(cut(failed.user_message.as_str(), LONGEST)),
        _ => None,
    });
    said.unwrap_or_default()
}
