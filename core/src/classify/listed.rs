//! Looks up a thrown value's names and numbers in the [`vocabulary`](super::vocabulary), and decides which of them counts.
//!
//! `{"name":"MongoServerError","code":11000}` is a duplicate key: `code` is MongoDB's, because the error's name says so. The same
//! 11000 means nothing under another name.
//!
//! A number is meaningful only within its family, and the fields beside it identify the family. `errno` of 1000 and above is
//! MySQL's, `errcode` SQLite's, `number` SQL Server's, `responseCode` SMTP's. `code` belongs to MongoDB, Kafka, MQTT or FTP if the
//! error is named after one of them. Three digits of these numbers are not an HTTP status.

use super::key::Key;
use super::thrown::{Node, cut};
use super::token::{Origin, Role, SEED, Token, hash_onto};
use super::vocabulary::{Entry, Outcome, look_up, may_begin, sentence};
use crate::text::digits;

/// How far into a text the search for capitals goes, in bytes.
const CAPITALS: usize = 240;
/// The most words of one text that are looked up as sentences.
const WORDS: usize = 28;
/// Prefixes of names that carry meaning by themselves.
const HEADS: [&str; 14] = [
    "SQLITE_",
    "Neo.",
    "ORA-",
    "NJS-",
    "ER_",
    "ERR_CERT_",
    "SEC_ERROR_",
    "MOZILLA_PKIX_",
    "SSL_ERROR_",
    "ERR_OSSL_",
    "ERR_CRYPTO_",
    "ERR__ERROR_",
    "WS_ERR_",
    "CSV_",
];
/// The most words of a sentence.
const LONGEST: usize = 5;

/// How precisely a place identifies the error. The highest one wins; among equals, the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Place {
    Text = 1,
    Class,
    StateClass,
    Code,
    State,
    Number,
}

/// The best name so far.
#[derive(Debug, Default)]
pub(super) struct Listed<'a> {
    entry: Option<Entry>,
    weight: u8,
    /// The name itself, if it is a text that may be shown.
    text: &'a str,
    /// `true` if a number belongs to a family, so it is no HTTP status.
    pub(super) numbered: bool,
    /// `true` if a list has a field's name or number, or the number of a reply. A sentence alone does not count.
    pub(super) is_structure: bool,
}

impl<'a> Listed<'a> {
    /// Returns the meaning of the name.
    pub(super) const fn entry(&self) -> Option<Entry> {
        self.entry
    }

    /// Returns the name; empty if it is a number.
    pub(super) const fn name(&self) -> &'a str {
        self.text
    }

    fn take(&mut self, entry: Option<Entry>, place: Place, text: &'a str) -> bool {
        let Some(found) = entry else { return false };
        // Any specific name outweighs an unspecific one, wherever they are.
        let weight = place as u8 + if found.is_weak() { 0 } else { 16 };
        if weight > self.weight {
            (self.entry, self.weight, self.text) = (entry, weight, text);
        }
        true
    }

    /// Looks up a token, without its last parts if its family lists such names by their beginning.
    pub(super) fn token(&mut self, token: Token<'a>) {
        let Token { mut text, hash, role, origin } = token;
        let place = if role == Role::Name { Place::Class } else { Place::Code };
        let known = self.take(look_up(hash), place, token.text)
            || role == Role::Code && is_state(text) && self.state(text)
            || self.head(&mut text, place, token.text);
        self.is_structure |= known && origin < Origin::Prose;
    }

    /// Looks up the beginning of a name, for families that list names by their beginning.
    fn head(&mut self, text: &mut &'a str, place: Place, whole: &'a str) -> bool {
        if !HEADS.iter().any(|head| text.starts_with(head)) {
            return false;
        }
        while let Some((head, _)) = text.rsplit_once(['_', '-', '.']) {
            if self.take(look_up(hash_onto(SEED, head.as_bytes())), place, whole) {
                return true;
            }
            *text = head;
        }
        false
    }

    /// Looks up an SQLSTATE, first the whole, then its class (ISO/IEC 9075-2 §24).
    fn state(&mut self, text: &'a str) -> bool {
        let Some(class) = text.get(..2) else { return false };
        let (one, all) = (within("sqlstate", text), within("sqlstate", class));
        self.take(one, Place::State, text) || self.take(all, Place::StateClass, text)
    }

    /// Looks up a number from a field.
    fn number(&mut self, family: &str, number: f64) -> bool {
        let known = self.numbered_as(family, number);
        self.is_structure |= known;
        known
    }

    fn numbered_as(&mut self, family: &str, number: f64) -> bool {
        if !(number.fract() == 0.0 && number.abs() < 1e6) {
            return false;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "in range by the line above"
        )]
        let text = digits(number.abs() as u64);
        let sign = if number < 0.0 { "n" } else { "" };
        let hash = hash_onto(hash_onto(hash_onto(SEED, family.as_bytes()), sign.as_bytes()), text.as_bytes());
        let place = if family == "smtp" { Place::StateClass } else { Place::Number };
        if self.take(look_up(hash), place, "") {
            return true;
        }
        if family == "mongo" {
            return self.take(within(family, "x"), place, "");
        }
        // The first of a reply's three digits says whether the failure is transient.
        let of_reply = matches!(family, "smtp" | "ftp") && text.len() == 3;
        of_reply && self.take(text.get(..1).and_then(|first| within(family, first)), Place::StateClass, "")
    }

    /// Looks up the numbers of an object. The fields beside a number identify its family.
    pub(super) fn object(&mut self, node: Node<'a>) {
        let (mut code, mut family, mut errno) = (None, None, None);
        let number = |node: Node<'_>| {
            node.number()
                .or_else(|| node.text().and_then(|text| text.trim().parse::<i32>().ok()).map(f64::from))
        };
        let mut closes = false;
        for child in node.children() {
            match child.key() {
                Some(Key::Class | Key::Name) => {
                    family = family.or_else(|| child.text().and_then(family_of));
                }
                Some(Key::Code) => code = Some(child),
                Some(Key::Errno) => errno = child.number().filter(|errno| *errno >= 1000.0),
                Some(Key::Errcode) => {
                    if let Some(number) = child.number() {
                        // The lower byte of an extended code is its primary one.
                        self.numbered |=
                            self.number("sqlite", number) || self.number("sqlite", number % 256.0);
                    }
                }
                Some(Key::Number) => self.numbered |= child.number().is_some_and(|n| self.number("mssql", n)),
                Some(Key::ResponseCode) => {
                    self.numbered |= number(child).is_some_and(|n| self.number("smtp", n));
                }
                Some(Key::ErrCode) => {
                    self.numbered |= child.number().is_some_and(|n| self.number("jetstream", n))
                }
                Some(Key::ClassId) => family = Some("amqp"),
                Some(Key::CodeName | Key::ErrorLabels) => family = family.or(Some("mongo")),
                // `ws` and similar clients throw an error with the code and the reason of a close (RFC 6455 §7.4).
                Some(Key::WasClean) => closes = true,
                Some(Key::Reason) => {
                    closes |= child.text().is_some();
                    // `ssh2` puts there the reason why a server opened no channel (RFC 4254 §5.1). Only its message
                    // identifies SSH.
                    if let Some(number) = child.number() {
                        let text = node.get(Key::Message).and_then(Node::text);
                        if text.is_some_and(|text| text.starts_with("(SSH)")) {
                            self.number("sshopen", number);
                        }
                    }
                }
                Some(Key::SqlState | Key::SqlStateLower) => {
                    if let Some(text) = child.text().filter(|text| is_state(text)) {
                        self.is_structure |= self.state(text);
                    }
                }
                Some(Key::ServerResponseCode | Key::TextCode) => {
                    if let Some(text) = child.text() {
                        self.is_structure |= self.take(within("imap", text), Place::Number, text);
                    }
                }
                _ => {}
            }
        }
        if let Some(errno) = errno {
            self.number("mysql", errno);
        }
        let Some(code) = code else { return };
        if let Some(text) = code.text().filter(|text| is_state(text) && text.parse::<u32>().is_ok()) {
            self.is_structure |= self.state(text);
        }
        if let Some(number) = number(code) {
            let is_close = |number: &f64| {
                closes && ((1000.0..1016.0).contains(number) || (3000.0..5000.0).contains(number))
            };
            if let Some(family) = family.or_else(|| Some(number).filter(is_close).map(|_| "ws")) {
                self.numbered |= self.number(family, number);
            } else if node
                .get(Key::Type)
                .and_then(Node::text)
                .is_some_and(|kind| look_up(hash_onto(SEED, kind.as_bytes())).is_some())
            {
                // ClickHouse also gives its names numbers.
                self.numbered = true;
            }
        }
    }

    /// Searches for names in capitals, and for replies of mail servers.
    pub(super) fn text(&mut self, text: &'a str) {
        let head = cut(text, CAPITALS);
        let bytes = head.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii_uppercase() {
                let run = capitals(head, at);
                self.capitals(head, at, run);
                at += run.len();
            } else if byte.is_ascii_digit() {
                let run = at
                    + bytes.get(at..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
                if run - at == 3 {
                    self.reply(head, at);
                }
                at = run;
            } else if byte.is_ascii_alphanumeric() {
                at += bytes
                    .get(at..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
                    .count();
                continue;
            }
            at += 1;
        }
    }

    fn capitals(&mut self, text: &'a str, at: usize, run: &'a str) {
        let next = text.as_bytes().get(at + run.len()).copied();
        if next.is_some_and(|next| next.is_ascii_lowercase()) {
            return;
        }
        let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before)).copied();
        if at == 0 && matches!(next, Some(b' ' | b':')) && self.take(within("redis", run), Place::Text, run) {
            return;
        }
        if before == Some(b'[') && next == Some(b']') {
            self.take(within("imap", run), Place::Text, run);
        }
        let is_code =
            run.starts_with('E') || run.bytes().any(|b| b == b'_' || b == b'-' || b.is_ascii_digit());
        if is_code && run.len() > 3 {
            let mut head = run;
            let _ = self.take(look_up(hash_onto(SEED, run.as_bytes())), Place::Text, run)
                || self.head(&mut head, Place::Text, run);
        }
    }

    /// `550 5.1.1 …` from a mail server, `403 (ACCESS-REFUSED)` from an AMQP broker.
    fn reply(&mut self, text: &'a str, at: usize) {
        let Some((digits, rest)) = text.get(at..).and_then(|rest| rest.split_at_checked(3)) else { return };
        if rest.as_bytes().first() == Some(&b' ') && rest.get(1..2) == Some("(") {
            let name = capitals(rest, 2);
            if name.len() > 4 && rest.get(2 + name.len()..3 + name.len()) == Some(")") {
                let known = self.take(within("amqp", digits), Place::Number, name);
                self.numbered |= known;
                self.is_structure |= known;
            }
            return;
        }
        if !matches!(rest.as_bytes().first(), Some(b' ' | b'-'))
            || !matches!(digits.as_bytes().first(), Some(b'4' | b'5'))
        {
            return;
        }
        let status = rest.get(1..).unwrap_or_default();
        let length = status.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let status = status.get(..length).unwrap_or_default().trim_end_matches('.');
        let mut parts = status.split('.');
        let (class, subject, detail) = (parts.next(), parts.next(), parts.next());
        if class != digits.get(..1) || detail.is_none_or(str::is_empty) {
            return;
        }
        self.numbered = true;
        let subject = status.get(..2 + subject.map_or(0, str::len));
        let known = self.take(within("esc", status), Place::Number, status)
            || within("smtp", digits)
                .is_some_and(|found| !found.is_weak() && self.take(Some(found), Place::StateClass, digits));
        self.is_structure |=
            known || self.take(subject.and_then(|subject| within("esc", subject)), Place::Number, status);
    }
}

/// Returns the meaning of a name within its family.
fn within(family: &str, name: &str) -> Option<Entry> {
    look_up(hash_onto(hash_onto(SEED, family.as_bytes()), name.as_bytes()))
}

/// Returns the run of capitals, digits and `_`, `-`, `/` that begins at `at`.
fn capitals(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let length = rest
        .bytes()
        .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || matches!(*b, b'_' | b'-' | b'/'))
        .count();
    rest.get(..length).unwrap_or_default()
}

/// Returns `true` if the text has the form of an SQLSTATE.
pub(super) fn is_state(text: &str) -> bool {
    text.len() == 5 && text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
}

/// Returns the family whose numbers an error of that name has.
fn family_of(name: &str) -> Option<&'static str> {
    if name.starts_with("Mongo") {
        return Some("mongo");
    }
    let known = |part: &str| crate::text::contains(name, part);
    if known("Kafka") {
        Some("kafka")
    } else if name == "ErrorWithReasonCode" || known("Mqtt") {
        Some("mqtt")
    } else if known("SFTP") {
        Some("sftp")
    } else if known("FTP") {
        Some("ftp")
    } else if known("SMTP") {
        Some("smtp")
    } else if known("Ldap") || known("LDAP") {
        Some("ldap")
    } else if name == "NatsError" {
        Some("nats")
    } else if name == "CloseEvent" {
        Some("ws")
    } else if name == "ResponseError" {
        Some("cql")
    } else {
        None
    }
}

/// Returns the first outcome, in their order, of the sentences that a text's words form: "host not found" must not
/// match "not found". Names that only hint rank after all sentences. If nothing but the text is known (`is_plain`), a
/// single word is no evidence of a failure ("the network of friends"): it only shows how something was called.
pub(super) fn said<'w>(words: impl Iterator<Item = &'w [u8]> + Clone, is_plain: bool) -> Option<Entry> {
    const OF_ONE_WORD: [Outcome; 7] = [
        Outcome::Exists,
        Outcome::Missing,
        Outcome::Config,
        Outcome::Invalid,
        Outcome::Unsupported,
        Outcome::Io,
        Outcome::Misuse,
    ];
    let is_subject = |count: usize, entry: Entry| {
        is_plain
            && count == 0
            && entry.is_weak()
            && OF_ONE_WORD.iter().all(|outcome| *outcome as u8 != entry.outcome())
    };
    let mut first = None;
    let mut rest = words.take(WORDS);
    loop {
        let (mut hash, mut longest) = (hash_onto(SEED, b"said"), None);
        for (count, word) in rest.clone().take(LONGEST).enumerate() {
            hash = hash_onto(hash, word);
            if count == 0 && !may_begin(hash) {
                break;
            }
            let run = rest.clone().take(count + 1);
            longest = sentence(hash, run).map(|entry| (count, entry)).or(longest);
        }
        if let Some((count, entry)) = longest.filter(|(count, entry)| !is_subject(*count, *entry)) {
            first = Some(first.map_or(entry, |known: Entry| known.min(entry)));
            // A name that only hints must not hide a sentence that follows: "is not authorized".
            for _ in 0..if entry.is_weak() { 0 } else { count } {
                rest.next();
            }
        }
        rest.next()?;
        if rest.clone().next().is_none() {
            return first;
        }
    }
}

// An entry holds the outcome in its low bits; two more bits hold part of the hash, and one marks it as weak.
const _: () = assert!((Outcome::Misuse as u8) < 32);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::{Context, Thrown, examine};

    /// The outcome of the winning name, and whether a number belonged to a family.
    fn read(json: &str) -> (Option<u8>, bool) {
        examine(&Thrown::from_json(json), &Context::default(), |signals| {
            (signals.listed.entry().map(Entry::outcome), signals.listed.numbered)
        })
        .1
    }

    fn listed(json: &str) -> Option<u8> {
        read(json).0
    }

    fn text(text: &str) -> (Option<u8>, bool) {
        read(&serde_json::json!({ "message": text }).to_string())
    }

    const fn is(outcome: Outcome) -> Option<u8> {
        Some(outcome as u8)
    }

    #[test]
    fn of_equals_the_first_counts() {
        assert_eq!(listed(r#"{"code":"ER_DUP_ENTRY","type":"ER_NO_SUCH_TABLE"}"#), is(Outcome::Exists));
        assert_eq!(listed(r#"{"code":"ER_NO_SUCH_TABLE","type":"ER_DUP_ENTRY"}"#), is(Outcome::Missing));
    }

    #[test]
    fn an_sqlstate_is_a_code_of_five() {
        assert_eq!(listed(r#"{"code":"23505"}"#), is(Outcome::Exists));
        assert_eq!(listed(r#"{"name":"23505"}"#), None);
        assert_eq!(listed(r#"{"type":"08-late"}"#), None);
    }

    #[test]
    fn the_fields_beside_a_number_identify_its_family() {
        for json in [
            r#"{"errcode":5}"#,
            r#"{"number":1205}"#,
            r#"{"responseCode":550}"#,
            r#"{"api_error":{"err_code":10059}}"#,
            r#"{"code":404,"classId":50}"#,
            r#"{"code":112,"codeName":"SomethingNew"}"#,
            r#"{"code":112,"errorLabels":["SomethingNew"]}"#,
            r#"{"code":1011,"wasClean":false}"#,
            r#"{"code":1011,"reason":"late"}"#,
            r#"{"name":"MongoServerError","code":11000}"#,
            r#"{"name":"ResponseError","code":0}"#,
        ] {
            assert!(read(json).1, "{json}");
        }
        for json in [
            r#"{"code":112}"#,
            r#"{"code":1011}"#,
            r#"{"name":"MongoServerError","code":50.5}"#,
            r#"{"name":"MongoServerError","code":1000000}"#,
        ] {
            assert!(!read(json).1, "{json}");
        }
    }

    #[test]
    fn a_reply_of_three_digits_that_no_list_has_is_what_its_first_says() {
        assert_eq!(listed(r#"{"responseCode":459}"#), is(Outcome::Server));
        assert_eq!(listed(r#"{"responseCode":4590}"#), None);
        assert_eq!(listed(r#"{"name":"LateKafkaError","code":559}"#), None);
    }

    #[test]
    fn capitals_of_a_text_are_names_where_they_stand_alone() {
        let known = is(Outcome::Conflict);
        assert_eq!(text("listen EADDRINUSE: address already taken").0, known);
        for unknown in ["XEADDRINUSE", "EADDRINUSEs", "a EADDRINUSEd port", "x EIO y"] {
            assert_eq!(text(unknown).0, None, "{unknown}");
        }
        assert_eq!(text("it failed: ER_DUP_ENTRY_OF_SOME_KIND").0, is(Outcome::Exists));
        assert_eq!(text("there is a DISCONNECT").0, None);
        assert_eq!(text("it failed: ORA-00001").0, is(Outcome::Exists));
        assert_eq!(text("it failed: SQLITE_BUSY_AGAIN").0, listed(r#"{"code":"SQLITE_BUSY"}"#));
        assert!(listed(r#"{"code":"SQLITE_BUSY"}"#).is_some());
    }

    #[test]
    fn words_of_redis_open_a_text_and_those_of_imap_stand_in_brackets() {
        assert!(text("NOPERM this user has no permissions").0.is_some());
        assert_eq!(text("they say NOPERM of it").0, None);
        assert!(text("it says [OVERQUOTA] of it").0.is_some());
        for unknown in ["it says [OVERQUOTA of it", "it says OVERQUOTA] of it"] {
            assert_eq!(text(unknown).0, None, "{unknown}");
        }
    }

    #[test]
    fn brokers_name_their_replies_in_brackets() {
        assert_eq!(text("closed: 403 (ACCESS-REFUSED) with more"), (is(Outcome::Permission), true));
        for unknown in
            ["closed: 403 (LATE) x", "closed: 403 (ACCESS-REFUSED x", "closed: 403 ACCESS-REFUSED) x"]
        {
            assert!(!text(unknown).1, "{unknown}");
        }
    }

    #[test]
    fn mail_servers_reply_with_two_numbers_that_agree() {
        assert_eq!(text("550 5.1.1 no such user"), (is(Outcome::Missing), true));
        assert_eq!(text("550-5.1.1 no such user"), (is(Outcome::Missing), true));
        // If no list has the number, its reply class decides; if that is unspecific, its subject does.
        assert_eq!(text("552 5.1.99 x"), (is(Outcome::Quota), true));
        assert_eq!(text("550 5.1.99 x"), (is(Outcome::Missing), true));
        assert_eq!(text("550 5.6.99 x"), (is(Outcome::Invalid), true));
        for none in ["250 2.1.1 fine", "550=5.1.1 x", "550 4.1.1 x", "550 5.1 x", "550 5.1. x"] {
            assert!(!text(none).1, "{none}");
        }
    }
}
