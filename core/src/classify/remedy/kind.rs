//! The kinds of remedies with their details, as data.

use super::super::shown::is_plain_token;
use crate::Code;
use crate::text::{digits, joined};

/// The fault of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Problem {
    /// A part without content.
    Empty,
    /// Roles in an order that the provider does not take.
    Order,
    /// White space at the end of the last message.
    TrailingSpace,
}

/// Why a file or an image is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Media {
    /// Too many bytes, pixels or pages.
    TooLarge,
    /// Too many of them.
    TooMany,
    /// Of a type that the model does not read.
    Unsupported,
    /// Broken, or out of reach.
    Unreadable,
}

/// The fault of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Answer {
    /// Nothing in it.
    Empty,
    /// Text that should have been JSON.
    InvalidJson,
    /// It has another shape than requested.
    InvalidOutput,
    /// Arguments of a tool that do not fit.
    InvalidArguments,
    /// A tool that there is not.
    UnknownTool,
}

/// Why this model never will.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Never {
    /// It declined.
    Refused,
    /// A filter held it back.
    Filtered,
    /// It is no longer served.
    Retired,
    /// It lacks a requested feature.
    LacksFeature,
}

/// A value that a parameter can have.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// One of a few names.
    Text(String),
    /// Yes or no.
    Boolean(bool),
}

/// The change that would make the provider accept the request, or the model answer it.
#[derive(Clone, Debug, PartialEq)]
pub enum Remedy {
    /// Tool calls without results, or results without calls.
    PairToolCalls {
        /// Those that the provider named.
        ids: Vec<String>,
    },
    /// The reasoning or its signature comes from another model, or is altered, expired, misplaced, or missing.
    FixReasoning,
    /// Messages that are empty, in the wrong order, or end with white space.
    FixMessages(Problem),
    /// The model continues no assistant message.
    EndWithUser,
    /// A parameter that the model does not know or support.
    DropParameter {
        /// As the provider wrote it.
        name: String,
    },
    /// A parameter that has another name.
    RenameParameter {
        /// The name that was sent.
        from: String,
        /// The name that is known.
        to: String,
    },
    /// A parameter that can have this value.
    SetParameter {
        /// As the provider wrote it.
        name: String,
        /// The only allowed value, the limit, or the named value nearest to the sent one.
        value: Value,
    },
    /// A conversation that is too long.
    Shorten {
        /// Tokens that fit.
        limit: Option<f64>,
        /// Tokens that were sent.
        sent: Option<f64>,
    },
    /// Files or images that are not taken.
    DropMedia {
        /// Why.
        reason: Media,
        /// Where: `messages[3].content[1]`.
        at: Option<String>,
        /// How large, or how many.
        limit: Option<f64>,
    },
    /// The provider does not accept these ids of tool calls.
    RenameCalls {
        /// The pattern that they must match.
        pattern: Option<String>,
        /// How long they may be.
        max_length: Option<f64>,
    },
    /// Names of tools that this provider does not take.
    RenameTools {
        /// The pattern that they must match.
        pattern: Option<String>,
        /// How long they may be.
        max_length: Option<f64>,
    },
    /// The provider has not stored something: send the whole conversation.
    ResendHistory,
    /// MCP: the server does not know the session.
    NewSession,
    /// Sample the model once more.
    Resample(Answer),
    /// Cut off by the limit of tokens.
    RaiseOutputLimit,
    /// This model will never accept the request.
    OtherModel(Never),
}

/// The names of the kinds in TypeScript: `REMEDY_KINDS` of `pkg/src/classify/remedy.ts`, in its order.
pub const KINDS: [&str; 16] = [
    "pair-tool-calls",
    "fix-reasoning",
    "fix-messages",
    "end-with-user",
    "drop-parameter",
    "rename-parameter",
    "set-parameter",
    "shorten",
    "drop-media",
    "rename-calls",
    "rename-tools",
    "resend-history",
    "new-session",
    "ask-again",
    "raise-output-limit",
    "other-model",
];

/// A detail of a remedy, written with its name by [`Remedy::written`] and as JSON.
enum Detail<'a> {
    Text(&'a str),
    Number(f64),
    Boolean(bool),
    List(&'a [String]),
}

impl Remedy {
    const fn index(&self) -> usize {
        match self {
            Self::PairToolCalls { .. } => 0,
            Self::FixReasoning => 1,
            Self::FixMessages(_) => 2,
            Self::EndWithUser => 3,
            Self::DropParameter { .. } => 4,
            Self::RenameParameter { .. } => 5,
            Self::SetParameter { .. } => 6,
            Self::Shorten { .. } => 7,
            Self::DropMedia { .. } => 8,
            Self::RenameCalls { .. } => 9,
            Self::RenameTools { .. } => 10,
            Self::ResendHistory => 11,
            Self::NewSession => 12,
            Self::Resample(_) => 13,
            Self::RaiseOutputLimit => 14,
            Self::OtherModel(_) => 15,
        }
    }

    /// Returns its kind, by its name in TypeScript.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        KINDS.get(self.index()).copied().unwrap_or_default()
    }

    /// The detail of a remedy that has no other: why the model is to be sampled once more, or another one called.
    #[must_use]
    pub const fn because(&self) -> Option<&'static str> {
        match self {
            Self::Resample(because) => Some(match because {
                Answer::Empty => "empty",
                Answer::InvalidJson => "invalid-json",
                Answer::InvalidOutput => "invalid-output",
                Answer::InvalidArguments => "invalid-arguments",
                Answer::UnknownTool => "unknown-tool",
            }),
            Self::OtherModel(because) => Some(match because {
                Never::Refused => "refused",
                Never::Filtered => "filtered",
                Never::Retired => "retired",
                Never::LacksFeature => "lacks-feature",
            }),
            _ => None,
        }
    }

    fn details(&self) -> Vec<(&'static str, Detail<'_>)> {
        let mut details = Vec::with_capacity(3);
        let mut put = |name, detail| details.push((name, detail));
        match self {
            Self::PairToolCalls { ids } => put("ids", Detail::List(ids)),
            Self::FixMessages(problem) => put(
                "problem",
                Detail::Text(match problem {
                    Problem::Empty => "empty",
                    Problem::Order => "order",
                    Problem::TrailingSpace => "trailing-space",
                }),
            ),
            Self::DropParameter { name } => put("name", Detail::Text(name)),
            Self::RenameParameter { from, to } => {
                put("from", Detail::Text(from));
                put("to", Detail::Text(to));
            }
            Self::SetParameter { name, value } => {
                put("name", Detail::Text(name));
                put(
                    "value",
                    match value {
                        Value::Number(number) => Detail::Number(*number),
                        Value::Text(text) => Detail::Text(text),
                        Value::Boolean(is) => Detail::Boolean(*is),
                    },
                );
            }
            Self::Shorten { limit, sent } => {
                limit.iter().for_each(|limit| put("limit", Detail::Number(*limit)));
                sent.iter().for_each(|sent| put("sent", Detail::Number(*sent)));
            }
            Self::DropMedia { reason, at, limit } => {
                put(
                    "reason",
                    Detail::Text(match reason {
                        Media::TooLarge => "too-large",
                        Media::TooMany => "too-many",
                        Media::Unsupported => "unsupported",
                        Media::Unreadable => "unreadable",
                    }),
                );
                at.iter().for_each(|at| put("at", Detail::Text(at)));
                limit.iter().for_each(|limit| put("limit", Detail::Number(*limit)));
            }
            Self::RenameCalls { pattern, max_length } | Self::RenameTools { pattern, max_length } => {
                pattern.iter().for_each(|pattern| put("pattern", Detail::Text(pattern)));
                max_length.iter().for_each(|length| put("maxLength", Detail::Number(*length)));
            }
            Self::Resample(_) | Self::OtherModel(_) => {
                self.because().into_iter().for_each(|because| put("because", Detail::Text(because)));
            }
            Self::FixReasoning
            | Self::EndWithUser
            | Self::ResendHistory
            | Self::NewSession
            | Self::RaiseOutputLimit => {}
        }
        details
    }

    /// Returns the form that crosses into JavaScript: the number of its kind, then for each detail `end`, its name, a
    /// sign for its type (`:` text, `#` number, `?` boolean, `*` texts parted by commas) and its value.
    #[doc(hidden)]
    #[must_use]
    pub fn written(&self, end: char) -> String {
        let mut text = digits(self.index() as u64);
        for (name, detail) in self.details() {
            text.push(end);
            text.push_str(name);
            match detail {
                Detail::Text(value) => {
                    text.push(':');
                    text.push_str(value);
                }
                Detail::Number(value) => {
                    text.push('#');
                    text.push_str(&decimal(value));
                }
                Detail::Boolean(is) => text.push_str(if is { "?1" } else { "?" }),
                Detail::List(values) => {
                    text.push('*');
                    for (index, value) in values.iter().enumerate() {
                        text.push_str(if index > 0 { "," } else { "" });
                        text.push_str(value);
                    }
                }
            }
        }
        text
    }

    /// Returns its form in TypeScript: `{ "kind": "drop-parameter", "name": "temperature" }`.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let mut out = serde_json::Map::new();
        out.insert("kind".to_owned(), self.kind().into());
        for (name, detail) in self.details() {
            let value = match detail {
                Detail::Text(text) => text.into(),
                #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
                Detail::Number(number) if number.fract() == 0.0 => (number as i64).into(),
                Detail::Number(number) => number.into(),
                Detail::Boolean(is) => is.into(),
                Detail::List(texts) => texts.to_vec().into(),
            };
            out.insert(name.to_owned(), value);
        }
        out.into()
    }

    /// Returns the code of an error with this remedy, if the rule alone gave `ruled`.
    ///
    /// ```
    /// use halfopen::{Code, classify::Remedy};
    /// assert_eq!(Remedy::ResendHistory.code(Code::ServerError), Code::NotFound);
    /// ```
    #[must_use]
    pub const fn code(&self, ruled: Code) -> Code {
        match self {
            Self::Shorten { .. } => Code::ContextLengthExceeded,
            Self::OtherModel(Never::Refused | Never::Filtered) => Code::ContentFiltered,
            Self::OtherModel(Never::Retired) => Code::ModelNotFound,
            Self::OtherModel(Never::LacksFeature) if matches!(ruled, Code::ProviderNotSupported) => ruled,
            Self::ResendHistory | Self::NewSession => Code::NotFound,
            Self::Resample(Answer::UnknownTool) if matches!(ruled, Code::ToolExecutionError) => ruled,
            Self::Resample(_) | Self::RaiseOutputLimit => Code::InvalidResponse,
            Self::FixReasoning if matches!(ruled, Code::NotFound) => ruled,
            _ => Code::ValidationError,
        }
    }

    /// Returns `true` if the same request may succeed when it is sent again: the model, sampled once more, may answer
    /// better.
    pub(in crate::classify) const fn is_retryable(&self) -> bool {
        matches!(self, Self::Resample(_))
    }
}

/// Formats a number as JavaScript reads it: whole, or with at most six decimals.
fn decimal(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    let size = value.abs();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "numbers of texts of 16 digits at most"
    )]
    let (whole, rest) = (size.trunc() as u64, ((size.fract() * 1e6) + 0.5) as u64);
    if rest == 0 || rest >= 1_000_000 {
        return joined(&[sign, &digits(whole)]);
    }
    let rest = digits(rest);
    let zeros = "000000".get(rest.len()..).unwrap_or_default();
    joined(&[sign, &digits(whole), ".", zeros, rest.trim_end_matches('0')])
}

/// Returns `true` if a text may be shown as the value of a parameter.
pub(super) fn is_value(text: &str) -> bool {
    is_plain_token(text)
}
