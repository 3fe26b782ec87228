//! The known context of a failed call, and its classification.

use super::remedy::{Found, Remedy};
use super::rules::RULES;
use crate::time::Millis;
use crate::{Code, Severity};

/// The layer of an agent in which an error occurred. It narrows the possible codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// A call of a model or its provider.
    Model,
    /// A tool's execution.
    Tool,
    /// The agent itself: every code is possible.
    Agent,
}

/// The caller's knowledge of the failed call.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Context {
    /// The provider that was called: `openai`, `anthropic`, …
    pub provider: Option<String>,
    /// The model that was called.
    pub model: Option<String>,
    /// The layer that failed.
    pub layer: Option<Layer>,
    /// Milliseconds since the Unix epoch, for waits that are stated as dates. Default: only the response's `date`
    /// header gives the present time.
    pub now: Option<u64>,
}

/// The known facts of the provider and the response.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provider {
    /// `openai`, `anthropic`, `google`, `azure-openai`, `bedrock`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u16>,
    /// The provider's id of the request, for its support.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// The kind of an error, and the possible reactions to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Classification {
    /// The code.
    pub code: Code,
    /// The orchestrator's best reaction.
    pub severity: Severity,
    /// `true` if sending the same request again can help. Equivalent to severity `retriable`; see
    /// [`Classification::words_alone`].
    pub retryable: bool,
    /// The wait that the provider requested, from any header, body or message.
    pub hint: Option<Millis>,
    /// The id of the rule that decided, for example `http.429.insufficient_quota`.
    pub rule: &'static str,
    /// The rule's index in [`rule_ids`](super::rule_ids).
    pub rule_index: u16,
    /// A retry could help, but only prose says so, and no known library sends the message word for word. So `retryable`
    /// is false and the severity critical. A policy whose list of codes names this one still retries it.
    pub words_alone: bool,
    /// Structure shows that the request was refused before it was carried out, so repeating it repeats no side effect.
    pub is_refusal: bool,
    /// The known facts of the provider.
    pub provider: Provider,
    /// The change that would make the request acceptable, if the error names one.
    pub remedy: Option<Remedy>,
    /// The part that a log may show: allow-listed names, codes and numbers. If no rule matches the error, it includes
    /// the message, redacted and cut to 200 characters.
    pub technical_details: String,
}

/// A classification whose rule is a number. This form crosses into JavaScript, where the rules' names are data.
#[doc(hidden)]
#[derive(Debug)]
pub struct Decision {
    pub code: Code,
    pub severity: Severity,
    pub retryable: bool,
    pub hint: Option<Millis>,
    pub rule: u16,
    pub words_alone: bool,
    pub is_refusal: bool,
    pub provider: Provider,
    /// The remedy, and the row that found it.
    pub remedy: Option<Found>,
    /// The technical details.
    pub details: String,
}

impl Decision {
    pub(super) fn named(self) -> Classification {
        let rule = RULES.get(usize::from(self.rule)).map_or("unknown", |rule| rule.id);
        Classification {
            code: self.code,
            severity: self.severity,
            retryable: self.retryable,
            hint: self.hint,
            rule,
            rule_index: self.rule,
            words_alone: self.words_alone,
            is_refusal: self.is_refusal,
            provider: self.provider,
            remedy: self.remedy.map(|found| found.remedy),
            technical_details: self.details,
        }
    }
}
