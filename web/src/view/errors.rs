//! The failures, grouped by code and rule: how many, how their number goes, and one of each looked at closely.

use super::empty::Empty;
use crate::session::group::{Group, STEP, STEPS};
use crate::session::live::use_session;
use crate::session::names::Name;
use crate::session::store::Log;
use crate::ui::badge::Badge;
use crate::ui::format::{count, cut, span};
use halfopen::code::Code;
use halfopen::log::{Event, Kind};
use halfopen::message::{About, LOCALES, user_message};
use halfopen::time::Millis;
use leptos::prelude::*;

#[derive(Clone, PartialEq)]
struct Row {
    key: (Name, Name),
    code: String,
    rule: String,
    number: u64,
    ago: String,
    trend: Vec<u32>,
}

fn rows(log: &Log, now: f64) -> Vec<Row> {
    let tell = |group: &Group| Row {
        key: (group.code, group.rule),
        code: log.names.text(group.code).to_owned(),
        rule: log.names.text(group.rule).to_owned(),
        number: group.count,
        ago: span((now - group.last).max(0.0)),
        trend: group.trend(now),
    };
    let mut rows: Vec<_> = log.groups.iter().map(tell).collect();
    // What nobody knew what to make of comes first: a rule is missing there.
    rows.sort_by_key(|row| (row.code != "UNKNOWN", std::cmp::Reverse(row.number)));
    rows.truncate(200);
    rows
}

/// The failures.
#[component]
pub(crate) fn Errors() -> impl IntoView {
    let session = use_session();
    let selected = RwSignal::new(None::<(Name, Name)>);
    let all = Memo::new(move |_| {
        let now = (session.now.get() / 1_000.0).floor() * 1_000.0;
        session.read(|log| rows(log, now))
    });
    let shown = Memo::new(move |_| selected.get().or_else(|| all.with(|all| all.first().map(|row| row.key))));
    view! {
        <Show when=move || session.read(|log| log.kept() > 0) fallback=Empty>
            <section class="page" aria-label="Errors">
                <header class="page-head"><h2>"Failed attempts by code and rule"</h2></header>
                <Show when=move || all.with(Vec::is_empty)><p class="dim">"No attempt has failed so far."</p></Show>
                <div class="two">
                    <ul class="groups">
                        <For each=move || all.get() key=|row| (row.key, row.number, row.ago.clone()) let:row>
                            <GroupRow row shown selected/>
                        </For>
                    </ul>
                    {move || shown.get().map(|key| view! { <Closer key/> })}
                </div>
            </section>
        </Show>
    }
}

#[component]
fn GroupRow(
    row: Row,
    shown: Memo<Option<(Name, Name)>>,
    selected: RwSignal<Option<(Name, Name)>>,
) -> impl IntoView {
    let key = row.key;
    let most = row.trend.iter().copied().max().unwrap_or(1).max(1);
    let bars = row.trend.iter().enumerate().map(|(index, &number)| {
        let height = f64::from(number) / f64::from(most) * 20.0;
        view! { <rect x=index * 4 y=20.0 - height width="3" height=height/> }
    });
    #[expect(clippy::cast_precision_loss, reason = "a small constant")]
    let minutes = STEP * STEPS as f64 / 60_000.0;
    view! {
        <li>
            <button class="group" aria-pressed=move || (shown.get() == Some(key)).to_string() on:click=move |_| selected.set(Some(key))>
                <Badge code=row.code/>
                <code>{row.rule}</code>
                <svg viewBox="0 0 120 20" class="trend" role="img" aria-label=format!("Over the last {minutes} minutes, at most {most} in ten seconds")>{bars.collect_view()}</svg>
                <b>{count(row.number)}</b>
                <small>{row.ago}" ago"</small>
            </button>
        </li>
    }
}

#[derive(Clone, PartialEq)]
struct Sample {
    call: u32,
    title: String,
    target: String,
    code: String,
    rule: String,
    details: String,
    signals: String,
    facts: Vec<(&'static str, String)>,
    others: Vec<(u32, String)>,
    provider: String,
    model: String,
    retry_after_ms: f64,
}

fn closer(log: &Log, key: (Name, Name), at: usize) -> Option<Sample> {
    let group = log.groups.iter().find(|group| (group.code, group.rule) == key)?;
    let samples: Vec<_> = group.samples.iter().rev().collect();
    let sample = samples.get(at).or(samples.first())?;
    let text = |name| log.names.text(name).to_owned();
    let name = |call: u32| {
        let call = log.call(call)?;
        Some(if call.task.is_none() { text(call.policy) } else { text(call.task) })
    };
    let call = log.call(sample.call);
    let attempt =
        call.and_then(|call| call.attempts.iter().find(|attempt| attempt.ended_by == Some(sample.event)));
    let event = Event::parse(log.line(sample.event)).ok()?;
    let Kind::AttemptFailed {
        technical_details,
        signals,
        severity,
        retryable,
        counted,
        status_code,
        request_id,
        retry_after_ms,
        ..
    } = event.kind
    else {
        return None;
    };
    let mut facts = vec![
        ("Severity", cut(severity.as_str(), 40)),
        ("Retryable", if retryable { "yes" } else { "no" }.into()),
        ("Breaker", if counted { "counted as a failure" } else { "not counted" }.into()),
    ];
    facts.extend(status_code.map(|status| ("HTTP status", status.to_string())));
    facts.extend(request_id.map(|id| ("Request id", cut(id.as_str(), 120))));
    facts.extend(retry_after_ms.map(|ms| ("Hint", format!("Retry-After {}", span(ms)))));
    Some(Sample {
        call: sample.call,
        title: name(sample.call).unwrap_or_default(),
        target: attempt.map_or_else(String::new, |attempt| {
            format!("{} {}", text(attempt.provider), text(attempt.model))
        }),
        code: text(key.0),
        rule: text(key.1),
        details: cut(technical_details.as_str(), 4_000),
        signals: serde_json::to_string_pretty(&signals.value())
            .map(|text| cut(&text, 4_000))
            .unwrap_or_default(),
        facts,
        others: samples
            .iter()
            .take(12)
            .filter_map(|sample| Some((sample.call, name(sample.call)?)))
            .collect(),
        provider: attempt.map_or_else(String::new, |attempt| text(attempt.provider)),
        model: attempt.map_or_else(String::new, |attempt| text(attempt.model)),
        retry_after_ms: retry_after_ms.unwrap_or(f64::NAN),
    })
}

#[component]
fn Closer(key: (Name, Name)) -> impl IntoView {
    let session = use_session();
    let sample = Memo::new(move |_| session.read(|log| closer(log, key, 0)));
    move || {
        sample.get().map(|sample| {
        let about = About {
            provider: (!sample.provider.is_empty()).then_some(sample.provider.as_str()),
            model: (!sample.model.is_empty()).then_some(sample.model.as_str()),
            tool: None,
            retry_after: (!sample.retry_after_ms.is_nan()).then(|| Millis::from_f64(sample.retry_after_ms)),
        };
        let messages = Code::from_name(&sample.code).map(|code| {
            LOCALES.iter().map(|&tag| view! { <div><dt>{tag}</dt><dd lang=tag>{user_message(code, &about, tag)}</dd></div> }).collect_view()
        });
        let call = sample.call;
        view! {
            <article class="card closer" aria-label="The last failure of this group">
                <header><Badge code=sample.code.clone()/><code>{sample.rule.clone()}</code></header>
                <p class="dim">"The last one: "<button class="link" on:click=move |_| session.show_call(call)>{sample.title.clone()}</button>" "{sample.target.clone()}</p>
                <div class="two-even">
                    <div>
                        <h4>"What the developer sees"</h4>
                        <pre class="technical" tabindex="0" aria-label="Technical details">{sample.details.clone()}</pre>
                        <dl class="facts">{sample.facts.clone().into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect_view()}</dl>
                        <h4>"Signals"</h4>
                        <pre class="technical" tabindex="0" aria-label="Signals">{sample.signals.clone()}</pre>
                    </div>
                    <div>
                        <h4>"What the person reads"</h4>
                        <dl class="facts messages">{messages}</dl>
                    </div>
                </div>
                <h4>"Calls with it"</h4>
                <p class="links">{sample.others.iter().cloned().map(|(call, name)| view! { <button class="link" on:click=move |_| session.show_call(call)>{name}</button> }).collect_view()}</p>
            </article>
        }
    })
    }
}
