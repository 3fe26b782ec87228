//! The breakers: a track of states for each, its state machine, its probes, and why it opened.

use super::control::button;
use super::facts::fact;
use crate::session::breaker::{BreakerId, State, Verdict};
use crate::session::{Session, Slow, use_session};
use crate::ui::wall_clock;
use halfopen_log::Window;
use halfopen_model::breaker_window;
use halfopen_model::format::{countdown, number_of, times};
use halfopen_model::view::adaptive::{LimitLine, without_track};
use halfopen_model::view::breakers::{
    Before, BreakerCard, LISTED, Listing, Share, Shown, VERDICTS, before, describe, last_trip, listing,
};
use halfopen_store::time::Moment;
use leptos::prelude::*;

/// Most breakers that are shown.
const MOST: usize = 20;
/// Spans of time that a track can show, in milliseconds; 0 is all.
const RANGES: &[(&str, f64)] =
    &[("2 minutes", 120_000.0), ("10 minutes", 600_000.0), ("1 hour", 3_600_000.0), ("all", 0.0)];

/// The breakers.
#[component]
pub(crate) fn Breakers() -> impl IntoView {
    let session = use_session();
    let range = RwSignal::new(600_000.0_f64);
    // Four times a second: the tracks of all cards in every frame would be too much.
    let all = Memo::new(move |_| {
        session.clock.slow(Slow::Lists);
        let scope = session.scope.whole.get();
        session.log.peek(|log| listing(log, &scope, MOST))
    });
    // A card stays while only its values change.
    let keys = Memo::new(move |_| all.with(|all| all.rows.iter().map(|row| row.0).collect::<Vec<_>>()));
    let left_out = move || {
        session.clock.slow(Slow::Lists);
        let more = all.with(|all| all.more);
        let changes = session.log.peek(|log| log.losses.of_breakers);
        let more = (more > 0).then(|| format!("{} not shown. ", number_of(more as u64, "more breaker")));
        let changes = (changes > 0).then(|| {
            format!(
                "{} of further breakers were dropped: there are too many breakers.",
                number_of(changes, "change")
            )
        });
        (more.is_some() || changes.is_some()).then(|| view! { <p class="dim">{more}{changes}</p> })
    };
    let alone = Memo::new(move |_| {
        session.clock.slow(Slow::Lists);
        let (now, range, scope) = (session.clock.now.get_untracked(), range.get(), session.scope.whole.get());
        session.log.peek(|log| {
            without_track(log, &scope, range, log.bounds().map_or(now, |bounds| now.max(bounds.1)))
        })
    });
    view! {
        <section class="page" aria-label="Breakers">
            <header class="page-head">
                <h2>"Circuit breakers"</h2>
                <label class="choice" hidden=move || session.scope.span.get().is_some()>"Show the last "
                    <select on:change=move |event| range.set(halfopen_log::number(&event_target_value(&event)).unwrap_or(0.0))>
                        {RANGES.iter().map(|&(name, ms)| view! { <option value=ms.to_string() selected=(ms - 600_000.0).abs() < 1.0>{name}</option> }).collect_view()}
                    </select>
                </label>
            </header>
            {move || keys.with(Vec::is_empty).then(|| none_in(session))}
            {move || keys.get().into_iter().map(|id| slot(id, all, range)).collect_view()}
            {move || (!alone.with(Vec::is_empty)).then(|| view! { <article class="card" aria-label="Adaptive limits"><header><h3>"Adaptive limits"</h3></header>{alone.get().into_iter().map(limit_line).collect_view()}</article> })}
            {left_out}
        </section>
    }
}

/// How a breaker comes into the view.
fn none_in(session: Session) -> AnyView {
    if session.log.read(|log| log.breakers.iter().next().is_some()) {
        return view! { <p class="dim">"No call of a policy with a breaker is in the scope: change or clear the filter or the selected time."</p> }.into_any();
    }
    view! { <p class="dim">"No breaker has changed its state yet. A policy has one unless its option "<code>"breaker"</code>" is "<code>"false"</code>"; it shows here when it opens, or as soon as the policy is created if the option sets it."</p> }.into_any()
}

/// Where a breaker's card stands: it stays while the card is drawn anew, and has the focus when another view led here.
fn slot(id: BreakerId, all: Memo<Listing>, range: RwSignal<f64>) -> AnyView {
    let session = use_session();
    let one = Memo::new(move |_| {
        session.clock.slow(Slow::Lists);
        let (now, range, scope) = (session.clock.now.get_untracked(), range.get(), session.scope.whole.get());
        let opening = session.navigation.opening.get();
        let refused = all.with(|all| all.rows.iter().find(|row| row.0 == id).map_or(0, |row| row.1));
        session.log.peek(|log| {
            // It has come as far as the log: what happened last is not to come.
            let now = log.bounds().map_or(now, |bounds| now.max(bounds.1));
            let shown = Shown { range, opening, clock: &wall_clock::time };
            log.breakers.get(id).map(|breaker| describe(log, breaker, &scope, refused, shown, now))
        })
    });
    // All calls of a minute are looked at: once for each opening.
    let before = Memo::new(move |last: Option<&((u32, Moment, u32), Before)>| {
        session.clock.slow(Slow::Lists);
        let (of_log, span) = (session.log.generation(), session.scope.span.get());
        let opening = session.navigation.opening.get();
        session.log.peek(|log| {
            let Some(change) = log.breakers.get(id).and_then(|breaker| last_trip(breaker, span, opening))
            else {
                return Default::default();
            };
            let trip = (of_log, change.at, change.generation);
            last.filter(|last| last.0 == trip).cloned().unwrap_or_else(|| (trip, before(log, id, change)))
        })
    });
    let place = NodeRef::<leptos::html::Div>::new();
    Effect::new(move |_| {
        if let Some(place) = place.get().filter(|_| session.navigation.breaker.get_untracked() == Some(id)) {
            session.navigation.breaker.set(None);
            place.scroll_into_view();
            let _ = place.focus();
        }
    });
    view! { <div class="breaker-slot" tabindex="-1" node_ref=place>{move || one.get().map(|card| view! { <Card id card before=before.with(|before| before.1.clone())/> })}</div> }.into_any()
}

#[component]
fn Card(id: BreakerId, card: BreakerCard, before: Before) -> impl IntoView {
    let session = use_session();
    let buttons = buttons(id, &card);
    let now = session.clock.now.get_untracked();
    let due = card.due;
    // A breaker that has done nothing is one line.
    let calm = card.is_calm && card.limits.is_empty();
    let track = card.track.into_iter().map(|(state, left, width, label)| {
        view! { <i class=format!("track-span {}", state.word()) style:left=format!("{left}%") style:width=format!("{width}%")><span>{label}</span></i> }
    });
    let shares = card.shares.into_iter().map(|Share { left, width, share }| {
        view! { <i class="track-share" style:left=format!("{left}%") style:width=format!("{width}%") style:height=format!("{}%", share * 100.0)></i> }
    });
    let probes = card.probes.into_iter().map(|(left, verdict, call)| {
        let class = match verdict {
            Verdict::Succeeded => "ok",
            Verdict::Failed => "failed",
            Verdict::Nothing | Verdict::Running => "",
        };
        let row = VERDICTS.iter().find(|row| row.0 == verdict);
        let (sign, says) = row.map_or(("", String::new()), |row| (row.1, format!("probe: {}", row.2)));
        view! { <button class=format!("probe {class}") style:left=format!("{left}%") aria-label=format!("{says}; show its call") title=says on:click=move |_| session.show_call(call)>{sign}</button> }
    });
    let opening =
        move || session.navigation.opening.get().filter(|opening| opening.0 == id).map(|opening| opening.1);
    let label = format!("Breaker {}", card.name);
    let unchanged = card.changes.is_empty();
    let opened = card.opened.map(|opened| view! {
        <div class="why">
            <h4>"Why it opened"</h4>
            {move || opening().map(|at| view! {
                <p class="dim">"Before the call of "{wall_clock::time(at)}". "<button class="link" on:click=move |_| session.navigation.opening.set(None)>"Show the last opening"</button></p>
            })}
            <p><b>{opened.reason}</b>" at "{opened.at}{opened.wait}</p>
            {opened.window.filter(|window| window.total > 0 || !window.last.is_empty()).map(|window| view! { <WindowView window/> })}
            {(!before.failed.is_empty()).then(|| view! { <p>{before.failed}</p> })}
            <p class="links">{before.calls.into_iter().map(|(call, name)| view! { <button class="link" on:click=move |_| session.show_call(call)>{name}</button> }).collect_view()}{(before.more > 0).then(|| format!("and {} more", before.more))}</p>
            {(!opened.settings.is_empty()).then(|| view! { <dl class="facts mono">{opened.settings.into_iter().map(fact).collect_view()}</dl> })}
            {(opened.reopened > 0).then(|| view! { <p>"Opened again "{times(opened.reopened as u64)}" since, by a probe that failed."</p> })}
        </div>
    });
    view! {
        <article class="card breaker" aria-label=label>
            <header>
                <h3>{card.name}</h3>
                <span class=format!("state {}", card.state.word())><i aria-hidden="true">{card.state.sign()}</i>{card.state.word()}</span>
                {card.refuses.map(|refuses| view! { <span class="refuses">{refuses}</span> })}
                {due.map(|due| view! { <span class="due">"probe in "{countdown(due - now)}</span> })}
                <span class="grow"></span>
                {buttons}
                <span class="dim">{card.policy}{(!card.source.is_empty()).then(|| format!(" · {}", card.source))}</span>
            </header>
            <div class="track-wrap" hidden=calm>
                <div class="track" role="img" aria-label=card.track_in_words>{track.collect_view()}{shares.collect_view()}</div>
                <div class="track-probes">{probes.collect_view()}</div>
                {card.limits.into_iter().map(limit_line).collect_view()}
                <div class="track-ends" aria-hidden="true"><span>{card.ends.0}</span><span>{card.ends.1}</span></div>
            </div>
            <div class="breaker-body" hidden=calm>
                <Machine state=card.state due=due.map(|due| due - now) reset_ms=card.reset_ms/>
                {opened}
                <dl class="facts">{card.facts.into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect_view()}</dl>
            </div>
            <details class="changes" hidden=unchanged>
                <summary>{number_of(card.changed, "change")}</summary>
                <div class="scroll">
                {(card.changed > LISTED as u64).then(|| view! { <p class="dim">"The newest "{LISTED}" of them:"</p> })}
                <table>
                    <thead><tr><th>"At"</th><th>"From"</th><th>"To"</th><th>"Because"</th><th>"Generation"</th></tr></thead>
                    <tbody>{card.changes.into_iter().map(|(at, from, to, reason, generation)| view! {
                        <tr><td>{at}</td><td>{from.word()}</td><td><span class=format!("state {}", to.word())><i aria-hidden="true">{to.sign()}</i>{to.word()}</span></td><td>{reason}</td><td>{generation}</td></tr>
                    }).collect_view()}</tbody>
                </table>
                </div>
            </details>
        </article>
    }
}

/// The actions on a breaker that its process allows.
fn buttons(id: BreakerId, card: &BreakerCard) -> AnyView {
    let isolate = (card.state != State::Isolated).then(|| {
        let action = ("isolate", "breaker", card.name.clone());
        button("Isolate", "Refuse all calls until this is undone", id.source, action)
    });
    let close = (card.state != State::Closed).then(|| {
        let action = ("close", "breaker", card.name.clone());
        button("Close", "Close the breaker and forget what it has counted", id.source, action)
    });
    view! { {isolate}{close} }.into_any()
}

/// How many attempts of a policy might run at once, over the time of a track.
fn limit_line(line: LimitLine) -> AnyView {
    let LimitLine { policy, path, says } = line;
    let label = format!("Adaptive limit of {policy}: {says}");
    view! {
        <div class="limit-line">
            <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label=label><path d=path/></svg>
            <p class="dim"><b>{policy}</b>": "{says}</p>
        </div>
    }
    .into_any()
}

/// What the window held: one sign for each of its last results.
#[component]
fn WindowView(window: Window) -> impl IntoView {
    let says = breaker_window::words(&window);
    let before = breaker_window::before(&window);
    let signs = window.last.iter().map(|&result| breaker_window::sign(result)).collect::<String>();
    let results = window.last.iter().enumerate().map(|(place, &result)| {
        let class = match result {
            _ if place < before => "before",
            0 => "ok",
            1 => "failed",
            _ => "slow",
        };
        view! { <i class=class>{breaker_window::sign(result)}</i> }
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
