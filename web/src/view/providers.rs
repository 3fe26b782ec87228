//! The providers: state, codes, latencies, retries and what their limits left, for each provider and model.

use crate::session::breaker::State;
use crate::session::live::use_session;
use crate::session::provider::Provider;
use crate::session::store::Log;
use crate::sort::sort_by;
use crate::ui::badge::Badge;
use crate::ui::format::{count, countdown, percent, span};
use leptos::prelude::*;

/// Most rows that are shown.
const MOST: usize = 60;

#[derive(Clone, PartialEq)]
struct Row {
    key: (u32, u32),
    provider: String,
    model: String,
    breakers: Vec<(String, State)>,
    attempts: u64,
    in_flight: u64,
    ok_share: f64,
    retries: u64,
    p50: f64,
    p99: f64,
    codes: Vec<(String, u64)>,
    limits: Vec<(String, f64, f64, String)>,
    tokens: (u64, u64),
}

impl Row {
    /// What a row is drawn anew for.
    fn shape(&self) -> String {
        let mut shape = format!(
            "{} {} {} {} {}",
            self.key.0,
            self.key.1,
            self.attempts,
            self.in_flight,
            self.codes.len()
        );
        let limits = self.limits.iter().map(|limit| limit.3.as_str());
        for word in limits.chain(self.breakers.iter().map(|breaker| breaker.1.word())) {
            shape.push(' ');
            shape.push_str(word);
        }
        shape
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
fn tell(log: &Log, row: &Provider, now: f64) -> Row {
    let text = |name| log.names.text(name).to_owned();
    let mut codes: Vec<_> = row.codes.iter().map(|(&code, &count)| (text(code), count)).collect();
    sort_by(&mut codes, |a, b| b.1.cmp(&a.1));
    let guards = log.breakers.iter().filter(|breaker| row.policies.contains(&breaker.policy));
    let done = row.succeeded + row.codes.values().sum::<u64>();
    Row {
        key: (row.provider.0, row.model.0),
        provider: if row.provider.is_none() {
            row.policies.first().map_or_else(|| "(not said)".into(), |&policy| text(policy))
        } else {
            text(row.provider)
        },
        model: text(row.model),
        breakers: guards.map(|breaker| (text(breaker.name), breaker.state_at(now))).collect(),
        attempts: row.attempts,
        in_flight: row.in_flight,
        ok_share: if done == 0 { f64::NAN } else { row.succeeded as f64 / done as f64 },
        retries: row.retries,
        p50: row.durations.quantile(0.5).unwrap_or(f64::NAN),
        p99: row.durations.quantile(0.99).unwrap_or(f64::NAN),
        codes: codes.into_iter().take(8).collect(),
        limits: row
            .limits
            .iter()
            .map(|(&unit, limit)| {
                let reset = if limit.reset_at > now {
                    format!("resets in {}", countdown(limit.reset_at - now))
                } else {
                    String::new()
                };
                (text(unit), limit.remaining, limit.limit, reset)
            })
            .collect(),
        tokens: (row.input_tokens, row.output_tokens),
    }
}

/// The providers.
#[component]
pub(crate) fn Providers() -> impl IntoView {
    let session = use_session();
    let rows = Memo::new(move |_| {
        let now = (session.now.get() / 500.0).floor() * 500.0;
        session.read(|log| {
            // A file's last change may be later than the half second that it ended in began.
            let now = log.bounds().map_or(now, |bounds| now.max(bounds.1));
            let mut rows: Vec<_> = log
                .providers
                .iter()
                .filter(|row| row.attempts > 0 || !row.limits.is_empty())
                .map(|row| tell(log, row, now))
                .collect();
            sort_by(&mut rows, |a, b| (&a.provider, &a.model).cmp(&(&b.provider, &b.model)));
            rows.truncate(MOST);
            rows
        })
    });
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
                        {keyed(move || rows.get(), Row::shape, |row| view! { <ProviderRow row/> })}
                    </tbody>
                </table>
            </div>
            <p class="dim">"Latencies are of attempts, failed ones too, to within 9 %. Limits are as the provider last said."</p>
        </section>
    }
}

#[component]
fn ProviderRow(row: Row) -> impl IntoView {
    let session = use_session();
    let filter =
        if row.provider == "(not said)" { String::new() } else { format!("provider:{}", row.provider) };
    let name = row.provider.clone();
    let show = move |_| {
        session.query.set(filter.clone());
        session.view.set(crate::session::view::View::Timeline);
    };
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
        <tr>
            <th scope="row"><button class="link" title="Show its calls" on:click=show>{name}</button><small>{row.model}</small></th>
            <td data-label="Breaker">{if breakers.len() == 0 { view! { <span class="state closed"><i aria-hidden="true">"●"</i>"closed"</span> }.into_any() } else { breakers.collect_view().into_any() }}</td>
            <td class="number" data-label="Attempts">{count(row.attempts)}{(row.in_flight > 0).then(|| format!(" ({} now)", row.in_flight))}</td>
            <td class="number" data-label="Succeeded">{percent(row.ok_share)}</td>
            <td class="number" data-label="Retries">{count(row.retries)}</td>
            <td class="number" data-label="p50">{span(row.p50)}</td>
            <td class="number" data-label="p99">{span(row.p99)}</td>
            <td data-label="Failed with"><span class="codes">{row.codes.into_iter().map(|(code, number)| view! { <span class="counted"><Badge code/>"×"{count(number)}</span> }).collect_view()}</span></td>
            <td data-label="Limits left">{(limits.len() == 0).then_some("–")}{limits.collect_view()}</td>
            <td class="number" data-label="Tokens in / out">{tokens}</td>
        </tr>
    }
}
