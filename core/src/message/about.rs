//! The known facts about a failure beside its code.

use super::{display_name, redact};
use crate::Code;
use crate::text::contains;
use crate::time::Millis;

/// The known facts about a failure beside its code. Every field may be absent.
///
/// A text appears in the message only if it looks like a name. A long text, one with line breaks, or one with a secret
/// is left out, as if it were unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About<'a> {
    /// The provider's id, such as `openai`; the message has its display name.
    pub provider: Option<&'a str>,
    /// The model's id.
    pub model: Option<&'a str>,
    /// The tool's name: with `NOT_FOUND`, the tool that does not exist.
    pub tool: Option<&'a str>,
    /// How long to wait before another try.
    pub retry_after: Option<Millis>,
    /// The circumstance that changes the code's sentence.
    pub circumstance: Circumstance,
    /// The reader of the message.
    pub audience: Audience,
}

/// The reader of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Audience {
    /// Runs the agent, and can change its settings: a user of a command line or a desktop program, a developer.
    #[default]
    Owner = 0,
    /// Uses an agent that somebody else runs, and cannot check a key, a setting, a quota or the connection of a server.
    Visitor = 1,
}

impl Audience {
    /// Everybody.
    pub const ALL: [Self; 2] = [Self::Owner, Self::Visitor];

    /// Returns the audience of that number; the owner for an unknown number.
    #[must_use]
    pub const fn from_index(index: u8) -> Self {
        match index {
            1 => Self::Visitor,
            _ => Self::Owner,
        }
    }
}

/// A fact that a code alone does not convey, and that changes the user's message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Circumstance {
    /// Nothing of the kind.
    #[default]
    None = 0,
    /// `NETWORK_ERROR`: a part of the answer had arrived before the connection broke, so the service was reached.
    BrokenOff = 1,
    /// `CANCELLED`: the part of the program that makes requests was shut down. Sending again cannot help before it
    /// starts again.
    ShutDown = 2,
    /// `CAPACITY_EXCEEDED`: no more requests may begin in this time.
    RateLimit = 3,
    /// `CAPACITY_EXCEEDED`: the answers have reached their cost limit.
    Cost = 4,
    /// `CAPACITY_EXCEEDED`: the limit that learns the service's capacity has been reached.
    Adaptive = 5,
    /// `NOT_FOUND`: the model called a tool that does not exist.
    NoSuchTool = 6,
    /// `VALIDATION_ERROR`: the provider will never accept the present conversation, whatever the user writes next.
    Conversation = 7,
    /// `VALIDATION_ERROR`: the provider does not accept a file or an image of the conversation.
    Attachment = 8,
    /// `CIRCUIT_OPEN`: requests are held back by hand, and nothing need have failed.
    Isolated = 9,
    /// `CIRCUIT_OPEN`: a share of the requests is refused, and the others are sent.
    Throttled = 10,
}

impl Circumstance {
    /// Every circumstance, in numbering order.
    pub const ALL: [Self; 11] = [
        Self::None,
        Self::BrokenOff,
        Self::ShutDown,
        Self::RateLimit,
        Self::Cost,
        Self::Adaptive,
        Self::NoSuchTool,
        Self::Conversation,
        Self::Attachment,
        Self::Isolated,
        Self::Throttled,
    ];

    /// Returns the circumstance of that number; [`Self::None`] for an unknown number.
    #[must_use]
    pub fn from_index(index: u8) -> Self {
        Self::ALL.get(usize::from(index)).copied().unwrap_or_default()
    }

    /// Returns the code whose sentence it changes.
    #[must_use]
    pub const fn code(self) -> Option<Code> {
        match self {
            Self::None => None,
            Self::BrokenOff => Some(Code::NetworkError),
            Self::ShutDown => Some(Code::Cancelled),
            Self::RateLimit | Self::Cost | Self::Adaptive => Some(Code::CapacityExceeded),
            Self::NoSuchTool => Some(Code::NotFound),
            Self::Conversation | Self::Attachment => Some(Code::ValidationError),
            Self::Isolated | Self::Throttled => Some(Code::CircuitOpen),
        }
    }
}

/// A longer name would bury the sentence around it.
const LONGEST_NAME: usize = 60;

impl About<'_> {
    pub(super) fn provider_name(&self) -> Option<String> {
        shown(display_name(self.provider?))
    }

    pub(super) fn model_name(&self) -> Option<String> {
        shown(self.model?.trim().into())
    }

    pub(super) fn tool_name(&self) -> Option<String> {
        shown(self.tool?.trim().into())
    }
}

/// The text, if it looks like a name.
fn shown(name: String) -> Option<String> {
    let readable = !name.is_empty()
        && name.chars().count() <= LONGEST_NAME
        && !contains(&name, "://")
        && !name.chars().any(|c| {
            c.is_control()
                || matches!(c, '<' | '>' | '{' | '}' | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
        });
    (readable && redact(&name) == name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_are_shown() {
        let key = ["sk", "proj", "AbCdEfGh12345678"].join("-");
        for model in ["", "  ", "a\nb", "https://host/model", "<b>bold</b>", &"x".repeat(61), &key] {
            assert_eq!(About { model: Some(model), ..About::default() }.model_name(), None, "{model:?}");
        }
        let about = About { model: Some("anthropic.claude-3-5-sonnet-20241022-v2:0"), ..About::default() };
        assert_eq!(about.model_name().as_deref(), Some("anthropic.claude-3-5-sonnet-20241022-v2:0"));
    }
}
