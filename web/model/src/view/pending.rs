//! Calls and breakers that wait: planned retries, probes of open breakers, queued calls. The band above the timeline sums
//! them up, and opens into a list of them.

use super::words;
use crate::format::{count, countdown, span};
use halfopen_store::breaker::Breaker;
use halfopen_store::call::{Call, Reason, Status, Wait};
use halfopen_store::numbers::CallNumber;
use halfopen_store::order;
use halfopen_store::scope::Calls;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

#[derive(Clone, PartialEq)]
pub struct Pending {
    pub key: String,
    pub kind: &'static str,
    pub sign: &'static str,
    pub class: &'static str,
    pub owner: String,
    pub second: String,
    pub code: String,
    pub says: String,
    pub from: Moment,
    /// When the wait ends; `None` where nobody knows: in a queue.
    pub due: Option<Moment>,
    pub call: Option<CallNumber>,
}

/// The calls that wait.
fn waits(log: &Log) -> impl Iterator<Item = (CallNumber, &Call, &Wait)> {
    log.open_calls().filter_map(|(number, call)| {
        let wait = call.waits.last().filter(|wait| wait.ended.is_none())?;
        Some((number, call, wait))
    })
}

/// The breakers that wait for a probe, and until when.
fn probes(log: &Log, now: Moment) -> impl Iterator<Item = (&Breaker, Moment)> {
    log.breakers.iter().filter_map(move |breaker| Some((breaker, breaker.probe_due(now)?)))
}

/// The calls that go on and the waits, in one line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// Each kind: its class, its sign and its words.
    pub parts: Vec<(&'static str, &'static str, String)>,
    /// How many rows the list has.
    pub waiting: usize,
    /// Calls that are not listed, because their process no longer reports.
    pub silent: usize,
}

/// The calls that go on and the waits at `now`. Of a narrowed scope it has the scope's calls, and all probes: a breaker belongs to
/// calls that are not made yet.
pub fn band(log: &Log, calls: &Calls, now: Moment) -> Band {
    let running = log
        .open_calls()
        .filter(|(number, call)| call.status == Status::Running && calls.contains(*number))
        .count();
    let all = collect(log, calls, now);
    let mut parts = Vec::new();
    if running > 0 {
        parts.push(("running", "▸", format!("{} in flight", count(running as u64))));
    }
    for (class, word) in
        [("backoff", "backing off"), ("hint", "told to wait"), ("queue", "queued"), ("probe", "")]
    {
        let mut of_class = all.iter().filter(|one| one.class == class);
        // They are sorted: the first one is the next.
        let Some(next) = of_class.next() else { continue };
        let number = 1 + of_class.count() as u64;
        let words = match (class, number) {
            ("probe", 1) => format!("probe of {}", next.owner),
            ("probe", _) => format!("{} probes", count(number)),
            _ => format!("{} {word}", count(number)),
        };
        // A queue does not say when it goes on.
        let due = next.due.map_or_else(String::new, |due| {
            let next = if number == 1 { " in" } else { ", the next in" };
            format!("{next} {}", countdown(due - now))
        });
        parts.push((class, next.sign, words + &due));
    }
    let silent = log.silent_calls().filter(|one| calls.contains(one.0)).count();
    Band { parts, waiting: all.len(), silent }
}

/// Everything in the scope that waits at `now`, the next first.
pub fn collect(log: &Log, calls: &Calls, now: Moment) -> Vec<Pending> {
    let text = |name| log.names.text(name).to_owned();
    let mut all = Vec::new();
    for (number, call, wait) in waits(log).filter(|wait| calls.contains(wait.0)) {
        let (kind, sign, class) = match (call.status, wait.reason) {
            (Status::Queued, _) | (_, Reason::Queue) => ("queued", "≡", "queue"),
            (_, Reason::RetryAfter) => ("retry", "↻", "hint"),
            (_, Reason::Backoff) => ("retry", "↻", "backoff"),
        };
        let planned = wait.planned_ms().map(span).unwrap_or_default();
        let says = match wait.reason {
            Reason::Queue => format!("waits for the {}", text(wait.by)),
            Reason::RetryAfter => format!("attempt {} after Retry-After {planned}", wait.attempt),
            Reason::Backoff => format!("attempt {} after a backoff of {planned}", wait.attempt),
        };
        let (owner, second) = words::names(log, call);
        let code = text(call.code);
        all.push(Pending {
            key: format!("c{}", number.0),
            kind,
            sign,
            class,
            owner,
            second,
            code,
            says,
            from: wait.from,
            due: wait.due,
            call: Some(number),
        });
    }
    for (breaker, due) in probes(log, now) {
        let from = breaker.changes.back().map_or(now, |change| change.at);
        all.push(Pending {
            key: format!("b{}-{}", breaker.id.source.0, breaker.id.name.0),
            kind: "probe",
            sign: "◐",
            class: "probe",
            owner: text(breaker.id.name),
            second: "breaker".into(),
            code: String::new(),
            says: "open: its next call may be a probe".into(),
            from,
            due: Some(due),
            call: None,
        });
    }
    let due = |pending: &Pending| pending.due.unwrap_or(Moment::LAST);
    order::sort_by(&mut all, |a, b| due(a).total_cmp(&due(b)).then_with(|| a.key.cmp(&b.key)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;

    /// The waits at the log's end, which the band counts as well.
    fn waiting(log: &Log) -> Vec<Pending> {
        let now = log.bounds().unwrap().1;
        let all = collect(log, &Calls::All, now);
        assert_eq!(band(log, &Calls::All, now).waiting, all.len());
        all
    }

    fn words(log: &Log, calls: &Calls, now: Moment) -> Vec<String> {
        band(log, calls, now).parts.into_iter().map(|part| part.2).collect()
    }

    #[test]
    fn the_band_counts_each_kind_and_names_the_next() {
        let mut stage = Stage::new();
        for after in [4_000.0, 9_000.0] {
            let call = stage.call("chat");
            stage.fail(call, "TIMEOUT", "r").plan(call, after);
        }
        stage.queue("search", None).breaker_until("chat", 30_000.0).call("mail");
        let log = stage.log();
        let planned = collect(&log, &Calls::All, log.bounds().unwrap().1);
        let now = planned[0].due.unwrap() - 1_500.0;
        let probe = planned.iter().find(|one| one.class == "probe").unwrap().due.unwrap() - now;
        let probe = format!("probe of chat in {}", countdown(probe));
        let expected = ["1 in flight", "2 backing off, the next in 1.5 s", "1 queued", &probe];
        assert_eq!(words(&log, &Calls::All, now), expected);
    }

    #[test]
    fn of_a_narrowed_scope_only_its_calls_wait_and_all_probes() {
        let mut stage = Stage::new();
        stage.queue("search", None).queue("chat", None).breaker_until("chat", 30_000.0);
        let log = stage.log();
        let now = log.bounds().unwrap().1;
        let first = log.calls().next().unwrap().0;
        let only = Calls::Only(std::sync::Arc::new(vec![first]));
        let owners: Vec<_> = collect(&log, &only, now).into_iter().map(|one| one.owner).collect();
        assert_eq!(owners, ["chat", "search"]);
        assert_eq!(words(&log, &only, now).len(), 2);
    }

    #[test]
    fn a_call_that_runs_does_not_wait_and_is_counted() {
        let mut stage = Stage::new();
        stage.call("chat");
        let log = stage.log();
        assert!(waiting(&log).is_empty());
        assert_eq!(words(&log, &Calls::All, log.bounds().unwrap().1), ["1 in flight"]);
    }

    #[test]
    fn a_planned_retry_waits_until_it_is_due() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.fail(call, "TIMEOUT", "r").plan(call, 4_000.0);
        let log = stage.log();
        let [retry] = &waiting(&log)[..] else { panic!("one wait expected") };
        assert_eq!((retry.kind, retry.owner.as_str(), retry.call), ("retry", "chat", log.call_by_id("c0")));
        assert_eq!(retry.due, Some(retry.from + 4_000.0));
        assert_eq!(retry.says, "attempt 2 after a backoff of 4.00 s");
    }

    #[test]
    fn an_open_breaker_waits_for_its_probe_a_closed_one_for_nothing() {
        let mut stage = Stage::new();
        stage.breaker_until("chat", 30_000.0);
        let log = stage.log();
        let [probe] = &waiting(&log)[..] else { panic!("one wait expected") };
        assert_eq!((probe.kind, probe.owner.as_str(), probe.call), ("probe", "chat", None));
        assert!(collect(&log, &Calls::All, Moment::from_ms(1e15)).is_empty());
    }

    #[test]
    fn what_has_no_end_yet_stands_last() {
        let mut stage = Stage::new();
        stage.queue("search", None).queue("chat", Some(60_000.0));
        let call = stage.call("mail");
        stage.fail(call, "TIMEOUT", "r").plan(call, 1_000.0);
        let owners: Vec<_> = waiting(&stage.log()).into_iter().map(|pending| pending.owner).collect();
        assert_eq!(owners, ["mail", "chat", "search"]);
    }

    /// Else the view would be drawn in every frame.
    #[test]
    fn the_same_log_shows_the_same() {
        let mut stage = Stage::new();
        stage.queue("search", None);
        let log = stage.log();
        assert!(waiting(&log) == waiting(&log));
    }
}
