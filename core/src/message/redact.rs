//! Takes secrets out of text that is about to be shown, logged or sent on.
//!
//! One pass from left to right, no regular expressions, linear in the text's length. Three things betray a secret:
//! its own shape ([`shapes`]), the name before it ([`names`]), or its place (behind `Bearer`, before the `@` of a URL).
//! This is the second line of defence: the first is to read only what is known to be harmless.

mod names;
mod shapes;
#[cfg(test)]
mod tests;

use names::Weight;

/// What stands in a secret's place.
pub const MARK: &str = "[redacted]";

/// Replaces keys, tokens, cookies, e-mail addresses, long base64 or hex, URL credentials and tenant ids by `[redacted]`.
///
/// Idempotent, and linear in the text's length. Model names, request ids, UUIDs and paths stay readable.
///
/// ```
/// use halfopen::message::redact;
/// let key = ["sk", "proj", "a1b2c3d4e5f6g7h8"].join("-");
/// assert_eq!(redact(&format!("Incorrect API key provided: {key}.")), "Incorrect API key provided: [redacted].");
/// assert_eq!(redact("gpt-4o-mini answered req_011CSHoEeqs5C35K2UUqR7Fy"), "gpt-4o-mini answered req_011CSHoEeqs5C35K2UUqR7Fy");
/// ```
#[must_use]
pub fn redact(text: &str) -> String {
    let mut scanner = Scanner {
        text,
        out: String::with_capacity(text.len()),
        copied: 0,
        at: 0,
        local_end: 0,
        blob_end: 0,
        before: (0, 0),
    };
    while scanner.at < text.len() {
        scanner.step();
    }
    scanner.finish()
}

/// Whether a field of that name holds a secret, whatever the value: `apiKey`, `Authorization`, `set-cookie`, `db_password`.
///
/// ```
/// use halfopen::message::names_secret;
/// assert!(names_secret("x-goog-api-key") && names_secret("dbPassword"));
/// assert!(!names_secret("max_tokens") && !names_secret("key"));
/// ```
#[must_use]
pub fn names_secret(name: &str) -> bool {
    names::weigh("", name).is_some_and(|weight| weight != Weight::Weak)
}

struct Scanner<'a> {
    text: &'a str,
    out: String,
    /// Up to here the text is in `out`.
    copied: usize,
    at: usize,
    /// Up to here the text was looked at as an e-mail's local part; looking again at each of its words would be quadratic.
    local_end: usize,
    /// The same for base64.
    blob_end: usize,
    /// Where the word before this one stands.
    before: (usize, usize),
}

impl<'a> Scanner<'a> {
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn starts(&self, at: usize, with: &str) -> bool {
        self.text.as_bytes().get(at..).is_some_and(|rest| rest.starts_with(with.as_bytes()))
    }

    fn run(&self, from: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        let length = rest.iter().position(|&b| !belongs(b)).unwrap_or(rest.len());
        #[cfg(test)]
        tests::LOOKED.with(|looked| looked.set(looked.get() + length + 1));
        from + length
    }

    /// Replaces `from..to`. Both stand at ASCII characters or at the text's end.
    fn cut(&mut self, from: usize, to: usize) {
        let kept = self.slice(self.copied, from);
        self.out.push_str(kept);
        self.out.push_str(MARK);
        self.copied = to;
        self.at = to;
    }

    fn finish(mut self) -> String {
        let kept = self.slice(self.copied, self.text.len());
        self.out.push_str(kept);
        self.out
    }

    fn step(&mut self) {
        match self.byte(self.at) {
            b'[' if self.starts(self.at, MARK) => self.at += MARK.len(),
            // An escape of JSON or of a URL is a separator, whatever letter it is written with.
            b'\\' if self.byte(self.at + 1).is_ascii_graphic() => self.at += 2,
            b'%' if self.is_percent_escape(self.at) => self.at += 3,
            b':' if self.starts(self.at, "://") => self.authority(),
            b'-' if self.starts(self.at, "-----BEGIN ") => self.pem(),
            b if b.is_ascii_alphanumeric() => self.word(),
            b'*' if self.starts(self.at, "****") => self.masked(self.at),
            _ => self.at += 1,
        }
    }

    fn is_percent_escape(&self, at: usize) -> bool {
        self.byte(at) == b'%'
            && self.byte(at + 1).is_ascii_hexdigit()
            && self.byte(at + 2).is_ascii_hexdigit()
    }

    /// `://user:password@host`: everything before the last `@` of the authority (RFC 3986 §3.2).
    fn authority(&mut self) {
        let from = self.at + 3;
        let end = self.run(from, |b| {
            b.is_ascii_graphic() && !matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'\\')
        });
        let at_sign = self.slice(from, end).rfind('@').map(|offset| from + offset);
        match at_sign {
            Some(to) if to > from && self.slice(from, to) != MARK => self.cut(from, to),
            _ => self.at = from,
        }
    }

    /// A private key in PEM (RFC 7468), up to its last line or the text's end.
    fn pem(&mut self) {
        let from = self.at;
        let label_end = self.run(from + 11, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
        if !self.slice(from, label_end).ends_with("PRIVATE KEY") {
            self.at = label_end;
            return;
        }
        let rest = self.slice(label_end, self.text.len());
        let to = rest.find("-----END ").map_or(self.text.len(), |offset| {
            let label = self
                .run(label_end + offset + 9, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
            self.run(label, |b| b == b'-')
        });
        self.cut(from, to);
    }

    /// `sk-pr******7890`, as providers echo keys: first and last characters are still parts of a key.
    fn masked(&mut self, from: usize) {
        let to = self.run(from, |b| shapes::is_word(b) || b == b'*');
        if self.slice(from, to).bytes().any(|b| b.is_ascii_alphanumeric()) {
            self.cut(from, to);
        } else {
            self.at = to;
        }
    }

    fn word(&mut self) {
        let from = self.at;
        let end = self.run(from, shapes::is_word);
        if self.starts(end, "****") {
            return self.masked(from);
        }
        if let Some(to) = self.email(from) {
            return self.cut(from, to);
        }
        if let Some(to) = self.shape(from, end) {
            return self.cut(from, to);
        }
        let before = std::mem::replace(&mut self.before, (from, end));
        let before = if self.slice(before.1, from).bytes().all(|b| b == b' ') {
            self.slice(before.0, before.1)
        } else {
            ""
        };
        let found = self.credentials(from, end).or_else(|| self.named(before, from, end));
        match found {
            Some((from, to)) => self.cut(from, to),
            None => self.at = end,
        }
    }

    fn email(&mut self, from: usize) -> Option<usize> {
        if from < self.local_end {
            return None;
        }
        self.local_end = self.run_of(from, |c| matches!(c, '_' | '-' | '.' | '+' | '\''));
        let domain = match self.byte(self.local_end) {
            b'@' => self.local_end + 1,
            b'%' if self.starts(self.local_end, "%40") => self.local_end + 3,
            _ => return None,
        };
        let to = self.run_of(domain, |c| matches!(c, '.' | '-'));
        let host = self.slice(domain, to).trim_end_matches(['.', '-']);
        let top = host.rsplit_once('.')?.1;
        (top.len() >= 2 && top.chars().all(char::is_alphabetic)).then_some(domain + host.len())
    }

    /// Letters of the Latin script, digits, and the given marks: names in mail, but not the Chinese sentence around them.
    fn run_of(&self, from: usize, mark: impl Fn(char) -> bool) -> usize {
        let rest = self.slice(from, self.text.len());
        let belongs = |c: char| c.is_ascii_alphanumeric() || mark(c) || ('\u{c0}'..='\u{24f}').contains(&c);
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        #[cfg(test)]
        tests::LOOKED.with(|looked| looked.set(looked.get() + length + 1));
        from + length
    }

    fn shape(&mut self, from: usize, end: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(from..)?;
        if let Some(length) = shapes::key(rest) {
            return Some(from + length);
        }
        if from >= self.blob_end {
            self.blob_end = self.run(from, |b| shapes::is_word(b) || matches!(b, b'+' | b'/'));
            if shapes::is_base64(self.slice(from, self.blob_end)) {
                return Some(self.run(self.blob_end, |b| b == b'='));
            }
        }
        let word = self.slice(from, end);
        let behind = self.slice(self.before.0, self.before.1);
        if shapes::is_random(word) && !names::is_public_id(behind) {
            return Some(self.run(end, |b| b == b'='));
        }
        shapes::is_account(self.byte(from.wrapping_sub(1)), word, self.byte(end)).then_some(end)
    }

    /// `Bearer …`, `Basic …` (RFC 6750, RFC 7617), where what follows is not just the next word of a sentence.
    fn credentials(&self, from: usize, end: usize) -> Option<(usize, usize)> {
        let scheme = self.slice(from, end);
        if !names::is_scheme(scheme) {
            return None;
        }
        let value = if self.starts(end, "%20") { end + 3 } else { self.run(end, |b| b == b' ') };
        let to = self.run(value, shapes::is_token);
        let found = self.slice(value, to).trim_end_matches('.');
        let secret = if scheme.eq_ignore_ascii_case("bearer") {
            found.len() >= 3 && !names::goes_on_after_bearer(found)
        } else {
            shapes::looks_secret(found)
        };
        (value > end && secret).then_some((value, value + found.len()))
    }

    /// `api_key=…`, `"x-api-key": "…"`, `Cookie: …`, `projects/…`, `your organization (…)`.
    fn named(&self, before: &str, from: usize, end: usize) -> Option<(usize, usize)> {
        let word = self.slice(from, end);
        if self.byte(end) == b'/' {
            let to = self.run(end + 1, |b| shapes::is_word(b) || matches!(b, b'.' | b':'));
            return (names::is_tenant_folder(word) && to > end + 1).then_some((end + 1, to));
        }
        if names::is_tenant(word) {
            let id = self.run(end, |b| matches!(b, b' ' | b'(' | b'\'' | b'"' | b'`' | b'=' | b':' | b'#'));
            let to = self.run(id, shapes::is_word);
            return (id > end && id <= end + 3 && shapes::is_tenant_id(self.slice(id, to)))
                .then_some((id, to));
        }
        let weight = names::weigh(before, word)?;
        let (value, quote, prose) = self.separator(end)?;
        // `api_key: x` is no sentence, "API key: x" may be one.
        let prose =
            prose && !word.contains(['-', '_']) && !word.bytes().skip(1).any(|b| b.is_ascii_uppercase());
        let to = self.value_end(value, quote, weight);
        let found = self.slice(value, to);
        if found.is_empty() || found == MARK || names::is_harmless(found) {
            return None;
        }
        let in_query = matches!(self.byte(from.wrapping_sub(1)), b'?' | b'&') && self.byte(end) == b'=';
        let glued = self.byte(end) == b'=' && value == end + 1;
        let secret = match weight {
            Weight::Header => true,
            Weight::Strong => !prose && !names::is_prose(found) || shapes::looks_secret(found),
            Weight::Password => !names::is_prose(found),
            Weight::Token => glued || found.len() >= 8 && shapes::looks_secret(found),
            Weight::Weak => in_query || found.len() >= 8 && shapes::looks_secret(found),
        };
        secret.then_some((value, to))
    }

    /// Behind a name: where its value begins, what quotes it, and whether this may be a sentence ("API key: missing").
    fn separator(&self, end: usize) -> Option<(usize, Quote, bool)> {
        let mut at = end;
        for filler in [" provided", " is", " was", " value", " header"] {
            if self.starts(at, filler) {
                at += filler.len();
                break;
            }
        }
        let filled = at > end;
        at = self.skip_quote(at).0;
        at = self.run(at, |b| b == b' ');
        let sign = self.byte(at);
        at = match sign {
            b':' | b'=' => self.run(at, |b| matches!(b, b':' | b'=' | b'>')),
            b'%' if self.starts(at, "%3D")
                || self.starts(at, "%3d")
                || self.starts(at, "%3A")
                || self.starts(at, "%3a") =>
            {
                at + 3
            }
            b',' if at > end && self.byte(end) != b' ' => at + 1, // ["x-api-key", "…"], as headers are printed in pairs
            _ if filled => at,
            _ => return None,
        };
        let spaced = self.run(at, |b| b == b' ');
        let bracket =
            if self.byte(spaced) == b'[' && !self.starts(spaced, MARK) { spaced + 1 } else { spaced };
        let bracket = self.run(bracket, |b| b == b' ');
        let (value, quote) = self.skip_quote(bracket);
        Some((value, quote, quote == Quote::None && (sign != b'=' && spaced > at || filled)))
    }

    fn skip_quote(&self, at: usize) -> (usize, Quote) {
        match (self.byte(at), self.byte(at + 1)) {
            (b'\\', b'"') => (at + 2, Quote::Escaped),
            (quote @ (b'"' | b'\'' | b'`'), _) => (at + 1, Quote::Plain(quote)),
            (b'%', b'2') if self.byte(at + 2) == b'2' => (at + 3, Quote::None),
            _ => (at, Quote::None),
        }
    }

    fn value_end(&self, from: usize, quote: Quote, weight: Weight) -> usize {
        match quote {
            Quote::Plain(mark) => {
                let mut at = from;
                while at < self.text.len() && self.byte(at) != mark {
                    at += if self.byte(at) == b'\\' { 2 } else { 1 };
                }
                at.min(self.text.len())
            }
            Quote::Escaped => {
                let rest = self.slice(from, self.text.len());
                from + rest.find("\\\"").unwrap_or(rest.len())
            }
            Quote::None if weight == Weight::Header => self.header_end(from),
            Quote::None => self.plain_end(from),
        }
    }

    /// An unquoted header: `Bearer x`, or `a=1; b=2` up to where no `;` goes on.
    fn header_end(&self, from: usize) -> usize {
        let mut end = self.plain_end(from);
        if names::is_scheme(self.slice(from, end)) {
            let next = self.run(end, |b| b == b' ');
            return self.plain_end(next);
        }
        while self.byte(end) == b';' {
            let next = self.run(end + 1, |b| b == b' ');
            end = self.plain_end(next);
        }
        end
    }

    /// The end of a value without quotes; a sentence's last dot is not the value's.
    fn plain_end(&self, from: usize) -> usize {
        let end = self.run(from, shapes::is_value);
        from + self.slice(from, end).trim_end_matches(['.', '!', '?', ':']).len()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Plain(u8),
    Escaped,
}
