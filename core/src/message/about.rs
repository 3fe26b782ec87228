//! What is known about a failure beside its code.

use super::{display_name, redact};
use crate::text::contains;
use crate::time::Millis;

/// What is known about a failure beside its code; every field may be missing.
///
/// The texts are shown as they are only when they look like names: what is long, has line breaks or holds a secret is
/// left out of the message, as if it were not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About<'a> {
    /// The provider's id, such as `openai`; the message has its display name.
    pub provider: Option<&'a str>,
    /// The model's id.
    pub model: Option<&'a str>,
    /// The tool's name.
    pub tool: Option<&'a str>,
    /// How long to wait before another try.
    pub retry_after: Option<Millis>,
    /// What changes the sentence of the code.
    pub circumstance: Circumstance,
}

/// What a code alone does not say, and changes what a user should read of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Circumstance {
    /// Nothing of the kind.
    #[default]
    None = 0,
    /// A part of the answer had arrived: the service was reached, then the connection broke.
    BrokenOff = 1,
    /// Whatever made requests was shut down: sending again cannot help before it starts again.
    ShutDown = 2,
}

impl Circumstance {
    /// The circumstance of that number; none for a number that is of no circumstance.
    #[must_use]
    pub const fn from_index(index: u8) -> Self {
        match index {
            1 => Self::BrokenOff,
            2 => Self::ShutDown,
            _ => Self::None,
        }
    }
}

/// Longer names than this would bury the sentence they stand in.
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

/// The name, if it is one.
fn shown(name: String) -> Option<String> {
    let readable = !name.is_empty()
        && name.chars().count() <= LONGEST_NAME
        && !contains(&name, "://")
        && !name.chars().any(|c| c.is_control() || matches!(c, '<' | '>' | '{' | '}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'));
    (readable && redact(&name) == name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_name_is_not_shown() {
        let key = ["sk", "proj", "AbCdEfGh12345678"].join("-");
        for model in ["", "  ", "a\nb", "https://host/model", "<b>bold</b>", &"x".repeat(61), &key] {
            assert_eq!(About { model: Some(model), ..About::default() }.model_name(), None, "{model:?}");
        }
        let about = About { model: Some("anthropic.claude-3-5-sonnet-20241022-v2:0"), ..About::default() };
        assert_eq!(about.model_name().as_deref(), Some("anthropic.claude-3-5-sonnet-20241022-v2:0"));
    }
}
