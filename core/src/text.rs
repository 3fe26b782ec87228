//! Texts, made and searched with little code: `concat`, `join`, `format!` and searches for a `&str` bring a few KiB each into
//! the modules of JavaScript.

use crate::invariant::Always;

/// The texts behind each other.
pub(crate) fn joined(parts: &[&str]) -> String {
    let mut text = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    parts.iter().for_each(|part| text.push_str(part));
    text
}

/// The number in decimal digits. `format!` would bring the whole of `core::fmt` into a module that has no other use of it.
pub(crate) fn digits(number: u64) -> String {
    let mut text = String::new();
    push_digits(&mut text, number);
    text
}

/// Adds the number in decimal digits.
pub(crate) fn push_digits(text: &mut String, number: u64) {
    if number >= 10 {
        push_digits(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

/// Returns the first position of `needle`.
pub(crate) fn find(text: &str, needle: &str) -> Option<usize> {
    find_bytes(text.as_bytes(), needle.as_bytes())
}

/// As [`find`], for UTF-8 that is no `str`.
pub(crate) fn find_bytes(text: &[u8], needle: &[u8]) -> Option<usize> {
    let first = needle.first()?;
    let mut from = 0;
    loop {
        // Most bytes are not the first one: they must cost little.
        let at = from + text.get(from..)?.iter().position(|byte| byte == first)?;
        if text.get(at..)?.starts_with(needle) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Returns `true` if the text contains `needle`.
pub(crate) fn contains(text: &str, needle: &str) -> bool {
    find(text, needle).is_some()
}

/// Returns the parts before and after the first `sign`.
pub(crate) fn split_at<'a>(text: &'a str, sign: &str) -> Option<(&'a str, &'a str)> {
    let at = find(text, sign)?;
    Some((text.get(..at)?, text.get(at + sign.len()..)?))
}

/// The words of a list, which have a space between them. Byte by byte: to prepare a search for each space takes longer than
/// to pass over a short word.
pub(crate) fn words_of(list: &str) -> impl Iterator<Item = &[u8]> {
    list.as_bytes().split(|&b| b == b' ')
}

/// Returns `true` if the word is in the list, whatever its case.
pub(crate) fn is_one_of(word: &str, list: &str) -> bool {
    words_of(list).any(|one| word.as_bytes().eq_ignore_ascii_case(one))
}

/// The text's beginning, at most `most` characters, with an ellipsis where that cuts it.
pub(crate) fn cut_at(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text,
        Some((end, _)) => joined(&[text.get(..end).always().trim_end(), "…"]),
    }
}

/// Returns the text on one line, with single spaces instead of all characters that `is_space`.
pub(crate) fn on_one_line(text: &str, is_space: fn(char) -> bool) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_numbers_are_written_as_the_standard_library_writes_them() {
        for number in [0, 7, 10, 429, 32_001, u64::from(u32::MAX), u64::MAX] {
            assert_eq!(digits(number), number.to_string());
        }
    }

    #[test]
    fn a_cut_text_ends_with_an_ellipsis() {
        assert_eq!(cut_at("grüße".into(), 5), "grüße");
        assert_eq!(cut_at("grüße an alle".into(), 6), "grüße…");
        assert_eq!(on_one_line(" a\n\tb c ", char::is_whitespace), "a b c");
    }

    proptest! {
        #[test]
        fn searches_find_what_the_standard_library_finds(text in "[ab é]{0,12}", needle in "[ab é]{1,3}") {
            prop_assert_eq!(find(&text, &needle), text.find(&needle));
            prop_assert_eq!(contains(&text, &needle), text.contains(&needle));
            prop_assert_eq!(split_at(&text, &needle), text.split_once(&needle));
        }
    }
}
