//! The actions of people on processes that allow them (`connectDevtools({ control: true })`).

use crate::names::Name;
use crate::time::Moment;
use halfopen_log::Kind;
use halfopen_log::kind::{ControlApplied, ControlFailed};
use std::collections::VecDeque;

/// Most actions that are kept: more than people make in a day of incidents.
const MOST: usize = 200;
/// The longest text, in characters.
const LONGEST: usize = 300;

/// The state of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// In effect. It can be undone.
    Holds,
    /// Done. It cannot be undone.
    Final,
    Undone,
    /// It failed, for this reason.
    Failed(Box<str>),
}

/// One action.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub source: Name,
    pub id: Box<str>,
    /// `isolate`, `close`, `update`, `end-run` or `undo`.
    pub action: Box<str>,
    /// The user.
    pub by: Box<str>,
    /// The breaker, the policy, the run, or the action that was undone.
    pub target: Box<str>,
    pub at: Moment,
    pub standing: Standing,
}

/// All of them, oldest first.
#[derive(Default)]
pub struct Actions(VecDeque<Action>);

impl Actions {
    /// Applies an event about an action; `subject` is its policy or its run.
    pub(crate) fn apply(&mut self, source: Name, at: Moment, kind: &Kind<'_>, subject: &str) {
        let (id, by, action, breaker, of, standing) = match kind {
            Kind::ControlApplied(ControlApplied { id, by, action, breaker, of, undoable, .. }) => {
                let standing = if *undoable { Standing::Holds } else { Standing::Final };
                (id, by, action, breaker, of, standing)
            }
            Kind::ControlFailed(ControlFailed { id, by, action, breaker, of, reason, .. }) => {
                (id, by, action, breaker, of, Standing::Failed(short(reason.as_str())))
            }
            _ => return,
        };
        if let (Some(of), Standing::Final) = (of, &standing) {
            let undone =
                self.0.iter_mut().find(|action| action.source == source && *action.id == *of.as_str());
            undone.into_iter().for_each(|action| action.standing = Standing::Undone);
        }
        let target = breaker.as_ref().or(of.as_ref()).map_or(subject, |text| text.as_str());
        let [id, by, action, target] = [id.as_str(), by.as_str(), action.as_str(), target].map(short);
        self.0.push_back(Action { source, id, action, by, target, at, standing });
        if self.0.len() > MOST {
            self.0.pop_front();
        }
    }

    /// All actions, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Action> {
        self.0.iter()
    }
}

fn short(text: &str) -> Box<str> {
    text.chars().take(LONGEST).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Log;

    fn log(events: &[&str]) -> Log {
        let mut log = Log::default();
        for (seq, event) in events.iter().enumerate() {
            let line = format!(r#"{{"v":1,"source":"s","seq":{},"time":{seq},{event}}}"#, seq + 1);
            assert!(log.take(&line), "{line}");
        }
        log
    }

    const ISOLATED: &str =
        r#""type":"control.applied","id":"a","by":"ana","action":"isolate","breaker":"b","undoable":true"#;

    #[test]
    fn an_act_holds_until_it_is_undone() {
        let standings =
            |log: &Log| log.actions.iter().map(|action| action.standing.clone()).collect::<Vec<_>>();
        assert_eq!(standings(&log(&[ISOLATED])), [Standing::Holds]);
        let undo =
            r#""type":"control.applied","id":"u","by":"ana","action":"undo","of":"a","undoable":false"#;
        assert_eq!(standings(&log(&[ISOLATED, undo])), [Standing::Undone, Standing::Final]);
        let failed = r#""type":"control.failed","id":"u","by":"ana","action":"undo","of":"a","reason":"no""#;
        assert_eq!(standings(&log(&[ISOLATED, failed])), [Standing::Holds, Standing::Failed("no".into())]);
    }

    #[test]
    fn an_act_names_its_breaker_its_policy_or_its_run() {
        let log = log(&[
            ISOLATED,
            r#""policy":"p","type":"control.applied","id":"c","by":"ana","action":"update","options":{},"undoable":true"#,
            r#""run":"r","type":"control.applied","id":"d","by":"ana","action":"end-run","undoable":false"#,
        ]);
        assert_eq!(log.actions.iter().map(|action| &*action.target).collect::<Vec<_>>(), ["b", "p", "r"]);
    }

    #[test]
    fn hostile_ones_stay_few() {
        let mut log = Log::default();
        for seq in 0..1_000 {
            let id = "x".repeat(2_000);
            log.take(&format!(
                r#"{{"v":1,"source":"s","seq":{seq},"time":1,"type":"control.applied","id":"{id}","by":"b","action":"close"}}"#
            ));
        }
        assert_eq!(log.actions.iter().count(), MOST);
        assert!(log.actions.iter().all(|action| action.id.len() <= LONGEST));
    }
}
