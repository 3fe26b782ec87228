//! The providers: state, codes, latencies, retries and what their limits left, for each provider and model.

use super::summary_row::{known, summary_row};
use crate::session::{Slow, use_session};
use crate::ui::badge::Badge;
use halfopen_model::format::{count, number_of, percent, span};
use halfopen_model::view::providers::{Key, Row, rows};
use leptos::prelude::*;

/// The providers.
#[component]
pub(crate) fn Providers() -> impl IntoView {
    let session = use_session();
    // Four times a second: the quantiles of all rows in every frame would be too much.
    let all = Memo::new(move |_| {
        session.clock.slow(Slow::Lists);
        let now = session.clock.now.get_untracked();
        session.log.peek(|log| rows(log, now))
    });
    // Rows stay while only their numbers change, and with them the focus.
    let keys = move || all.with(|all| all.0.iter().map(|row| row.key).collect::<Vec<_>>());
    let more = move || all.with(|all| all.1);
    view! {
        <section class="page" aria-label="Providers">
            <header class="page-head"><h2>"Providers and models"</h2></header>
            <div class="scroll">
                <table class="providers">
                    <thead><tr>
                        <th>"Provider"</th><th>"Breaker"</th><th class="number">"Attempts"</th><th class="number">"Succeeded"</th>
                        <th class="number">"Retries"</th><th class="number">"p50"</th><th class="number">"p99"</th><th>"Failed with"</th><th>"Limits left"</th><th class="number">"Tokens in / out"</th>
                    </tr></thead>
                    <tbody>
                        <For each=keys key=|&key| key let:key>{provider_row(all, key)}</For>
                    </tbody>
                </table>
            </div>
            {move || Some(more()).filter(|&more| more > 0).map(|more| view! { <p class="dim">{number_of(more as u64, "more row")}" not shown."</p> })}
            <p class="dim">"Latencies are those of attempts, failed ones included, to within 9 %. Limits are those of the provider's last response."</p>
        </section>
    }
}

fn provider_row(all: Memo<(Vec<Row>, usize)>, key: Key) -> AnyView {
    let row = Memo::new(move |_| all.with(|all| all.0.iter().find(|row| row.key == key).cloned()));
    summary_row(
        move || row.get().map(|row| (row.provider, row.second)).unwrap_or_default(),
        move || row.get_untracked().map(|row| row.filter).unwrap_or_default(),
        move || row.get().map(cells),
    )
}

fn cells(row: Row) -> AnyView {
    let breakers = row.breakers.into_iter().map(|(name, state)| {
        view! { <span class=format!("state {}", state.word()) title=name><i aria-hidden="true">{state.sign()}</i>{state.word()}</span> }
    });
    let limits = row.limits.into_iter().map(|(unit, left, limit, reset)| {
        let share = if limit > 0.0 { (left / limit).clamp(0.0, 1.0) } else { 0.0 };
        let low = share < 0.2;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates: a count")]
        let [left, limit] = [left, limit].map(|number| count(number as u64));
        let words = format!("{left} of {limit} {unit}");
        view! {
            <div class="limit" class:low=low>
                <meter min="0" max="1" low="0.2" optimum="1" prop:value=share value=share.to_string() aria-label=format!("{words} left")></meter>
                <span>{words}{low.then_some(" ⚠")}</span><small>{reset}</small>
            </div>
        }
    });
    let tokens = match row.tokens {
        (0, 0) => "–".to_owned(),
        (input, output) => format!("{} / {}", count(input), count(output)),
    };
    view! {
            <td data-label="Breaker">{if breakers.len() == 0 { view! { <span title="This log has no event about a breaker of its policies">"–"</span> }.into_any() } else { breakers.collect_view().into_any() }}</td>
            <td class="number" data-label="Attempts">{count(row.attempts)}{(row.in_flight > 0).then(|| format!(" ({} now)", row.in_flight))}</td>
            <td class="number" data-label="Succeeded">{known(row.ok_share, percent)}</td>
            <td class="number" data-label="Retries">{count(row.retries)}</td>
            <td class="number" data-label="p50">{known(row.p50, span)}</td>
            <td class="number" data-label="p99">{known(row.p99, span)}</td>
            <td data-label="Failed with"><span class="codes">{row.codes.into_iter().map(|(code, number)| view! { <span class="counted"><Badge code/>"×"{count(number)}</span> }).collect_view()}{(row.more_codes > 0).then(|| format!("and {} more", row.more_codes))}</span></td>
            <td data-label="Limits left">{(limits.len() == 0).then_some("–")}{limits.collect_view()}</td>
            <td class="number" data-label="Tokens in / out">{tokens}</td>
    }
    .into_any()
}
