//! Turns a thrown value into signals, takes the code of the first matching rule, and adds layer, severity and technical
//! details.

use super::classification::{Context, Decision, Layer, Provider};
use super::signals::{Flag, Signals};
use super::text::embedded::embedded;
use super::thrown::Thrown;
use super::{details, packed, remedy, vocabulary};
use crate::text::joined;
use crate::{Code, Severity};

#[doc(hidden)]
pub fn examine<T>(thrown: &Thrown, context: &Context, look: impl FnOnce(&Signals<'_>) -> T) -> (Decision, T) {
    let embedded = embedded(thrown);
    let mut signals = Signals::gather(thrown, &embedded);
    let mut rule = packed::decide(&signals);
    let is_backed = packed::is_backed(rule, &signals);
    let (of_model, of_tool) = (context.layer == Some(Layer::Model), context.layer == Some(Layer::Tool));
    let remedy = remedy::find(&signals, rule.code, of_model, of_tool);
    if let Some(found) = &remedy {
        (rule.code, rule.retryable) = (found.code(rule.code), found.remedy.is_retryable());
    }
    let code = match narrow(rule.code, context.layer) {
        // A missing file is an error of this program, and not of a model's provider.
        Code::NotFound if context.layer == Some(Layer::Model) && signals.has(Flag::FileCall) => Code::Unknown,
        code => code,
    };
    let retryable = match signals.should_retry {
        // The response itself says so; Anthropic's and OpenAI's SDKs obey it too.
        Some(false) => false,
        Some(true) => rule.retryable || REPEATABLE.contains(&rule.code),
        None => match signals.library_retry {
            Some(true) => rule.retryable || REPEATABLE.contains(&rule.code),
            // A client's `false` is as often a default as a judgement. It only decides if a rule could do no more than
            // guess.
            Some(false) => rule.retryable && !GUESSED.contains(&rule.code),
            None => rule.retryable,
        },
    };
    // Prose can describe anything, even work that was carried out. It justifies a retry only if a library sends it word
    // for word.
    signals.words_alone = retryable
        && !is_backed
        && signals.stated_retry().is_none_or(|(_, retry)| !retry)
        && !signals.whole_texts().any(|text| sent_code(text, &signals) == Some(rule.code));
    let retryable = retryable && !signals.words_alone;
    let limits = matches!(rule.code, Code::RateLimited | Code::ProviderOverloaded);
    let provider = Provider {
        provider: context.provider.clone().or_else(|| signals.provider.map(str::to_owned)),
        model: context.model.clone().or_else(|| signals.model.map(str::to_owned)),
        status_code: signals.http_status,
        request_id: signals.request_id.map(str::to_owned),
    };
    let recognised = rule.code != Code::Unknown;
    let decision = Decision {
        code,
        severity: if signals.words_alone { Severity::Critical } else { severity(code, retryable) },
        retryable,
        words_alone: signals.words_alone,
        is_refusal: is_backed && is_refusal(rule.code, &signals, context.now),
        hint: signals.hint(context.now, limits),
        rule: rule.rule,
        remedy,
        details: details::technical(&signals, &provider, recognised, code),
        provider,
    };
    let seen = look(&signals);
    (decision, seen)
}

/// Returns the code of a message that a library or a runtime sends.
fn sent_code(text: &str, signals: &Signals<'_>) -> Option<Code> {
    vocabulary::sent_code(text).or_else(|| {
        let of_engine = signals.has(Flag::Program).then(|| joined(&["TypeError: ", text]))?;
        vocabulary::sent_code(&of_engine)
    })
}

/// Returns `true` if a failure with that code shows that the request was refused and not carried out (RFC 9110 §9.2.2).
fn is_refusal(code: Code, signals: &Signals<'_>, now: Option<u64>) -> bool {
    match code {
        Code::Timeout | Code::InvalidResponse | Code::Unknown | Code::ToolExecutionError => false,
        Code::NetworkError => signals.was_not_sent(),
        // RFC 9110 §15.6.4: such a server is overloaded or under maintenance, and responds before it does any work.
        Code::ServerError => signals.status == Some(503) && signals.states_wait(now),
        _ => true,
    }
}

/// Unspecific codes. A server or a client may declare them retryable (`x-should-retry: true`, `retryable`).
const REPEATABLE: [Code; 5] =
    [Code::Unknown, Code::ValidationError, Code::InvalidResponse, Code::IoError, Code::ToolExecutionError];

/// Codes of rules that guess whether a retry helps. A client that says "no" is believed.
const GUESSED: [Code; 2] = [Code::ServerError, Code::Conflict];

/// Returns the severity. `retryable` and `retriable` always go together, even if a rule knows better than its code.
#[must_use]
pub fn severity(code: Code, retryable: bool) -> Severity {
    match (retryable, code.severity()) {
        (true, _) => Severity::Retriable,
        // The request alone exceeds a limit, so a smaller one can work.
        (false, Severity::Retriable) if code == Code::RateLimited => Severity::Replanning,
        (false, Severity::Retriable) => Severity::Critical,
        (false, severity) => severity,
    }
}

/// Returns the nearest code that the layer can have.
#[must_use]
pub fn narrow(code: Code, layer: Option<Layer>) -> Code {
    match layer {
        Some(Layer::Model) if !code.is_model_code() => match code {
            Code::ConfigError | Code::InitializationError => Code::ProviderNotConfigured,
            Code::Conflict => Code::ServerError,
            Code::AlreadyExists => Code::ValidationError,
            _ => Code::Unknown,
        },
        Some(Layer::Tool) if !code.is_tool_code() => match code {
            Code::AuthenticationError | Code::ContentFiltered | Code::QuotaExceeded => Code::PermissionDenied,
            Code::ModelNotFound => Code::NotFound,
            Code::ContextLengthExceeded => Code::ValidationError,
            Code::ProviderNotConfigured | Code::ProviderNotSupported | Code::InitializationError => {
                Code::ConfigError
            }
            Code::ProviderOverloaded => Code::ServerError,
            Code::InvalidResponse => Code::IoError,
            _ => Code::ToolExecutionError,
        },
        Some(Layer::Tool) => code.from_tool(),
        _ => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::classify;

    #[test]
    fn a_layer_keeps_its_own_codes() {
        for &code in Code::ALL {
            if code.is_model_code() {
                assert_eq!(narrow(code, Some(Layer::Model)), code);
            }
            if code.is_tool_code() {
                assert_eq!(narrow(code, Some(Layer::Tool)), code.from_tool());
            }
            assert_eq!(narrow(code, None), code);
        }
    }

    #[test]
    fn a_code_of_another_layer_becomes_the_nearest() {
        for (code, model) in [
            (Code::ConfigError, Code::ProviderNotConfigured),
            (Code::InitializationError, Code::ProviderNotConfigured),
            (Code::Conflict, Code::ServerError),
            (Code::AlreadyExists, Code::ValidationError),
            (Code::CircuitOpen, Code::Unknown),
        ] {
            assert_eq!(narrow(code, Some(Layer::Model)), model, "{code:?}");
        }
        for (code, tool) in [
            (Code::AuthenticationError, Code::PermissionDenied),
            (Code::ContentFiltered, Code::PermissionDenied),
            (Code::QuotaExceeded, Code::PermissionDenied),
            (Code::ModelNotFound, Code::NotFound),
            (Code::ContextLengthExceeded, Code::ValidationError),
            (Code::ProviderNotConfigured, Code::ConfigError),
            (Code::ProviderNotSupported, Code::ConfigError),
            (Code::InitializationError, Code::ConfigError),
            (Code::ProviderOverloaded, Code::ServerError),
            (Code::InvalidResponse, Code::IoError),
            (Code::CircuitOpen, Code::ToolExecutionError),
        ] {
            assert_eq!(narrow(code, Some(Layer::Tool)), tool, "{code:?}");
        }
    }

    #[test]
    fn an_error_that_is_not_retried_is_not_retriable() {
        assert_eq!(severity(Code::RateLimited, false), Severity::Replanning);
        assert_eq!(severity(Code::ServerError, false), Severity::Critical);
        assert_eq!(severity(Code::ValidationError, false), Severity::Critical);
        assert_eq!(severity(Code::ValidationError, true), Severity::Retriable);
    }

    #[test]
    fn a_server_that_allows_another_try_forbids_none() {
        let thrown = Thrown::from_json(r#"{"status":500,"message":"x","headers":{"x-should-retry":"true"}}"#);
        assert!(classify(&thrown, &Context::default()).retryable);
    }
}
