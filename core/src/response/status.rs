//! The status lines that a user sees while an answer arrives. JavaScript fills in the same sentences from a table of its
//! own; of a preview it takes the line from here.

use crate::message::{Progress, progress};

/// An answer without text that called tools: what a sentence instead of the text can say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolsOnly {
    /// In a whole response.
    Whole,
    /// In a stream; with the tool of the last call, if that has a name.
    Streamed(Option<String>),
}

/// How many characters a preview shows.
const PREVIEW: usize = 50;

/// How an exchange ended that did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// With an empty response.
    Empty,
    /// With a response of the wrong shape.
    Invalid,
    /// With anything else: what the provider, the network or the application threw, a tool's failure, a cut stream.
    Otherwise,
}

/// The line before the request goes out.
#[must_use]
pub fn sending(locale: &str) -> String {
    format!("⏳ {}", progress(Progress::Sending, locale))
}

/// The line when a tool's call begins.
#[must_use]
pub fn tool(name: &str, locale: &str) -> String {
    format!("🔧 {}", progress(Progress::Using(name), locale))
}

/// The line of an exchange that failed with that message.
///
/// ```
/// use halfopen::response::status::{Failed, ended};
/// assert_eq!(ended(Failed::Otherwise, "no such city", "en"), "❌ Error: no such city");
/// ```
#[must_use]
pub fn ended(how: Failed, message: &str, locale: &str) -> String {
    match how {
        Failed::Empty => format!("⚠️ {message}"),
        Failed::Invalid => format!("❌ {message}"),
        Failed::Otherwise => format!("❌ {}", progress(Progress::Failed(message), locale)),
    }
}

/// Returns the sentence that replaces the text of an answer which only called tools.
#[must_use]
pub fn instead_of_text(tools: &ToolsOnly, locale: &str) -> String {
    let done = match tools {
        ToolsOnly::Whole => Progress::Completed,
        ToolsOnly::Streamed(last) => Progress::Executed(last.as_deref()),
    };
    progress(done, locale)
}

/// The beginning of an answer. It never holds more than a character beyond what it shows, however long the answer gets.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    head: String,
    characters: usize,
}

impl Preview {
    /// How many characters more it needs; 0 when it will not change any more.
    #[must_use]
    pub const fn wants(&self) -> usize {
        (PREVIEW + 1).saturating_sub(self.characters)
    }

    /// Takes the beginning of the next text.
    pub fn push(&mut self, text: &str) {
        for character in text.chars().take(self.wants()) {
            self.head.push(if character == '\n' { ' ' } else { character });
            self.characters += 1;
        }
    }

    /// Returns the line: the first 50 characters, with `...` if there are more.
    #[must_use]
    pub fn line(&self) -> String {
        let shown: String = self.head.chars().take(PREVIEW).collect();
        format!("💭 {shown}{}", if self.characters > PREVIEW { "..." } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(pieces: &[&str]) -> String {
        let mut preview = Preview::default();
        pieces.iter().for_each(|piece| preview.push(piece));
        preview.line()
    }

    #[test]
    fn fifty_characters_are_shown_whole_and_more_end_in_dots() {
        assert_eq!(line_of(&[&"a".repeat(50)]), format!("💭 {}", "a".repeat(50)));
        assert_eq!(line_of(&[&"a".repeat(51)]), format!("💭 {}...", "a".repeat(50)));
        assert_eq!(
            line_of(&[&"é".repeat(40), &"🦀".repeat(40)]),
            format!("💭 {}{}...", "é".repeat(40), "🦀".repeat(10))
        );
    }

    #[test]
    fn newlines_become_spaces() {
        assert_eq!(line_of(&["a\nb", "\n", "c"]), "💭 a b c");
    }

    #[test]
    fn a_long_answer_costs_no_memory() {
        let mut preview = Preview::default();
        for _ in 0..100_000 {
            preview.push("many words ");
        }
        assert!(preview.head.len() <= 51);
    }
}
