//! The failed attempts and the refused calls, in groups: how many, how their number goes, and one of each looked at closely.

use super::facts::{deciding_rule, facts, messages, technical};
use super::recovery::after_failure;
use crate::answers::query;
use crate::session::{Session, Slow, use_session};
use crate::ui::badge::Badge;
use crate::ui::waiting::waiting;
use crate::ui::wall_clock;
use halfopen_answers::{ReadSignals, Say};
use halfopen_model::format::{count, cut, number_of};
use halfopen_model::layout::range::place_of_now;
use halfopen_model::view::errors::{Cause, EndedCalls, Origins, Other, Row, Sample, closer, rows};
use halfopen_model::view::failure::LONGEST;
use halfopen_store::breaker::BreakerId;
use halfopen_store::group::Key;
use halfopen_store::numbers::CallNumber;
use leptos::prelude::*;

/// The width of a trend's bar and the height of a trend, in pixels.
const BAR: usize = 3;
const TALL: f64 = 20.0;

/// The failures.
#[component]
pub(crate) fn Errors() -> impl IntoView {
    let session = use_session();
    let selected = session.navigation.group;
    let locale = RwSignal::new("en".to_owned());
    // Four times a second: the trends of all groups in every frame would be too much.
    let failures = Memo::new(move |_| {
        session.clock.slow(Slow::Lists);
        let (calls, span, selected) = (session.scope.calls.get(), session.scope.span.get(), selected.get());
        let clock = session.intake.shows_file().then_some(&wall_clock::time as &dyn Fn(_) -> _);
        let now = session.clock.now.get_untracked().floored(1_000.0);
        session.log.peek(|log| {
            calls.with_groups(log, |groups| {
                let rows = rows(log, groups, now, place_of_now(log, now), clock, span);
                // A group that was selected may be outside of another scope.
                let sample = selected.and_then(|key| Some((key, closer(log, groups, key)?)));
                let first = || rows.0.first().and_then(|row| Some((row.key, closer(log, groups, row.key)?)));
                let sample = sample.or_else(first);
                (rows, sample)
            })
        })
    });
    let all = Memo::new(move |_| failures.with(|failures| failures.0.clone()));
    let more = move || all.with(|all| all.1);
    let shown = Memo::new(move |_| failures.with(|failures| failures.1.as_ref().map(|sample| sample.0)));
    let sample = Memo::new(move |_| failures.with(|failures| Some(failures.1.as_ref()?.1.clone())));
    let keys = move || all.with(|all| all.0.iter().map(|row| row.key).collect::<Vec<_>>());
    view! {
        <section class="page" aria-label="Errors">
            <header class="page-head"><h2>"Failed attempts and refused calls"</h2></header>
            {move || all.with(|all| all.0.is_empty()).then(|| view! { <p class="dim">"No attempt has failed and no call was refused, as far as the filter and the selected time go. They show here by their code, and by the rule that decided or the part of the policy that refused the call."</p> })}
            <div class="two">
                <div>
                    {move || all.with(|all| all.0.first().map(|row| view! {
                        <p class="group head" aria-hidden="true"><span>"Code, and rule or refusal"</span><span>"Over "{row.over.clone()}</span><span>"Failed attempts"</span><span>"Calls failed by it"</span><span>"Last"</span></p>
                    }))}
                    <ul class="groups">
                        <For each=keys key=|&key| key let:key>{group(all, key, shown, selected)}</For>
                    </ul>
                    {move || Some(more()).filter(|&more| more > 0).map(|more| view! { <p class="dim">{number_of(more as u64, "more group")}</p> })}
                </div>
                {move || sample.get().map(|sample| closer_view(session, sample, locale))}
            </div>
        </section>
    }
}

/// One group's button: it stays, and keeps the focus, while its numbers change.
fn group(
    all: Memo<(Vec<Row>, usize)>,
    key: Key,
    shown: Memo<Option<Key>>,
    selected: RwSignal<Option<Key>>,
) -> AnyView {
    let inside = move || all.with(|all| all.0.iter().find(|row| row.key == key).map(numbers));
    view! {
        <li>
            <button class="group" aria-pressed=move || (shown.get() == Some(key)).to_string() on:click=move |_| selected.set(Some(key))>{inside}</button>
        </li>
    }
    .into_any()
}

fn numbers(row: &Row) -> AnyView {
    let most = row.trend.iter().copied().max().unwrap_or(1).max(1);
    let bars = row.trend.iter().enumerate().map(|(index, &number)| {
        let height = f64::from(number) / f64::from(most) * TALL;
        view! { <rect x=index * BAR y=TALL - height width=BAR - 1 height=height/> }
    });
    view! {
        <Badge code=row.code.clone()/>
        <code>{row.cause.clone()}</code>
        <svg viewBox="0 0 120 20" class="trend" role="img" aria-label=format!("Over {}, at most {most} in a fortieth of it", row.over)>{bars.collect_view()}</svg>
        <b>{count(row.number)}<span class="said">" failed attempts, "</span></b>
        <b class=("bad", row.ended > 0)>{count(row.ended)}<span class="said">" calls failed by it, last "</span></b>
        <small>{row.last.clone()}</small>
    }
    .into_any()
}

/// The last failure of a group: its signals, the rule that decided, what follows, and what developer and user read.
fn closer_view(session: Session, sample: Sample, locale: RwSignal<String>) -> AnyView {
    let shown = match query(&Say { code: sample.code.clone(), about: sample.about }) {
        None => waiting(),
        Some(all) if all.is_empty() => {
            view! { <p>"A code that this dashboard does not know."</p> }.into_any()
        }
        Some(all) => messages(all, ended_calls(session, sample.ended, &sample.cause)),
    };
    let call = move |call: CallNumber, name: String| {
        view! { <button class="link" on:click=move |_| session.show_call(call)>{name}</button> }
    };
    let other = move |Other { call: number, title, status, started }| {
        view! {
            <span>
                <span class=format!("sign {}", status.word()) title=status.word()>{status.sign()}</span>
                " "<time>{wall_clock::time(started)}</time>" "{call(number, title)}
            </span>
        }
    };
    let noun = sample.cause.noun();
    let unmatched = (sample.code == "UNKNOWN").then(|| view! { <p class="notice">"No rule knows this error. If your application does, throw an "<code>"AgentError"</code>" with a code, or report the signals below."</p> });
    let label = match sample.cause {
        Cause::Failed { .. } => "The last failure of this group",
        Cause::Refused { .. } => "The last refused call of this group",
    };
    let (by, cause) = match sample.cause {
        Cause::Failed { rule, details, signals, facts: known } => {
            let question = ReadSignals { json: signals };
            // Without the core they are shown as the event has them.
            let signals = query(&question).map_or_else(|| question.json.clone(), |signals| signals.pretty);
            let again = move |_| {
                session.navigation.classify(
                    query(&question).map_or_else(|| question.json.clone(), |signals| signals.error),
                );
            };
            let cause = view! {
                <h3>"What the developer sees"</h3>
                {technical("Signals", cut(&signals, LONGEST))}
                <h4>"Decided by"</h4>
                {deciding_rule(rule.clone())}
                <button class="tool" on:click=again>"Classify these signals"</button>
                {technical("Technical details", details)}
                {facts(known)}
            };
            (rule, cause.into_any())
        }
        Cause::Refused { by, breakers, more } => {
            let cause = view! {
                <h3>"Refused by"</h3>
                <p>"The policy began no further attempt: these calls were "{by.clone()}"."</p>
                {(!breakers.is_empty()).then(|| breakers_view(session, breakers, more))}
            };
            (by, cause.into_any())
        }
    };
    view! {
        <article class="card closer" aria-label=label>
            <header><Badge code=sample.code/><code>{by}</code></header>
            <p class="dim">{if sample.is_end { "The last call that ended with it: ".to_owned() } else { format!("The last {noun}: ") }}{call(sample.call, sample.title)}{sample.target}</p>
            {unmatched}
            <div class="two-even">
                <div>
                    {cause}
                    {sample.origins.into_iter().map(|origins| origins_view(session, origins)).collect_view()}
                </div>
                <div>
                    {shown}
                    {sample.recovery.map(|recovery| after_failure(recovery, locale))}
                </div>
            </div>
            <h4>"Calls with it"</h4>
            <p class="links">{sample.others.into_iter().map(other).collect_view()}{sample.of.map(|of| format!("the newest of {}", number_of(of, noun)))}</p>
        </article>
    }
    .into_any()
}

/// The breakers that refused the calls of a group: each leads to its card.
fn breakers_view(session: Session, breakers: Vec<(BreakerId, String, u64)>, more: usize) -> AnyView {
    let rows = breakers.into_iter().map(|(id, name, number)| {
        let show = move |_| session.navigation.show_breaker(id);
        view! { <button class="link" title="Show this breaker" on:click=show>{format!("{name} ×{}", count(number))}</button> }
    });
    let more = (more > 0).then(|| format!("and {more} more"));
    view! { <h4>"Breakers"</h4><p class="links">{rows.collect_view()}{more}</p> }.into_any()
}

/// How many users read the message, with a link to their calls.
fn ended_calls(session: Session, ended: EndedCalls, cause: &Cause) -> AnyView {
    let EndedCalls { count: number, filter, evicted, of } = ended;
    let of = number_of(of, cause.noun());
    if number == 0 {
        let followed = match cause {
            Cause::Failed { .. } => "A retry, a fallback or another error followed each of its ",
            Cause::Refused { .. } => "A fallback followed each of its ",
        };
        return view! { <p>"No call ended with this error. "{followed}{of}"."</p> }.into_any();
    }
    let show = move |_| session.navigation.show_calls_of_these(&filter);
    let kept = (evicted > 0).then(|| format!(" The log still has {} of them.", count(number - evicted)));
    view! {
        <p>
            <button class="link" title="Show these calls" on:click=show>{number_of(number, "call")}</button>
            {format!(" ended with this error, of {of}.")}{kept}
        </p>
    }
    .into_any()
}

/// Where a group's failures came from: each leads to its calls.
fn origins_view(session: Session, origins: Origins) -> AnyView {
    let rows = origins.rows.into_iter().map(|(name, filter, number)| {
        let show = move |_| session.navigation.show_calls_of_these(&filter);
        view! { <button class="link" title="Show its calls" on:click=show>{format!("{name} ×{}", count(number))}</button> }
    });
    let more = (origins.more > 0).then(|| format!("and {} more", origins.more));
    view! { <h4>"By "{origins.name.to_lowercase()}</h4><p class="links">{rows.collect_view()}{more}</p> }
        .into_any()
}
