//! What the Breakers view shows: a card for each, with its track of states, its probes, and why it opened.

use super::adaptive::{self, LimitLine};
use crate::format::{count, cut, number_of, percent, span, times};
use halfopen_log::Window;
use halfopen_store::breaker::{Breaker, BreakerId, Change, State, Verdict};
use halfopen_store::names::Name;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::process::OVERDUE;
use halfopen_store::scope::{Scope, Span};
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use std::fmt::Write;

/// Most changes that are listed.
pub const LISTED: usize = 30;
/// Most policies of one breaker that are named.
pub const POLICIES: usize = 3;
/// One breaker.
#[derive(Clone, PartialEq)]
pub struct BreakerCard {
    pub name: String,
    pub policy: String,
    pub source: String,
    pub state: State,
    /// `true` if it has let every call through so far.
    pub is_calm: bool,
    pub due: Option<Moment>,
    pub reset_ms: f64,
    pub facts: Vec<(&'static str, String)>,
    pub track: Vec<(State, f64, f64, String)>,
    pub probes: Vec<(f64, Verdict, CallNumber)>,
    /// The share of calls that it refuses now, in words, where it refuses any while it is closed.
    pub refuses: Option<String>,
    /// The shares that it refused while closed, as columns over the track.
    pub shares: Vec<Share>,
    /// The adaptive limits of its policies, at most [`POLICIES`].
    pub limits: Vec<LimitLine>,
    /// The track in words.
    pub track_in_words: String,
    /// Between which moments the track is.
    pub ends: (String, String),
    pub opened: Option<Opened>,
    /// The newest changes, and how many there were in all.
    pub changes: Vec<(String, State, State, String, u32)>,
    pub changed: u64,
}

/// A part of the track in which the breaker refused a share of the calls, 0 to 1; left edge and width in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub left: f64,
    pub width: f64,
    pub share: f64,
}

/// Most parts of a track with a share of their own.
const COLUMNS: usize = 100;

/// The shares that a breaker refused from a moment on, for so many milliseconds: the highest of each column.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a hundred columns"
)]
fn shares(breaker: &Breaker, from: Moment, whole: f64) -> Vec<Share> {
    let mut columns = [0.0_f64; COLUMNS];
    let column = |at: Moment| ((at - from) / whole * COLUMNS as f64).clamp(0.0, COLUMNS as f64);
    for (begins, ends, share) in breaker.refused_shares().filter(|one| one.1 > from) {
        let first = (column(begins).floor() as usize).min(COLUMNS - 1);
        let last = (column(ends).ceil() as usize).max(first + 1);
        for highest in columns.get_mut(first..last).unwrap_or_default() {
            *highest = highest.max(share);
        }
    }
    let width = 100.0 / COLUMNS as f64;
    let all = columns.into_iter().enumerate();
    all.filter(|column| column.1 > 0.0)
        .map(|(place, share)| Share { left: place as f64 * width, width, share })
        .collect()
}

#[derive(Clone, PartialEq)]
pub struct Opened {
    pub at: String,
    pub reason: String,
    /// For how long, and who said so.
    pub wait: String,
    pub reopened: usize,
    pub window: Option<Window>,
    /// The options that decided, as far as the log has them.
    pub settings: Vec<(&'static str, String)>,
}

/// What led to an opening.
#[derive(Clone, Default, PartialEq)]
pub struct Before {
    /// The failed attempts of the minute before, by code.
    pub failed: String,
    /// The calls that they belong to, the newest first.
    pub calls: Vec<(CallNumber, String)>,
    /// How many calls are not named.
    pub more: usize,
}

/// How far back what led to an opening is looked for, in milliseconds.
pub const BEFORE: f64 = 60_000.0;
/// Most calls that are named.
pub const NAMED: usize = 6;

/// What led to a change of a breaker.
pub fn before(log: &Log, breaker: BreakerId, change: &Change) -> Before {
    let mut codes: Vec<(Name, u32)> = Vec::new();
    let mut calls = Vec::new();
    for (number, call) in log.calls_within(change.at - BEFORE, change.at) {
        if log.breaker_of(call.policy_id()) != Some(breaker) {
            continue;
        }
        let mut failed = false;
        for attempt in call.attempts.iter().filter(|one| {
            one.counted && one.ended.is_some_and(|at| (change.at - BEFORE..=change.at).contains(&at))
        }) {
            failed = true;
            match codes.iter_mut().find(|row| row.0 == attempt.code) {
                Some(row) => row.1 += 1,
                None => codes.push((attempt.code, 1)),
            }
        }
        if failed {
            calls.push((number, log.names.text(call.title()).to_owned()));
        }
    }
    let count = calls.len();
    let more = count.saturating_sub(NAMED);
    let codes = codes.iter().map(|&(code, number)| format!("{} ×{number}", log.names.text(code)));
    let failed = codes.collect::<Vec<_>>().join(", ");
    calls.reverse();
    calls.truncate(NAMED);
    Before {
        failed: if count == 0 {
            failed
        } else {
            format!("Failed attempts in the minute before: {failed}, in {}", number_of(count as u64, "call"))
        },
        calls,
        more,
    }
}

/// The breaker's options with their defaults, where the log has them.
pub fn settings(log: &Log, policy: PolicyId) -> Vec<(&'static str, String)> {
    let Some(options) = log.options_of(policy) else { return Vec::new() };
    let of = |key: &str| options.at(&["breaker", key]);
    let scope = options.at(&["breakerScope"]).is_some_and(|scope| scope.is_text("attempt"));
    let number = |key: &str, default: f64| of(key).and_then(|value| value.as_f64()).unwrap_or(default);
    let mut all = vec![(
        "breakerScope",
        if scope { "'attempt'" } else { "'call': all attempts of a call are one result" }.to_owned(),
    )];
    match of("window") {
        Some(window) => all.push(("window", cut(&window.to_string(), 200))),
        None => all.push(("failureThreshold", number("failureThreshold", 5.0).to_string())),
    }
    all.push(("resetTimeoutMs", number("resetTimeoutMs", 60_000.0).to_string()));
    all
}

/// The policies that a breaker guards, by name.
pub fn guarded(log: &Log, breaker: &Breaker) -> String {
    let mut names: Vec<_> = log.policies_of(breaker.id).map(|policy| log.names.text(policy.name)).collect();
    if names.is_empty() {
        names.push(log.names.text(breaker.policy));
    }
    let more = names.len().saturating_sub(POLICIES);
    names.truncate(POLICIES);
    let names = names.join(", ");
    if more > 0 { format!("{names} and {more} more") } else { names }
}

/// The breakers of a scope, those with something to show first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// Each with the number of calls that it refused.
    pub rows: Vec<(BreakerId, u64)>,
    /// How many there are beside them.
    pub more: usize,
}

/// The first `most` breakers of a scope.
pub fn listing(log: &Log, scope: &Scope, most: usize) -> Listing {
    let (mut rows, mut calm) = (Vec::new(), Vec::new());
    for (breaker, refused) in scope.breakers(log) {
        let group = if breaker.has_changed() { &mut rows } else { &mut calm };
        group.push((breaker.id, refused));
    }
    rows.append(&mut calm);
    let more = rows.len().saturating_sub(most);
    rows.truncate(most);
    Listing { rows, more }
}

/// Until when the state of a breaker is known. No event says that an open breaker became half-open, nor that its process is
/// gone: of one that sends nothing more, half-open does not last for ever.
fn known_until(log: &Log, breaker: &Breaker, now: Moment) -> Moment {
    let heard = log.heard(breaker.id.source);
    match (breaker.last_change(now), heard, breaker.state_at(now)) {
        (Some(last), Some(heard), State::HalfOpen) if last.to == State::Open => {
            now.min(last.retry_at.map_or(heard, |retry_at| retry_at.max(heard)) + OVERDUE)
        }
        _ => now,
    }
}

/// The settings of all cards.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// Without a selected time, the tracks are over that number of milliseconds up to the present, or over the whole log if it
    /// is 0.
    pub range: f64,
    /// The moment for which the card of that breaker says why it was open; without one, the last time it opened.
    pub opening: Option<(BreakerId, Moment)>,
    /// Writes a moment.
    pub clock: &'a dyn Fn(Moment) -> String,
}

/// The last change that opened a breaker before the moment in question ([`Shown::opening`]); without one, in the selected time.
pub fn last_trip(
    breaker: &Breaker,
    span: Option<Span>,
    opening: Option<(BreakerId, Moment)>,
) -> Option<&Change> {
    let Span { from, to } = match opening.filter(|at| at.0 == breaker.id) {
        Some((_, at)) => Span { from: Moment::FIRST, to: at },
        None => span.unwrap_or(Span { from: Moment::FIRST, to: Moment::LAST }),
    };
    breaker.last_trip_within(from, to)
}

/// The card of a breaker, over the selected time. Without one, all but its track is of the whole log. `refused` is the number of
/// calls of the scope that it refused.
pub fn describe(
    log: &Log,
    breaker: &Breaker,
    scope: &Scope,
    refused: u64,
    shown: Shown,
    now: Moment,
) -> BreakerCard {
    let Shown { range, opening, clock } = shown;
    let text = |name| log.names.text(name).to_owned();
    let quiet = log.heard(breaker.id.source).map_or(0.0, |heard| now - heard);
    let (from, now) = adaptive::time_of(log, scope.span, range, now);
    let now = known_until(log, breaker, now);
    let whole = (now - from).max(1.0);
    // All facts but the track are of the selected time, or of the whole log.
    let (since, until) = scope.span.map_or((Moment::FIRST, Moment::LAST), |span| (span.from, span.to));
    let changes = || breaker.changes_within(since, until);
    let throttled = || breaker.throttled.iter().filter(|one| (since..=until).contains(&one.at));
    let spans = breaker.spans(from, now);
    let mut track_in_words = String::new();
    for span_ in &spans {
        let _ = write!(track_in_words, "{} for {}; ", span_.state.word(), span(span_.to - span_.from));
    }
    let shares = shares(breaker, from, whole);
    if let Some(highest) = shares.iter().map(|one| one.share).max_by(f64::total_cmp) {
        let _ = write!(track_in_words, "refused up to {} of calls while closed; ", percent(highest));
    }
    let seen = breaker.seen.max(since);
    let open = breaker.time_open_within(seen, now);
    let track = spans
        .iter()
        .map(|piece| {
            let share = (piece.to - piece.from) / whole;
            let label = if share > 0.09 {
                format!("{} {}", piece.state.word(), span(piece.to - piece.from))
            } else {
                String::new()
            };
            (piece.state, (piece.from - from) / whole * 100.0, share * 100.0, label)
        })
        .collect();
    let probes = breaker.probes.iter().filter(|probe| {
        (since..=until).contains(&probe.from) && (!scope.filtered || scope.calls.contains(probe.call))
    });
    let said: Vec<_> = probes.clone().map(|probe| probe.verdict).collect();
    let probes = probes
        .filter(|probe| probe.from >= from)
        .map(|probe| ((probe.from - from) / whole * 100.0, probe.verdict, probe.call))
        .collect();
    let last = breaker.last_change(until);
    let openings = changes().filter(|change| change.to == State::Open).count() as u64;
    let mut facts = vec![
        ("Open in total", format!("{} ({})", span(open), percent(open / (now - seen).max(1.0)))),
        ("Opened", times(openings)),
        ("Calls refused", count(refused)),
        ("Probes", probed(&said)),
        ("Generation", last.map_or_else(|| "–".into(), |change| change.generation.to_string())),
    ];
    if quiet > OVERDUE {
        facts.push(("Process", format!("has sent nothing for {}", span(quiet))));
    }
    // While closed: a throttle, or a ramp after a recovery.
    if let Some(throttled) = throttled().next_back() {
        let share = percent(throttled.rate);
        facts.push(("Share refused", format!("{share} of calls, last at {}", clock(throttled.at))));
    }
    let opened = last_trip(breaker, scope.span, opening);
    let reopens = |opened: &Change| {
        changes().filter(|change| change.at > opened.at && change.to == State::Open).count()
    };
    BreakerCard {
        name: text(breaker.id.name),
        policy: guarded(log, breaker),
        source: text(breaker.id.source),
        state: breaker.state_at(now),
        is_calm: changes().next().is_none()
            && throttled().next().is_none()
            && breaker.state_at(now) == State::Closed,
        // Of a time that is over, nothing is to come.
        due: if scope.span.is_none() { breaker.probe_due(now) } else { None },
        reset_ms: last.and_then(Change::lasts_ms).unwrap_or(0.0),
        facts,
        track,
        probes,
        refuses: breaker.refused_share_at(now).map(|share| format!("refuses {} of calls", percent(share))),
        shares,
        limits: log
            .policies_of(breaker.id)
            .filter_map(|policy| {
                adaptive::line(log, policy, (from, now), &|at| adaptive::share(at, from, now))
            })
            .take(POLICIES)
            .collect(),
        track_in_words,
        ends: (clock(from), clock(now)),
        opened: opened.map(|change| Opened {
            at: clock(change.at),
            reason: cut(reason(change).0, 300),
            wait: wait(change),
            reopened: reopens(change),
            window: change.window.clone(),
            settings: settings(log, log.policy_of(breaker.id)),
        }),
        changes: changes()
            .rev()
            .take(LISTED)
            .map(|change| {
                (clock(change.at), change.from, change.to, cut(&change.reason, 200), change.generation)
            })
            .collect(),
        changed: changes().count() as u64 + if scope.span.is_none() { breaker.forgotten } else { 0 },
    }
}

/// A change's reason, and whether the provider's hint decided how long the breaker stays open: the core adds that to the
/// reason (`Reason::describe`).
pub fn reason(change: &Change) -> (&str, bool) {
    let hinted = change.reason.split_once("; the provider asked for ");
    hinted.map_or((&change.reason, false), |(why, _)| (why, true))
}

/// For how long a breaker opened, and who said so.
pub fn wait(change: &Change) -> String {
    let Some(ms) = change.lasts_ms() else { return String::new() };
    let who = if reason(change).1 { ", as the provider requested" } else { "" };
    format!(", open for {}{who}", span(ms))
}

/// How many calls were let through as probes, and what they said: parts that make the sum.
fn probed(said: &[Verdict]) -> String {
    let mut out = match said.len() {
        0 => return "none".into(),
        1 => "1 call".to_owned(),
        calls => format!("{calls} calls"),
    };
    let mut sign = ": ";
    for (verdict, _, word) in VERDICTS {
        let number = said.iter().filter(|one| *one == verdict).count();
        if number > 0 {
            let _ = write!(out, "{sign}{number} {word}");
            sign = ", ";
        }
    }
    out
}

/// What a probe says: its sign, and the word for it.
pub const VERDICTS: &[(Verdict, &str, &str)] = &[
    (Verdict::Succeeded, "✓", "succeeded"),
    (Verdict::Failed, "✕", "failed"),
    (Verdict::Nothing, "–", "no result"),
    (Verdict::Running, "◐", "running"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use halfopen_store::scope::Calls;

    const OPENED: &str = r#"{"total":5,"failures":5,"slow":0,"last":[1,1,1,1,1]}"#;

    fn card(log: &Log, key: usize) -> BreakerCard {
        within(log, key, &Scope::default())
    }

    fn within(log: &Log, key: usize, scope: &Scope) -> BreakerCard {
        let (breaker, refused) = scope.breakers(log)[key];
        card_at(log, scope, breaker, refused, None)
    }

    fn card_at(log: &Log, scope: &Scope, breaker: &Breaker, refused: u64, at: Option<Moment>) -> BreakerCard {
        let (begins, ends) = log.bounds().unwrap();
        let clock = |at: Moment| crate::layout::axis::offset(at - begins, 100.0);
        let opening = at.map(|at| (breaker.id, at));
        describe(log, breaker, scope, refused, Shown { range: 0.0, opening, clock: &clock }, ends)
    }

    fn before_opening(log: &Log, key: usize) -> Before {
        let breaker = log.breakers.iter().nth(key).unwrap();
        before(log, breaker.id, breaker.last_trip().unwrap())
    }

    #[test]
    fn a_hint_that_keeps_it_open_is_no_setting() {
        for (reason, retry_at, expected) in [
            (
                "5 failures in a row; the provider asked for 1000 ms",
                r#","retryAt":2000"#,
                ", open for 1.00 s, as the provider requested",
            ),
            ("5 failures in a row", r#","retryAt":61000"#, ", open for 1 m 00 s"),
            ("5 failures in a row", "", ""),
        ] {
            let mut log = Log::default();
            let line = format!(
                r#"{{"v":1,"source":"s","seq":1,"time":1000,"policy":"p","type":"breaker.changed","breaker":"b","from":"closed","to":"open","reason":"{reason}","generation":1{retry_at}}}"#
            );
            assert!(log.take(&line), "{:?}", log.losses);
            let opened = card(&log, 0).opened.unwrap();
            assert_eq!((opened.reason.as_str(), opened.wait.as_str()), ("5 failures in a row", expected));
        }
    }

    #[test]
    fn what_led_to_an_opening_is_of_the_breakers_own_process() {
        let mut stage = Stage::new();
        for (process, failures, threshold) in [("one", 2, 7), ("two", 3, 9)] {
            let options = format!(r#"{{"breaker":{{"failureThreshold":{threshold}}}}}"#);
            stage.process(process).policy("chat", &options);
            for _ in 0..failures {
                let call = stage.call("chat");
                stage.fail(call, "TIMEOUT", "timeout").give_up(call, "TIMEOUT", "exhausted");
            }
        }
        for process in ["one", "two"] {
            stage.process(process).breaker("chat", "closed", "open", OPENED);
        }
        let log = stage.log();
        let failed = [0, 1].map(|key| before_opening(&log, key).failed);
        assert_eq!(
            failed,
            [2, 3].map(|calls| format!(
                "Failed attempts in the minute before: TIMEOUT ×{calls}, in {calls} calls"
            ))
        );
        let thresholds = [0, 1].map(|key| card(&log, key).opened.unwrap().settings[1].1.clone());
        assert_eq!(thresholds, ["7", "9"]);
    }

    #[test]
    fn a_selected_time_has_the_track_the_openings_and_the_refusals_of_that_time() {
        let mut stage = Stage::new();
        // It opens and refuses a call, closes a minute later, and does all of that again.
        for _ in 0..2 {
            stage.breaker("chat", "closed", "open", OPENED).pass(1_000.0).refused("chat");
            stage.pass(59_000.0).breaker("chat", "open", "closed", "null").pass(60_000.0);
        }
        stage.call("mail");
        let log = stage.log();
        let (begins, ends) = log.bounds().unwrap();
        let scope = |from: f64, to: f64| {
            let span = Span { from: begins + from, to: begins + to };
            Scope { calls: Calls::All.within(&log, Some(span), ends), span: Some(span), filtered: false }
        };
        let fact =
            |card: &BreakerCard, name: &str| card.facts.iter().find(|fact| fact.0 == name).unwrap().1.clone();
        let seen = |card: &BreakerCard| (fact(card, "Opened"), fact(card, "Calls refused"), card.changed);
        let all = within(&log, 0, &Scope::default());
        assert_eq!(seen(&all), ("twice".into(), "2".into(), 4));

        let first = within(&log, 0, &scope(0.0, 30_000.0));
        assert_eq!(seen(&first), ("once".into(), "1".into(), 1));
        assert_eq!((first.state, first.due, first.is_calm), (State::Open, None, false));
        assert_eq!(first.track_in_words, "open for 30.0 s; ");
        assert_eq!(first.opened.map(|opened| opened.at), Some("0".into()));
        assert_eq!(fact(&within(&log, 0, &scope(15_000.0, 45_000.0)), "Open in total"), "30.0 s (100 %)");

        // A call that was refused in the first minute leads to the first opening, whatever came later.
        let breaker = log.breakers.iter().next().unwrap();
        let opened = |at| card_at(&log, &Scope::default(), breaker, 0, at).opened.unwrap().at;
        assert_eq!([opened(Some(begins + 1_010.0)), opened(None)], ["0", "2:00.0"]);

        // Of a quiet time nothing is left of it, and its calls do not make another policy's breaker one of the scope.
        assert_eq!(listing(&log, &scope(70_000.0, 90_000.0), 20), Listing::default());
        assert_eq!(listing(&log, &Scope::default(), 0).more, 1);
    }

    #[test]
    fn a_shared_breaker_names_its_policies_and_what_all_of_them_did() {
        let mut stage = Stage::new();
        for policy in ["chat", "search", "mail", "plan"] {
            stage.policy(policy, r#"{"breaker":{"name":"chat","shared":true}}"#);
            let call = stage.call(policy);
            stage.fail(call, "TIMEOUT", "timeout").give_up(call, "TIMEOUT", "exhausted");
        }
        stage.breaker("chat", "closed", "open", OPENED).refused("mail");
        let log = stage.log();
        assert_eq!(card(&log, 0).policy, "chat, search, mail and 1 more");
        assert_eq!(before_opening(&log, 0).calls.len(), 4);
        assert!(card(&log, 0).facts.contains(&("Calls refused", "1".into())));
    }

    #[test]
    fn a_throttle_says_which_share_of_calls_it_refuses() {
        let mut stage = Stage::new();
        stage.policy("chat", r#"{"breaker":{"throttle":{}}}"#);
        let facts = |stage: &Stage| card(&stage.log(), 0).facts;
        assert!(facts(&stage).iter().all(|fact| fact.0 != "Share refused"));
        assert!(card(&stage.log(), 0).is_calm);
        stage.throttled("chat", 0.25).throttled("chat", 0.48);
        let (name, says) = facts(&stage).pop().unwrap();
        assert_eq!(name, "Share refused");
        assert!(!card(&stage.log(), 0).is_calm);
        assert!(says.starts_with("48 % of calls, last at "), "{says}");
        let card = card(&stage.log(), 0);
        assert_eq!((card.state, card.refuses.as_deref()), (State::Closed, Some("refuses 48 % of calls")));
        assert!(card.track_in_words.ends_with("refused up to 48 % of calls while closed; "));
    }

    #[test]
    fn the_track_has_the_highest_share_of_each_of_its_columns() {
        let mut stage = Stage::new();
        stage.policy("chat", r#"{"breaker":{"throttle":{}}}"#).pass(50_000.0);
        stage.throttled("chat", 0.2).throttled("chat", 0.6).throttled("chat", 0.4).pass(50_000.0);
        stage.call("chat");
        let card = card(&stage.log(), 0);
        // A share holds for a second, which is a hundredth of this track.
        let columns: Vec<_> = card.shares.iter().map(|one| (one.left.round(), one.share)).collect();
        assert_eq!(columns, [(49.0, 0.6), (50.0, 0.6), (51.0, 0.4)]);
        assert_eq!(card.refuses, None);
    }

    #[test]
    fn changes_that_are_not_listed_are_counted_and_a_card_without_news_is_the_same() {
        let mut stage = Stage::new();
        for _ in 0..1_010 {
            stage.breaker("chat", "closed", "open", OPENED).breaker("chat", "open", "closed", "null");
        }
        let log = stage.log();
        let card = || card(&log, 0);
        assert_eq!((card().changes.len(), card().changed), (LISTED, 2_020));
        // Not so with NaN for what is not known: it would be drawn anew each time.
        assert!(card() == card());
    }
}
