//! The breakers: a lane of states for each, its state machine, its probes, and why it opened.

use crate::session::breaker::{Breaker, Change, State, Verdict};
use crate::session::live::use_session;
use crate::session::names::Name;
use crate::session::policy::PolicyId;
use crate::session::store::Log;
use crate::ui::format::{count, countdown, cut, number_of, percent, span, times};
use crate::ui::window;
use halfopen::log::Window;
use leptos::prelude::*;
use std::fmt::Write;

/// Most breakers that are shown.
const MOST: usize = 20;
/// Most changes that are listed.
const LISTED: usize = 30;
/// Most policies of one breaker that are named.
const POLICIES: usize = 3;
/// Spans of time that a lane can show, in milliseconds; 0 is all.
const RANGES: &[(&str, f64)] =
    &[("2 minutes", 120_000.0), ("10 minutes", 600_000.0), ("1 hour", 3_600_000.0), ("all", 0.0)];

#[derive(Clone, PartialEq)]
struct Told {
    name: String,
    policy: String,
    source: String,
    state: State,
    due: Option<f64>,
    reset_ms: f64,
    facts: Vec<(&'static str, String)>,
    lane: Vec<(State, f64, f64, String)>,
    probes: Vec<(f64, Verdict, u32)>,
    says: String,
    /// Between which moments the lane is.
    ends: (String, String),
    opened: Option<Opened>,
    /// The newest changes, and how many there were in all.
    changes: Vec<(String, State, State, String, u32)>,
    changed: u64,
}

#[derive(Clone, PartialEq)]
struct Opened {
    at: String,
    reason: String,
    /// For how long, and who said so.
    wait: String,
    reopened: usize,
    window: Option<Window>,
    /// The options that decided, as far as the policy told them.
    settings: Vec<(&'static str, String)>,
}

/// What led to an opening.
#[derive(Clone, Default, PartialEq)]
struct Before {
    /// The failed attempts of the minute before, by code.
    failed: String,
    /// The calls that they belong to, the newest first.
    calls: Vec<(u32, String)>,
    /// How many calls are not named.
    more: usize,
}

/// How far back what led to an opening is looked for, in milliseconds.
const BEFORE: f64 = 60_000.0;
/// Most calls that are named.
const NAMED: usize = 6;

/// What led to a change of the breaker at that place of the log's.
fn before(log: &Log, breaker: usize, change: &Change) -> Before {
    let mut codes: Vec<(Name, u32)> = Vec::new();
    let mut calls = Vec::new();
    for (number, call) in log.calls_within(change.at - BEFORE, change.at) {
        if log.breaker_of(call.policy_id()) != Some(breaker) {
            continue;
        }
        let mut failed = false;
        for attempt in call
            .attempts
            .iter()
            .filter(|one| one.counted && one.ended <= change.at && one.ended >= change.at - BEFORE)
        {
            failed = true;
            match codes.iter_mut().find(|row| row.0 == attempt.code) {
                Some(row) => row.1 += 1,
                None => codes.push((attempt.code, 1)),
            }
        }
        if failed {
            let name = if call.task.is_none() { call.policy } else { call.task };
            calls.push((number, log.names.text(name).to_owned()));
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
            format!("Failed attempts of the minute before: {failed}, in {}", number_of(count as u64, "call"))
        },
        calls,
        more,
    }
}

/// The breaker's options with their defaults, where the policy has told its options.
fn settings(log: &Log, policy: PolicyId) -> Vec<(&'static str, String)> {
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
fn guarded(log: &Log, key: usize, breaker: &Breaker) -> String {
    let mut names: Vec<_> = log.policies_of(key).map(|policy| log.names.text(policy.name)).collect();
    if names.is_empty() {
        names.push(log.names.text(breaker.policy));
    }
    let more = names.len().saturating_sub(POLICIES);
    names.truncate(POLICIES);
    let names = names.join(", ");
    if more > 0 { format!("{names} and {more} more") } else { names }
}

fn tell(log: &Log, key: usize, breaker: &Breaker, range: f64, now: f64) -> Told {
    let text = |name| log.names.text(name).to_owned();
    let begins = log.bounds().map_or(now, |bounds| bounds.0);
    let from = if range > 0.0 { (now - range).max(begins) } else { begins };
    let whole = (now - from).max(1.0);
    let spans = breaker.spans(from, now);
    let mut says = String::new();
    for span_ in &spans {
        let _ = write!(says, "{} for {}; ", span_.state.word(), span(span_.to - span_.from));
    }
    let open = breaker.time_open(now);
    let lane = spans
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
    let probes = breaker.probes.iter().filter(|probe| probe.from >= from);
    let probes =
        probes.map(|probe| ((probe.from - from) / whole * 100.0, probe.verdict, probe.call)).collect();
    let clock = |at: f64| crate::layout::axis::offset(at - begins, 100.0);
    let last = breaker.changes.last();
    Told {
        name: text(breaker.name),
        policy: guarded(log, key, breaker),
        source: text(breaker.source),
        state: breaker.state_at(now),
        due: breaker.probe_due(now),
        reset_ms: last.map(|change| change.retry_at - change.at).filter(|ms| ms.is_finite()).unwrap_or(0.0),
        facts: vec![
            ("Open in all", format!("{} ({})", span(open), percent(open / (now - breaker.seen).max(1.0)))),
            ("Opened", times(breaker.openings() as u64)),
            ("Calls refused", count(breaker.rejected)),
            ("Probes", probed(breaker)),
            ("Generation", last.map_or_else(|| "–".into(), |change| change.generation.to_string())),
        ],
        lane,
        probes,
        says,
        ends: (clock(from), clock(now)),
        opened: breaker.last_trip().map(|change| Opened {
            at: clock(change.at),
            reason: cut(reason(change).0, 300),
            wait: wait(change),
            reopened: breaker.reopened(),
            window: change.window.clone(),
            settings: settings(log, log.policy_of(key)),
        }),
        changes: breaker
            .changes
            .iter()
            .rev()
            .take(LISTED)
            .map(|change| {
                (clock(change.at), change.from, change.to, cut(&change.reason, 200), change.generation)
            })
            .collect(),
        changed: breaker.forgotten + breaker.changes.len() as u64,
    }
}

/// A change's reason, and whether the provider's hint decided how long the breaker stays open: the core adds that to the
/// reason (`Reason::describe`).
fn reason(change: &Change) -> (&str, bool) {
    let hinted = change.reason.split_once("; the provider asked for ");
    hinted.map_or((&change.reason, false), |(why, _)| (why, true))
}

/// For how long a breaker opened, and who said so.
fn wait(change: &Change) -> String {
    let ms = change.retry_at - change.at;
    if !ms.is_finite() {
        return String::new();
    }
    let who = if reason(change).1 { " that the provider asked" } else { "" };
    format!(", open for {}{}{who}", if who.is_empty() { "" } else { "the " }, span(ms))
}

/// How many calls were let through as probes, and what they said: parts that make the sum.
fn probed(breaker: &Breaker) -> String {
    let mut out = match breaker.probes.len() {
        0 => return "none".into(),
        1 => "1 call".to_owned(),
        calls => format!("{calls} calls"),
    };
    let mut sign = ": ";
    for (verdict, _, word) in VERDICTS {
        let number = breaker.probes_that(*verdict);
        if number > 0 {
            let _ = write!(out, "{sign}{number} {word}");
            sign = ", ";
        }
    }
    out
}

/// What a probe says: its sign, and the word for it.
const VERDICTS: &[(Verdict, &str, &str)] = &[
    (Verdict::Succeeded, "✓", "succeeded"),
    (Verdict::Failed, "✕", "failed"),
    (Verdict::Nothing, "–", "decided nothing"),
    (Verdict::Running, "◐", "on its way"),
];

/// The breakers.
#[component]
pub(crate) fn Breakers() -> impl IntoView {
    let session = use_session();
    let range = RwSignal::new(600_000.0_f64);
    // Four times a second: the lanes of all cards in every frame would be too much.
    let keys = Memo::new(move |_| {
        session.coarse.track();
        session.peek(|log| {
            // Those that have something to tell come first. The cards stay while only what they say changes.
            let changed = |wanted: bool| {
                let all = log.breakers.iter().enumerate();
                all.filter(move |(_, breaker)| breaker.has_changed() == wanted).map(|(key, _)| key)
            };
            changed(true).chain(changed(false)).take(MOST).collect::<Vec<_>>()
        })
    });
    let left_out = move || {
        session.coarse.track();
        let (all, changes) = session.peek(|log| (log.breakers.len(), log.losses.of_breakers));
        let more = all.saturating_sub(MOST);
        let more = (more > 0).then(|| format!("{} not shown. ", number_of(more as u64, "more breaker")));
        let changes = (changes > 0).then(|| {
            format!("{} of further breakers are not kept: there are too many.", number_of(changes, "change"))
        });
        (more.is_some() || changes.is_some()).then(|| view! { <p class="dim">{more}{changes}</p> })
    };
    view! {
        <section class="page" aria-label="Breakers">
            <header class="page-head">
                <h2>"Circuit breakers"</h2>
                <label class="choice">"Show the last "
                    <select on:change=move |event| range.set(halfopen::number::parse(&event_target_value(&event)).unwrap_or(0.0))>
                        {RANGES.iter().map(|&(name, ms)| view! { <option value=ms.to_string() selected=(ms - 600_000.0).abs() < 1.0>{name}</option> }).collect_view()}
                    </select>
                </label>
            </header>
            {move || keys.with(Vec::is_empty).then(|| view! { <p class="dim">"No breaker is known yet: none has changed its state, and no policy has told its options."</p> })}
            {move || keys.get().into_iter().map(|key| slot(key, range)).collect_view()}
            {left_out}
        </section>
    }
}

/// Where a breaker's card stands: it stays while the card is drawn anew, and has the focus when another view led here.
fn slot(key: usize, range: RwSignal<f64>) -> AnyView {
    let session = use_session();
    let one = Memo::new(move |_| {
        session.coarse.track();
        let (now, range) = (session.now.get_untracked(), range.get());
        session.peek(|log| {
            // It has come as far as the log: what happened last is not to come.
            let now = log.bounds().map_or(now, |bounds| now.max(bounds.1));
            log.breakers.get(key).map(|breaker| tell(log, key, breaker, range, now))
        })
    });
    // All calls of a minute are looked at: once for each opening.
    let before = Memo::new(move |last: Option<&((u32, u64, u32), Before)>| {
        session.coarse.track();
        let of_log = session.generation();
        session.peek(|log| {
            let Some(change) = log.breakers.get(key).and_then(Breaker::last_trip) else {
                return Default::default();
            };
            let trip = (of_log, change.at.to_bits(), change.generation);
            last.filter(|last| last.0 == trip).cloned().unwrap_or_else(|| (trip, before(log, key, change)))
        })
    });
    let place = NodeRef::<leptos::html::Div>::new();
    Effect::new(move |_| {
        if let Some(place) = place.get().filter(|_| session.navigation.breaker.get_untracked() == Some(key)) {
            session.navigation.breaker.set(None);
            place.scroll_into_view();
            let _ = place.focus();
        }
    });
    view! { <div class="breaker-slot" tabindex="-1" node_ref=place>{move || one.get().map(|told| view! { <Card told before=before.with(|before| before.1.clone())/> })}</div> }.into_any()
}

#[component]
fn Card(told: Told, before: Before) -> impl IntoView {
    let session = use_session();
    let now = session.now.get_untracked();
    let due = told.due;
    let lane = told.lane.into_iter().map(|(state, left, width, label)| {
        view! { <i class=format!("lane-span {}", state.word()) style:left=format!("{left}%") style:width=format!("{width}%")><span>{label}</span></i> }
    });
    let probes = told.probes.into_iter().map(|(left, verdict, call)| {
        let class = match verdict {
            Verdict::Succeeded => "ok",
            Verdict::Failed => "failed",
            Verdict::Nothing | Verdict::Running => "",
        };
        let row = VERDICTS.iter().find(|row| row.0 == verdict);
        let (sign, says) = row.map_or(("", String::new()), |row| (row.1, format!("probe: {}", row.2)));
        view! { <button class=format!("probe {class}") style:left=format!("{left}%") aria-label=format!("{says}; show its call") title=says on:click=move |_| session.show_call(call)>{sign}</button> }
    });
    let label = format!("Breaker {}", told.name);
    let unchanged = told.changes.is_empty();
    let opened = told.opened.map(|opened| view! {
        <div class="why">
            <h4>"Why it opened"</h4>
            <p><b>{opened.reason}</b>" at "{opened.at}{opened.wait}</p>
            {opened.window.filter(|window| window.total > 0 || !window.last.is_empty()).map(|window| view! { <WindowView window/> })}
            {(!before.failed.is_empty()).then(|| view! { <p>{before.failed}</p> })}
            <p class="links">{before.calls.into_iter().map(|(call, name)| view! { <button class="link" on:click=move |_| session.show_call(call)>{name}</button> }).collect_view()}{(before.more > 0).then(|| format!("and {} more", before.more))}</p>
            {(!opened.settings.is_empty()).then(|| view! { <dl class="facts mono">{opened.settings.into_iter().map(super::details::fact).collect_view()}</dl> })}
            {(opened.reopened > 0).then(|| view! { <p>"Opened again "{times(opened.reopened as u64)}" since, by a probe that failed."</p> })}
        </div>
    });
    view! {
        <article class="card breaker" aria-label=label>
            <header>
                <h3>{told.name}</h3>
                <span class=format!("state {}", told.state.word())><i aria-hidden="true">{told.state.sign()}</i>{told.state.word()}</span>
                {due.map(|due| view! { <span class="due">"probe in "{countdown(due - now)}</span> })}
                <span class="grow"></span>
                <span class="dim">{told.policy}{(!told.source.is_empty()).then(|| format!(" · {}", told.source))}</span>
            </header>
            <div class="lane-wrap">
                <div class="lane" role="img" aria-label=told.says>{lane.collect_view()}</div>
                <div class="lane-probes">{probes.collect_view()}</div>
                <div class="lane-ends" aria-hidden="true"><span>{told.ends.0}</span><span>{told.ends.1}</span></div>
            </div>
            <div class="breaker-body">
                <Machine state=told.state due=due.map(|due| due - now) reset_ms=told.reset_ms/>
                {opened}
                <dl class="facts">{told.facts.into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect_view()}</dl>
            </div>
            <details class="changes" hidden=unchanged>
                <summary>{number_of(told.changed, "change")}</summary>
                <div class="scroll">
                {(told.changed > LISTED as u64).then(|| view! { <p class="dim">"The newest "{LISTED}" of them:"</p> })}
                <table>
                    <thead><tr><th>"At"</th><th>"From"</th><th>"To"</th><th>"Because"</th><th>"Generation"</th></tr></thead>
                    <tbody>{told.changes.into_iter().map(|(at, from, to, reason, generation)| view! {
                        <tr><td>{at}</td><td>{from.word()}</td><td><span class=format!("state {}", to.word())><i aria-hidden="true">{to.sign()}</i>{to.word()}</span></td><td>{reason}</td><td>{generation}</td></tr>
                    }).collect_view()}</tbody>
                </table>
                </div>
            </details>
        </article>
    }
}

/// What the window held: one sign for each of its last results.
#[component]
fn WindowView(window: Window) -> impl IntoView {
    let says = window::words(&window);
    let before = window::before(&window);
    let signs = window.last.iter().map(|&result| window::sign(result)).collect::<String>();
    let results = window.last.iter().enumerate().map(|(place, &result)| {
        let class = match result {
            _ if place < before => "before",
            0 => "ok",
            1 => "failed",
            _ => "slow",
        };
        view! { <i class=class>{window::sign(result)}</i> }
    });
    view! {
        <p class="window" role="img" aria-label=format!("Last results, oldest first: {signs}")>{results.collect_view()}</p>
        <p class="dim">{says}</p>
    }
}

/// The state machine, with the present state marked.
#[component]
fn Machine(state: State, due: Option<f64>, reset_ms: f64) -> impl IntoView {
    let node = |of: State, x: f64, y: f64| {
        let here = of == state;
        view! {
            <g class=format!("node {}", of.word()) class:here=here>
                <rect x=x - 44.0 y=y - 15.0 width="88" height="30" rx="15"/>
                <text x=x y=y + 4.0 text-anchor="middle">{of.sign()}" "{of.word()}</text>
            </g>
        }
    };
    let share = due.filter(|_| reset_ms > 0.0).map(|due| (1.0 - due / reset_ms).clamp(0.0, 1.0));
    let extra = matches!(state, State::Isolated | State::Disabled).then(|| node(state, 132.0, 132.0));
    view! {
        <svg class="machine" viewBox="0 0 264 152" role="img" aria-label=format!("State machine, now {}", state.word())>
            <defs>
                <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
                    <path d="M0 0 8 4 0 8z" fill="currentColor"/>
                </marker>
            </defs>
            <g fill="none" stroke="currentColor" marker-end="url(#arrow)">
                <path d="M98 24H164"/>
                <path d="M208 41V82"/>
                <path d="M192 82V41"/>
                <path d="M156 92 74 42"/>
            </g>
            <g class="labels">
                <text x="131" y="18" text-anchor="middle">"trips"</text>
                <text x="213" y="65">"reset"</text>
                <text x="187" y="65" text-anchor="end">"probe fails"</text>
                <text x="96" y="82" text-anchor="end">"probe ok"</text>
            </g>
            {node(State::Closed, 52.0, 24.0)}
            {node(State::Open, 210.0, 24.0)}
            {node(State::HalfOpen, 202.0, 100.0)}
            {extra}
            {share.map(|share| view! { <g class="reset"><rect x="166" y="44" width="88" height="3" rx="1.5"/><rect class="done" x="166" y="44" width=88.0 * share height="3" rx="1.5"/></g> })}
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::stage::Stage;

    const OPENED: &str = r#"{"total":5,"failures":5,"slow":0,"last":[1,1,1,1,1]}"#;

    fn told(log: &Log, key: usize) -> Told {
        tell(log, key, &log.breakers[key], 0.0, log.bounds().unwrap().1)
    }

    fn before_opening(log: &Log, key: usize) -> Before {
        before(log, key, log.breakers[key].last_trip().unwrap())
    }

    #[test]
    fn a_hint_that_keeps_it_open_is_told_from_the_settings() {
        for (reason, retry_at, expected) in [
            (
                "5 failures in a row; the provider asked for 1000 ms",
                r#","retryAt":2000"#,
                ", open for the 1.00 s that the provider asked",
            ),
            ("5 failures in a row", r#","retryAt":61000"#, ", open for 1 m 00 s"),
            ("5 failures in a row", "", ""),
        ] {
            let mut log = Log::default();
            let line = format!(
                r#"{{"v":1,"source":"s","seq":1,"time":1000,"policy":"p","type":"breaker.changed","breaker":"b","from":"closed","to":"open","reason":"{reason}","generation":1{retry_at}}}"#
            );
            assert!(log.take(&line), "{:?}", log.losses);
            let opened = told(&log, 0).opened.unwrap();
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
                "Failed attempts of the minute before: TIMEOUT ×{calls}, in {calls} calls"
            ))
        );
        let thresholds = [0, 1].map(|key| told(&log, key).opened.unwrap().settings[1].1.clone());
        assert_eq!(thresholds, ["7", "9"]);
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
        assert_eq!(told(&log, 0).policy, "chat, search, mail and 1 more");
        assert_eq!(before_opening(&log, 0).calls.len(), 4);
        assert!(told(&log, 0).facts.contains(&("Calls refused", "1".into())));
    }

    #[test]
    fn changes_that_are_not_listed_are_counted_and_a_card_without_news_is_the_same() {
        let mut stage = Stage::new();
        for _ in 0..1_010 {
            stage.breaker("chat", "closed", "open", OPENED).breaker("chat", "open", "closed", "null");
        }
        let log = stage.log();
        let told = || told(&log, 0);
        assert_eq!((told().changes.len(), told().changed), (LISTED, 2_020));
        // Not so with NaN for what is not known: it would be drawn anew each time.
        assert!(told() == told());
    }
}
