//! Acts that happen once (`halfopen/once`): those of a run, and those whose outcome is not known by the end of the log.

use crate::time::Moment;
use halfopen_log::Kind;
use halfopen_log::kind::{
    EffectClaimed, EffectDone, EffectReused, EffectSettled, EffectUnguarded, EffectUnknown, EffectVerified,
};
use std::collections::BTreeMap;

/// Most unknown acts that are kept: more need a person too, who finds them in the store.
const MOST: usize = 1_000;
/// The longest name or key, in characters.
const LONGEST: usize = 200;

/// The outcome of an act, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Unknown,
    /// Carried out without the ledger, whose store did not answer.
    Unguarded,
    /// Claimed: it goes on.
    Claimed,
    NotHappened,
    Happened,
    /// It had happened before: the kept result was used.
    Reused,
}

/// An act of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    pub name: Box<str>,
    pub outcome: Outcome,
    /// When the log last said something of it.
    pub at: Moment,
    /// How often it was attempted, in all runs; 0 if the log does not say.
    pub attempts: u32,
}

/// The act of an event, with its key.
pub(crate) fn act(at: Moment, kind: &Kind<'_>) -> Option<(Box<str>, Act)> {
    let by = |happened| if happened { Outcome::Happened } else { Outcome::NotHappened };
    let (name, key, outcome, attempts) = match kind {
        Kind::EffectClaimed(EffectClaimed { name, key, attempt }) => (name, key, Outcome::Claimed, *attempt),
        Kind::EffectDone(EffectDone { name, key, attempt }) => (name, key, Outcome::Happened, *attempt),
        Kind::EffectReused(EffectReused { name, key }) => (name, key, Outcome::Reused, 0),
        Kind::EffectUnknown(EffectUnknown { name, key }) => (name, key, Outcome::Unknown, 0),
        Kind::EffectVerified(EffectVerified { name, key, happened }) => (name, key, by(*happened), 0),
        Kind::EffectSettled(EffectSettled { name, key, happened }) => (name, key, by(*happened), 0),
        Kind::EffectUnguarded(EffectUnguarded { name, key }) => (name, key, Outcome::Unguarded, 0),
        _ => return None,
    };
    Some((short(key.as_str()), Act { name: short(name.as_str()), outcome, at, attempts }))
}

/// An act of unknown outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownAct {
    pub name: Box<str>,
    /// When the log first says so.
    pub since: Moment,
}

/// All of them, by their hashed key.
#[derive(Default)]
pub struct Effects(BTreeMap<Box<str>, UnknownAct>);

impl Effects {
    /// Returns `true` if the event says what was unknown before.
    pub(crate) fn apply(&mut self, at: Moment, kind: &Kind<'_>) -> bool {
        match kind {
            Kind::EffectUnknown(EffectUnknown { name, key }) if self.0.len() < MOST => {
                let unknown = UnknownAct { name: short(name.as_str()), since: at };
                self.0.entry(short(key.as_str())).or_insert(unknown);
                false
            }
            // An act is claimed again only after somebody knows that it did not happen.
            Kind::EffectClaimed(EffectClaimed { key, .. })
            | Kind::EffectDone(EffectDone { key, .. })
            | Kind::EffectReused(EffectReused { key, .. })
            | Kind::EffectVerified(EffectVerified { key, .. })
            | Kind::EffectSettled(EffectSettled { key, .. }) => self.0.remove(&short(key.as_str())).is_some(),
            _ => false,
        }
    }

    /// The unknown acts with their keys.
    pub fn unknown(&self) -> impl Iterator<Item = (&str, &UnknownAct)> {
        self.0.iter().map(|(key, act)| (&**key, act))
    }
}

fn short(text: &str) -> Box<str> {
    text.chars().take(LONGEST).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfopen_log::Event;

    fn after(kinds: &[&str]) -> Vec<(String, f64)> {
        let mut effects = Effects::default();
        for (at, kind) in kinds.iter().enumerate() {
            let line = format!(r#"{{"v":1,"source":"s","seq":{at},"time":{at},"type":"effect.{kind}}}"#);
            let event = Event::parse(&line).unwrap();
            effects.apply(Moment::from_ms(event.time), &event.kind);
        }
        effects.unknown().map(|(key, act)| (format!("{} {key}", act.name), act.since.ms())).collect()
    }

    #[test]
    fn an_act_is_unknown_until_somebody_knows() {
        let claimed = r#"claimed","name":"pay","key":"k","attempt":1"#;
        let unknown = r#"unknown","name":"pay","key":"k""#;
        let other = r#"unknown","name":"pay","key":"l""#;
        assert_eq!(after(&[claimed]), []);
        assert_eq!(
            after(&[claimed, unknown, other, unknown]),
            [("pay k".to_owned(), 1.0), ("pay l".to_owned(), 2.0)]
        );
        for known in [
            r#"verified","name":"pay","key":"k","happened":true"#,
            r#"settled","name":"pay","key":"k","happened":false"#,
            r#"done","name":"pay","key":"k","attempt":1"#,
            r#"reused","name":"pay","key":"k""#,
            r#"claimed","name":"pay","key":"k","attempt":2"#,
        ] {
            assert_eq!(after(&[claimed, unknown, other, known]), [("pay l".to_owned(), 2.0)], "{known}");
        }
    }

    #[test]
    fn hostile_ones_stay_few() {
        let mut effects = Effects::default();
        for number in 0..3_000 {
            let text = format!("{number}{}", "x".repeat(1_000));
            let line = format!(
                r#"{{"v":1,"source":"s","seq":1,"time":1,"type":"effect.unknown","name":"{text}","key":"{text}"}}"#
            );
            effects.apply(Moment::from_ms(1.0), &Event::parse(&line).unwrap().kind);
        }
        assert_eq!(effects.unknown().count(), MOST);
        assert!(effects.unknown().all(|(key, act)| key.len() <= LONGEST && act.name.len() <= LONGEST));
    }
}
