//! Splits a text into words, with its quotations, and matches phrases to find words, names and numbers in it.
//!
//! The rules of codes leave quotations out, because these can contain anything. Here the quoted name is needed.

use crate::text::find_bytes;

/// Words of one text that are read.
const WORD_LIMIT: usize = 320;
/// The most words that the `*` of a phrase matches.
const GAP: usize = 14;

/// One word, without its marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    /// It followed a quotation mark.
    pub(super) quoted: bool,
}

/// The words of a text.
#[derive(Debug)]
pub(super) struct Said<'a> {
    pub(super) raw: &'a str,
    pub(super) words: Vec<Word<'a>>,
    /// One bit for each first pair of letters.
    starts: [u64; 16],
}

/// The words that a phrase caught, by their positions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Caught {
    /// `{p}`: the name of a parameter.
    pub(super) name: Option<usize>,
    /// `{q}`: another name.
    pub(super) other: Option<usize>,
    /// `{n}`: the limit, or the lower end of a range.
    pub(super) limit: Option<f64>,
    /// `{m}`: the sent value, or the upper end of a range.
    pub(super) sent: Option<f64>,
    /// `{s}`: a third number.
    pub(super) third: Option<f64>,
    /// `{v}`: a value.
    pub(super) value: Option<usize>,
    /// Where the phrase ends.
    pub(super) end: usize,
}

fn start_bit(word: &str) -> (usize, u64) {
    let mut bytes = word.bytes().map(|byte| usize::from(byte.to_ascii_lowercase()) & 31);
    let index = bytes.next().unwrap_or(0) << 5 | bytes.next().unwrap_or(0);
    (index >> 6, 1 << (index & 63))
}

const fn is_mark(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“' | '”' | '‘' | '«' | '»' | '\\')
}

impl<'a> Said<'a> {
    pub(super) fn of(raw: &'a str) -> Self {
        let mut said = Self { raw, words: Vec::with_capacity(48), starts: [0; 16] };
        let (mut begin, mut quoted) = (0, false);
        let mut before = ' ';
        for (at, c) in raw.char_indices() {
            if said.words.len() >= WORD_LIMIT {
                break;
            }
            let rest = raw.get(at + c.len_utf8()..).unwrap_or_default();
            let next = rest.chars().next().unwrap_or(' ');
            // An apostrophe inside a word and a comma inside a number separate nothing.
            let inside = c == '\'' && before.is_alphanumeric() && next.is_alphanumeric()
                || c == ',' && before.is_ascii_digit() && next.is_ascii_digit();
            let parts = c.is_whitespace()
                || is_mark(c)
                || matches!(c, '(' | ')' | ',' | ';')
                || c == '=' && !matches!(before, '<' | '>' | '!');
            if parts && !inside {
                said.push(begin, at, quoted);
                begin = at + c.len_utf8();
                quoted = is_mark(c);
            }
            before = c;
        }
        said.push(begin, raw.len(), quoted);
        said
    }

    fn push(&mut self, begin: usize, end: usize, quoted: bool) {
        let word = self.raw.get(begin..end).unwrap_or_default();
        let word = word.trim_start_matches(['*', '.', ':', '{', '¦']);
        let word = word.trim_end_matches(['.', ',', ':', ';', '!', '?', '*', '}', '…']);
        let balanced = |open: char, close: char| word.contains(open) == word.contains(close);
        let word = if balanced('[', ']') { word } else { word.trim_matches(['[', ']']) };
        if word.is_empty() || self.words.len() >= WORD_LIMIT {
            return;
        }
        let (index, bit) = start_bit(word);
        if let Some(slot) = self.starts.get_mut(index) {
            *slot |= bit;
        }
        self.words.push(Word { text: word, quoted });
    }

    pub(super) fn word(&self, at: usize) -> Option<Word<'a>> {
        self.words.get(at).copied()
    }

    /// Returns the captures of the first phrase, separated by `|`, that the text contains.
    ///
    /// A phrase is words. `*` matches a few words, `?` one, `begin~` and `~end` a word with that beginning or end,
    /// `{p}` and `{q}` names, `{n}`, `{m}` and `{s}` numbers, `{v}` a value.
    pub(super) fn find(&self, phrases: &str) -> Option<Caught> {
        phrases.split('|').find_map(|phrase| self.find_one(phrase.trim()))
    }

    fn find_one(&self, phrase: &str) -> Option<Caught> {
        let first = phrase.split(' ').next()?;
        let head = first.trim_end_matches(['~', ':', '.']);
        if head.len() > 1 && !head.starts_with(['{', '~']) {
            let (index, bit) = start_bit(head);
            if self.starts.get(index).is_none_or(|slot| slot & bit == 0) {
                return None;
            }
        }
        (0..self.words.len()).find_map(|at| self.matches(phrase, at, Caught::default()))
    }

    fn matches(&self, phrase: &str, at: usize, mut caught: Caught) -> Option<Caught> {
        let (mut rest, mut at) = (phrase, at);
        while !rest.is_empty() {
            let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
            if word == "*" {
                return (at..=at + GAP).find_map(|next| self.matches(behind, next, caught));
            }
            let said = self.word(at)?;
            // The words of a text come without their punctuation.
            match word.trim_end_matches([':', '.']) {
                "?" => {}
                "{p}" if is_name(said) => caught.name = Some(at),
                "{q}" if is_name(said) => caught.other = Some(at),
                "{v}" => caught.value = Some(at),
                "{n}" => caught.limit = Some(number(said.text)?),
                "{m}" => caught.sent = Some(number(said.text)?),
                "{s}" => caught.third = Some(number(said.text)?),
                word if !is_said(said.text, word) => return None,
                _ => {}
            }
            (rest, at) = (behind, at + 1);
        }
        caught.end = at;
        Some(caught)
    }

    /// Returns the text after a word: in quotation marks, or up to a space. At most 128 characters of ASCII, of those
    /// that occur in patterns.
    pub(super) fn pattern(&self) -> Option<String> {
        let mut rest = self.raw;
        while let Some(at) = find_bytes(rest.as_bytes(), b"pattern") {
            rest = rest.get(at + 7..)?;
            let behind = rest.trim_start_matches([':', ' ', '\\']);
            let open = behind.chars().next()?;
            let text = if is_mark(open) {
                behind.get(open.len_utf8()..)?.split(is_mark).next()
            } else {
                behind
                    .split(char::is_whitespace)
                    .next()
                    .map(|word| word.trim_end_matches(['.', ',', ')', ';']))
            };
            let is_one = |text: &&str| {
                (3..=128).contains(&text.len())
                    && text.contains(['[', '^'])
                    && text
                        .bytes()
                        .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'<' | b'>'))
            };
            if let Some(text) = text.filter(is_one) {
                return Some(text.to_owned());
            }
        }
        None
    }
}

/// Returns `true` if a word matches the phrase's: `begin~`, `~end`, or the whole.
fn is_said(said: &str, word: &str) -> bool {
    let part = if let Some(begin) = word.strip_suffix('~') {
        said.get(..begin.len()).map(|part| (part, begin))
    } else if let Some(end) = word.strip_prefix('~') {
        said.len().checked_sub(end.len()).and_then(|at| said.get(at..)).map(|part| (part, end))
    } else {
        Some((said, word))
    };
    part.is_some_and(|(part, wanted)| part.eq_ignore_ascii_case(wanted))
}

/// The names of parameters that are also words of English.
const PLAIN_NAMES: &str = " temperature stop seed user store metadata logprobs stream thinking reasoning verbosity modalities effort n tools functions include truncation audio prediction suffix echo effort think format citations documents grammar k p betas speed container provider plugins transforms ";

/// Returns `true` if it may be the name of a parameter: an identifier, or one of the plain words that are parameters.
fn is_name(word: Word<'_>) -> bool {
    let text = word.text;
    let (mut letters, mut like) = (false, false);
    let mut before = ' ';
    for c in text.chars() {
        letters |= c.is_ascii_alphabetic();
        like |= matches!(c, '_' | '[') || c.is_ascii_uppercase() && before.is_ascii_lowercase();
        like |= c.is_ascii_lowercase() && before == '.';
        before = c;
    }
    letters && super::super::shown::is_path(text) && (like || word.quoted || is_plain_name(text))
}

fn is_plain_name(text: &str) -> bool {
    PLAIN_NAMES.split(' ').any(|name| !name.is_empty() && name.eq_ignore_ascii_case(text))
}

/// Parses a number: `200,000`, `8_192`, `1048576`, `0.95`, `128k`, `5MB`.
pub(super) fn number(text: &str) -> Option<f64> {
    let begin = text.trim_start_matches(['[', '~', '$', '>', '<']);
    let mut digits = String::with_capacity(16);
    let mut rest = begin;
    for c in begin.chars() {
        match c {
            '0'..='9' | '.' => digits.push(c),
            '-' if digits.is_empty() => digits.push(c),
            ',' | '_' => {}
            _ => break,
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    if digits.len() > 16 || !digits.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let times = match rest.trim_end_matches([']', '.', ')']) {
        "" | "B" | "b" | "px" | "bytes" | "tokens" => 1.0,
        "k" | "K" => 1000.0,
        "KB" | "kB" | "KiB" => 1024.0,
        "M" => 1e6,
        "MB" | "MiB" | "mb" => 1024.0 * 1024.0,
        "GB" | "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    crate::number::roughly(digits.trim_end_matches('.')).map(|number| number * times)
}
