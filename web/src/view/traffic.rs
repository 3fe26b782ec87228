//! The traffic: a table of the calls in the scope by provider, policy, function or process, which its columns sort.

use super::summary_row::summary_row;
use crate::session::{Slow, use_session};
use crate::ui::badge::Badge;
use crate::ui::storage;
use halfopen_model::format::{count, number_of, percent, span};
use halfopen_model::view::prices::Prices;
use halfopen_model::view::sums::{End, known, rounded};
use halfopen_model::view::traffic::{By, Column, Key, Limit, Order, Row, Table, WIDTH, table};
use halfopen_store::query::Query;
use halfopen_store::scope::Span;
use leptos::prelude::*;

/// Where the browser keeps the prices.
const STORED: &str = "halfopen-prices";
/// With more calls than that, they are added up every two seconds, not four times a second.
const MANY: usize = 20_000;

/// The input of the table, apart from the events of the log.
#[derive(Clone, PartialEq)]
struct Input {
    generation: u32,
    query: Query,
    span: Option<Span>,
    by: By,
    order: Order,
    prices: Prices,
}

/// The traffic.
#[component]
pub(crate) fn Traffic() -> impl IntoView {
    let session = use_session();
    let (by, order) = (RwSignal::new(By::default()), RwSignal::new(Order::default()));
    let text = RwSignal::new(storage::get(STORED).unwrap_or_default());
    let prices = Memo::new(move |_| text.with(|text| Prices::parse(text)));
    let made = Memo::new(move |last: Option<&(Input, Table)>| {
        let due = session.clock.slow(Slow::Lists);
        let calls = session.scope.calls.get();
        let input = Input {
            generation: session.log.generation(),
            query: session.scope.query.get(),
            span: session.scope.span.get(),
            by: by.get(),
            order: order.get(),
            prices: prices.get(),
        };
        let now = session.clock.now.get_untracked();
        session.log.peek(|log| match last {
            Some(last) if last.0 == input && calls.len(log) > MANY && !due.is_multiple_of(8) => last.clone(),
            _ => {
                let table = table(log, &calls, input.by, input.order, &input.prices, now);
                (input, table)
            }
        })
    });
    let all = Memo::new(move |_| made.with(|made| made.1.clone()));
    // Rows stay while only their numbers change, and with them the focus.
    let keys = move || all.with(|all| all.rows.iter().map(|row| row.key).collect::<Vec<_>>());
    let none = move || all.with(|all| all.rows.is_empty());
    let priced = Memo::new(move |_| all.with(|all| all.priced));
    view! {
        <section class="page" aria-label="Traffic">
            <header class="page-head">
                <h2>"Traffic"</h2>
                <label class="choice">"By "
                    <select on:change=move |event| by.set(By::from_word(&event_target_value(&event)))>
                        {By::ALL.map(|by| view! { <option value=by.word()>{by.heading().to_lowercase()}</option> }).collect_view()}
                    </select>
                </label>
            </header>
            {move || none().then(|| view! { <p class="dim">"No call is in the scope: change or clear the filter or the selected time."</p> })}
            <div class="scroll" hidden=none>
                <table class="providers traffic">
                    <thead>{move || view! { <tr>{heads(by.get(), priced.get()).into_iter().map(|head| head_cell(head, order)).collect_view()}</tr> }}</thead>
                    <tbody>
                        <For each=keys key=|&key| key let:key>{traffic_row(all, key, by, priced)}</For>
                    </tbody>
                </table>
            </div>
            {move || all.with(left_out).map(|note| view! { <p class="dim">{note}</p> })}
            <p class="dim">{move || if by.get() == By::Provider { "Each attempt counts. Limits are those of the provider's last response." } else { "A call counts when it ends; those that go on are in brackets." }}" Durations are right to within 9 %."</p>
            <PriceTable text prices/>
        </section>
    }
}

/// A column: its heading, what it sorts by, and whether it has numbers.
type Head = (&'static str, Option<Column>, bool);

fn heads(by: By, priced: bool) -> Vec<Head> {
    let sorted = |name, column| (name, Some(column), true);
    let mut heads = vec![
        (by.heading(), Some(Column::Name), false),
        ("Over time", None, false),
        sorted(by.counts(), Column::Calls),
        sorted("Errors", Column::Errors),
        sorted("Retries each", Column::Retries),
        sorted("p50", Column::P50),
        sorted("p95", Column::P95),
        ("Failed with", None, false),
        sorted("Tokens in / out", Column::Tokens),
        sorted("Of failed attempts", Column::Lost),
    ];
    if priced {
        heads.extend([sorted("Cost", Column::Cost), ("Cost of failed attempts", None, true)]);
    }
    heads.push(("Breaker", None, false));
    // An attempt has no fallback and no wait, and a limit is a provider's.
    if by == By::Provider {
        heads.push(("Limits left", None, false));
    } else {
        heads.extend([("By fallback", None, true), sorted("Waited", Column::Waited)]);
    }
    heads
}

fn head_cell((name, column, number): Head, order: RwSignal<Order>) -> AnyView {
    let Some(column) = column else { return view! { <th class:number=number>{name}</th> }.into_any() };
    let sorted = move || {
        let order = order.get();
        (order.column == column).then_some(if order.ascending { "ascending" } else { "descending" })
    };
    let sign = move || match sorted() {
        Some("ascending") => " ▲",
        Some(_) => " ▼",
        None => "",
    };
    view! {
        <th class:number=number aria-sort=sorted>
            <button class="sort" on:click=move |_| order.update(|order| *order = order.clicked(column))>{name}<i aria-hidden="true">{sign}</i></button>
        </th>
    }
    .into_any()
}

/// The rows that are not in the table.
fn left_out(table: &Table) -> Option<String> {
    let more = (table.more > 0).then(|| format!("Not shown: {}.", number_of(table.more as u64, "more row")));
    let beyond = (table.beyond > 0).then(|| {
        format!("Not counted: {} of further rows; there are too many.", number_of(table.beyond, "call"))
    });
    let notes: Vec<_> = more.into_iter().chain(beyond).collect();
    (!notes.is_empty()).then(|| notes.join(" "))
}

fn traffic_row(all: Memo<Table>, key: Key, by: RwSignal<By>, priced: Memo<bool>) -> AnyView {
    let row = Memo::new(move |_| all.with(|all| all.rows.iter().find(|row| row.key == key).cloned()));
    summary_row(
        move || row.get().map(|row| (row.name, row.second)).unwrap_or_default(),
        move || row.get_untracked().map(|row| row.filter).unwrap_or_default(),
        move || row.get().map(|row| cells(row, by.get(), priced.get())),
    )
}

fn tokens((input, output): (u64, u64)) -> String {
    if input + output == 0 { "–".to_owned() } else { format!("{} / {}", count(input), count(output)) }
}

/// An amount of money, in the currency of the prices.
fn amount(money: f64) -> String {
    if money >= 1.0 { format!("{money:.2}") } else { format!("{money:.4}") }
}

fn cells(row: Row, by: By, priced: bool) -> AnyView {
    let without =
        (!row.spent.unpriced.is_empty()).then(|| format!("No price for {}", row.spent.unpriced.join(", ")));
    let sign = if without.is_some() { " *" } else { "" };
    let cost = priced.then(|| {
        let of = |part: fn((f64, f64)) -> f64| known(row.spent.cost.map(part), amount);
        view! {
            <td class="number" data-label="Cost" title=without>{of(|cost| cost.0)}{sign}</td>
            <td class="number" data-label="Cost of failed attempts">{of(|cost| cost.1)}</td>
        }
    });
    let open = (row.open > 0).then(|| format!(" ({} now)", row.open));
    let last = if by == By::Provider {
        view! { <td data-label="Limits left">{row.limits.into_iter().map(limit).collect_view()}</td> }
            .into_any()
    } else {
        view! {
            <td class="number" data-label="By fallback">{count(row.sums.with(End::Fallback))}</td>
            <td class="number" data-label="Waited">{span(row.waited_ms)}</td>
        }
        .into_any()
    };
    let breakers = row.breakers.into_iter().map(|(state, number)| {
        let number = (number > 1).then(|| format!("{} ", count(number)));
        view! { <span class=format!("state {}", state.word())><i aria-hidden="true">{state.sign()}</i>{number}{state.word()}</span> }
    });
    let codes = row
        .codes
        .into_iter()
        .map(|(code, number)| view! { <span class="counted"><Badge code/>"×"{count(number)}</span> });
    view! {
        <td data-label="Over time">
            <svg class="spark" viewBox=format!("0 0 {WIDTH} 100") preserveAspectRatio="none" aria-hidden="true"><path d=row.trend.0/><path class="failed" d=row.trend.1/></svg>
        </td>
        <td class="number" data-label=by.counts()>{count(row.sums.calls())}{open}</td>
        <td class="number" data-label="Errors">{known(row.sums.error_share(), percent)}</td>
        <td class="number" data-label="Retries each">{known(row.sums.retries_a_call(), rounded)}</td>
        <td class="number" data-label="p50">{known(row.sums.quantile(0.5), span)}</td>
        <td class="number" data-label="p95">{known(row.sums.quantile(0.95), span)}</td>
        <td data-label="Failed with"><span class="codes">{codes.collect_view()}{(row.more_codes > 0).then(|| format!("and {} more", row.more_codes))}</span></td>
        <td class="number" data-label="Tokens in / out">{tokens(row.spent.tokens)}</td>
        <td class="number" data-label="Of failed attempts">{tokens(row.spent.lost)}</td>
        {cost}
        <td data-label="Breaker"><span class="codes">{breakers.collect_view()}</span></td>
        {last}
    }
    .into_any()
}

fn limit(Limit { unit, left, limit, resets }: Limit) -> AnyView {
    let share = if limit > 0.0 { (left / limit).clamp(0.0, 1.0) } else { 0.0 };
    let low = share < 0.2;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates: a count")]
    let [left, limit] = [left, limit].map(|number| count(number as u64));
    let words = format!("{left} of {limit} {unit}");
    view! {
        <div class="limit" class:low=low>
            <meter min="0" max="1" low="0.2" optimum="1" prop:value=share value=share.to_string() aria-label=format!("{words} left")></meter>
            <span>{words}{low.then_some(" ⚠")}</span><small>{resets}</small>
        </div>
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
