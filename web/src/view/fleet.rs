//! The fleet: who reaches the store, how each process sees each shared breaker, the shared limits, and the processes.

use super::summary_row::summary_row;
use crate::session::names::Name;
use crate::session::{Session, Slow, use_session};
use halfopen_model::view::fleet::{
    self as model, LimitUse, Overview, Process, Seen, Shared, Stand, overview, processes_in_words, summary,
    word,
};
use halfopen_store::breaker::State;
use halfopen_store::fleet::Standing;
use leptos::prelude::*;

/// The fleet.
#[component]
pub(crate) fn Fleet() -> impl IntoView {
    let session = use_session();
    // Four times a second: the calls of every limit's window in every frame would be too much.
    let all = Memo::new(move |_| {
        session.clock.slow(Slow::Lists);
        let (now, scope) = (session.clock.now.get_untracked(), session.scope.whole.get());
        session.log.peek(|log| overview(log, &scope, now))
    });
    let policies = move || all.with(|all| all.policies.iter().map(|row| row.key).collect::<Vec<_>>());
    let processes = move || all.with(|all| all.processes.iter().map(|row| row.key).collect::<Vec<_>>());
    let more = |number: usize| (number > 0).then(|| view! { <p class="dim">{number}" more, not shown."</p> });
    view! {
        <section class="page" aria-label="Fleet">
            <header class="page-head">
                <h2>"Fleet"</h2>
                {move || all.with(|all| all.fleets.iter().map(fleet_line).collect_view())}
            </header>
            {move || session.scope.span.get().map(|_| view! { <p class="dim">"Breakers and limits are as at the end of the selected time. Which processes reach the store, the requested waits and the last events are the present ones: the log has no earlier ones."</p> })}
            {move || all.with(|all| all.policies.is_empty()).then(|| none_shared(session))}
            <For each=policies key=|&key| key let:key>{shared_card(all, key)}</For>
            {move || more(all.with(|all| all.more_policies))}
            <h3>"Processes"</h3>
            <div class="scroll">
                <table class="providers processes">
                    <thead><tr>
                        <th>"Process"</th><th>"Host"</th><th>"Deployment"</th><th>"Version"</th><th>"Store"</th><th>"Breakers not closed"</th><th>"Last event"</th>
                    </tr></thead>
                    <tbody>
                        <For each=processes key=|&key| key let:key>{process_row(all, key)}</For>
                    </tbody>
                </table>
            </div>
            {move || more(all.with(|all| all.more_processes))}
            <p class="dim">"What is used of a limit is counted from the events of this log. What the store itself holds: "<code>"npx halfopen fleet status"</code>"."</p>
        </section>
    }
}

/// What to do where nothing is shared.
fn none_shared(session: Session) -> AnyView {
    if session.log.read(|log| log.sharing().next().is_some()) {
        return view! { <p class="dim">"No policy that shares its state is in the scope: change or clear the filter or the selected time."</p> }.into_any();
    }
    view! {
        <p class="dim">"No policy of this log shares its state. Policies that are made with "<code>"createPolicy({ fleet: fleet({ store, name }) })"</code>" of "<code>"halfopen/fleet"</code>" share breaker, limits and waits with the other processes, and show here."</p>
    }
    .into_any()
}

fn fleet_line(fleet: &model::Fleet) -> AnyView {
    let lost = fleet.degraded;
    view! {
        <span class="fleet-line"><b>{fleet.name.clone()}</b>" "{summary(fleet)}{(lost > 0).then(|| view! { <span class="standing degraded"><i aria-hidden="true">"▲"</i>{lost}" lost the store"</span> })}</span>
    }
    .into_any()
}

/// A card keeps its place, and the focus, while what it says changes.
fn shared_card(all: Memo<Overview>, key: (Name, Name)) -> AnyView {
    let session = use_session();
    let row = Memo::new(move |_| all.with(|all| all.policies.iter().find(|row| row.key == key).cloned()));
    let name = move || row.with(|row| row.as_ref().map(|row| row.name.clone()).unwrap_or_default());
    let show = move |_| {
        let filter = row.with_untracked(|row| row.as_ref().map(|row| row.filter.clone()).unwrap_or_default());
        session.navigation.show_calls(filter);
    };
    view! {
        <article class="card shared-policy" aria-label=move || format!("Shared policy {}", name())>
            <header><h3><button class="link" title="Show its calls" on:click=show>{name}</button></h3>{move || row.get().map(|row| within(&row))}</header>
            {move || row.get().map(shared)}
        </article>
    }
    .into_any()
}

fn within(row: &Shared) -> AnyView {
    let fleet = (!row.fleet.is_empty()).then(|| format!("fleet {}", row.fleet));
    let scope = (!row.scope.is_empty()).then(|| format!("quota of {}", row.scope));
    let words: Vec<_> = fleet.into_iter().chain(scope).collect();
    view! { <span class="dim">{words.join(" · ")}</span> }.into_any()
}

fn shared(row: Shared) -> AnyView {
    let differs = row.differs.then(|| {
        "The processes see this breaker differently. Until the next sync that is normal.".to_owned()
    });
    let notices = [differs, row.lost, row.mismatch].into_iter().flatten();
    let notices = notices.map(|text| view! { <p class="notice">{text}</p> }).collect_view();
    let states = (!row.states.is_empty()).then(|| {
        view! { <ul class="seen" aria-label="How its breaker is seen">{row.states.into_iter().map(seen).collect_view()}</ul> }
    });
    view! {
        {states}
        <div class="shared-limits">{row.limits.into_iter().map(limit).collect_view()}</div>
        {row.cools.map(|cools| view! { <p class="cools">{cools}</p> })}
        {notices}
    }
    .into_any()
}

fn badge(state: State) -> AnyView {
    view! { <span class=format!("state {}", state.word())><i aria-hidden="true">{state.sign()}</i>{state.word()}</span> }.into_any()
}

fn seen(seen: Seen) -> AnyView {
    let who = if seen.more > 0 {
        format!("{} and {} more", seen.names.join(", "), seen.more)
    } else {
        seen.names.join(", ")
    };
    let how_many = processes_in_words(seen.processes);
    view! { <li>{badge(seen.state)}<span>"for "{seen.since}" in "<b>{how_many}</b>": "{who}</span></li> }
        .into_any()
}

fn limit(limit: LimitUse) -> AnyView {
    let high = limit.share > 0.8;
    view! {
        <div class="limit" class:low=high>
            <meter min="0" max="1" high="0.8" optimum="0" prop:value=limit.share value=limit.share.to_string() aria-label=format!("{} used", limit.words)></meter>
            <span>{limit.words}{high.then_some(" ⚠")}</span><small>{limit.over}</small>
        </div>
    }
    .into_any()
}

fn process_row(all: Memo<Overview>, key: Name) -> AnyView {
    let row = Memo::new(move |_| all.with(|all| all.processes.iter().find(|row| row.key == key).cloned()));
    summary_row(
        move || {
            let pid = |pid: String| if pid.is_empty() { pid } else { format!("pid {pid}") };
            row.get().map(|row| (row.name, pid(row.pid))).unwrap_or_default()
        },
        move || row.get_untracked().map(|row| row.filter).unwrap_or_default(),
        move || row.get().map(cells),
    )
}

fn cells(row: Process) -> AnyView {
    let known = |text: String| if text.is_empty() { "–".to_owned() } else { text };
    let breakers = row.breakers.into_iter().map(|(name, state, since)| {
        view! { <div class="stand">{badge(state)}<span>{name}" for "{since}</span></div> }
    });
    view! {
        <td data-label="Host">{known(row.host)}</td>
        <td data-label="Deployment">{known(row.deployment)}</td>
        <td data-label="Version">{known(row.version)}</td>
        <td data-label="Store">{row.stands.is_empty().then_some("–")}<div>{row.stands.into_iter().map(stand).collect_view()}</div></td>
        <td data-label="Breakers not closed">{(breakers.len() == 0).then_some("–")}<div>{breakers.collect_view()}</div></td>
        <td data-label="Last event">{row.heard}</td>
    }
    .into_any()
}

fn stand(stand: Stand) -> AnyView {
    let (says, sign) = word(stand.standing);
    let class = match stand.standing {
        Standing::Degraded => "standing degraded",
        Standing::Joined | Standing::Left => "standing",
    };
    view! { <div class="stand"><span class=class><i aria-hidden="true">{sign}</i>{says}</span><span>{stand.fleet}" · "{stand.says}</span></div> }
    .into_any()
}
