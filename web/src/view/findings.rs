//! The findings: what was seen and how often, where, and the setting that mends it, to copy.

use super::control;
use crate::session::intake::Origin;
use crate::session::{Session, Slow, use_session};
use crate::ui::copy::{Copy, Text};
use crate::ui::wall_clock;
use gloo_timers::future::TimeoutFuture;
use halfopen_model::check::{Evidence, Finding, FindingKey, Grade, Setting};
use halfopen_model::session::checking::{Checking, Due, Turn};
use halfopen_model::view::View;
use halfopen_model::view::control::updates;
use halfopen_model::view::findings::{self, Card, Head};
use halfopen_store::group::Key;
use halfopen_store::scope::Scope;
use leptos::prelude::*;
use std::sync::Arc;

/// What the checks found; nothing before they have looked at all of a log for the first time.
pub(crate) type Found = RwSignal<Option<Vec<Finding>>>;

/// So many calls are looked at in one go where nothing else goes on: some milliseconds.
const STEP: u32 = 2_000;
/// And while events come in and another view shows them: a fraction of a frame.
const SMALL_STEP: u32 = 300;
/// Between two goes the page may do something else: milliseconds.
const PAUSE: u32 = 16;

/// Checks the log while it grows; `halfopen_model::session::checking` says when.
pub(crate) fn findings(session: Session) -> Found {
    let found = RwSignal::new(None);
    let checking = StoredValue::new_local(Checking::default());
    Effect::new(move |_| {
        let turn = Turn {
            scope: session.scope.whole.get(),
            filter: session.scope.query.get(),
            tick: session.clock.slow(Slow::Sums),
            shown: session.navigation.view.get() == View::Findings,
            reading: session.intake.loading.get().is_some(),
            generation: session.log.generation(),
        };
        let due = checking.try_update_value(|checking| session.log.peek(|log| checking.turn(log, turn)));
        let Some(Due { forget, begins }) = due else { return };
        if forget {
            found.set(None);
        }
        if begins {
            leptos::task::spawn_local(go_on(session, checking, found));
        }
    });
    found
}

/// Goes on with the look, and sets what it found in the end.
async fn go_on(session: Session, checking: StoredValue<Checking, LocalStorage>, found: Found) {
    let step = |checking: &mut Checking| {
        let watched = session.navigation.view.get_untracked() != View::Findings
            && session.intake.origin.get_untracked() == Origin::Live;
        let calls = if watched { SMALL_STEP } else { STEP };
        session.log.peek(|log| checking.step(log, calls))
    };
    // Ends with the page that it is for, too.
    while let Some(stepped) = checking.try_update_value(step) {
        if let Some(new) = stepped {
            while session.press.holds() {
                TimeoutFuture::new(PAUSE).await;
            }
            if found.with_untracked(|old| old.as_ref() != Some(&new)) {
                found.set(Some(new));
            }
            return;
        }
        TimeoutFuture::new(PAUSE).await;
    }
}

/// The findings that the page shares.
pub(crate) fn shared() -> Found {
    expect_context()
}

/// The findings.
#[component]
pub(crate) fn Findings() -> impl IntoView {
    let session = use_session();
    let all = shared();
    let shown = Memo::new(move |_| {
        all.with(|all| session.log.peek(|log| findings::findings(log, all.as_deref(), &wall_clock::time)))
    });
    let none = move || {
        shown.with(|shown| match shown {
            findings::Findings::Checking => Some("Checking every call of this log …"),
            findings::Findings::Nothing if !session.scope.whole.with(Scope::is_all) => {
                Some("✓ No problem detected: no call that passes the filter, in the selected time, suggests another setting.")
            }
            findings::Findings::Nothing => {
                Some("✓ No problem detected: nothing in this log suggests another setting.")
            }
            findings::Findings::Cards(_) => None,
        })
    };
    let heads =
        Memo::new(move |_| all.with(|all| session.log.peek(|log| findings::heads(log, all.as_deref()))));
    let checks = move || heads.with(|heads| heads.iter().map(|head| head.check).collect::<Vec<_>>());
    view! {
        <section class="page" aria-label="Findings">
            <header class="page-head">
                <h2>"What to change"</h2>
                <span class="dim">"Problems in this log that a setting solves, the worst first."</span>
            </header>
            {move || none().map(|says| view! { <p class="dim">{says}</p> })}
            {move || (heads.with(|heads| !heads.is_empty()) && !session.scope.whole.with(Scope::is_all)).then(|| view! { <p class="dim">"Of the calls that pass the filter, in the selected time. Breakers, runs and UNKNOWN errors are counted over the whole log."</p> })}
            <For each=checks key=|&check| check let:check>{check_card(session, shown, heads, check)}</For>
        </section>
    }
}

/// One check's card: it and its findings stay while their numbers change.
fn check_card(
    session: Session,
    shown: Memo<findings::Findings>,
    heads: Memo<Vec<Head>>,
    check: &'static str,
) -> AnyView {
    let head = Memo::new(move |_| heads.with(|heads| heads.iter().find(|head| head.check == check).cloned()));
    let title = move || head.with(|head| head.as_ref().map(|head| head.title.clone()).unwrap_or_default());
    let grade = move || head.with(|head| head.as_ref().map_or(Grade::Note, |head| head.grade));
    let keys = move || head.with(|head| head.as_ref().map_or_else(Vec::new, |head| head.keys.clone()));
    let alone = Memo::new(move |_| head.with(|head| head.as_ref().is_none_or(|head| head.keys.len() == 1)));
    let fix = Memo::new(move |_| head.with(|head| head.as_ref().and_then(|head| head.fix.clone())));
    let first = keys().first().copied();
    let open = RwSignal::new(first);
    view! {
        <article class=move || format!("card finding {}", grade().word()) aria-label=title data-check=check>
            <header>
                <span class="grade"><i aria-hidden="true">{move || grade().sign()}</i>{move || grade().word()}</span>
                <code class="dim">{check}</code>
                <h3>{title}</h3>
            </header>
            {move || fix.get().map(|fix| view! { <p>{fix}</p> })}
            <For each=keys key=|&key| key let:key>{card(session, shown, key, alone, fix, open)}</For>
        </article>
    }
    .into_any()
}

/// One finding of a check, which opens if there are several: it and its links stay, and keep the focus, while its numbers
/// change.
fn card(
    session: Session,
    shown: Memo<findings::Findings>,
    key: FindingKey,
    alone: Memo<bool>,
    shared_fix: Memo<Option<String>>,
    open: RwSignal<Option<FindingKey>>,
) -> AnyView {
    let card =
        Memo::new(move |_| shown.with(|shown| shown.cards().iter().find(|card| card.key == key).cloned()));
    let of = move |part: fn(&Card) -> &str| {
        move || card.with(|card| card.as_ref().map(part).unwrap_or_default().to_owned())
    };
    let is_open = move || open.get() == Some(key);
    let toggle = move |_| open.update(|open| *open = (*open != Some(key)).then_some(key));
    let has_fix = move || shared_fix.with(Option::is_none);
    // A link keeps the focus: while one has it, the links stay as they are.
    let focused = RwSignal::new(false);
    let places = Memo::new(move |last: Option<&Vec<(String, Evidence)>>| {
        let new = card.with(|card| card.as_ref().map_or_else(Vec::new, |card| card.places.clone()));
        if focused.get() { last.cloned().unwrap_or(new) } else { new }
    });
    let settings = move || {
        let settings = card.with(|card| card.as_ref().map_or_else(Vec::new, |card| card.settings.clone()));
        let settings = settings.into_iter().map(|Setting { path, now, to }| {
            let now = now.map(|now| view! { <code class="now">{now}</code>" → " });
            view! { <li><code>{path}</code><span>{now}<code>{to}</code></span></li> }
        });
        settings.collect_view()
    };
    // Only for a process that allows it, and for settings that are numbers or flags.
    let updates = Memo::new(move |_| {
        let settings = card.with(|card| card.as_ref().map_or_else(Vec::new, |card| card.settings.clone()));
        let is_live = session.intake.origin.get() == Origin::Live;
        if is_live { session.log.peek(|log| updates(log, key.policy, &settings)) } else { Vec::new() }
    });
    let lacks_options = move || card.with(|card| card.as_ref().is_some_and(|card| card.lacks_options));
    let code = of(|card| &card.code);
    let text: Text = Arc::new(code);
    view! {
        <div class="finding-of">
            <h4 hidden=move || alone.get()><button class="link" aria-expanded=move || is_open().to_string() on:click=toggle>{of(|card| &card.title)}</button></h4>
            <div hidden=move || !alone.get() && !is_open()>
            <p>{of(|card| &card.what)}</p>
            <p
                class="links"
                hidden=move || places.with(Vec::is_empty)
                on:focusin=move |_| focused.set(true)
                on:focusout=move |_| focused.set(false)
            >
                "Seen in "
                <For each=move || places.get() key=|(_, to)| *to let((name, to))>
                    <button class="link" on:click=move |_| show(session, to)>{name}</button>
                </For>
            </p>
            <h4 hidden=move || !has_fix()>"What to do"</h4>
            <p hidden=move || !has_fix()>{of(|card| &card.fix)}</p>
            <ul class="settings">{settings}</ul>
            <p class="dim" hidden=move || !lacks_options()>"This log does not have the policy's options. Compare these settings with the code that creates it."</p>
            {move || {
                let actions = updates.get();
                (!actions.is_empty()).then(|| view! {
                    <p><button class="tool act" title="Changes the policy in the running process until this is undone or the process ends" on:click=move |_| control::send(session, actions.clone())>"Try it in the running process"</button></p>
                })
            }}
            <div class="code" hidden=move || code().is_empty()><pre tabindex="0" aria-label="The fix, as code">{code}</pre><Copy text/></div>
            </div>
        </div>
    }
    .into_any()
}

/// Goes to where it can be seen.
fn show(session: Session, evidence: Evidence) {
    match evidence {
        Evidence::Call(number) => session.show_call(number),
        Evidence::Run(number) => session.navigation.show_run(number),
        Evidence::Breaker(id) => session.navigation.show_breaker(id),
        Evidence::Group(code, rule) => session.navigation.show_group(Key::Failed { code, rule }),
    }
}
