//! The table of [`rules`](super::rules) in the form in which it is evaluated: packed into bytes at compile time.
//!
//! Classification reads only these bytes. They hold no pointers, ids or sources, so they are a third of the size of the
//! table, and a module that only classifies carries no explanations.
//!
//! A rule is `size: u16` (of the rest), `code: u8`, `retryable: u8`, `gate: u64`, then its conditions. A condition is
//! `kind: u8, size: u16`, then its payload, as [`Writer::condition`] writes it. All numbers are little endian.
//!
//! Most rules need a code or a name. The gate has the bits of the names in the first such condition. If the value
//! shares no bit with it, the rule is skipped without a look at its conditions, so one more rule costs almost nothing.

use super::rules::{RULES, When};
use super::signals::{Names, Signals};
use super::token::{Role, bit};
use crate::Code;
use crate::text::digits;
use crate::text::joined;

const STATUS: u8 = 0;
const BETWEEN: u8 = 1;
const NO_STATUS: u8 = 2;
const ANY: u8 = 3;
const NAMED: u8 = 4;
const SAYS: u8 = 5;
const BEGINS: u8 = 6;
const OPENS: u8 = 7;
const IS: u8 = 8;
const NOT: u8 = 9;
const RPC: u8 = 10;
const SPELLS: u8 = 11;
const LISTED: u8 = 12;
const SAID: u8 = 13;
const HINTED: u8 = 14;

/// The verdict of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The rule's index in the table.
    pub(super) rule: u16,
    pub(super) code: Code,
    pub(super) retryable: bool,
}

/// A condition that held, in the form that an explanation needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The signal that fulfilled it: `status 429`, `code insufficient_quota`; `None` if the condition is its own
    /// description.
    pub by: Option<String>,
    /// `true` if it requires the absence of something.
    pub absence: bool,
}

/// Returns the verdict of the first rule whose conditions all hold. The last rule has no conditions.
pub(super) fn decide(signals: &Signals<'_>) -> Verdict {
    let mut rest: &[u8] = &PACKED;
    let mut index = 0;
    while let Some((rule, next)) = first_rule(rest, index) {
        if rule.may_hold(signals) && rule.holds(signals) {
            return Verdict {
                rule: rule.index,
                code: Code::from_index(rule.code).unwrap_or(Code::Unknown),
                retryable: rule.retryable,
            };
        }
        rest = next;
        index += 1;
    }
    Verdict { rule: u16::MAX, code: Code::Unknown, retryable: false }
}

/// Returns `true` if a verdict has more support than prose: a structured signal fulfilled its rule, or the chain has a
/// status, a number, a code or class that a rule or a list knows, or a name that says the same.
pub(super) fn is_backed(verdict: Verdict, signals: &Signals<'_>) -> bool {
    let by_itself = rules()
        .nth(usize::from(verdict.rule))
        .is_some_and(|rule| rule.conditions().any(|condition| condition.is_structure(signals)));
    let backs = |rule: Rule<'_>| {
        let says_the_same = rule.retryable && rule.code == verdict.code.index();
        rule.conditions().any(|one| match one.kind {
            ANY | NAMED => one.is_structure(signals),
            SPELLS => says_the_same && one.is_structure(signals),
            _ => false,
        })
    };
    by_itself
        || signals.has_numbers()
        || signals.has_fields() && rules().any(|rule| rule.may_hold(signals) && backs(rule))
}

/// Returns the code of a rule.
pub(super) fn code(rule: u16) -> Code {
    let code = rules().nth(usize::from(rule)).and_then(|rule| Code::from_index(rule.code));
    code.unwrap_or(Code::Unknown)
}

/// For each rule up to the deciding one, returns the conditions that held before the first that did not.
#[must_use]
pub fn trace(signals: &Signals<'_>) -> Vec<Vec<Held>> {
    let mut tried = Vec::new();
    for rule in rules() {
        let mut held = Vec::new();
        let mut decided = true;
        for condition in rule.conditions() {
            if !condition.holds(signals) {
                decided = false;
                break;
            }
            let absence = matches!(condition.kind, NO_STATUS | NOT);
            held.push(Held { by: condition.fulfilled_by(signals), absence });
        }
        tried.push(held);
        if decided {
            break;
        }
    }
    tried
}

struct Rule<'a> {
    index: u16,
    code: u8,
    retryable: bool,
    gate: u64,
    rest: &'a [u8],
}

#[derive(Clone, Copy)]
struct Condition<'a> {
    kind: u8,
    payload: &'a [u8],
}

fn rules() -> impl Iterator<Item = Rule<'static>> {
    let mut rest: &[u8] = &PACKED;
    let mut index = 0;
    std::iter::from_fn(move || {
        let (rule, next) = first_rule(rest, index)?;
        rest = next;
        index += 1;
        Some(rule)
    })
}

/// Splits off the rule at the beginning of `bytes`. Each classification reads hundreds of rules.
#[inline(always)]
fn first_rule(bytes: &[u8], index: u16) -> Option<(Rule<'_>, &[u8])> {
    let (of_rule, next) = sized(bytes)?;
    let ([code, retryable, gate @ ..], rest) = of_rule.split_first_chunk::<10>()?;
    let gate = u64::from_le_bytes(*gate);
    Some((Rule { index, code: *code, retryable: *retryable != 0, gate, rest }, next))
}

/// Splits off the condition at the beginning of `bytes`.
#[inline(always)]
fn first_condition(bytes: &[u8]) -> Option<(Condition<'_>, &[u8])> {
    let (&kind, behind) = bytes.split_first()?;
    let (payload, next) = sized(behind)?;
    Some((Condition { kind, payload }, next))
}

/// Splits off the bytes whose length the leading `u16` gives.
#[inline(always)]
fn sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (size, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::from(u16::from_le_bytes(*size)))
}

impl<'a> Rule<'a> {
    fn may_hold(&self, signals: &Signals<'_>) -> bool {
        self.gate == 0 || signals.may_have_token(self.gate)
    }

    /// Returns `true` if all conditions hold.
    fn holds(&self, signals: &Signals<'_>) -> bool {
        let mut rest = self.rest;
        while let Some((condition, next)) = first_condition(rest) {
            if !condition.holds(signals) {
                return false;
            }
            rest = next;
        }
        true
    }

    fn conditions(&self) -> impl Iterator<Item = Condition<'a>> + use<'a> {
        let mut rest = self.rest;
        std::iter::from_fn(move || {
            let (condition, next) = first_condition(rest)?;
            rest = next;
            Some(condition)
        })
    }
}

impl<'a> Condition<'a> {
    fn holds(self, signals: &Signals<'_>) -> bool {
        match self.kind {
            STATUS => signals.status.is_some_and(|status| self.numbers().any(|one| one == i32::from(status))),
            BETWEEN => signals.status.is_some_and(|status| {
                let mut ends = self.numbers();
                ends.next().is_some_and(|from| from <= i32::from(status))
                    && ends.next().is_some_and(|to| i32::from(status) <= to)
            }),
            NO_STATUS => signals.status.is_none_or(|status| status < 400),
            ANY => signals.any_token(self.names(), None),
            NAMED => signals.any_token(self.names(), Some(Role::Name)),
            SAYS => self.phrases().any(|phrase| signals.says(phrase)),
            BEGINS => self.phrases().any(|phrase| signals.begins_with(phrase)),
            OPENS => self.phrases().any(|phrase| signals.opens_with(phrase)),
            SPELLS => self.phrases().any(|phrase| signals.spells(phrase)),
            IS => self.flag(signals),
            NOT => !self.flag(signals),
            LISTED => signals.listed_outcome() == self.payload.first().copied(),
            SAID => signals.said_outcome() == self.payload.first().copied(),
            HINTED => signals.hinted_outcome() == self.payload.first().copied(),
            RPC => signals.rpc.is_some_and(|number| self.numbers().any(|one| one == number)),
            _ => false,
        }
    }

    /// Returns `true` if more than prose fulfils a condition: a status, a number, or the value of a field.
    fn is_structure(self, signals: &Signals<'_>) -> bool {
        match self.kind {
            STATUS | BETWEEN | RPC => true,
            ANY => signals.has_field(self.names(), None),
            NAMED => signals.has_field(self.names(), Some(Role::Name)),
            SPELLS => self.phrases().any(|phrase| signals.field_spells(phrase)),
            LISTED => signals.listed.is_structure,
            HINTED => signals.field_hint() == self.payload.first().copied(),
            IS => self.payload.first().is_some_and(|&flag| signals.is_shape(flag)),
            _ => false,
        }
    }

    /// Returns the signal that fulfilled a condition: the alternative that was present.
    fn fulfilled_by(self, signals: &Signals<'_>) -> Option<String> {
        let (before, what) = match self.kind {
            STATUS | BETWEEN => ("status ", digits(u64::from(signals.status?))),
            ANY => ("code ", signals.shown_of(self.names(), None)?.to_owned()),
            NAMED => ("class ", signals.shown_of(self.names(), Some(Role::Name))?.to_owned()),
            SAYS => return quoted(self.phrases().find(|phrase| signals.says(phrase))?),
            BEGINS => return quoted(self.phrases().find(|phrase| signals.begins_with(phrase))?),
            OPENS => return quoted(self.phrases().find(|phrase| signals.opens_with(phrase))?),
            SPELLS => return quoted(self.phrases().find(|phrase| signals.spells(phrase))?),
            LISTED => ("code ", signals.listed_name()?.to_owned()),
            RPC => ("JSON-RPC -", digits(u64::from(signals.rpc?.unsigned_abs()))),
            _ => return None,
        };
        Some(joined(&[before, &what]))
    }

    fn numbers(self) -> impl Iterator<Item = i32> + use<'a> {
        self.payload.as_chunks().0.iter().map(|bytes| i32::from(i16::from_le_bytes(*bytes)))
    }

    fn names(self) -> Names<'a> {
        Names(self.payload.as_chunks().0)
    }

    fn phrases(self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.payload;
        std::iter::from_fn(move || {
            let (&length, behind) = rest.split_first()?;
            let (phrase, next) = behind.split_at_checked(usize::from(length))?;
            rest = next;
            Some(phrase)
        })
    }

    fn flag(self, signals: &Signals<'_>) -> bool {
        self.payload.first().is_some_and(|&flag| signals.has_bit(flag))
    }
}

fn quoted(phrase: &[u8]) -> Option<String> {
    std::str::from_utf8(phrase).ok().map(|phrase| joined(&["the words “", &plain(phrase), "”"]))
}

/// Returns a phrase without the signs for its ends, and with its gap in readable form.
pub(super) fn plain(phrase: &str) -> String {
    let bare = phrase.trim_start_matches('^').trim_end_matches('$').trim();
    match bare.split_once('*') {
        Some((head, tail)) => joined(&[head, "…", tail]),
        None => bare.to_owned(),
    }
}

// ── packing, at compile time ─────────────────────────────────────────────────────────────────────────────────

/// With more names than this, a gate would let nearly everything through.
const GATED: usize = 12;
/// More bytes than the rules take.
const ROOM: usize = 40_000;
const WRITTEN: ([u8; ROOM], usize) = written();
const LENGTH: usize = WRITTEN.1;

static PACKED: [u8; LENGTH] = {
    let mut packed = [0; LENGTH];
    packed.copy_from_slice(WRITTEN.0.split_at(LENGTH).0);
    packed
};

struct Writer {
    bytes: [u8; ROOM],
    at: usize,
}

const fn written() -> ([u8; ROOM], usize) {
    let mut writer = Writer { bytes: [0; ROOM], at: 0 };
    let mut rules = RULES;
    while let Some((rule, rest)) = rules.split_first() {
        let begin = writer.open();
        writer.byte(rule.code.index());
        writer.byte(rule.retryable as u8);
        writer.bytes(&gate(rule.when).to_le_bytes());
        let mut conditions = rule.when;
        while let Some((condition, others)) = conditions.split_first() {
            writer.condition(*condition);
            conditions = others;
        }
        writer.close(begin);
        rules = rest;
    }
    (writer.bytes, writer.at)
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the core is compiled: out of bounds is an error there"
)]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the bytes of the number")]
impl Writer {
    const fn byte(&mut self, byte: u8) {
        self.bytes[self.at] = byte;
        self.at += 1;
    }

    const fn number(&mut self, number: i32) {
        assert!(i16::MIN as i32 <= number && number <= i16::MAX as i32);
        self.byte(number as u8);
        self.byte((number >> 8) as u8);
    }

    /// Leaves room for a size. Pass the returned position to [`Writer::close`].
    const fn open(&mut self) -> usize {
        self.at += 2;
        self.at
    }

    const fn close(&mut self, begin: usize) {
        let size = self.at - begin;
        assert!(size <= u16::MAX as usize);
        self.bytes[begin - 2] = size as u8;
        self.bytes[begin - 1] = (size >> 8) as u8;
    }

    const fn condition(&mut self, when: When) {
        self.byte(kind(when));
        let begin = self.open();
        match when {
            When::Status(mut statuses) => {
                while let Some((status, rest)) = statuses.split_first() {
                    self.number(*status as i32);
                    statuses = rest;
                }
            }
            When::Between(from, to) => {
                self.number(from as i32);
                self.number(to as i32);
            }
            When::NoStatus => {}
            When::Any(mut hashes) | When::Named(mut hashes) => {
                while let Some((hash, rest)) = hashes.split_first() {
                    self.bytes(&hash.to_le_bytes());
                    hashes = rest;
                }
            }
            When::Says(phrases) | When::Begins(phrases) | When::Opens(phrases) | When::Spells(phrases) => {
                self.phrases(phrases)
            }
            When::Is(flag) | When::Not(flag) => self.byte(flag as u8),
            When::Listed(outcome) | When::Said(outcome) | When::Hinted(outcome) => self.byte(outcome as u8),
            When::Rpc(mut numbers) => {
                while let Some((number, rest)) = numbers.split_first() {
                    self.number(*number);
                    numbers = rest;
                }
            }
        }
        self.close(begin);
    }

    /// Writes each phrase after its length.
    const fn phrases(&mut self, mut phrases: &[&str]) {
        while let Some((phrase, rest)) = phrases.split_first() {
            assert!(phrase.len() <= u8::MAX as usize);
            self.byte(phrase.len() as u8);
            self.bytes(phrase.as_bytes());
            phrases = rest;
        }
    }

    const fn bytes(&mut self, mut bytes: &[u8]) {
        while let Some((byte, rest)) = bytes.split_first() {
            self.byte(*byte);
            bytes = rest;
        }
    }
}

/// Returns the bits of the first names that a rule needs. The gate is open if it needs no name, or more names than
/// [`GATED`], because then most errors share a bit with them.
const fn gate(mut conditions: &[When]) -> u64 {
    let mut gate = 0;
    while let Some((condition, others)) = conditions.split_first() {
        if let When::Any(mut hashes) | When::Named(mut hashes) = *condition {
            if hashes.len() > GATED {
                return 0;
            }
            while let Some((hash, rest)) = hashes.split_first() {
                gate |= bit(*hash);
                hashes = rest;
            }
            return gate;
        }
        conditions = others;
    }
    gate
}

const fn kind(when: When) -> u8 {
    match when {
        When::Status(_) => STATUS,
        When::Between(..) => BETWEEN,
        When::NoStatus => NO_STATUS,
        When::Any(_) => ANY,
        When::Named(_) => NAMED,
        When::Says(_) => SAYS,
        When::Begins(_) => BEGINS,
        When::Opens(_) => OPENS,
        When::Is(_) => IS,
        When::Not(_) => NOT,
        When::Rpc(_) => RPC,
        When::Spells(_) => SPELLS,
        When::Listed(_) => LISTED,
        When::Said(_) => SAID,
        When::Hinted(_) => HINTED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::{Context, Thrown, examine};

    #[test]
    fn as_many_rules_and_conditions_are_read_as_the_table_has() {
        let read: Vec<_> =
            rules().map(|rule| (rule.code, rule.retryable, rule.conditions().count())).collect();
        let table: Vec<_> =
            RULES.iter().map(|rule| (rule.code.index(), rule.retryable, rule.when.len())).collect();
        assert_eq!(read, table);
    }

    /// The deciding rule, and the signals that fulfilled its conditions.
    fn decided(json: &str) -> (&'static str, Vec<String>) {
        let (decision, tried) = examine(&Thrown::from_json(json), &Context::default(), trace);
        let held = tried.into_iter().last().unwrap();
        (RULES[usize::from(decision.rule)].id, held.into_iter().filter_map(|held| held.by).collect())
    }

    #[test]
    fn the_signal_that_fulfilled_a_condition_is_shown() {
        let (_, held) = decided(r#"{"status":503,"message":"x"}"#);
        assert_eq!(held, ["status 503"]);
        let by = |json: &str| decided(json).1;
        for (json, held) in [
            (r#"{"code":"insufficient_quota"}"#, "code insufficient_quota"),
            (r#"{"code":"ER_DUP_ENTRY"}"#, "code ER_DUP_ENTRY"),
            (r#"{"code":-32602}"#, "JSON-RPC -32602"),
            (r#"{"name":"OrderDoesNotExist"}"#, "the words “not exist”"),
            (r#"{"message":"Command failed: ls"}"#, "the words “Command failed:”"),
            (r#"{"message":"There is no API key"}"#, "the words “no api key”"),
        ] {
            assert_eq!(by(json), [held], "{:?}", decided(json));
        }
        // The name that the rule needs is shown, and not an earlier one. A name that looks like a key is not shown.
        assert_eq!(by(r#"{"name":"LateError","code":"insufficient_quota"}"#), ["code insufficient_quota"]);
        assert_eq!(by(r#"{"code":"sk-secret","status":503}"#), ["status 503"]);
        let (rule, held) = decided(r#"{"message":"The http2 session was destroyed"}"#);
        assert_eq!((rule, held), ("net.http2", vec!["the words “http2 session … destroyed”".to_owned()]));
    }

    #[test]
    fn a_status_below_400_is_none() {
        let broken = |status: u16| {
            decided(&format!(
                r#"{{"status":{status},"name":"TimeoutError","code":"ECONNRESET","message":"x"}}"#
            ))
            .0
        };
        assert_eq!(broken(200), "net.reset");
        assert_ne!(broken(400), "net.reset");
    }

    #[test]
    fn a_packing_at_run_time_is_that_of_the_compiler() {
        let (bytes, length) = written();
        assert_eq!(bytes[..length], PACKED);
    }

    #[test]
    fn phrases_are_read_as_the_table_has_them() {
        let said = rules().flat_map(|rule| rule.conditions().collect::<Vec<_>>());
        let said = said.filter(|condition| matches!(condition.kind, SAYS | BEGINS | OPENS | SPELLS));
        let read: Vec<&[u8]> = said.flat_map(|condition| condition.phrases().collect::<Vec<_>>()).collect();
        let table = RULES.iter().flat_map(|rule| rule.when).flat_map(|when| match when {
            When::Says(phrases) | When::Begins(phrases) | When::Opens(phrases) | When::Spells(phrases) => {
                *phrases
            }
            _ => &[],
        });
        assert_eq!(read, table.map(|phrase| phrase.as_bytes()).collect::<Vec<_>>());
    }
}
