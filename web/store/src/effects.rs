//! Acts that happen once (`halfopen/once`): those whose outcome is not known by the end of the log.

use crate::time::Moment;
use halfopen_log::Kind;
use halfopen_log::kind::{
    EffectClaimed, EffectDone, EffectReused, EffectSettled, EffectUnknown, EffectVerified,
};
use std::collections::BTreeMap;

/// Most unknown acts that are kept: more need a person too, who finds them in the store.
const MOST: usize = 1_000;
/// The longest name or key, in characters.
const LONGEST: usize = 200;

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
    pub(crate) fn apply(&mut self, at: Moment, kind: &Kind<'_>) {
        match kind {
            Kind::EffectUnknown(EffectUnknown { name, key }) if self.0.len() < MOST => {
                let unknown = UnknownAct { name: short(name.as_str()), since: at };
                self.0.entry(short(key.as_str())).or_insert(unknown);
            }
            // An act is claimed again only after somebody knows that it did not happen.
            Kind::EffectClaimed(EffectClaimed { key, .. })
            | Kind::EffectDone(EffectDone { key, .. })
            | Kind::EffectReused(EffectReused { key, .. })
            | Kind::EffectVerified(EffectVerified { key, .. })
            | Kind::EffectSettled(EffectSettled { key, .. }) => {
                self.0.remove(&short(key.as_str()));
            }
            _ => {}
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
