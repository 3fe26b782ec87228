//! Backoff under sliders: the curve with its jitter band, what a person would wait, and the code to copy.

use crate::ui::copy::Copy;
use halfopen_model::format::span;
use halfopen_model::view::lab::backoff::{Band, DEFAULT, JITTERS, Options, bands, code};
use leptos::prelude::*;
use std::sync::Arc;

/// The waits of a policy between attempts.
#[component]
pub(super) fn Backoff() -> impl IntoView {
    let options = RwSignal::new(DEFAULT);
    let all = Memo::new(move |_| bands(&options.get()));
    let by_share = Memo::new(move |_| options.get().jitter == 1);
    let total = move |of: fn(&Band) -> f64| {
        let Options { retries, attempt, .. } = options.get();
        all.with(|all| span(all.iter().map(of).sum::<f64>() + (retries + 1.0) * attempt))
    };
    let slider = move |label: &'static str,
                       low: f64,
                       high: f64,
                       step: f64,
                       read: fn(&Options) -> f64,
                       write: fn(&mut Options, f64),
                       says: fn(f64) -> String| {
        view! {
            <label class="slider">
                <span>{label}</span><b>{move || says(read(&options.get()))}</b>
                <input type="range" min=low.to_string() max=high.to_string() step=step.to_string() prop:value=move || read(&options.get()).to_string()
                    on:input=move |event| if let Some(value) = halfopen_log::number(&event_target_value(&event)) { options.update(|options| write(options, value)); }/>
            </label>
        }
    };
    let plain = |value: f64| format!("{value}");
    view! {
        <details class="lab-backoff" aria-label="Backoff">
            <summary>"Backoff: how long a policy waits between attempts"</summary>
            <div class="two">
                <div class="card sliders">
                    {slider("Retries", 0.0, 10.0, 1.0, |o| o.retries, |o, v| o.retries = v, plain)}
                    {slider("Base delay", 0.0, 5_000.0, 50.0, |o| o.base, |o, v| o.base = v, span)}
                    {slider("Longest delay", 500.0, 60_000.0, 500.0, |o| o.cap, |o, v| o.cap = v, span)}
                    {slider("Factor", 1.0, 4.0, 0.1, |o| o.factor, |o, v| o.factor = (v * 10.0).round() / 10.0, |v| format!("×{v:.1}"))}
                    {slider("Duration of an attempt", 0.0, 30_000.0, 250.0, |o| o.attempt, |o, v| o.attempt = v, span)}
                    <label class="slider">
                        <span>"Jitter"</span>
                        <select on:change=move |event| if let Ok(jitter) = event_target_value(&event).parse() { options.update(|options| options.jitter = jitter); }>
                            {JITTERS.iter().enumerate().map(|(index, jitter)| view! { <option value=index.to_string() selected=index == DEFAULT.jitter>{jitter.0}</option> }).collect_view()}
                        </select>
                    </label>
                    {move || by_share.get().then(|| slider("Share", 0.0, 1.0, 0.05, |o| o.proportion, |o, v| o.proportion = (v * 100.0).round() / 100.0, |v| format!("±{:.0} %", v * 100.0)))}
                    <div class="code">
                        <pre tabindex="0" aria-label="Code"><code>{move || code(&options.get())}</code></pre>
                        <Copy text=Arc::new(move || code(&options.get()))/>
                    </div>
                </div>
                <div class="card">
                    <Chart all/>
                    <dl class="totals">
                        <div><dt>"A user waits, minimum"</dt><dd>{move || total(|band| band.least)}</dd></div>
                        <div><dt>"Median"</dt><dd>{move || total(|band| band.middle)}</dd></div>
                        <div><dt>"Maximum"</dt><dd>{move || total(|band| band.most)}</dd></div>
                    </dl>
                    <table class="delays">
                        <thead><tr><th>"Before"</th><th class="number">"minimum"</th><th class="number">"median"</th><th class="number">"maximum"</th></tr></thead>
                        <tbody>{move || all.get().into_iter().enumerate().map(|(index, band)| view! {
                            <tr><th scope="row">"attempt "{index + 2}</th><td class="number">{span(band.least)}</td><td class="number">{span(band.middle)}</td><td class="number">{span(band.most)}</td></tr>
                        }).collect_view()}</tbody>
                    </table>
                </div>
            </div>
        </details>
    }
}

#[component]
fn Chart(all: Memo<Vec<Band>>) -> impl IntoView {
    #[expect(clippy::cast_precision_loss, reason = "ten retries at most")]
    let drawing = move || {
        let all = all.get();
        let most = all.iter().map(|band| band.most).fold(1.0, f64::max);
        let x = |index: usize| 60.0 + (index as f64 + 0.5) / all.len().max(1) as f64 * 520.0;
        let y = |ms: f64| 200.0 - ms / most * 180.0;
        let path = |of: fn(&Band) -> f64| {
            all.iter()
                .enumerate()
                .map(|(index, band)| format!("{:.1},{:.1}", x(index), y(of(band))))
                .collect::<Vec<_>>()
        };
        let (upper, mut lower) = (path(|band| band.most), path(|band| band.least));
        lower.reverse();
        let area = format!("{} {}", upper.join(" "), lower.join(" "));
        let lines = [0.0, 0.5, 1.0].map(|share| view! { <g class="rule"><path d=format!("M60 {0}H580", y(most * share))/><text x="54" y=y(most * share) + 4.0 text-anchor="end">{span(most * share)}</text></g> });
        let points = all.iter().enumerate().map(|(index, band)| view! {
            <g><path class="whisker" d=format!("M{0:.1} {1:.1}V{2:.1}", x(index), y(band.least), y(band.most))/><circle cx=x(index) cy=y(band.middle) r="4"/>
            <text class="mark" x=x(index) y="220" text-anchor="middle">{index + 2}</text></g>
        }).collect_view();
        view! { {lines.collect_view()}<polygon class="band" points=area/><polyline class="curve" points=path(|band| band.middle).join(" ")/>{points} }
    };
    view! {
        <svg class="chart" viewBox="0 0 600 232" role="img" aria-label="Delay before each attempt, with its jitter band">{drawing}</svg>
    }
}
