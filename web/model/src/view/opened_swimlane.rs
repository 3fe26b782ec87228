//! The swimlane that is open, as a word of the address.

use super::swimlanes::{By, Key};
use halfopen_store::names::Name;
use halfopen_store::store::Log;

/// A swimlane as a word of the address: `policy:chat@agent-1`, `task:answer`, `run:r7`. The part after the colon is empty for
/// the calls without one.
pub fn word(log: &Log, key: Key) -> String {
    let text = |name: Name| log.names.text(name);
    match key {
        Key::Policy(name, source) => format!("{}:{}@{}", By::Policy.word(), text(name), text(source)),
        Key::Task(name) => format!("{}:{}", By::Task.word(), text(name)),
        Key::Run(number) => {
            let id = number.and_then(|number| log.runs.get(number)).map_or("", |run| &*run.id);
            format!("{}:{id}", By::Run.word())
        }
    }
}

/// The swimlane of a word, and what has a swimlane then; `None` if the log has no such name or run, or not yet.
pub fn find(log: &Log, wanted: &str) -> Option<(By, Key)> {
    let (by, rest) = wanted.split_once(':')?;
    let by = By::from_word(by);
    let named = |wanted: &str| log.names.iter().find(|(_, text)| *text == wanted).map(|(name, _)| name);
    let key = match by {
        // A name may have an `@`, too.
        By::Policy => rest.match_indices('@').find_map(|(at, _)| {
            let (name, source) = rest.split_at(at);
            Some(Key::Policy(named(name)?, named(source.strip_prefix('@')?)?))
        })?,
        By::Task => Key::Task(named(rest)?),
        By::Run if rest.is_empty() => Key::Run(None),
        By::Run => Key::Run(Some(log.runs.iter().rev().find(|run| *run.id == *rest)?.number)),
        By::Call => return None,
    };
    (word(log, key) == wanted).then_some((by, key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;

    #[test]
    fn the_swimlane_of_every_call_comes_back_from_its_word() {
        let mut stage = Stage::new();
        for process in ["one", "two"] {
            stage.process(process).run("r:1", r#","task":"a: b@c""#);
            stage.call_with("cha@t", r#","run":"r:1","task":"a: b@c""#);
            stage.call("plain");
        }
        let log = stage.log();
        let mut words = Vec::new();
        for (_, call) in log.calls() {
            for by in [By::Policy, By::Task, By::Run] {
                let key = by.of(&log, call);
                assert_eq!(find(&log, &word(&log, key)), Some((by, key)), "{}", word(&log, key));
                words.push(word(&log, key));
            }
        }
        assert!(
            words.contains(&"policy:cha@t@one".to_owned()) && words.contains(&"run:".to_owned()),
            "{words:?}"
        );
        for unknown in ["", "policy:", "policy:chat@one", "run:none", "call:1", "nonsense"] {
            assert_eq!(find(&log, unknown), None, "{unknown}");
        }
    }
}
