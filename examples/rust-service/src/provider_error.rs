//! The provider's response, as the core reads it.

use halfopen::classify::{Classification, Context, Thrown, classify};
use halfopen::message::{About, user_message};
use halfopen::policy::Failure;
use serde_json::{Value, json};

/// A response that is no success.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderError {
    /// The HTTP status.
    pub status: u16,
    /// The header `Retry-After`.
    pub retry_after: Option<String>,
    /// The body, parsed.
    pub body: Value,
}

impl ProviderError {
    /// Returns the kind of the error, and the possible reactions to it.
    #[must_use]
    pub fn classify(&self) -> Classification {
        let thrown = json!({
            "status": self.status,
            "headers": { "retry-after": self.retry_after },
            "error": self.body.get("error"),
        });
        let context = Context { provider: Some("openai".to_owned()), ..Context::default() };
        classify(&Thrown::from_json(&thrown.to_string()), &context)
    }

    /// The same as a policy reads it.
    #[must_use]
    pub fn failure(&self) -> Failure {
        let Classification { code, retryable, hint, .. } = self.classify();
        Failure { retryable, hint, ..Failure::of(code) }
    }

    /// The sentence for the user, in their language.
    #[must_use]
    pub fn user_message(&self, locale: &str) -> String {
        let Classification { code, hint, .. } = self.classify();
        user_message(code, &About { provider: Some("openai"), retry_after: hint, ..About::default() }, locale)
    }
}
