//! Every error code, with all that follows from it, in one table.
//!
//! The order of the rows is the numbering that crosses into JavaScript and appears in events: append, never reorder.

use serde::{Deserialize, Serialize};

/// An orchestrator's best reaction to an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Severity {
    /// End the task and tell the person.
    Critical,
    /// The same step can succeed when tried again.
    Retriable,
    /// The plan must change.
    Replanning,
    /// The task was given to the wrong capability.
    Reclassification,
    /// A failure of the system itself: stop at once.
    Fatal,
}

impl Severity {
    /// Every severity, by its number.
    pub const ALL: [Self; 5] =
        [Self::Critical, Self::Retriable, Self::Replanning, Self::Reclassification, Self::Fatal];

    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Retriable => "retriable",
            Self::Replanning => "replanning",
            Self::Reclassification => "reclassification",
            Self::Fatal => "fatal",
        }
    }
}

/// Coarse kinds, for policies written per kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorType {
    /// The request ran out of time.
    Timeout,
    /// A tool failed.
    ToolFailed,
    /// The model or its provider failed.
    LlmFailed,
    /// The connection failed.
    Network,
    /// The input or the configuration is wrong.
    Validation,
    /// None of the others.
    Unknown,
}

impl ErrorType {
    /// Every type, by its number.
    pub const ALL: [Self; 6] =
        [Self::Timeout, Self::ToolFailed, Self::LlmFailed, Self::Network, Self::Validation, Self::Unknown];

    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::ToolFailed => "tool_failed",
            Self::LlmFailed => "llm_failed",
            Self::Network => "network",
            Self::Validation => "validation",
            Self::Unknown => "unknown",
        }
    }
}

/// The layers whose code sets include a code. The agent's set has all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layers {
    model: bool,
    tool: bool,
}

struct Row {
    name: &'static str,
    severity: Severity,
    kind: ErrorType,
    layers: Layers,
}

macro_rules! codes {
    ($($(#[doc = $about:literal])+ $variant:ident = $name:literal, $severity:ident, $kind:ident, $model:literal, $tool:literal;)+) => {
        /// One code for whatever an agent, its model or its tools can fail with.
        ///
        /// ```
        /// use halfopen::{Code, Severity};
        /// assert_eq!(Code::from_name("RATE_LIMITED"), Some(Code::RateLimited));
        /// assert!(Code::RateLimited.is_retryable());
        /// assert_eq!(Code::ContextLengthExceeded.severity(), Severity::Replanning);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Code {
            $($(#[doc = $about])+ #[serde(rename = $name)] $variant,)+
        }

        impl Code {
            /// All codes, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the meaning of the code in one sentence, for those who write and operate agents.
            ///
            /// ```
            /// assert_eq!(halfopen::Code::Timeout.description(), "The request ran out of time.");
            /// ```
            #[must_use]
            pub const fn description(self) -> &'static str {
                // Not part of the row, so that code which needs only a row does not carry the sentences.
                match self { $(Self::$variant => concat!($($about),+).trim_ascii(),)+ }
            }

            const fn row(self) -> Row {
                match self {
                    $(Self::$variant => Row {
                        name: $name,
                        severity: Severity::$severity,
                        kind: ErrorType::$kind,
                        layers: Layers { model: $model, tool: $tool },
                    },)+
                }
            }
        }
    };
}

codes! {
    //                                                                        severity    type         model  tool
    /// The provider's configuration is missing.
    ProviderNotConfigured = "PROVIDER_NOT_CONFIGURED",                        Critical,   LlmFailed,   true,  false;
    /// The provider is not known or does not support the request.
    ProviderNotSupported = "PROVIDER_NOT_SUPPORTED",                          Critical,   LlmFailed,   true,  false;
    /// The API key or token was not accepted.
    AuthenticationError = "AUTHENTICATION_ERROR",                             Critical,   LlmFailed,   true,  false;
    /// Too many requests or tokens in a span of time.
    RateLimited = "RATE_LIMITED",                                             Retriable,  LlmFailed,   true,  true;
    /// The model does not exist or is not available to this account.
    ModelNotFound = "MODEL_NOT_FOUND",                                        Critical,   LlmFailed,   true,  false;
    /// The input is longer than the model's context.
    ContextLengthExceeded = "CONTEXT_LENGTH_EXCEEDED",                        Replanning, Validation,  true,  false;
    /// The connection failed.
    NetworkError = "NETWORK_ERROR",                                           Retriable,  Network,     true,  true;
    /// The request ran out of time.
    Timeout = "TIMEOUT",                                                      Retriable,  Timeout,     true,  true;
    /// The response is empty or malformed.
    InvalidResponse = "INVALID_RESPONSE",                                     Critical,   LlmFailed,   true,  false;
    /// Nothing is known about it.
    Unknown = "UNKNOWN",                                                      Critical,   Unknown,     true,  true;
    /// The provider, or what a tool talks to, failed: 500, 502, 503, a database that starts up.
    ServerError = "SERVER_ERROR",                                             Retriable,  LlmFailed,   true,  true;
    /// The provider sheds load: 529, "overloaded", UNAVAILABLE.
    ProviderOverloaded = "PROVIDER_OVERLOADED",                               Retriable,  LlmFailed,   true,  false;
    /// Money or a long quota is used up; waiting does not help.
    QuotaExceeded = "QUOTA_EXCEEDED",                                         Critical,   LlmFailed,   true,  false;
    /// A safety system refused the input or the output.
    ContentFiltered = "CONTENT_FILTERED",                                     Critical,   LlmFailed,   true,  false;
    /// Known, but not allowed.
    PermissionDenied = "PERMISSION_DENIED",                                   Critical,   LlmFailed,   true,  true;
    /// Parameters are wrong.
    ValidationError = "VALIDATION_ERROR",                                     Critical,   Validation,  true,  true;
    /// A resource does not exist.
    NotFound = "NOT_FOUND",                                                   Critical,   LlmFailed,   true,  true;
    /// The caller aborted; never a failure of the provider.
    Cancelled = "CANCELLED",                                                  Critical,   Unknown,     true,  true;
    /// Reading or writing failed.
    IoError = "IO_ERROR",                                                     Critical,   ToolFailed,  false, true;
    /// The configuration is wrong.
    ConfigError = "CONFIG_ERROR",                                             Critical,   Validation,  false, true;
    /// A tool needs a model's help to go on.
    LlmAssistRequired = "LLM_ASSIST_REQUIRED",                                Replanning, ToolFailed,  false, true;
    /// The agent's loop reached its bound.
    MaxIterationsExceeded = "MAX_ITERATIONS_EXCEEDED",                        Critical,   Unknown,     false, false;
    /// A tool failed.
    ToolExecutionError = "TOOL_EXECUTION_ERROR",                              Critical,   ToolFailed,  false, false;
    /// The agent could not start.
    InitializationError = "INITIALIZATION_ERROR",                             Fatal,      Unknown,     false, false;
    /// Refused locally: the breaker is open or isolated, or refuses a share of the calls.
    CircuitOpen = "CIRCUIT_OPEN",                                             Critical,   Unknown,     false, false;
    /// Refused locally: a limit on calls, rate, cost or a budget, or a store that is lost.
    CapacityExceeded = "CAPACITY_EXCEEDED",                                   Critical,   Unknown,     false, false;
    /// The state changed under the request: a deadlock, a write conflict, a lock that was not acquired in time.
    Conflict = "CONFLICT",                                                    Retriable,  ToolFailed,  false, true;
    /// A unique key, a file or a name is taken: the same request can never succeed.
    AlreadyExists = "ALREADY_EXISTS",                                         Critical,   ToolFailed,  false, true;
}

impl Code {
    /// The codes of a failed tool, in the order in which the tools' own type names them.
    pub const TOOL: &'static [Self] = &[
        Self::ValidationError,
        Self::IoError,
        Self::ConfigError,
        Self::PermissionDenied,
        Self::RateLimited,
        Self::NotFound,
        Self::LlmAssistRequired,
        Self::Timeout,
        Self::Unknown,
        Self::NetworkError,
        Self::Cancelled,
        Self::ServerError,
        Self::Conflict,
        Self::AlreadyExists,
    ];

    /// Returns the code's name, as in TypeScript and in events.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.row().name
    }

    /// The code of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }

    /// Returns the code of that number, see [`Code::index`].
    #[must_use]
    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    /// Returns the code's index in [`Code::ALL`]: the number that replaces it when text would be too slow.
    #[must_use]
    pub const fn index(self) -> u8 {
        self as u8
    }

    /// Returns an orchestrator's best reaction if nothing more is known.
    #[must_use]
    pub const fn severity(self) -> Severity {
        self.row().severity
    }

    /// Returns `true` if sending the same request again can help, if nothing more is known.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        matches!(self.row().severity, Severity::Retriable)
    }

    /// Returns `true` if an error of that code counts against a breaker's dependency, unless the application overrides
    /// it. Contention does not count: a dependency that reports it works.
    #[must_use]
    pub const fn counts_as_failure(self) -> bool {
        (self.is_retryable() && !matches!(self, Self::Conflict)) || matches!(self, Self::InvalidResponse)
    }

    /// The coarse kind.
    #[must_use]
    pub const fn error_type(self) -> ErrorType {
        self.row().kind
    }

    /// Returns `true` if a model call can fail with it.
    #[must_use]
    pub const fn is_model_code(self) -> bool {
        self.row().layers.model
    }

    /// Returns `true` if a tool can fail with it.
    #[must_use]
    pub const fn is_tool_code(self) -> bool {
        self.row().layers.tool
    }

    /// Returns a tool's code as the agent sees it: an unknown failure of a tool becomes a tool's failure.
    #[must_use]
    pub const fn from_tool(self) -> Self {
        match self {
            Self::Unknown => Self::ToolExecutionError,
            code => code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_six_codes_are_retryable() {
        let retryable: Vec<_> = Code::ALL.iter().filter(|c| c.is_retryable()).map(|c| c.as_str()).collect();
        assert_eq!(
            retryable,
            ["RATE_LIMITED", "NETWORK_ERROR", "TIMEOUT", "SERVER_ERROR", "PROVIDER_OVERLOADED", "CONFLICT"]
        );
    }

    #[test]
    fn contention_counts_against_no_dependency() {
        let differs = |code: &&Code| code.counts_as_failure() != code.is_retryable();
        let names: Vec<_> = Code::ALL.iter().filter(differs).map(|code| code.as_str()).collect();
        assert_eq!(names, ["INVALID_RESPONSE", "CONFLICT"]);
    }

    #[test]
    fn the_tools_order_has_exactly_the_tools_codes() {
        let mut ordered = Code::TOOL.to_vec();
        ordered.sort();
        let flagged: Vec<_> = Code::ALL.iter().copied().filter(|code| code.is_tool_code()).collect();
        assert_eq!(ordered, flagged);
    }

    #[test]
    fn every_code_has_its_severity_and_type() {
        let with = |wanted: Severity| -> Vec<_> {
            Code::ALL.iter().filter(|c| c.severity() == wanted).map(|c| c.as_str()).collect()
        };
        assert_eq!(with(Severity::Replanning), ["CONTEXT_LENGTH_EXCEEDED", "LLM_ASSIST_REQUIRED"]);
        assert_eq!(with(Severity::Fatal), ["INITIALIZATION_ERROR"]);
        assert_eq!(with(Severity::Reclassification), [""; 0]);

        let of = |wanted: ErrorType| -> Vec<_> {
            Code::ALL.iter().filter(|c| c.error_type() == wanted).map(|c| c.as_str()).collect()
        };
        assert_eq!(of(ErrorType::Timeout), ["TIMEOUT"]);
        assert_eq!(of(ErrorType::Network), ["NETWORK_ERROR"]);
        assert_eq!(
            of(ErrorType::Validation),
            ["CONTEXT_LENGTH_EXCEEDED", "VALIDATION_ERROR", "CONFIG_ERROR"]
        );
        assert_eq!(
            of(ErrorType::ToolFailed),
            ["IO_ERROR", "LLM_ASSIST_REQUIRED", "TOOL_EXECUTION_ERROR", "CONFLICT", "ALREADY_EXISTS"]
        );
        assert_eq!(
            of(ErrorType::Unknown),
            [
                "UNKNOWN",
                "CANCELLED",
                "MAX_ITERATIONS_EXCEEDED",
                "INITIALIZATION_ERROR",
                "CIRCUIT_OPEN",
                "CAPACITY_EXCEEDED"
            ]
        );
    }

    #[test]
    fn an_unknown_failure_of_a_tool_is_a_tools() {
        for &code in Code::ALL {
            let expected = if code == Code::Unknown { Code::ToolExecutionError } else { code };
            assert_eq!(code.from_tool(), expected);
        }
    }

    #[test]
    fn names_and_numbers_lead_back_to_the_code() {
        for &code in Code::ALL {
            assert_eq!(Code::from_name(code.as_str()), Some(code));
            assert_eq!(Code::from_index(code.index()), Some(code));
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
