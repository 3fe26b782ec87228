//! Takes secrets out of text that is about to be shown, logged or sent on.
//!
//! One pass from left to right, without regular expressions, linear in the text's length. Three things reveal a secret:
//! its own shape ([`formats`] of vendors, [`shapes`] of random strings), the name before it ([`names`], [`vendors`]),
//! or its position (after `Bearer`, before the `@` of a URL). This is the second line of defence. The first is to read
//! only fields that are known to be harmless. `core/tests/redaction` measures the missed secrets and the texts removed
//! in error.

mod bytes;
mod formats;
mod names;
mod shapes;
#[cfg(test)]
mod tests;
mod vendors;

use crate::text::{contains, find};
use bytes::{Bytes, SPACE, TOKEN, URL, VALUE, WORD};
use names::Weight;
pub use shapes::MARK;

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
    let mut clean = text.to_owned();
    // Cutting a secret out can change the meaning of the rest: a value ends earlier, and so does an address. Each
    // further pass finds less, and almost every text needs one pass that cuts and one that finds nothing new.
    for _ in 0..MOST_PASSES {
        match pass(&clean) {
            Some(cleaner) if cleaner != clean => clean = cleaner,
            _ => break,
        }
    }
    clean
}

/// The most passes, so that a hostile text cannot take unbounded time.
const MOST_PASSES: usize = 8;

/// Returns the text without the secrets that one pass finds; `None` if it finds none.
fn pass(text: &str) -> Option<String> {
    let mut scanner = Scanner {
        text,
        out: String::new(),
        copied: 0,
        at: 0,
        local_end: 0,
        blob_end: 0,
        before: (0, 0),
        url_end: 0,
        value_end: 0,
        vendor_end: 0,
        public_end: 0,
        due: None,
        seen: Seen::default(),
    };
    while scanner.at < text.len() || scanner.due.is_some() {
        scanner.step();
    }
    scanner.finish()
}

/// Returns `true` if a field of that name holds a secret, whatever the value: `apiKey`, `Authorization`, `set-cookie`,
/// `db_password`.
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

/// Returns `true` if the text begins like a vendor's key.
pub(crate) fn is_key(text: &str) -> bool {
    formats::key(text.as_bytes()).is_some()
}

struct Scanner<'a> {
    text: &'a str,
    out: String,
    /// Up to here the text is in `out`.
    copied: usize,
    at: usize,
    /// The text up to here was examined as an e-mail's local part. Examining each of its words again would be
    /// quadratic.
    local_end: usize,
    /// The same for base64.
    blob_end: usize,
    /// The position of the previous word.
    before: (usize, usize),
    /// The text up to here was examined as a password within a URL, and had no `@`.
    url_end: usize,
    /// The text up to here was examined as a value, and was no secret.
    value_end: usize,
    /// The same behind a vendor's name.
    vendor_end: usize,
    /// Up to here the text is an id with a public name.
    public_end: usize,
    /// A secret further on that the words before it reveal. It is cut when the scanner reaches it, because the text in
    /// between may be a secret too.
    due: Option<(usize, usize)>,
    seen: Seen,
}

/// Words that give later ones a meaning. They are only read outside of secrets, so that a second pass sees the same
/// words.
#[derive(Default)]
struct Seen {
    /// `curl`, whose `-u` has a password.
    curl: bool,
    /// `machine` and `login` of a netrc file, which put nothing but a space before the password.
    machine: bool,
    login: bool,
    /// `kind: Secret` of Kubernetes; `None` until the rest of the text was searched for it.
    manifest: Option<bool>,
    /// The scanner is within the `data` of a secret's manifest.
    data: bool,
}

/// The characters of a PEM block's label.
const LABEL: Bytes = Bytes::of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ");

/// URLs whose path is a secret.
const HOOKS: &[&str] = &[
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "hooks.slack.com/triggers/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "webhook.office.com/webhookb2/",
    "hooks.zapier.com/hooks/catch/",
];

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

    /// Returns the end of the run of bytes that belong to the set.
    fn run(&self, from: usize, set: &Bytes) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        let length = rest.iter().position(|&b| !set.has(b)).unwrap_or(rest.len());
        #[cfg(test)]
        tests::LOOKED.with(|looked| looked.set(looked.get() + length + 1));
        from + length
    }

    /// Replaces `from..to`, and any due secret in it. Both are at ASCII characters or at the text's end.
    fn cut(&mut self, mut from: usize, mut to: usize) {
        if let Some((begin, end)) = self.due.take_if(|due| due.0 <= to) {
            (from, to) = (from.min(begin), to.max(end));
        }
        let from = from.max(self.copied);
        let kept = self.slice(self.copied, from);
        self.out.push_str(kept);
        self.out.push_str(MARK);
        self.copied = to;
        self.at = to;
    }

    fn finish(mut self) -> Option<String> {
        if self.copied == 0 {
            return None;
        }
        let kept = self.slice(self.copied, self.text.len());
        self.out.push_str(kept);
        Some(self.out)
    }

    fn step(&mut self) {
        if let Some((from, to)) = self.due
            && self.at >= from
        {
            return self.cut(from, to);
        }
        match self.byte(self.at) {
            b'[' if self.starts(self.at, MARK) => self.at += MARK.len(),
            // An escape of JSON or of a URL is a separator, whatever letter it contains.
            b'\\' => self.at = self.escape_end(self.at),
            b'%' if self.is_percent_escape(self.at) => self.at += 3,
            b':' if self.starts(self.at, "://") => self.authority(),
            b'-' if self.starts(self.at, "-----BEGIN ") => self.pem(),
            b'-' if !shapes::is_word(self.byte(self.at.wrapping_sub(1))) => self.option(),
            // The end of a block in YAML or JSON.
            b'\n' | b'}' if self.seen.data => {
                self.at += 1;
                self.seen.data = self.byte(self.at) == b' ' && self.byte(self.at - 1) == b'\n';
            }
            b if b.is_ascii_alphanumeric() => self.word(),
            b'*' if self.starts(self.at, "****") => self.masked(self.at),
            _ => self.at += 1,
        }
    }

    /// Returns the end of `\n`, `\"`, `\u0026`, and of their forms in JSON within JSON.
    fn escape_end(&self, at: usize) -> usize {
        let end = self.run(at, const { &Bytes::of("\\") });
        match self.byte(end) {
            b'u' if self.slice(end + 1, end + 5).bytes().filter(u8::is_ascii_hexdigit).count() == 4 => {
                end + 5
            }
            b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'u' => end + 1,
            _ => end,
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
        let end = self.run(from, const { &URL.but("/?#") });
        let at_sign = self.slice(from, end).rfind('@').map(|offset| from + offset);
        match at_sign.or_else(|| self.raw_password(from, end)) {
            Some(to) if to > from && self.slice(from, to) != MARK => self.cut(from, to),
            _ => self.at = from,
        }
    }

    /// Matches `user:pa/ss?w#rd@host`, which is no URL: drivers print it when they refuse it. Returns the position of
    /// the `@`.
    fn raw_password(&mut self, from: usize, end: usize) -> Option<usize> {
        let (user, begin) = self.slice(from, end).split_once(':')?;
        let is_port = begin.len() >= 2 && begin.bytes().all(|b| b.is_ascii_digit());
        if !matches!(self.byte(end), b'/' | b'?' | b'#')
            || user.starts_with('[')
            || is_port
            || from < self.url_end
        {
            return None;
        }
        let all = self.run(from, &URL);
        let to = self.slice(from, all).rfind('@').map(|offset| from + offset);
        if to.is_none() {
            self.url_end = all;
        }
        to
    }

    /// A private key in PEM (RFC 7468), up to its last line or the text's end.
    fn pem(&mut self) {
        let from = self.at;
        let label_end = self.run(from + 11, &LABEL);
        let label = self.slice(from, label_end);
        if !label.ends_with("PRIVATE KEY") && !label.ends_with("PRIVATE KEY BLOCK") {
            self.at = label_end;
            return;
        }
        let rest = self.slice(label_end, self.text.len());
        let to = find(rest, "-----END ").map_or(self.text.len(), |offset| {
            let label = self.run(label_end + offset + 9, &LABEL);
            self.run(label, const { &Bytes::of("-") })
        });
        self.cut(from, to);
    }

    /// Cuts `sk-pr******7890`, as providers echo keys: the first and last characters are still parts of a key.
    fn masked(&mut self, from: usize) {
        let to = self.run(from, const { &WORD.and("*") });
        if self.slice(from, to).bytes().any(|b| b.is_ascii_alphanumeric()) {
            self.cut(from, to);
        } else {
            self.at = to;
        }
    }

    /// `--api-key x`, `curl -u user:password`: an option and its value, with a space between.
    fn option(&mut self) {
        let from = self.run(self.at, const { &Bytes::of("-") });
        let dashes = from - self.at;
        self.at = from;
        let end = self.run(from, &WORD);
        let name = self.slice(from, end);
        let value = self.run(end, const { &Bytes::of(" =") });
        if dashes > 2 || name.is_empty() || value == end || from < self.value_end {
            return;
        }
        let (value, quote) = self.skip_quote(value);
        let (to, is_secret) = if self.seen.curl && matches!(name, "u" | "U" | "user" | "proxy-user") {
            let to = match quote {
                Quote::None => self.run(value, const { &URL.but("|") }),
                _ => self.end_of_value(value, quote, Weight::Password),
            };
            (to, self.slice(value, to).contains(':'))
        } else if dashes == 2 {
            let Some(weight) = names::weigh("", name) else { return };
            let to = self.end_of_value(value, quote, weight);
            let found = self.slice(value, to);
            let is_value = !found.starts_with('-') && !names::is_prose(found) && !names::is_harmless(found);
            let is_opaque = || shapes::is_opaque(found) && (quote != Quote::None || !self.is_cut_short(to));
            (to, is_value && (weight != Weight::Weak || is_opaque()))
        } else {
            return;
        };
        if is_secret && to > value && self.slice(value, to) != MARK {
            self.due = Some((value, to));
        } else {
            self.value_end = to;
        }
    }

    fn word(&mut self) {
        let from = self.at;
        let end = self.run(from, &WORD);
        if self.starts(end, "****") {
            return self.masked(from);
        }
        if let Some(to) = self.email(from) {
            return self.cut(from, to);
        }
        if let Some((from, to)) = self.shape(from, end) {
            return self.cut(from, to);
        }
        let before = std::mem::replace(&mut self.before, (from, end));
        let before = if self.slice(before.1, from).bytes().all(|b| b == b' ') {
            self.slice(before.0, before.1)
        } else {
            ""
        };
        self.notice(end, from);
        let found = self
            .credentials(from, end)
            .or_else(|| self.named(before, from, end))
            .or_else(|| self.in_place(from, end));
        match found {
            Some((from, to)) => self.cut(from, to),
            None => {
                self.due = self.due.or_else(|| self.of_vendor(from, end));
                self.at = end;
            }
        }
    }

    fn email(&mut self, from: usize) -> Option<usize> {
        if from < self.local_end {
            return None;
        }
        // `git@github.com:owner/name` is the location of a repository, and no e-mail address.
        if self.starts(from, "git@") {
            return None;
        }
        self.local_end = self.run_of(from, |c| matches!(c, '_' | '-' | '.' | '+' | '\''));
        let domain = match self.byte(self.local_end) {
            b'@' => self.local_end + 1,
            b'%' if self.starts(self.local_end, "%40") => self.local_end + 3,
            _ => return None,
        };
        let to = self.run_of(domain, |c| matches!(c, '.' | '-'));
        // Up to the last label that can be a top-level domain. Any text may follow it.
        let mut host = self.slice(domain, to);
        // If an earlier pass removed the rest of a label, the label is incomplete.
        if self.starts(to, MARK) && !host.is_empty() && !host.ends_with(|c: char| c.is_ascii()) {
            host = host.rsplit_once('.').map_or("", |(rest, _)| rest);
        }
        while let Some((rest, top)) = host.rsplit_once('.') {
            let top = top.trim_end_matches('-');
            if top.len() >= 2 && top.chars().all(is_latin_letter) {
                return Some(domain + rest.len() + 1 + top.len());
            }
            host = rest;
        }
        None
    }

    /// Returns the end of a run of letters of the Latin script, digits, and the given marks: names in mail, but not the
    /// Chinese sentence around them.
    fn run_of(&self, from: usize, mark: impl Fn(char) -> bool) -> usize {
        let rest = self.slice(from, self.text.len());
        let belongs = |c: char| c.is_ascii_digit() || mark(c) || is_latin_letter(c) || matches!(c, '×' | '÷');
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        #[cfg(test)]
        tests::LOOKED.with(|looked| looked.set(looked.get() + length + 1));
        from + length
    }

    /// Returns a secret by its own shape: its start and end.
    fn shape(&mut self, from: usize, end: usize) -> Option<(usize, usize)> {
        let text = self.text.as_bytes();
        let rest = text.get(from..)?;
        if let Some(length) = formats::key(rest) {
            return Some((from, from + length));
        }
        if let Some(found) = shapes::in_parts(text, from, end) {
            return Some(found);
        }
        let word = self.slice(from, end);
        let behind = self.slice(self.before.0, self.before.1);
        if from >= self.blob_end {
            self.blob_end = self.run(from, const { &WORD.and("+/") });
            if names::is_public_id(behind) || shapes::is_public(self.slice(from, self.blob_end)) {
                self.public_end = self.blob_end;
            }
            let is_rest = self.slice(0, from).trim_end_matches(['/', '+']).ends_with(MARK)
                || self.starts(self.blob_end, MARK);
            if from >= self.public_end && !is_rest && shapes::is_base64(self.slice(from, self.blob_end)) {
                return Some((from, self.run(self.blob_end, const { &Bytes::of("=") })));
            }
        }
        let is_public = from < self.public_end;
        let of_secret = || names::weigh("", behind).is_some() || vendors::is_named(behind);
        if shapes::is_random(word) && !is_public && (!shapes::is_commit(word) || of_secret()) {
            return Some((from, self.run(end, const { &Bytes::of("=") })));
        }
        shapes::is_account(self.byte(from.wrapping_sub(1)), word, self.byte(end)).then_some((from, end))
    }

    /// Matches `Bearer …`, `Basic …` (RFC 6750, RFC 7617), unless the next word just continues a sentence.
    fn credentials(&self, from: usize, end: usize) -> Option<(usize, usize)> {
        let scheme = self.slice(from, end);
        if !names::is_scheme(scheme) {
            return None;
        }
        let value = if self.starts(end, "%20") { end + 3 } else { self.run(end, const { &Bytes::of(" ") }) };
        if value == end {
            return None;
        }
        let to = self.run(value, &TOKEN);
        let found = self.slice(value, to).trim_end_matches('.');
        let secret = match scheme.to_ascii_lowercase().as_str() {
            "bearer" => found.len() >= 3 && !names::goes_on_after_bearer(found),
            "basic" => shapes::looks_secret(found),
            // Opsgenie's keys are UUIDs.
            "geniekey" => shapes::is_uuid(found),
            // `digest sha256:…` names content; a header's digest is found by the header's name.
            "digest" => false,
            _ => shapes::is_opaque(found),
        };
        secret.then_some((value, value + found.len()))
    }

    /// `api_key=…`, `"x-api-key": "…"`, `Cookie: …`, `projects/…`, `your organization (…)`.
    fn named(&mut self, before: &str, from: usize, end: usize) -> Option<(usize, usize)> {
        let word = self.slice(from, end);
        if self.byte(end) == b'/' {
            let to = self.run(end + 1, const { &WORD.and(".:") });
            return (names::is_tenant_folder(word) && to > end + 1).then_some((end + 1, to));
        }
        if names::is_tenant(word) {
            let id = self.run(end, const { &Bytes::of(" ('\"`=:#") });
            let to = self.run(id, &WORD);
            return (id > end && id <= end + 3 && shapes::is_tenant_id(self.slice(id, to)))
                .then_some((id, to));
        }
        let mut weight = names::weigh(before, word).or_else(|| names::weigh_loosely(word))?;
        // `_auth=…` of an .npmrc: user and password in base64.
        if word == "auth" && self.byte(from.wrapping_sub(1)) == b'_' && self.byte(end) == b'=' {
            weight = Weight::Strong;
        }
        let is_weak = matches!(weight, Weight::Weak | Weight::Query | Weight::Part);
        if is_weak && from < self.value_end {
            return None;
        }
        let (mut value, mut quote, mut prose) = self.element(from, end).or_else(|| self.separator(end))?;
        // "Invalid credentials: password: …": a word before a separator is a name itself, and its value the secret.
        let inner = self.run(value, &WORD);
        if quote == Quote::None
            && inner > value
            && self.byte(inner) == b':'
            && let Some(behind) = self.separator(inner)
            && (behind.0 > inner + 1)
        {
            (value, quote, prose) = behind;
        }
        // `api_key: x` is no sentence, "API key: x" may be one.
        let prose =
            prose && !word.contains(['-', '_']) && !word.bytes().skip(1).any(|b| b.is_ascii_uppercase());
        let mut to = self.end_of_value(value, quote, weight);
        if quote == Quote::None {
            // Tokens of several parts have signs between them that end other values.
            let word = self.run(value, &WORD);
            to = shapes::in_parts(self.text.as_bytes(), value, word).map_or(to, |(_, end)| to.max(end));
        }
        let found = self.slice(value, to);
        if found.is_empty() || found == MARK || names::is_harmless(found) {
            return None;
        }
        if (is_weak || prose) && quote == Quote::None && self.is_cut_short(to) {
            return None;
        }
        let in_query = matches!(self.byte(from.wrapping_sub(1)), b'?' | b'&') && self.byte(end) == b'=';
        let glued = self.byte(end) == b'=' && value == end + 1;
        let one_word = |least: usize| {
            found.len() >= least
                && !found.contains(char::is_whitespace)
                && (shapes::is_gibberish(found) || !names::reads_as_prose(found))
        };
        let secret = match weight {
            Weight::Header => true,
            Weight::Strong if prose => {
                shapes::looks_secret(found)
                    || !names::is_prose(found)
                        && (shapes::is_gibberish(found)
                            || one_word(14)
                            || one_word(8) && self.ends_sentence(to))
            }
            Weight::Strong => !names::is_prose(found) || shapes::looks_secret(found),
            Weight::Password => !names::is_prose(found),
            Weight::Token => {
                let in_json = matches!(self.byte(end), b'"' | b'\\') && quote != Quote::None;
                glued || found.len() >= 8 && shapes::looks_secret(found) || in_json && one_word(12)
            }
            Weight::Weak => in_query || shapes::is_opaque(found),
            Weight::Query => {
                in_query
                    && found.len() >= 10
                    && found.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
                    && !found.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
            }
            Weight::Part => shapes::is_opaque(found) && !names::is_public_id(word),
            Weight::Harmless => false,
        };
        if is_weak && !secret {
            self.value_end = to;
        }
        secret.then_some((value, to))
    }

    /// Returns `true` if an earlier pass removed the text after a value, so the value is no longer complete.
    fn is_cut_short(&self, end: usize) -> bool {
        let behind = self.run(end, const { &Bytes::of(".!?:") });
        self.starts(behind, MARK)
    }

    /// Returns `true` if only punctuation follows, so that the word is not inside a sentence.
    fn ends_sentence(&self, at: usize) -> bool {
        let next = self.run(at, const { &Bytes::of(".!") });
        matches!(self.byte(next), 0 | b'\n' | b'\r' | b'"' | b'\'' | b'`' | b',' | b';' | b'\\' | b')' | b'}')
            || next > at && self.byte(next) == b' '
    }

    /// `<password>x</password>`: where the value begins.
    fn element(&self, from: usize, end: usize) -> Option<(usize, Quote, bool)> {
        let opens = matches!(self.byte(from.wrapping_sub(1)), b'<' | b':');
        (opens && self.byte(end) == b'>').then_some((end + 1, Quote::Element, false))
    }

    /// Matches `discord client id: 0123…`: a secret that only a vendor's name and a length reveal.
    fn of_vendor(&mut self, from: usize, end: usize) -> Option<(usize, usize)> {
        if from < self.vendor_end || !vendors::is_named(self.slice(from, end)) {
            return None;
        }
        let rest = self.text.as_bytes().get(end..)?;
        let words = rest
            .iter()
            .take(MOST_BETWEEN)
            .take_while(|&&b| shapes::is_word(b) || matches!(b, b' ' | b'\t' | b'.'))
            .count();
        let name = self.slice(from, end + words).trim_end();
        let last = name.rsplit(' ').next().unwrap_or_default();
        let is_client = ["client", "access", "api", "key"].iter().any(|word| names::mentions(name, word));
        if names::is_public_id(last) && !is_client {
            return None;
        }
        const FILLER: Bytes = Bytes::of(" \t\"'`\\");
        let sign = self.run(end + words, &FILLER);
        let behind = self.run(sign, const { &Bytes::of(":=>|?,") });
        if behind == sign || behind > sign + 3 {
            return None;
        }
        let value = self.run(behind, const { &FILLER.and("=") });
        let to = self.run(value, const { &TOKEN.and(":%") });
        let found = self.slice(value, to).trim_end_matches(['.', ':']);
        self.vendor_end = to;
        let is_secret = !self.starts(to, MARK) && vendors::is_secret(name, found);
        is_secret.then_some((value, value + found.len()))
    }

    /// Returns a secret that its surroundings reveal: the path of a webhook, a password in a netrc file, data of a
    /// Kubernetes secret.
    fn in_place(&mut self, from: usize, end: usize) -> Option<(usize, usize)> {
        if let Some(hook) = HOOKS.iter().find(|hook| self.starts(from, hook)) {
            let value = from + hook.len();
            let to = self.run(value, const { &TOKEN.and("@") });
            return (to > value).then_some((value, to));
        }
        let word = self.slice(from, end);
        if self.seen.machine && self.seen.login && word == "password" {
            let value = self.run(end, &SPACE);
            let to = self.run(value, const { &SPACE.not() });
            let found = self.slice(value, to);
            return (value > end && value < to && !contains(found, MARK) && !names::is_prose(found))
                .then_some((value, to));
        }
        if self.seen.data && from >= self.value_end && matches!(self.byte(end), b':' | b'"') {
            let (value, quote, _) = self.separator(end)?;
            let to = self.end_of_value(value, quote, Weight::Password);
            let found = self.slice(value, to);
            let is_base64 = found.len() >= 8 && found.bytes().all(shapes::is_token);
            self.value_end = to;
            return is_base64.then_some((value, to));
        }
        None
    }

    /// Notes words that give later ones a meaning.
    fn notice(&mut self, end: usize, from: usize) {
        match self.slice(from, end) {
            "curl" => self.seen.curl = true,
            "machine" => self.seen.machine = true,
            "login" => self.seen.login = true,
            "kind" if self.names_manifest(end) => self.seen.manifest = Some(true),
            "data" | "stringData" if matches!(self.byte(end), b':' | b'"') => {
                if self.seen.manifest.is_none() {
                    let rest = self.slice(end, self.text.len());
                    let mut from = 0;
                    let found = std::iter::from_fn(|| {
                        from += find(rest.get(from..)?, "kind")? + 4;
                        Some(end + from)
                    })
                    .any(|behind| self.names_manifest(behind));
                    self.seen.manifest = Some(found);
                }
                self.seen.data = self.seen.manifest == Some(true);
            }
            _ => {}
        }
    }

    /// Returns `true` if `: Secret` follows, in YAML or JSON.
    fn names_manifest(&self, end: usize) -> bool {
        let value = self.run(end, const { &Bytes::of("\"': ") });
        value > end && self.starts(value, "Secret") && !shapes::is_word(self.byte(value + 6))
    }

    /// Returns the part after a name: the start of its value, its quotation, and whether it may be a sentence ("API
    /// key: missing").
    fn separator(&self, end: usize) -> Option<(usize, Quote, bool)> {
        let mut at = end;
        for filler in [" provided", " is", " was", " value", " header"] {
            if self.starts(at, filler) && !shapes::is_word(self.byte(at + filler.len())) {
                at += filler.len();
                break;
            }
        }
        let filled = at > end;
        at = self.skip_quote(at).0;
        // `<add key="Password" value="…"/>`, as .NET writes it.
        if at > end && self.starts(at, " value=") {
            at += 6;
        }
        at = self.run(at, const { &Bytes::of(" ") });
        let sign = self.byte(at);
        at = match sign {
            b':' | b'=' => self.run(at, const { &Bytes::of(":=>") }),
            b'|' if self.byte(at + 1) == b'|' => at + 2, // `process.env.API_KEY || 'x'`
            b'?' if self.byte(at + 1) == b'=' => at + 2, // a Makefile's default
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
        let spaced = self.run(at, const { &Bytes::of(" ") });
        let bracket =
            if self.byte(spaced) == b'[' && !self.starts(spaced, MARK) { spaced + 1 } else { spaced };
        let bracket = self.run(bracket, const { &Bytes::of(" ") });
        let (value, quote) = self.skip_quote(bracket);
        Some((value, quote, quote == Quote::None && (sign != b'=' && spaced > at || filled)))
    }

    fn skip_quote(&self, at: usize) -> (usize, Quote) {
        let escapes = if self.byte(at) == b'\\' { self.run(at, const { &Bytes::of("\\") }) } else { at };
        match (self.byte(at), self.byte(at + 1)) {
            (b'\\', _) if self.byte(escapes) == b'"' => (escapes + 1, Quote::Escaped),
            (b'\\', _) => (at, Quote::None),
            (quote @ (b'"' | b'\'' | b'`'), _) => (at + 1, Quote::Plain(quote)),
            (b'%', b'2') if self.byte(at + 2) == b'2' => (at + 3, Quote::None),
            _ => (at, Quote::None),
        }
    }

    fn end_of_value(&self, from: usize, quote: Quote, weight: Weight) -> usize {
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
                let end = find(rest, "\\\"").unwrap_or(rest.len());
                from + rest.get(..end).unwrap_or(rest).trim_end_matches('\\').len()
            }
            Quote::Element => self.run(from, const { &Bytes::all_but("<") }),
            Quote::None if weight == Weight::Header => self.header_end(from),
            // A scheme, and the credential behind it.
            Quote::None => {
                let end = self.plain_end(from);
                self.credentials(from, end).map_or(end, |(_, to)| to)
            }
        }
    }

    /// An unquoted header: `Bearer x`, any other scheme with its credential, or `a=1; b=2` up to where no `;` goes on.
    fn header_end(&self, from: usize) -> usize {
        let mut end = self.plain_end(from);
        let next = self.run(end, const { &Bytes::of(" ") });
        if names::is_scheme(self.slice(from, end)) {
            return self.plain_end(next);
        }
        // Vendors define their own schemes (RFC 9110 §11.1 allows any token): `DeepL-Auth-Key 0123…`.
        let to = self.plain_end(next);
        let credential = self.slice(next, to);
        let is_last_word =
            || !names::is_prose(credential) && !names::reads_as_prose(credential) && self.ends_sentence(to);
        let is_scheme = next > end && to > next && !names::is_prose(self.slice(from, end));
        if is_scheme && !contains(credential, MARK) && (shapes::looks_secret(credential) || is_last_word()) {
            return to;
        }
        while self.byte(end) == b';' {
            let next = self.run(end + 1, const { &Bytes::of(" ") });
            end = self.plain_end(next);
        }
        end
    }

    /// Returns the end of a value without quotes. A sentence's last dot is not part of the value.
    fn plain_end(&self, from: usize) -> usize {
        let end = self.run(from, &VALUE);
        from + self.slice(from, end).trim_end_matches(['.', '!', '?', ':']).len()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Plain(u8),
    /// `\"`, with one more backslash for each level of JSON in JSON.
    Escaped,
    /// The value of an XML element.
    Element,
}

/// The most characters between a vendor's name and its sign: `discord client id: …`.
const MOST_BETWEEN: usize = 24;

/// A letter of the Latin script, as far as names in mail have them.
fn is_latin_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || ('\u{c0}'..='\u{24f}').contains(&c) && !matches!(c, '×' | '÷')
}
