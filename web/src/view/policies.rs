//! The policies: how their calls ended, how long they took, and what failures cost in time, tokens and money.

use super::summary_row::{known, summary_row};
use crate::session::policy::PolicyId;
use crate::session::{Slow, use_session};
use crate::ui::storage;
use halfopen_model::format::{count, number_of, percent, span};
use halfopen_model::view::policies::{Row, Table, Tokens, table};
use halfopen_model::view::prices::Prices;
use leptos::prelude::*;

/// Where the browser keeps the prices.
const STORED: &str = "halfopen-prices";

/// The policies.
#[component]
pub(crate) fn Policies() -> impl IntoView {
    let session = use_session();
    let text = RwSignal::new(storage::get(STORED).unwrap_or_default());
    let prices = Memo::new(move |_| text.with(|text| Prices::parse(text)));
    // Four times a second: the quantiles of all rows in every frame would be too much.
    let table = Memo::new(move |_| {
        session.clock.slow(Slow::Lists);
        prices.with(|prices| session.log.peek(|log| table(log, prices)))
    });
    let keys = move || table.with(|table| table.rows.iter().map(|row| row.key).collect::<Vec<_>>());
    let priced = Memo::new(move |_| prices.with(|prices| !prices.is_empty()));
    view! {
        <section class="page" aria-label="Policies">
            <header class="page-head">
                <h2>"Policies"</h2>
                <span class="dim">"Calls that have ended, and what their failures cost."</span>
            </header>
            {move || table.with(|table| table.rows.is_empty()).then(|| view! { <p class="dim">"No call has ended so far. A policy shows here when its first call ends."</p> })}
            <div class="scroll" hidden=move || table.with(|table| table.rows.is_empty())>
                <table class="providers policies">
                    <thead><tr>
                        <th>"Policy"</th><th class="number">"Calls"</th><th class="number">"Succeeded"</th><th class="number">"By fallback"</th>
                        <th class="number">"Failed"</th><th class="number">"Retries"</th><th class="number">"p50"</th><th class="number">"p95"</th>
                        <th class="number">"Time lost to waiting"</th><th class="number">"Tokens in / out"</th><th class="number">"Tokens of failed attempts"</th>
                        {move || priced.get().then(|| view! { <th class="number">"Cost"</th><th class="number">"Cost of failed attempts"</th> })}
                    </tr></thead>
                    <tbody>
                        <For each=keys key=|&key| key let:key>{policy_row(table, key, priced)}</For>
                    </tbody>
                </table>
            </div>
            {move || table.with(left_out).map(|note| view! { <p class="dim">{note}</p> })}
            <PriceTable text prices/>
        </section>
    }
}

/// What is not in the table.
fn left_out(table: &Table) -> Option<String> {
    let more = (table.more > 0).then(|| format!("Not shown: {} with fewer calls.", table.more));
    let beyond = (table.beyond > 0).then(|| {
        format!("Not counted: {} of further policies; there are too many.", number_of(table.beyond, "call"))
    });
    let notes: Vec<_> = more.into_iter().chain(beyond).collect();
    (!notes.is_empty()).then(|| notes.join(" "))
}

fn policy_row(table: Memo<Table>, key: PolicyId, priced: Memo<bool>) -> AnyView {
    let row = Memo::new(move |_| table.with(|table| table.rows.iter().find(|row| row.key == key).cloned()));
    summary_row(
        move || row.get().map(|row| (row.name, row.process)).unwrap_or_default(),
        move || row.get_untracked().map(|row| row.filter).unwrap_or_default(),
        move || row.get().map(|row| cells(row, priced.get())),
    )
}

fn tokens((input, output): Tokens) -> String {
    if input + output == 0 { "–".to_owned() } else { format!("{} / {}", count(input), count(output)) }
}

/// An amount of money, in the currency of the prices.
fn amount(money: f64) -> String {
    if money >= 1.0 { format!("{money:.2}") } else { format!("{money:.4}") }
}

fn cells(row: Row, priced: bool) -> AnyView {
    let without = (!row.unpriced.is_empty()).then(|| format!("No price for {}", row.unpriced.join(", ")));
    let sign = if without.is_some() { " *" } else { "" };
    let cost = priced.then(|| {
        let of =
            |part: fn((f64, f64)) -> f64| row.cost.map_or_else(|| "–".to_owned(), |cost| amount(part(cost)));
        view! {
            <td class="number" data-label="Cost" title=without>{of(|cost| cost.0)}{sign}</td>
            <td class="number" data-label="Cost of failed attempts">{of(|cost| cost.1)}</td>
        }
    });
    view! {
        <td class="number" data-label="Calls">{count(row.calls)}</td>
        <td class="number" data-label="Succeeded">{known(row.success, percent)}</td>
        <td class="number" data-label="By fallback">{count(row.fallbacks)}</td>
        <td class="number" data-label="Failed">{count(row.failed)}</td>
        <td class="number" data-label="Retries">{count(row.retries)}</td>
        <td class="number" data-label="p50">{known(row.p50, span)}</td>
        <td class="number" data-label="p95">{known(row.p95, span)}</td>
        <td class="number" data-label="Time lost to waiting">{span(row.waited_ms)}</td>
        <td class="number" data-label="Tokens in / out">{tokens(row.tokens)}</td>
        <td class="number" data-label="Tokens of failed attempts">{tokens(row.lost)}</td>
        {cost}
    }
    .into_any()
}

/// The price table, which the user edits and the browser keeps.
#[component]
fn PriceTable(text: RwSignal<String>, prices: Memo<Prices>) -> impl IntoView {
    let edit = move |event| {
        let new = event_target_value(&event);
        storage::set(STORED, &new);
        text.set(new);
    };
    let misread = move || prices.with(|prices| prices.misread.join("\n"));
    view! {
        <details class="prices">
            <summary>"Prices"</summary>
            <label for="prices">"A line for each model: its name (or its beginning and *), then the price of a million tokens in and out."</label>
            <textarea id="prices" rows="6" spellcheck="false" placeholder="gpt-5* 1.25 10" aria-describedby="prices-misread" prop:value=move || text.get() on:input=edit></textarea>
            <p id="prices-misread" class="misread" role="status">{misread}</p>
            <p class="dim">"In any currency. The first line that fits a model counts. The prices stay in this browser."</p>
        </details>
    }
}
