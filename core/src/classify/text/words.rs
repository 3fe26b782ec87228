//! Wording, read narrowly: what a text says once quotations, addresses, paths and file names are taken out of it.
//!
//! A provider's sentence is recognised by phrases; a user's text that an error quotes, or a file called `timeout.ts`,
//! must not be. One pass normalises, then each phrase costs one look into a bit set unless its first letters occur.

/// How much of a text is read for its wording, in bytes. Sentences that describe the failure come at the beginning.
const WINDOW: usize = 1024;
/// How far apart the two halves of a phrase with a gap (`model * not found`) may be, in bytes.
const GAP: usize = 96;
/// The longest quotation. A stray quotation mark must not hide the rest of the text.
const QUOTATION: usize = 400;

/// A text in lower case with single spaces, without what it quotes.
#[derive(Debug)]
pub(crate) struct Words {
    text: Vec<u8>,
    /// One bit for each pair of letters with which a word begins.
    starts: [u64; 16],
}

const fn start_bit(first: u8, second: u8) -> (usize, u64) {
    let index = ((first as usize & 31) << 5) | (second as usize & 31);
    (index >> 6, 1 << (index & 63))
}

/// Marks the end of a run of characters.
const END: u8 = 1;
/// Letters and digits of ASCII.
const PLAIN: u8 = 2;
const OTHER: u8 = 4;

/// The class of each byte, so that reading a text takes one look-up a byte.
static CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut rest: &mut [u8] = &mut classes;
    let mut byte = 0u8;
    while let Some((class, behind)) = rest.split_first_mut() {
        let ends = byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'`' | b'(' | b')' | b',' | b';' | b'=' | b'\x1b');
        if ends {
            *class = END;
        } else if byte.is_ascii_alphanumeric() {
            *class = PLAIN;
        }
        rest = behind;
        byte = byte.wrapping_add(1);
    }
    classes
};

impl Words {
    /// Normalises the beginning of a text, given as UTF-8.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut words = Self { text: Vec::with_capacity(bytes.len().min(WINDOW) + 2), starts: [0; 16] };
        words.text.push(b' ');
        let mut at = 0;
        while at < bytes.len() && at < WINDOW {
            at = words.token(bytes, at);
        }
        if words.text.last() != Some(&b' ') {
            words.text.push(b' ');
        }
        let (mut previous, mut before) = (b' ', b' ');
        for &byte in &words.text {
            if before == b' ' {
                let (index, bit) = start_bit(previous, byte);
                if let Some(slot) = words.starts.get_mut(index) {
                    *slot |= bit;
                }
            }
            (before, previous) = (previous, byte);
        }
        words
    }

    fn space(&mut self) {
        if self.text.last() != Some(&b' ') {
            self.text.push(b' ');
        }
    }

    /// Takes the run of characters at `at`, or passes over it; where the next begins.
    fn token(&mut self, bytes: &[u8], at: usize) -> usize {
        let byte = bytes.get(at).copied().unwrap_or(b' ');
        if byte.is_ascii_whitespace() {
            self.space();
            return at + 1;
        }
        // A terminal's colour: ESC [ … letter.
        if byte == 0x1b {
            let tail = bytes.get(at + 1..).unwrap_or_default();
            let length = tail.iter().take(12).position(u8::is_ascii_alphabetic).unwrap_or(0);
            return at + 2 + length;
        }
        if let Some(end) = quotation(bytes, at) {
            self.space();
            return end;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let (mut length, mut seen) = (0, 0);
        for &byte in rest {
            let class = CLASSES.get(usize::from(byte)).copied().unwrap_or(END);
            if class == END {
                break;
            }
            seen |= class;
            length += 1;
        }
        let run = rest.get(..length).unwrap_or_default();
        if seen == PLAIN {
            // Most runs: no place, and lower case is one bit of letters that digits have too.
            let from = self.text.len();
            self.text.extend_from_slice(run);
            for byte in self.text.get_mut(from..).unwrap_or_default() {
                *byte |= 0x20;
            }
        } else if run.is_empty() || is_place(run) {
            self.space();
        } else {
            self.word(run);
        }
        at + length.max(1)
    }

    fn word(&mut self, run: &[u8]) {
        for (index, &byte) in run.iter().enumerate() {
            let beside = |offset: usize| run.get(offset).is_some_and(u8::is_ascii_alphanumeric);
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' => self.text.push(byte.to_ascii_lowercase()),
                // "model's", "can't": the mark is dropped, also the typographic one (E2 80 99).
                b'\'' if index > 0 && beside(index - 1) && beside(index + 1) => {}
                b'.' if index > 0 && beside(index - 1) && beside(index + 1) => self.text.push(b'.'),
                0xe2 | 0x80 | 0x99 => {}
                0x80.. => self.text.push(byte),
                _ => self.space(),
            }
        }
    }

    /// The words, in their order.
    pub(crate) fn words(&self) -> impl Iterator<Item = &[u8]> + Clone {
        self.text.split(|byte| *byte == b' ').filter(|word| !word.is_empty())
    }

    /// Returns `true` if the phrase begins within the first `within` bytes, at the beginning of a word. ` * ` matches a
    /// few words, `^` the text's beginning, `$` its end.
    pub(crate) fn says(&self, phrase: &[u8], within: usize) -> bool {
        let (anchored, phrase) = phrase.strip_prefix(b"^").map_or((false, phrase), |rest| (true, rest));
        let (ended, phrase) = phrase.strip_suffix(b"$").map_or((false, phrase), |rest| (true, rest));
        let mut letters = phrase.iter();
        let (index, bit) = start_bit(*letters.next().unwrap_or(&b' '), *letters.next().unwrap_or(&b' '));
        if self.starts.get(index).is_none_or(|slot| slot & bit == 0) {
            return false;
        }
        let gap = phrase.windows(3).position(|window| window == b" * ");
        let (head, tail) = match gap {
            Some(at) => (phrase.get(..at).unwrap_or_default(), phrase.get(at + 3..)),
            None => (phrase, None),
        };
        let mut from = 0;
        while let Some(at) = self.find(head, from) {
            if at > within || (anchored && at > 1) {
                return false;
            }
            let end = at + head.len();
            let (end, found) = match tail {
                None => (end, true),
                Some(tail) => self
                    .find(tail, end)
                    .filter(|place| place - end <= GAP)
                    .map_or((end, false), |place| (place + tail.len(), true)),
            };
            if found && (!ended || end + 1 >= self.text.len()) {
                return true;
            }
            from = at + 1;
        }
        false
    }

    /// Returns the position of `needle` at the beginning of a word, from `from` on.
    fn find(&self, needle: &[u8], from: usize) -> Option<usize> {
        let haystack = self.text.get(from..)?;
        let first = *needle.first()?;
        haystack
            .windows(needle.len() + 1)
            .position(|window| {
                window.first() == Some(&b' ')
                    && window.get(1) == Some(&first)
                    && window.get(1..) == Some(needle)
            })
            .map(|place| from + place + 1)
    }

    #[cfg(test)]
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.text).trim().to_owned()
    }
}

/// Where the quotation that opens at `at` ends; `None` if none opens there.
fn quotation(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let (open, close): (&[u8], &[u8]) = match *rest.first()? {
        b'"' => (b"\"", b"\""),
        b'`' => (b"`", b"`"),
        b'\'' => (b"'", b"'"),
        0xe2 if rest.starts_with("“".as_bytes()) => ("“".as_bytes(), "”".as_bytes()),
        0xe2 if rest.starts_with("‘".as_bytes()) => ("‘".as_bytes(), "’".as_bytes()),
        0xc2 if rest.starts_with("«".as_bytes()) => ("«".as_bytes(), "»".as_bytes()),
        _ => return None,
    };
    let inside = rest.get(open.len()..)?;
    let inside = inside.get(..inside.len().min(QUOTATION))?;
    let mut from = 0;
    loop {
        let place = from + inside.get(from..)?.windows(close.len()).position(|window| window == close)?;
        let end = place + close.len();
        // An apostrophe inside a word closes nothing.
        if close != b"'" || !inside.get(end).is_some_and(u8::is_ascii_alphanumeric) {
            return Some(at + open.len() + end);
        }
        from = end;
    }
}

/// Returns `true` for an address, a path or a file name, whose words carry no meaning.
fn is_place(run: &[u8]) -> bool {
    let run = run.strip_suffix(b".").unwrap_or(run);
    let run = run.strip_suffix(b":").unwrap_or(run);
    if matches!(run.first(), Some(b'/' | b'~')) || run.starts_with(b"./") || run.starts_with(b"../") {
        return run.len() > 1;
    }
    if run.contains(&b'\\')
        || run.windows(3).any(|w| w == b"://")
        || run.iter().filter(|&&b| b == b'/').count() > 1
    {
        return true;
    }
    // A file's or host's ending: a letter, then at most three more.
    let Some(dot) = run.iter().rposition(|&b| b == b'.').filter(|&dot| dot > 0) else { return false };
    let ending = run.get(dot + 1..).unwrap_or_default();
    let ending = ending.split(|&b| b == b':').next().unwrap_or_default();
    (1..=4).contains(&ending.len())
        && ending.iter().all(u8::is_ascii_alphanumeric)
        && ending.first().is_some_and(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Words {
        Words::of(text.as_bytes())
    }

    #[test]
    fn normalises() {
        assert_eq!(of("Rate  limit\nREACHED, for x!").text(), "rate limit reached for x");
        assert_eq!(of("This model's maximum can’t").text(), "this models maximum cant");
        assert_eq!(
            of("\u{1b}[1m\u{1b}[31mUnauthenticated\u{1b}[0m request").text(),
            "unauthenticated request"
        );
        assert_eq!(of("litellm.RateLimitError: x").text(), "litellm.ratelimiterror x");
    }

    #[test]
    fn leaves_out_quotations_addresses_and_files() {
        assert_eq!(of("Failed on \"rate limit 429\" now").text(), "failed on now");
        assert_eq!(of("Failed on 'it isn't a timeout' now").text(), "failed on now");
        assert_eq!(of("see https://x.y/quota now").text(), "see now");
        assert_eq!(of("open src/a/timeout.ts: failed timeout.ts:12").text(), "open failed");
        assert_eq!(of("The model `gpt` does not exist").text(), "the model does not exist");
        assert_eq!(of("“rate limit” «quota» x").text(), "x");
    }

    #[test]
    fn finds_phrases_at_words() {
        let words = of("429 The model gpt-x9 does not exist or is unlimited");
        assert!(words.says(b"model * does not exist", usize::MAX));
        assert!(words.says(b"^429", usize::MAX));
        assert!(words.says(b"unlimited$", usize::MAX));
        assert!(!words.says(b"limit", usize::MAX));
        assert!(!words.says(b"^the model", usize::MAX));
        assert!(!words.says(b"does$", usize::MAX));
        assert!(!words.says(b"unlimited", 20));
    }

    #[test]
    fn marks_inside_a_word_part_it() {
        for (text, words) in [
            ("a''b", "a b"),
            ("a_'b", "a_ b"),
            ("a'_b", "a _b"),
            ("a_.bcdef", "a_ bcdef"),
            ("v1.0: x", "v1.0 x"),
            ("Größe", "größe"),
            ("\u{1b}[31m'rate limit' \u{1b}[0mx", "x"),
        ] {
            assert_eq!(of(text).text(), words, "{text}");
        }
    }

    #[test]
    fn only_what_opens_a_quotation_hides_something() {
        assert_eq!(of("‘rate limit’ x").text(), "x");
        for (opens, closes) in [("–", "”"), ("–", "’"), ("§", "»")] {
            let text = format!("{opens} rate limit {closes} x");
            assert!(of(&text).says(b"rate limit", usize::MAX), "{text}");
        }
    }

    #[test]
    fn the_beginning_of_a_text_is_read() {
        let text = format!("{}late", "x ".repeat(WINDOW / 2));
        assert!(!of(&text).says(b"late", usize::MAX));
        assert!(of(&text[2..]).says(b"late", usize::MAX));
    }

    #[test]
    fn phrases_stand_where_they_are_looked_for() {
        let words = of("limits are unlimited");
        assert!(!words.says(b"limited", usize::MAX));
        assert!(words.says(b"unlimited", 12) && !words.says(b"unlimited", 11));
        assert!(words.says(b"^limits * unlimited$", usize::MAX));
        assert!(!of("limits are unlimited here").says(b"limits * unlimited$", usize::MAX));
        // There is a space at each end of the gap.
        for (apart, near) in [(GAP - 2, true), (GAP - 1, false)] {
            let text = format!("model {} not found", "x".repeat(apart));
            assert_eq!(of(&text).says(b"model * not found", usize::MAX), near, "{apart}");
        }
    }

    #[test]
    fn places_are_addresses_paths_and_files() {
        for place in [
            "/a", "~/a", "./a", "../a", "a/b/c", "a/b/c/d", "C:\\a", "x://y", "a.ts", "a.ts:12", "a.ts.",
            "a.ts:",
        ] {
            assert!(is_place(place.as_bytes()), "{place}");
        }
        for word in ["/", "~", "a/b", ".env", "a.b1_", "1.5", "a.longer", "and", "a."] {
            assert!(!is_place(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn a_stray_quotation_mark_hides_nothing_far_away() {
        let text = format!("size 5\" {} rate limit exceeded", "x ".repeat(210));
        assert!(of(&text).says(b"rate limit exceeded", usize::MAX));
    }
}
