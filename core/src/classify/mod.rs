//! What went wrong: a thrown value of any kind becomes one [`Classification`].
//!
//! Structure decides (status, provider code and type, headers, error names, errno, causes), wording comes last and
//! is narrow. The way of a value: `thrown` (a bounded copy of what may be read) → `signals` (what it says) →
//! `rules` (the first row that holds) → the classification.

use crate::time::Millis;
use crate::{Code, Severity};

/// Which layer of an agent an error came from; it narrows the codes that are possible.
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

/// What the caller knows about the call that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Context {
    /// The provider that was called: `openai`, `anthropic`, …
    pub provider: Option<String>,
    /// The model that was called.
    pub model: Option<String>,
    /// The layer that failed.
    pub layer: Option<Layer>,
    /// Milliseconds since the Unix epoch, for hints that are dates. Default: dates count from the response's `date` only.
    pub now: Option<u64>,
}

/// What is known of the provider and the response.
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

/// What an error is, and what may be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The code.
    pub code: Code,
    /// What an orchestrator should do about it.
    pub severity: Severity,
    /// Whether sending the same request again can help. Equivalent to severity `retriable`.
    pub retryable: bool,
    /// How long the provider asked to wait, from any header, body or message.
    pub hint: Option<Millis>,
    /// The id of the rule that decided, for example `http.429.insufficient_quota`.
    pub rule: &'static str,
    /// What is known of the provider.
    pub provider: Provider,
    /// What a log may show: allow-listed names, codes and numbers, never a message's text.
    pub technical_details: String,
}
