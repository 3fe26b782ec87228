//! Cuts a stream of bytes into lines.

use super::MAX_LINE;
use memchr::memchr;
use std::borrow::Cow;

/// Cuts a stream of bytes into lines, whatever the chunks it comes in.
///
/// ```
/// use halfopen::log::LineSplitter;
/// let mut splitter = LineSplitter::default();
/// let mut lines = Vec::new();
/// splitter.push(b"{\"v\":", |line| lines.push(line.to_owned()));
/// splitter.push(b"1}\r\n\n{", |line| lines.push(line.to_owned()));
/// splitter.finish(|line| lines.push(line.to_owned()));
/// assert_eq!(lines, ["{\"v\":1}", "{"]);
/// ```
#[derive(Debug, Default)]
pub struct LineSplitter {
    rest: Vec<u8>,
}

impl LineSplitter {
    /// Takes the next bytes and tells every line that they complete. Empty lines are passed over; what is not UTF-8
    /// is replaced by U+FFFD; of a line over [`MAX_LINE`] no more than that and one byte is kept and told.
    pub fn push(&mut self, bytes: &[u8], mut line: impl FnMut(&str)) {
        let mut rest = bytes;
        while let Some(at) = memchr(b'\n', rest) {
            let (piece, next) = rest.split_at(at);
            if self.rest.is_empty() {
                tell(piece, &mut line);
            } else {
                self.keep(piece);
                tell(&self.rest, &mut line);
                self.rest.clear();
            }
            rest = next.get(1..).unwrap_or_default();
        }
        self.keep(rest);
    }

    /// Tells what stands after the last line break, and starts afresh.
    pub fn finish(&mut self, mut line: impl FnMut(&str)) {
        tell(&self.rest, &mut line);
        self.rest.clear();
    }

    fn keep(&mut self, piece: &[u8]) {
        let room = (MAX_LINE + 1).saturating_sub(self.rest.len());
        let kept = piece.get(..room).unwrap_or(piece);
        self.rest.extend_from_slice(kept);
    }
}

fn tell(bytes: &[u8], line: &mut impl FnMut(&str)) {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let bytes = bytes.get(..=MAX_LINE).unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    };
    let text = text.trim();
    if !text.is_empty() {
        line(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_overlong_line_takes_bounded_memory_and_is_rejected() {
        let mut splitter = LineSplitter::default();
        let (mut lengths, chunk) = (Vec::new(), vec![b'a'; 100_000]);
        for _ in 0..50 {
            splitter.push(&chunk, |line| lengths.push(line.len()));
        }
        splitter.push(b"\n{}\n", |line| lengths.push(line.len()));
        assert_eq!(lengths, [MAX_LINE + 1, 2]);
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_the_chunks(text in "[a-c\r\n é]{0,60}", cut in 0usize..60) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            let (mut whole, mut parts) = (Vec::new(), Vec::new());
            let mut splitter = LineSplitter::default();
            splitter.push(bytes, |line| whole.push(line.to_owned()));
            splitter.finish(|line| whole.push(line.to_owned()));
            splitter.push(&bytes[..cut], |line| parts.push(line.to_owned()));
            splitter.push(&bytes[cut..], |line| parts.push(line.to_owned()));
            splitter.finish(|line| parts.push(line.to_owned()));
            prop_assert_eq!(whole, parts);
        }
    }
}
