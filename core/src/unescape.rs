//! The escapes of a JSON string, undone (RFC 8259, section 7).

use crate::invariant::Always;
use std::borrow::Cow;

/// Returns the text between quotes, with its escapes undone. A text that breaks off within an escape is read up to
/// there.
#[must_use]
pub fn unescape(raw: &str, escaped: bool) -> Cow<'_, str> {
    if !escaped {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(rest.get(..at).always());
        rest = rest.get(at + 1..).always();
        let Some(letter) = rest.chars().next() else { break };
        rest = rest.get(letter.len_utf8()..).always();
        text.push(match letter {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => code_point(&mut rest),
            other => other,
        });
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Reads four digits, and four more if they are the other half of a pair.
fn code_point(rest: &mut &str) -> char {
    let unit = |text: &str| text.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let first = unit(rest).unwrap_or(0xFFFD);
    *rest = rest.get(4..).unwrap_or_default();
    if (0xD800..0xDC00).contains(&first)
        && let Some(second) = rest.strip_prefix("\\u").and_then(unit)
        && (0xDC00..0xE000).contains(&second)
    {
        *rest = rest.get(6..).always();
        let both = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER);
    }
    char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_half_pairs_read_as_the_replacement() {
        for (raw, text) in [
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r"gr\u00fc\u00df \ud83d\ude00!", "grüß 😀!"),
            (r"\ud83d and \ude00\ud83d", "\u{fffd} and \u{fffd}\u{fffd}"),
            (r"cut \u00", "cut \u{fffd}"),
            ("cut \\", "cut "),
            ("\\é", "é"),
        ] {
            assert_eq!(unescape(raw, true), text);
        }
    }
}
