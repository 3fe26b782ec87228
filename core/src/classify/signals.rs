//! The signals of a thrown value that rules can use: statuses, codes, names, flags and texts.
//!
//! It decides nothing; `rules` does that. [`super::gather`] fills it, and [`super::text`] reads its texts. Texts and
//! names are borrowed from the bounded copies.

use std::cell::OnceCell;

use super::hint;
use super::listed::{Listed, said};
use super::shown::is_plain_token;
use super::text::words::Words;
use super::thrown::{Node, cut};
use super::token::{Origin, Role, Token, bit, hash};
use super::vocabulary::{Entry, is_sender};
use crate::text::find_bytes;
use crate::time::Millis;

/// The most names and codes that are kept of one value. Further ones are ignored, which bounds the work of the rules.
const TOKEN_LIMIT: usize = 40;

/// An observation that a rule can require.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Flag {
    /// It comes from a child process.
    Child,
    /// The child process was killed by its timeout.
    KilledChild,
    /// A lock file is there already.
    LockFile,
    /// A text names a file of JSON, so the unparsable text is that file.
    FileOfSettings,
    /// An awaited thing has failed.
    FailedState,
    /// A system call on a file failed.
    FileCall,
    /// Starting a process failed.
    SpawnCall,
    /// A system call on a socket or a name failed.
    NetCall,
    /// A quota with a limit of nothing.
    LimitZero,
    /// A quota that is counted by the day or longer.
    LongQuota,
    /// A quota that is counted by the hour or shorter.
    ShortQuota,
    /// A body that is HTML where JSON was due.
    Html,
    /// JSON that breaks off.
    CutJson,
    /// A parser found no JSON.
    BadJson,
    /// Validation issues are listed (Zod and its kin).
    Issues,
    /// It is a JSON-RPC error, so its number is no HTTP status.
    Rpc,
    /// It failed because the provider has no model for embedding or drawing.
    OtherModelKind,
    /// A bot wall answered in the provider's place.
    BotWall,
    /// Its class is one that engines throw for a fault in the program itself.
    Program,
    /// The response says when to come back, or that a limit is used up.
    LimitReached,
    /// There was a response, with headers.
    Answered,
    /// No text says anything.
    Silent,
    /// It has the body of a response.
    Body,
}

/// The errors that engines throw for `undefined.x`, `missing()` and `new Array(-1)`:
/// <https://tc39.es/ecma262/#sec-error-objects>.
pub(super) const PROGRAM_ERRORS: [&str; 3] = ["TypeError", "ReferenceError", "RangeError"];

/// The names of one condition, as hashes.
#[derive(Clone, Copy)]
pub(super) struct Names<'a>(pub(super) &'a [[u8; 4]]);

impl Names<'_> {
    /// Returns `true` if the name of that hash is among them.
    pub(super) fn have(self, hash: u32) -> bool {
        self.0.contains(&hash.to_le_bytes())
    }
}

/// The codes and names as words. The separator between two of them is part of no phrase.
fn spelled<'a>(tokens: impl Iterator<Item = &'a Token<'a>>) -> Vec<u8> {
    let mut out = Vec::with_capacity(96);
    for token in tokens {
        let (mut before, mut letters) = (b' ', token.text.bytes().peekable());
        while let Some(letter) = letters.next() {
            let ends_acronym = (before.is_ascii_uppercase() || before.is_ascii_digit())
                && letters.peek().is_some_and(u8::is_ascii_lowercase);
            if letter.is_ascii_uppercase() && (before.is_ascii_lowercase() || ends_acronym) {
                out.push(b' ');
            }
            out.push(if letter.is_ascii_alphanumeric() { letter } else { b' ' });
            before = letter;
        }
        out.extend_from_slice(" ¦ ".as_bytes());
    }
    out
}

/// The signals of a thrown value.
#[derive(Debug, Default)]
pub struct Signals<'a> {
    /// The status of the response that carried the error.
    pub(crate) http_status: Option<u16>,
    /// The status that decides; `settle` chooses it.
    #[doc(hidden)]
    pub status: Option<u16>,
    pub(super) body_status: Option<u16>,
    pub(super) text_status: Option<u16>,
    pub(super) inner_status: Option<u16>,
    pub(super) success_status: Option<u16>,
    #[doc(hidden)]
    pub rpc: Option<i32>,
    pub(super) tokens: Vec<Token<'a>>,
    token_bits: u64,
    flags: u32,
    pub(super) texts: Vec<&'a str>,
    /// A bit for each text that is a whole message, with nothing cut off behind it.
    pub(super) whole_texts: u16,
    words: OnceCell<Vec<Words>>,
    spelled: OnceCell<Words>,
    pub(super) listed: Listed<'a>,
    pub(super) listed_outcome: OnceCell<Option<u8>>,
    pub(super) said: OnceCell<Option<Entry>>,
    pub(super) hinted_outcome: OnceCell<Option<u8>>,
    pub(crate) headers: Option<Node<'a>>,
    pub(super) stated_hint: Option<Millis>,
    pub(super) retry_info: Option<Millis>,
    #[doc(hidden)]
    pub should_retry: Option<bool>,
    /// The library's own statement on retrying, of the innermost cause.
    pub(crate) library_retry: Option<bool>,
    pub(crate) request_id: Option<&'a str>,
    /// The wrong part of the request, as a path in it.
    pub(super) param: Option<&'a str>,
    /// A database's SQLSTATE.
    pub(super) sql_state: Option<&'a str>,
    /// A vendor's own number, which is no HTTP status.
    pub(super) vendor_number: Option<u32>,
    pub(crate) model: Option<&'a str>,
    pub(crate) provider: Option<&'static str>,
    #[doc(hidden)]
    pub causes: u8,
    /// Only prose supports a retry, and no message is known word for word, so there is no retry.
    pub(crate) words_alone: bool,
}

impl<'a> Signals<'a> {
    /// Returns empty signals, with room for the contents of a usual error.
    pub(super) fn empty() -> Self {
        Self { tokens: Vec::with_capacity(16), texts: Vec::with_capacity(4), ..Self::default() }
    }

    /// Keeps a name or code of a field, once. A value with spaces is a sentence, even in a field for codes.
    pub(super) fn add_token(&mut self, text: &'a str, role: Role) {
        let is_prose = text.bytes().any(|byte| byte.is_ascii_whitespace());
        self.keep(text, role, if is_prose { Origin::Prose } else { Origin::Field });
    }

    /// Keeps a code that a message states.
    pub(super) fn add_stated(&mut self, text: &'a str, origin: Origin) {
        self.keep(text, Role::Code, origin);
    }

    fn keep(&mut self, text: &'a str, role: Role, origin: Origin) {
        let hash = hash(text);
        if text.is_empty() || text.len() > 96 || matches!(text, "error" | "None" | "null") {
            return;
        }
        if let Some(known) = self.tokens.iter_mut().find(|token| token.hash == hash && token.role == role) {
            if origin < known.origin {
                known.origin = origin;
                self.listed.token(*known);
            }
            return;
        }
        if self.tokens.len() >= TOKEN_LIMIT {
            return;
        }
        self.token_bits |= bit(hash);
        let token = Token { hash, text, role, origin };
        self.listed.token(token);
        self.tokens.push(token);
    }

    /// Notes that it was observed.
    pub(super) fn flag(&mut self, flag: Flag) {
        self.flags |= 1 << flag as u8;
    }

    /// Returns `true` if that was observed.
    pub(crate) fn has(&self, flag: Flag) -> bool {
        self.flags & (1 << flag as u8) != 0
    }

    /// Returns `true` if the flag of that number was observed.
    pub(super) const fn has_bit(&self, flag: u8) -> bool {
        self.flags >> flag & 1 != 0
    }

    /// Returns `true` if any of the names occurs.
    pub(super) fn any_token(&self, names: Names<'_>, role: Option<Role>) -> bool {
        self.tokens.iter().any(|token| role.is_none_or(|role| role == token.role) && names.have(token.hash))
    }

    /// Returns `true` if a field, or a message that consists of nothing else, has any of the names. The classes that
    /// programs throw by themselves reveal nothing about a library.
    pub(super) fn has_field(&self, names: Names<'_>, role: Option<Role>) -> bool {
        self.tokens.iter().any(|token| {
            token.origin < Origin::Prose
                && role.is_none_or(|role| role == token.role)
                && names.have(token.hash)
                && !PROGRAM_ERRORS.contains(&token.text)
        })
    }

    /// Returns `true` if any name or code comes from a field, or is a whole message.
    pub(super) fn has_fields(&self) -> bool {
        self.tokens.iter().any(|token| token.origin < Origin::Prose)
    }

    /// Returns `true` if there is a status, a number of JSON-RPC, a wait, a name or number that a list has, a class
    /// that a known client throws, a failed system call, or a child process that failed.
    pub(super) fn has_numbers(&self) -> bool {
        let calls = [Flag::NetCall, Flag::FileCall, Flag::SpawnCall, Flag::Child];
        self.status.is_some()
            || self.rpc.is_some()
            || self.stated_hint.is_some()
            || self.retry_info.is_some()
            || self.listed.is_structure
            || self.tokens.iter().any(|token| token.origin == Origin::Field && is_sender(token.hash))
            || calls.iter().any(|call| self.has(*call))
    }

    /// Returns `true` if the flag of that number describes the shape of the value, and not its texts.
    pub(super) fn is_shape(&self, flag: u8) -> bool {
        let worded = [Flag::LockFile, Flag::FileOfSettings, Flag::Html, Flag::Program, Flag::Silent];
        // A parser's complaint comes from the engine if it has the engine's class.
        let complaint = [Flag::CutJson, Flag::BadJson];
        let is = |flags: &[Flag]| flags.iter().any(|one| *one as u8 == flag);
        !is(&worded) && (!is(&complaint) || self.tokens.iter().any(|token| token.text == "SyntaxError"))
    }

    /// Returns `false` if no name or code can be in the set of these bits; `true` may be wrong.
    pub(super) const fn may_have_token(&self, bits: u64) -> bool {
        self.token_bits & bits != 0
    }

    /// Returns the meaning of the names and numbers. An unspecific one gives way to a sentence.
    pub(super) fn listed_outcome(&self) -> Option<u8> {
        *self.listed_outcome.get_or_init(|| {
            let entry = self.listed.entry()?;
            if entry.is_weak() {
                return Some(self.said_outcome().or_else(|| self.code_outcome()).unwrap_or(entry.outcome()));
            }
            Some(entry.outcome())
        })
    }

    /// Returns the outcome of the codes, spelled as words.
    fn code_outcome(&self) -> Option<u8> {
        let codes = spelled(self.tokens.iter().filter(|token| token.role == Role::Code));
        said(Words::of(&codes).words(), false).filter(|entry| !entry.is_weak()).map(Entry::outcome)
    }

    /// Returns the outcome of the whole sentences in the texts.
    pub(super) fn said_outcome(&self) -> Option<u8> {
        self.said().filter(|entry| !entry.is_weak()).map(Entry::outcome)
    }

    /// Returns the outcome that the codes and names, spelled as words, or else the texts hint at.
    pub(super) fn hinted_outcome(&self) -> Option<u8> {
        *self
            .hinted_outcome
            .get_or_init(|| said(self.spelled().words(), false).or_else(|| self.said()).map(Entry::outcome))
    }

    fn said(&self) -> Option<Entry> {
        *self.said.get_or_init(|| {
            let is_plain = !self.has_fields() && !self.has_numbers();
            self.words().iter().filter_map(|text| said(text.words(), is_plain)).min()
        })
    }

    /// Returns the name that matched a list, if it may be shown.
    pub(super) fn listed_name(&self) -> Option<&'a str> {
        Some(self.listed.name()).filter(|text| is_plain_token(text))
    }

    /// Returns the texts' words, normalised on first use.
    pub(super) fn words(&self) -> &[Words] {
        self.words.get_or_init(|| self.texts.iter().map(|text| Words::of(text.as_bytes())).collect())
    }

    /// Returns `true` if a code or name, spelled as words, has the phrase: `QueueDoesNotExist`, `queue_does_not_exist`
    /// and `QUEUE-DOES-NOT-EXIST` are "queue does not exist".
    pub(super) fn spells(&self, phrase: &[u8]) -> bool {
        self.spelled().says(phrase, usize::MAX)
    }

    /// Like [`Signals::spells`], for fields alone.
    pub(super) fn field_spells(&self, phrase: &[u8]) -> bool {
        self.spelled_fields().says(phrase, usize::MAX)
    }

    /// Returns the outcome that the codes and names of fields, spelled as words, hint at.
    pub(super) fn field_hint(&self) -> Option<u8> {
        said(self.spelled_fields().words(), false).map(Entry::outcome)
    }

    fn spelled_fields(&self) -> Words {
        Words::of(&spelled(self.tokens.iter().filter(|token| token.origin == Origin::Field)))
    }

    fn spelled(&self) -> &Words {
        self.spelled.get_or_init(|| Words::of(&spelled(self.tokens.iter())))
    }

    /// Returns `true` if any text has the phrase, see [`Words::says`].
    pub(super) fn says(&self, phrase: &[u8]) -> bool {
        self.words().iter().any(|words| words.says(phrase, usize::MAX))
    }

    /// Returns `true` if the first 64 bytes of any text contain the phrase literally.
    pub(super) fn begins_with(&self, phrase: &[u8]) -> bool {
        self.texts.iter().any(|text| find_bytes(cut(text, 64).as_bytes(), phrase).is_some())
    }

    /// Returns `true` if any text opens with the phrase, within its first 120 letters.
    pub(super) fn opens_with(&self, phrase: &[u8]) -> bool {
        self.words().iter().any(|words| words.says(phrase, 120))
    }

    /// Returns the texts that are whole messages.
    pub(super) fn whole_texts(&self) -> impl Iterator<Item = &'a str> {
        self.texts.iter().enumerate().filter(|(at, _)| self.whole_texts >> at & 1 != 0).map(|(_, text)| *text)
    }

    /// Returns `true` if a header or a field, and not prose, requests a wait.
    pub(super) fn states_wait(&self, now: Option<u64>) -> bool {
        self.retry_info.is_some()
            || self.stated_hint.is_some()
            || self.headers.and_then(|headers| hint::from_headers(headers, now, false)).is_some()
    }

    /// Returns `true` if a code shows that no request was sent: no host, no connection, no trust. A code for a broken
    /// connection rules that out.
    pub(super) fn was_not_sent(&self) -> bool {
        const UNSENT: &[u32] = &[
            hash("ECONNREFUSED"),
            hash("ENOTFOUND"),
            hash("EAI_AGAIN"),
            hash("EHOSTUNREACH"),
            hash("ENETUNREACH"),
            hash("ENETDOWN"),
            hash("EADDRNOTAVAIL"),
            hash("UND_ERR_CONNECT_TIMEOUT"),
        ];
        const BROKEN: &[u32] =
            &[hash("ECONNRESET"), hash("EPIPE"), hash("ECONNABORTED"), hash("UND_ERR_SOCKET")];
        let fields = || self.tokens.iter().filter(|token| token.origin == Origin::Field);
        let unsent = fields().any(|token| UNSENT.contains(&token.hash))
            || ["cert", "err tls"].iter().any(|phrase| self.field_spells(phrase.as_bytes()));
        unsent && !fields().any(|token| BROKEN.contains(&token.hash))
    }

    /// Returns the texts that were read, each once, in reading order.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.texts.iter().copied()
    }

    /// Returns the requested wait, the most precise source first: headers, google.rpc.RetryInfo, stated fields, prose,
    /// limits.
    pub(crate) fn hint(&self, now: Option<u64>, limits: bool) -> Option<Millis> {
        self.headers
            .and_then(|headers| hint::from_headers(headers, now, false))
            .or(self.retry_info)
            .or(self.stated_hint)
            .or_else(|| self.texts.iter().find_map(|text| hint::from_prose(text)))
            .or_else(|| {
                self.headers.filter(|_| limits).and_then(|headers| hint::from_headers(headers, now, true))
            })
    }

    /// Returns an explicit statement on retrying, the response's before the client's, and the words that name its
    /// source.
    #[doc(hidden)]
    #[must_use]
    pub fn stated_retry(&self) -> Option<(&'static str, bool)> {
        let response = self.should_retry.map(|retry| ("The response says x-should-retry: ", retry));
        response.or_else(|| self.library_retry.map(|retry| ("The client says retryable: ", retry)))
    }

    /// Returns `true` if a server sent it and no application made it up. Only then can its words quote a prompt.
    pub(crate) fn is_answer(&self) -> bool {
        self.has(Flag::Answered)
            || self.has(Flag::Body)
            || self.request_id.is_some()
            || self.provider.is_some()
            || self.model.is_some()
    }

    /// Returns the codes and names that may be shown, in reading order.
    #[doc(hidden)]
    pub fn shown(&self, role: Role) -> impl Iterator<Item = &'a str> {
        self.tokens
            .iter()
            .filter(move |token| token.role == role && is_plain_token(token.text))
            .map(|token| token.text)
    }

    /// Returns the first of these codes or names that is present and may be shown.
    pub(super) fn shown_of(&self, names: Names<'_>, role: Option<Role>) -> Option<&'a str> {
        let matches = |token: &&Token<'a>| {
            role.is_none_or(|role| role == token.role) && names.have(token.hash) && is_plain_token(token.text)
        };
        self.tokens.iter().find(matches).map(|token| token.text)
    }

    /// Returns the signals for events and the dashboard: names, codes and numbers only.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let mut out = serde_json::Map::new();
        let mut put = |name: &str, value: serde_json::Value| {
            out.insert(name.to_owned(), value);
        };
        if let Some(status) = self.status {
            put("status", status.into());
        }
        let codes: Vec<&str> = self.shown(Role::Code).take(4).collect();
        if !codes.is_empty() {
            put("codes", codes.into());
        }
        let names: Vec<&str> = self.shown(Role::Name).take(3).collect();
        if !names.is_empty() {
            put("names", names.into());
        }
        if let Some(rpc) = self.rpc {
            put("rpc", rpc.into());
        }
        if let Some(should) = self.should_retry {
            put("shouldRetry", should.into());
        }
        if self.causes > 0 {
            put("causes", self.causes.into());
        }
        if self.words_alone {
            put("wordsAlone", true.into());
        }
        serde_json::Value::Object(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::{Context, Thrown, examine};

    fn kept<'a>(words: &[(&'a str, Role)]) -> Vec<(&'a str, Role)> {
        let mut signals = Signals::empty();
        words.iter().for_each(|&(text, role)| signals.add_token(text, role));
        signals.tokens.iter().map(|token| (token.text, token.role)).collect()
    }

    #[test]
    fn a_word_is_kept_once_for_each_of_its_roles() {
        let words = [("late", Role::Code), ("late", Role::Code), ("late", Role::Name), ("later", Role::Code)];
        assert_eq!(kept(&words), [words[0], words[2], words[3]]);
    }

    #[test]
    fn empty_or_too_long_values_are_not_kept() {
        let (longest, longer) = ("x".repeat(96), "x".repeat(97));
        let words = ["", "error", "None", "null", &longer, &longest].map(|text| (text, Role::Code));
        assert_eq!(kept(&words), [(longest.as_str(), Role::Code)]);
    }

    #[test]
    fn signals_are_written_as_json() {
        let found = |json: &str| {
            let thrown = Thrown::from_json(json);
            examine(&thrown, &Context::default(), |signals| signals.to_json()).1
        };
        assert_eq!(found(r#""late""#), serde_json::json!({}));
        assert_eq!(
            found(
                r#"{"name":"LateError","status":503,"code":"too_late","type":"sk-secret","headers":{"x-should-retry":"true"},
                    "cause":{"code":-32000}}"#
            ),
            serde_json::json!({
                "status": 503, "codes": ["too_late"], "names": ["LateError"], "rpc": -32000, "shouldRetry": true,
                "causes": 1
            })
        );
    }
}
