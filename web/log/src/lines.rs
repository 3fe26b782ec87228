//! Cuts a stream of bytes into lines.

use super::MAX_LINE;
use halfopen::invariant::Always;
use memchr::memchr;
use std::borrow::Cow;

/// Cuts a stream of bytes into lines, wherever its chunks begin and end.
///
/// ```
/// use halfopen_log::LineSplitter;
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
    /// Takes the next bytes and calls `line` with every line that they complete. Skips empty lines, replaces what is
    /// not UTF-8 by U+FFFD, and cuts a line longer than [`MAX_LINE`] one byte behind it.
    pub fn push(&mut self, bytes: &[u8], mut line: impl FnMut(&str)) {
        let mut rest = bytes;
        while let Some(at) = memchr(b'\n', rest) {
            let (chunk, next) = rest.split_at(at);
            if self.rest.is_empty() {
                pass_on(chunk, &mut line);
            } else {
                self.keep(chunk);
                pass_on(&self.rest, &mut line);
                self.rest.clear();
            }
            rest = next.get(1..).always();
        }
        self.keep(rest);
    }

    /// Calls `line` with the bytes after the last line break, and resets itself.
    pub fn finish(&mut self, mut line: impl FnMut(&str)) {
        pass_on(&self.rest, &mut line);
        self.rest.clear();
    }

    fn keep(&mut self, chunk: &[u8]) {
        let room = (MAX_LINE + 1).saturating_sub(self.rest.len());
        let kept = chunk.get(..room).unwrap_or(chunk);
        self.rest.extend_from_slice(kept);
    }
}

fn pass_on(bytes: &[u8], line: &mut impl FnMut(&str)) {
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
