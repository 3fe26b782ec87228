//! Words of events within Markdown: text that stays text.

use halfopen::message::redact;
use halfopen_answers::plain::is_hidden;

/// Text that stays text: no markup, no second line, no secret.
pub(super) fn text(of: &str) -> String {
    let mut out = String::with_capacity(of.len());
    for letter in redact(of).chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '!' => out.extend(['\\', letter]),
            '&' => out.push_str("&amp;"),
            letter if is_hidden(letter) => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// A name in a table: codes and rules read best as they are.
pub(super) fn cell(name: &str) -> String {
    if name.is_empty() { String::new() } else { code(name) }
}

/// Code: what would end it is left out.
pub(super) fn code(of: &str) -> String {
    let kept: String = redact(of)
        .chars()
        .map(|letter| if is_hidden(letter) || matches!(letter, '`' | '|') { ' ' } else { letter })
        .collect();
    format!("`{kept}`")
}
