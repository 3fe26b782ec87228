//! A reader for JSON inside errors. It keeps allow-listed keys only, and uses the readable part of a text that breaks
//! off (bodies are cut at 4 KiB, quoted ones at any place).
//!
//! One pass, no backtracking, bounded nesting; numbers and escapes by RFC 8259.

use crate::classify::copy;
use crate::classify::key::Key;
use crate::classify::thrown::{BUFFER_LIMIT, DEPTH_LIMIT, ITEM_LIMIT, Thrown, cut};
use crate::unescape::unescape;
use std::borrow::Cow;

impl Thrown {
    /// Reads JSON, even if it breaks off, as if the described value had been thrown. Any other text is a thrown string.
    /// A text under `constructor` is the name of the error's class.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        let read = Self::all_of(text);
        read.root().map(copy::of_thrown).unwrap_or_default()
    }

    /// Reads headers as JSON: an object with a property for each.
    #[must_use]
    pub fn headers_from_json(text: &str) -> Self {
        let read = Self::all_of(text);
        read.root().map(copy::of_headers).unwrap_or_default()
    }

    /// Reads all parts of JSON under any key that is ever read.
    fn all_of(text: &str) -> Self {
        let mut thrown = Self::default();
        let text = cut(text, 2 * BUFFER_LIMIT);
        let trimmed = text.trim_start();
        let scalar = matches!(trimmed.trim_end(), "null" | "true" | "false")
            || crate::number::roughly(trimmed.trim_end()).is_some();
        let json = scalar || trimmed.starts_with(['{', '[', '"']);
        if !json || read(trimmed, Key::Item, &mut thrown) == 0 {
            thrown.bytes.clear();
            thrown.text(Key::Item, text);
        }
        thrown
    }
}

/// Reads the value at the beginning of `text` into `out` under `key`. Returns how many bytes it takes, 0 if it is no
/// JSON.
pub(crate) fn read(text: &str, key: Key, out: &mut Thrown) -> usize {
    let mut reader = Reader { text, at: 0 };
    if reader.value(Some(key), 0, out) { reader.at } else { 0 }
}

/// The longest prose in front of JSON.
const LEAD: usize = 384;

/// Returns where JSON begins in `text`: the first brace or bracket that is followed by a character which JSON allows
/// there.
pub(crate) fn find(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    bytes.iter().take(LEAD).enumerate().filter(|(_, byte)| matches!(byte, b'{' | b'[')).find_map(
        |(at, &byte)| {
            let next = bytes.get(at + 1..)?.iter().find(|b| !b.is_ascii_whitespace())?;
            let opens = if byte == b'{' { b'"' } else { b'{' };
            (*next == opens).then_some(at)
        },
    )
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.as_bytes().get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reads one value, or skips it if `key` is `None`. Returns `false` if it is no JSON.
    fn value(&mut self, key: Option<Key>, depth: u8, out: &mut Thrown) -> bool {
        match self.peek() {
            Some(b'{' | b'[') if depth >= DEPTH_LIMIT => {
                self.at = self.text.len();
                true
            }
            Some(b'{') => self.object(key, depth, out),
            Some(b'[') => self.list(key, depth, out),
            Some(b'"') => {
                let text = self.string();
                if let Some(key) = key {
                    out.text(key, &text);
                }
                true
            }
            Some(_) => self.word(key, out),
            None => false,
        }
    }

    fn object(&mut self, key: Option<Key>, depth: u8, out: &mut Thrown) -> bool {
        self.at += 1;
        let place = key.and_then(|key| out.open(key, false));
        loop {
            match self.peek() {
                Some(b'"') => {
                    let name = self.string();
                    if self.peek() != Some(b':') {
                        break;
                    }
                    self.at += 1;
                    let child = place.and(Key::from_name(&name));
                    if !self.value(child, depth + 1, out) {
                        break;
                    }
                }
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                _ => break,
            }
        }
        if let Some(place) = place {
            out.close(place);
        }
        true
    }

    fn list(&mut self, key: Option<Key>, depth: u8, out: &mut Thrown) -> bool {
        self.at += 1;
        let place = key.and_then(|key| out.open(key, true));
        let mut items = 0;
        loop {
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {
                    let item = place.filter(|_| items < ITEM_LIMIT).map(|_| Key::Item);
                    items += 1;
                    if !self.value(item, depth + 1, out) {
                        break;
                    }
                }
                None => break,
            }
        }
        if let Some(place) = place {
            out.close(place);
        }
        true
    }

    /// Reads `true`, `false`, `null` or a number.
    fn word(&mut self, key: Option<Key>, out: &mut Thrown) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let length = rest
            .iter()
            .take(40)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(*b, b'+' | b'-' | b'.'))
            .count();
        let word = rest.get(..length).and_then(|w| std::str::from_utf8(w).ok()).unwrap_or_default();
        self.at += length;
        match (word, key) {
            ("", _) => return false,
            ("true", Some(key)) => out.boolean(key, true),
            ("false", Some(key)) => out.boolean(key, false),
            ("true" | "false" | "null", _) => {}
            (number, key) => match crate::number::roughly(number) {
                Some(number) if number.is_finite() => {
                    if let Some(key) = key {
                        out.number(key, number);
                    }
                }
                _ => return false,
            },
        }
        true
    }

    /// Reads the string that begins here, unescaped, up to its end or the text's.
    fn string(&mut self) -> Cow<'a, str> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        let end = loop {
            match self.text.as_bytes().get(self.at) {
                None => break self.at,
                Some(b'"') => {
                    self.at += 1;
                    break self.at - 1;
                }
                Some(b'\\') => {
                    escaped = true;
                    // An escaped character ends no string. It may have several bytes, but a quote is never among them.
                    self.at = (self.at + 2).min(self.text.len());
                }
                Some(_) => self.at += 1,
            }
        };
        unescape(self.text.get(start..end).unwrap_or_default(), escaped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::thrown::Node;

    fn at<'a>(thrown: &'a Thrown, path: &[Key]) -> Option<Node<'a>> {
        path.iter().try_fold(thrown.root()?, |node, &key| node.get(key))
    }

    #[test]
    fn takes_what_there_is_of_json_that_breaks_off() {
        let thrown = Thrown::from_json(r#"{"error":{"code":429,"message":"Quota \"x\" exc"#);
        assert_eq!(at(&thrown, &[Key::Error, Key::Code]).and_then(|n| n.number()), Some(429.0));
        assert_eq!(at(&thrown, &[Key::Error, Key::Message]).and_then(|n| n.text()), Some("Quota \"x\" exc"));
    }

    #[test]
    fn a_pair_of_surrogates_is_one_character() {
        let thrown = Thrown::from_json(r#"{"message":"quota \ud83d\ude80 é\né \\\"x\u00"#);
        let message = thrown.root().and_then(|root| root.get(Key::Message)?.text());
        assert_eq!(message, Some("quota 🚀 é\né \\\"x\u{fffd}"));
    }

    #[test]
    fn says_how_far_it_read() {
        let mut out = Thrown::default();
        assert_eq!(read(r#"{"code":1} tail"#, Key::Item, &mut out), 10);
        assert_eq!(read("tail", Key::Item, &mut out), 0);
    }

    #[test]
    fn finds_json_in_prose() {
        assert_eq!(find(r#"HTTP 429: {"error":1}"#), Some(10));
        assert_eq!(find(r#"[{"a":1}]"#), Some(0));
        assert_eq!(find("a {brace} and [bracket]"), None);
    }

    #[test]
    fn so_much_is_read() {
        let long = format!(r#"{{"secret":"{}","code":"late"}}"#, "x".repeat(BUFFER_LIMIT + 9));
        assert_eq!(at(&Thrown::from_json(&long), &[Key::Code]).and_then(|n| n.text()), Some("late"));
        let list = Thrown::all_of("[0,1,2,3,4,5,6,7,8,9]");
        assert_eq!(list.root().unwrap().children().count(), ITEM_LIMIT);
        let objects = Thrown::all_of(&r#"{"error":"#.repeat(40));
        let (mut depth, mut node) = (0, objects.root());
        while let Some(inside) = node {
            (depth, node) = (depth + 1, inside.get(Key::Error));
        }
        assert_eq!(depth, usize::from(DEPTH_LIMIT));
        let endless = Thrown::from_json(r#"{"status":1e999,"code":"late"}"#);
        assert!(endless.root().unwrap().get(Key::Status).is_none());
    }

    #[test]
    fn deep_nesting_ends() {
        let deep = format!("{}{}", r#"{"error":"#.repeat(10_000), "1");
        assert!(Thrown::from_json(&deep).root().is_some());
        let list = "[".repeat(100_000);
        let _ = Thrown::from_json(&list);
    }
}
