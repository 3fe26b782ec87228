//! Actions of people on processes that allow them: which processes do, what holds at present, and the action as the server takes it.

use crate::check::Setting;
use halfopen_log::quoted;
use halfopen_store::actions::{Action, Standing};
use halfopen_store::names::Name;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// How long a failed action is shown, in milliseconds.
const SHOWN: f64 = 60_000.0;
/// Most lines that are shown.
const MOST: usize = 5;
/// An action that the user should see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub id: String,
    pub says: String,
    /// The action that takes it back, as JSON; `None` if it failed.
    pub undo: Option<String>,
}

/// The actions that hold, and those that failed just now: the newest first, and how many more there are.
#[must_use]
pub fn standing(log: &Log, now: Moment) -> (Vec<Line>, usize) {
    let shown = log.actions.iter().rev().filter(|action| match action.standing {
        Standing::Holds => log.about(action.source).control,
        Standing::Failed(_) => now - action.at < SHOWN,
        Standing::Final | Standing::Undone => false,
    });
    let mut lines: Vec<Line> = shown.map(|action| line(log, action)).collect();
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    (lines, more)
}

fn line(log: &Log, action: &Action) -> Line {
    let Action { source, id, action: name, by, target, standing, .. } = action;
    let process = process(log, *source);
    let (done, failed) = match &**name {
        "isolate" => (format!("isolated the breaker {target}"), format!("isolate the breaker {target}")),
        "close" => (format!("closed the breaker {target}"), format!("close the breaker {target}")),
        "update" => (format!("changed the policy {target}"), format!("change the policy {target}")),
        "end-run" => ("ended a run".to_owned(), "end a run".to_owned()),
        _ => ("took an action back".to_owned(), "take an action back".to_owned()),
    };
    match standing {
        Standing::Failed(why) => Line {
            id: (**id).to_owned(),
            says: format!("{by} could not {failed} in {process}: {why}"),
            undo: None,
        },
        _ => {
            let undo = json(log, *source, "undo", "of", id);
            Line { id: (**id).to_owned(), says: format!("{by} {done} in {process}."), undo: Some(undo) }
        }
    }
}

/// A process by its host and process id, as far as it has introduced itself.
fn process(log: &Log, source: Name) -> String {
    let about = log.about(source);
    match (log.names.text(about.host), about.pid) {
        ("", _) => log.names.text(source).to_owned(),
        (host, None) => host.to_owned(),
        (host, Some(pid)) => format!("{host}:{pid}"),
    }
}

/// Returns an action as the server takes it, with one named field.
#[must_use]
pub fn json(log: &Log, source: Name, action: &str, field: &str, value: &str) -> String {
    let source = quoted(log.names.text(source));
    format!(r#"{{"source":{source},"action":"{action}","{field}":{}}}"#, quoted(value))
}

/// The actions that change a policy to the settings of a finding: one for each process that allows it and has the policy. Empty
/// if a setting is code, which only the program can have.
#[must_use]
pub fn updates(log: &Log, policy: Name, settings: &[Setting]) -> Vec<String> {
    let Some(options) = options(settings) else { return Vec::new() };
    let allowed = log.policies().filter(|id| id.name == policy && log.about(id.source).control);
    let policy = quoted(log.names.text(policy));
    let action = |source| {
        let source = quoted(log.names.text(source));
        format!(r#"{{"source":{source},"action":"update","policy":{policy},"options":{options}}}"#)
    };
    allowed.map(|id| action(id.source)).collect()
}

/// The settings as JSON; `None` if one of them is not a number or a flag of a group of options. The process refuses groups that
/// are not to be changed from here.
fn options(settings: &[Setting]) -> Option<String> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for Setting { path, to, .. } in settings {
        let (group, key) = path.split_once('.').filter(|(_, key)| !key.contains('.'))?;
        let value = match to.as_str() {
            "true" | "false" => to.clone(),
            "Infinity" => quoted(to),
            _ => halfopen_log::number(&to.replace('_', ""))?.to_string(),
        };
        let member = format!("{}:{value}", quoted(key));
        match groups.iter_mut().find(|one| one.0 == group) {
            Some(one) => one.1.push(member),
            None => groups.push((group, vec![member])),
        }
    }
    let groups: Vec<_> =
        groups.iter().map(|(group, of)| format!("{}:{{{}}}", quoted(group), of.join(","))).collect();
    (!groups.is_empty()).then(|| format!("{{{}}}", groups.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log of a process that allows control, with a policy and the given events after it.
    fn log(events: &[&str]) -> Log {
        let mut log = Log::default();
        let first = [
            r#""type":"process.started","host":"box","pid":7,"control":true"#,
            r#""policy":"p","type":"policy.configured","options":{},"seed":1"#,
        ];
        for (seq, event) in first.iter().chain(events).enumerate() {
            let line = format!(r#"{{"v":1,"source":"s","seq":{},"time":{seq},{event}}}"#, seq + 1);
            assert!(log.take(&line), "{line}");
        }
        log
    }

    #[test]
    fn what_holds_can_be_undone_and_what_failed_says_why_for_a_minute() {
        let log = log(&[
            r#""type":"control.applied","id":"a","by":"ana","action":"isolate","breaker":"b","undoable":true"#,
            r#""type":"control.failed","id":"c","by":"ana","action":"close","breaker":"x","reason":"no breaker 'x'""#,
        ]);
        let says = |now| {
            let lines = standing(&log, Moment::from_ms(now)).0;
            lines.into_iter().map(|line| (line.says, line.undo)).collect::<Vec<_>>()
        };
        let isolated = (
            "ana isolated the breaker b in box:7.".to_owned(),
            Some(r#"{"source":"s","action":"undo","of":"a"}"#.to_owned()),
        );
        let failed = ("ana could not close the breaker x in box:7: no breaker 'x'".to_owned(), None);
        assert_eq!(says(10.0), [failed, isolated.clone()]);
        assert_eq!(says(100_000.0), [isolated]);
    }

    #[test]
    fn settings_that_are_numbers_become_an_act_for_each_process_that_allows_it() {
        let log = log(&[]);
        let setting = |path, to: &str| Setting { path, now: None, to: to.to_owned() };
        let policy = log.policies().next().unwrap().name;
        assert_eq!(
            updates(
                &log,
                policy,
                &[
                    setting("timeout.attemptMs", "30_000"),
                    setting("retry.maxRetries", "1"),
                    setting("timeout.totalMs", "90_000")
                ]
            ),
            [
                r#"{"source":"s","action":"update","policy":"p","options":{"timeout":{"attemptMs":30000,"totalMs":90000},"retry":{"maxRetries":1}}}"#
            ]
        );
        for (path, to) in [
            ("retry.budget", "shared"),
            ("onError", "tell"),
            ("breakerScope", "'attempt'"),
            ("breaker.window.minimumCalls", "10"),
        ] {
            assert_eq!(updates(&log, policy, &[setting(path, to)]), Vec::<String>::new(), "{path}");
        }
        assert_eq!(updates(&log, policy, &[]), Vec::<String>::new());
    }
}
