//! Words of events within Markdown: text that stays text.

use halfopen::message::redact;
use halfopen::recovery::leads_somewhere;
use halfopen_answers::plain::is_hidden;
use std::fmt::Write;

/// Most rows of one table and entries of one list; the rest is counted.
pub(super) const MOST: usize = 30;

/// Says how many are not listed.
pub(super) fn more(out: &mut String, all: usize) {
    if all > MOST {
        let _ = writeln!(out, "\n… and {} more.", all - MOST);
    }
}

/// Text that stays text: no markup, no second line, no secret. A bare address becomes code: GitHub makes a link of it,
/// whatever is escaped.
pub(super) fn text(of: &str) -> String {
    let clean = redact(of);
    let words = clean.split(|letter: char| letter == ' ' || is_hidden(letter));
    let shown: Vec<String> =
        words.map(|word| if leads_somewhere(word) { code(word) } else { escaped(word) }).collect();
    shown.join(" ")
}

fn escaped(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for letter in word.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '!' => out.extend(['\\', letter]),
            '&' => out.push_str("&amp;"),
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

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn an_address_is_code_and_leads_nowhere() {
        assert_eq!(
            text("see https://evil.example/?a=`b`, *now*"),
            "see `https://evil.example/?a= b ,` \\*now\\*"
        );
        assert_eq!(text("www.evil.example and @team"), "`www.evil.example` and `@team`");
    }
}
