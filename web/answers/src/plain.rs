//! Text as it may be shown on one line: without secrets, and without letters that hide or turn what is read.

use halfopen::message::redact;

/// One line of plain text, without secrets: for comments, and for names in a trace.
///
/// ```
/// assert_eq!(halfopen_answers::plain::line("x\n*/ alert(1)\r\u{2028}y"), "x */ alert(1)  y");
/// ```
#[must_use]
pub fn line(text: &str) -> String {
    redact(text).chars().map(|letter| if is_hidden(letter) { ' ' } else { letter }).collect()
}

/// [`line`] as a string of JSON. Control characters are gone from it, so that two letters are left to escape (RFC 8259 §7).
pub fn json_line(out: &mut String, text: &str) {
    out.push('"');
    for letter in line(text).chars() {
        if matches!(letter, '"' | '\\') {
            out.push('\\');
        }
        out.push(letter);
    }
    out.push('"');
}

/// Letters that are not seen, or change how others are seen (Boucher, Anderson: "Trojan Source", 2021).
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_json_reads_as_the_line() {
        for text in ["a\"b\\", "x\n\t\u{0}y\u{7f}", "é日\u{2028}😀"] {
            let mut out = String::new();
            json_line(&mut out, text);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), line(text));
        }
    }
}
