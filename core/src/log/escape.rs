//! The escapes of a JSON string, undone (RFC 8259, section 7).

use super::text::Text;
use std::borrow::Cow;

/// The text that stands between quotes, its escapes undone.
pub(super) fn unescape(raw: &str, escaped: bool) -> Text<'_> {
    if !escaped {
        return Text(Cow::Borrowed(raw));
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        let letter = rest.as_bytes().first().copied().unwrap_or(b'\\');
        rest = rest.get(1..).unwrap_or_default();
        text.push(match letter {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => code_point(&mut rest),
            other => char::from(other),
        });
    }
    text.push_str(rest);
    Text(Cow::Owned(text))
}

/// Four digits, and four more where they are the other half of a pair.
fn code_point(rest: &mut &str) -> char {
    let unit = |text: &str| text.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let first = unit(rest).unwrap_or(0xFFFD);
    *rest = rest.get(4..).unwrap_or_default();
    if (0xD800..0xDC00).contains(&first)
        && let Some(second) = rest.strip_prefix("\\u").and_then(unit)
        && (0xDC00..0xE000).contains(&second)
    {
        *rest = rest.get(6..).unwrap_or_default();
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
        ] {
            assert_eq!(unescape(raw, true).as_str(), text);
        }
    }
}
