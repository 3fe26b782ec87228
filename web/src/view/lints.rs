//! The findings: what was seen and how often, where, and the setting that mends it, to copy.

use crate::lint::{Evidence, Finding, find};
use crate::session::live::{Session, View, use_session};
use crate::session::store::Log;
use crate::ui::copy::{Copy, Text};
use crate::ui::format::count;
use leptos::prelude::*;
use std::sync::Arc;

/// Above so many events the count beside the view's name is not kept while another view is shown.
const MOST_IN_PASSING: usize = 300_000;

/// What the lints find, at most once a second.
pub(crate) fn findings(session: Session) -> Memo<Vec<Finding>> {
    let seen = StoredValue::new((f64::NAN, 0_u64));
    Memo::new(move |before: Option<&Vec<Finding>>| {
        let (tick, version) = (session.coarse.get(), session.peek(|log| log.totals.events));
        let shown = session.view.get() == View::Lints;
        let (second, last) = seen.get_value();
        #[expect(clippy::cast_precision_loss, reason = "quarters of a second")]
        let now = (tick / if shown { 4 } else { 16 }) as f64;
        let busy = !shown && session.peek(Log::kept) > MOST_IN_PASSING;
        if let Some(before) = before
            && (busy || version == last || (now - second).abs() < 0.5 && version > last)
        {
            return before.clone();
        }
        seen.set_value((now, version));
        session.peek(find)
    })
}

/// The findings that the page shares.
pub(crate) fn shared() -> Memo<Vec<Finding>> {
    expect_context()
}

/// The findings.
#[component]
pub(crate) fn Lints() -> impl IntoView {
    let session = use_session();
    let all = shared();
    let body = move || {
        let all = all.get();
        if all.is_empty() {
            return view! { <p class="dim">"✓ Nothing in this log asks for another setting."</p> }.into_any();
        }
        all.into_iter().map(|finding| card(session, finding)).collect_view().into_any()
    };
    view! {
        <section class="page" aria-label="Lints">
            <header class="page-head">
                <h2>"What to change"</h2>
                <span class="dim">"Patterns in this log that a setting mends, the worst first."</span>
            </header>
            {body}
        </section>
    }
}

fn card(session: Session, finding: Finding) -> AnyView {
    let Finding { lint, title, grade, count: number, what, fix, code, evidence } = finding;
    let places = session.peek(|log| evidence.into_iter().map(|one| place(log, one)).collect::<Vec<_>>());
    let links = places.into_iter().map(|(name, to)| {
        view! { <button class="link" on:click=move |_| show(session, &to)>{name}</button> }
    });
    let links = links.collect::<Vec<_>>();
    let shown = (!links.is_empty()).then(|| view! { <p class="links">"Seen in "{links}</p> });
    let copied = code.clone();
    let text: Text = Arc::new(move || copied.clone());
    view! {
        <article class=format!("card finding {}", grade.word()) aria-label=title data-lint=lint>
            <header>
                <span class="grade"><i aria-hidden="true">{grade.sign()}</i>{grade.word()}</span>
                <h3>{title}</h3>
                <span class="grow"></span>
                <b title="how often">{count(number)}"×"</b>
            </header>
            <p>{what}</p>
            {shown}
            <h4>"What to do"</h4>
            <p>{fix}</p>
            <div class="code"><pre tabindex="0" aria-label="The fix, as code">{code}</pre><Copy text/></div>
        </article>
    }
    .into_any()
}

fn place(log: &Log, evidence: Evidence) -> (String, Evidence) {
    let text = |name| log.names.text(name);
    let name = match evidence {
        Evidence::Call(number) => log.call(number).map(|call| {
            let name = if call.task.is_none() { call.policy } else { call.task };
            format!("{} {}", call.status.sign(), text(name))
        }),
        Evidence::Breaker(index) => {
            log.breakers.get(index).map(|breaker| format!("breaker {}", text(breaker.name)))
        }
        Evidence::Group(code, rule) => Some(format!("{} by {}", text(code), text(rule))),
    };
    (name.unwrap_or_else(|| "a call that was let go".into()), evidence)
}

/// Goes to where it can be seen.
fn show(session: Session, evidence: &Evidence) {
    match *evidence {
        Evidence::Call(number) => session.show_call(number),
        Evidence::Breaker(index) => session.show_breaker(index),
        Evidence::Group(code, rule) => {
            session.group.set(Some((code, rule)));
            session.view.set(View::Errors);
        }
    }
}
