//! The readable part of a thrown value: a bounded copy in one flat buffer, with allow-listed keys only.
//!
//! JavaScript values are copied by `pkg/src/classify/thrown.ts` (which cuts long texts before they cross), JSON by
//! [`Thrown::from_json`]. Everything after this file sees a [`Node`] and does not know which it was.
//!
//! Layout, preorder: `key: u8, kind: u8`, then the payload: nothing for `false` and `true`, 8 bytes (f64, little
//! endian) for a number, `len: u16` and UTF-8 for a text, `len: u16` and the children for a list or an object.

use super::key::Key;
use crate::invariant::Always;

/// No more bytes of one text are read.
pub const TEXT_LIMIT: usize = 4096;
/// No more bytes of one thrown value are read.
pub const BUFFER_LIMIT: usize = 32 * 1024;
/// No deeper nesting is read.
pub const DEPTH_LIMIT: u8 = 24;
/// No more items of one list are read.
pub const ITEM_LIMIT: usize = 8;

const FALSE: u8 = 0;
const TRUE: u8 = 1;
const NUMBER: u8 = 2;
const TEXT: u8 = 3;
const OBJECT: u8 = 4;
const LIST: u8 = 5;

/// A bounded copy of a thrown value.
///
/// ```
/// use halfopen::classify::{Key, Thrown};
/// let thrown = Thrown::from_json(r#"{"status":429,"headers":{"Retry-After":"7"},"secret":"x"}"#);
/// let root = thrown.root().unwrap();
/// assert_eq!(root.get(Key::Status).and_then(|n| n.number()), Some(429.0));
/// assert_eq!(root.get(Key::Headers).and_then(|h| h.get(Key::RetryAfter)?.text()), Some("7"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Thrown {
    pub(super) bytes: Vec<u8>,
}

impl Thrown {
    /// Takes a copy that was written elsewhere in the layout above. Malformed parts read as absent.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self { bytes: bytes.get(..bytes.len().min(BUFFER_LIMIT)).always().to_vec() }
    }

    /// The copy in the layout above: what [`from_bytes`](Self::from_bytes) reads.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The value itself, if it could be read at all.
    #[must_use]
    pub fn root(&self) -> Option<Node<'_>> {
        node_at(&self.bytes).map(|(node, _)| node)
    }

    /// Returns `true` if any byte could open JSON inside a text. Most errors have no such byte, and are not searched.
    pub(crate) fn may_hold_json(&self) -> bool {
        self.bytes.contains(&b'{')
    }

    fn room(&self, bytes: usize) -> bool {
        self.bytes.len() + bytes <= BUFFER_LIMIT
    }

    /// Adds a boolean.
    pub(crate) fn boolean(&mut self, key: Key, value: bool) {
        if self.room(2) {
            self.bytes.extend_from_slice(&[key.number(), if value { TRUE } else { FALSE }]);
        }
    }

    /// Adds a number.
    pub(crate) fn number(&mut self, key: Key, value: f64) {
        if self.room(10) {
            self.bytes.extend_from_slice(&[key.number(), NUMBER]);
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// Adds a text, cut to [`TEXT_LIMIT`].
    pub(crate) fn text(&mut self, key: Key, text: &str) {
        let cut = cut(text, TEXT_LIMIT);
        if self.room(4 + cut.len()) {
            self.bytes.extend_from_slice(&[key.number(), TEXT]);
            self.bytes.extend_from_slice(&u16::try_from(cut.len()).unwrap_or(u16::MAX).to_le_bytes());
            self.bytes.extend_from_slice(cut.as_bytes());
        }
    }

    /// Opens a list or an object; give the place to [`Thrown::close`].
    pub(crate) fn open(&mut self, key: Key, list: bool) -> Option<usize> {
        if !self.room(4) {
            return None;
        }
        self.bytes.extend_from_slice(&[key.number(), if list { LIST } else { OBJECT }, 0, 0]);
        Some(self.bytes.len())
    }

    /// Closes the list or object that was opened at that place.
    pub(crate) fn close(&mut self, place: usize) {
        let length = u16::try_from(self.bytes.len().saturating_sub(place)).unwrap_or(u16::MAX).to_le_bytes();
        if let Some(slot) = place.checked_sub(2).and_then(|at| self.bytes.get_mut(at..place)) {
            slot.copy_from_slice(&length);
        }
    }
}

/// The text's beginning, at most `limit` bytes, cut at a character.
#[must_use]
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    if text.len() <= limit { text } else { text.get(..text.floor_char_boundary(limit)).always() }
}

/// A value inside a [`Thrown`].
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    key: u8,
    kind: u8,
    payload: &'a [u8],
}

/// The node at the beginning of `bytes`, and how many bytes it takes.
fn node_at(bytes: &[u8]) -> Option<(Node<'_>, usize)> {
    let (&key, &kind) = (bytes.first()?, bytes.get(1)?);
    let (start, length) = match kind {
        FALSE | TRUE => (2, 0),
        NUMBER => (2, 8),
        TEXT | OBJECT | LIST => (4, usize::from(u16::from_le_bytes([*bytes.get(2)?, *bytes.get(3)?]))),
        _ => return None,
    };
    let payload = bytes.get(start..start + length)?;
    Some((Node { key, kind, payload }, start + length))
}

impl<'a> Node<'a> {
    /// Returns its key.
    #[must_use]
    pub fn key(self) -> Option<Key> {
        Key::from_number(self.key)
    }

    /// Its text, if it is one.
    #[must_use]
    pub fn text(self) -> Option<&'a str> {
        if self.kind != TEXT {
            return None;
        }
        match std::str::from_utf8(self.payload) {
            Ok(text) => Some(text),
            Err(error) => std::str::from_utf8(self.payload.get(..error.valid_up_to())?).ok(),
        }
    }

    /// Its number, if it is one.
    #[must_use]
    pub fn number(self) -> Option<f64> {
        if self.kind != NUMBER {
            return None;
        }
        self.payload.try_into().ok().map(f64::from_le_bytes)
    }

    /// Returns its value if it is a boolean.
    #[must_use]
    pub const fn boolean(self) -> Option<bool> {
        match self.kind {
            TRUE => Some(true),
            FALSE => Some(false),
            _ => None,
        }
    }

    /// Returns `true` for an object.
    #[must_use]
    pub const fn is_object(self) -> bool {
        self.kind == OBJECT
    }

    /// Returns `true` for a list.
    #[must_use]
    pub const fn is_list(self) -> bool {
        self.kind == LIST
    }

    /// Its children; none if it is neither a list nor an object.
    pub fn children(self) -> impl Iterator<Item = Node<'a>> {
        let mut rest = if matches!(self.kind, OBJECT | LIST) { self.payload } else { &[] };
        std::iter::from_fn(move || {
            let (node, taken) = node_at(rest)?;
            rest = rest.get(taken..)?;
            Some(node)
        })
    }

    /// The property of that name.
    #[must_use]
    pub fn get(self, key: Key) -> Option<Self> {
        self.children().find(|child| child.key == key.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_read_without_panic() {
        for seed in 0..2000u32 {
            let bytes: Vec<u8> = (0..40u32)
                .map(|i| (seed.wrapping_mul(2_654_435_761).rotate_left(i) >> 3) as u8 % 7)
                .collect();
            let thrown = Thrown::from_bytes(&bytes);
            fn walk(node: Node<'_>, depth: u8) -> usize {
                if depth > 40 {
                    return 0;
                }
                let _ = (node.text(), node.number(), node.boolean());
                1 + node.children().map(|child| walk(child, depth + 1)).sum::<usize>()
            }
            if let Some(root) = thrown.root() {
                assert!(walk(root, 0) <= 40);
            }
        }
    }

    #[test]
    fn a_text_that_is_no_json_is_a_thrown_string() {
        assert_eq!(Thrown::from_json("oops").root().and_then(Node::text), Some("oops"));
    }

    #[test]
    fn keys_outside_the_allow_list_are_not_copied() {
        let thrown = Thrown::from_json(r#"{"config":{"headers":{"authorization":"Bearer x"}},"code":"E"}"#);
        assert!(!String::from_utf8_lossy(&thrown.bytes).contains("Bearer"));
        assert_eq!(thrown.root().and_then(|r| r.get(Key::Code)?.text()), Some("E"));
    }

    #[test]
    fn a_copy_is_filled_to_its_limit_and_a_text_to_its_own() {
        let mut thrown = Thrown::default();
        for _ in 0..9 {
            thrown.text(Key::Message, &"x".repeat(2 * TEXT_LIMIT));
        }
        assert_eq!(thrown.bytes.len(), 7 * (4 + TEXT_LIMIT));
        // A text that just fits is still taken.
        let left = BUFFER_LIMIT - thrown.bytes.len();
        thrown.text(Key::Message, &"x".repeat(left - 4));
        assert_eq!(thrown.bytes.len(), BUFFER_LIMIT);
        thrown.boolean(Key::Retryable, true);
        assert_eq!(thrown.bytes.len(), BUFFER_LIMIT);
    }

    #[test]
    fn a_text_is_cut_at_a_character() {
        assert_eq!((cut("late", 4), cut("late", 3), cut("aß", 2)), ("late", "lat", "a"));
    }
}
