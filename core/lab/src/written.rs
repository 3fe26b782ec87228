//! A result as JSON, with the names of the TypeScript contract. Written by hand: what serde derives takes four times as much
//! of the lab's module.

use super::result::{BreakerCounts, PolicyResult, Series, Totals};
use halfopen::invariant::Always;
use std::fmt::Write;

impl PolicyResult {
    /// The result as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::from(r#"{"totals":{"#);
        totals(&mut out, &self.totals);
        out.push_str(r#"},"series":{"#);
        series(&mut out, &self.series);
        out.push_str(r#"},"expectations":["#);
        for (index, expectation) in self.expectations.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let holds = expectation.holds;
            _ = write!(out, r#"{comma}{{"name":"{}","holds":{holds},"limit":"#, expectation.name);
            number(&mut out, expectation.limit);
            out.push_str(r#","value":"#);
            number(&mut out, expectation.value);
            out.push('}');
        }
        _ = write!(out, r#"],"hash":"{}"}}"#, self.hash);
        out
    }
}

#[expect(clippy::cast_precision_loss, reason = "JavaScript has no other numbers")]
fn totals(out: &mut String, totals: &Totals) {
    let counts = [
        ("offered", totals.offered),
        ("attempts", totals.attempts),
        ("succeeded", totals.succeeded),
        ("failed", totals.failed),
        ("rejected", totals.rejected),
        ("abandoned", totals.abandoned),
        ("fallbacks", totals.fallbacks),
        ("events", totals.events),
    ];
    for (name, count) in counts {
        member(out, name, count as f64);
    }
    let (rest, user) = (
        [
            ("successRate", totals.success_rate),
            ("amplification", totals.amplification),
            ("goodputPerSecond", totals.goodput_per_second),
            ("wastedServiceMs", totals.wasted_service_ms),
            ("tokens", totals.tokens),
            ("cost", totals.cost),
        ],
        totals.user_ms,
    );
    for (name, value) in rest {
        member(out, name, value);
    }
    out.push_str(r#","userMs":{"#);
    for (name, value) in [("p50", user.p50), ("p95", user.p95), ("p99", user.p99), ("max", user.max)] {
        member(out, name, value);
    }
    out.push('}');
}

fn series(out: &mut String, series: &Series) {
    let counts = [
        ("offered", &series.offered),
        ("attempts", &series.attempts),
        ("succeeded", &series.succeeded),
        ("failed", &series.failed),
        ("rejected", &series.rejected),
        ("inFlight", &series.in_flight),
        ("queued", &series.queued),
        ("waiting", &series.waiting),
    ];
    for (name, values) in counts {
        list(out, name, values.len(), |out, index| {
            number(out, values.get(index).copied().map_or(0.0, f64::from));
        });
    }
    let p95 = &series.user_p95_ms;
    list(out, "userP95Ms", p95.len(), |out, index| {
        number(out, p95.get(index).copied().always());
    });
    list(out, "breaker", series.breaker.len(), |out, index| {
        let BreakerCounts { closed, open, half_open, isolated, disabled } =
            series.breaker.get(index).copied().always();
        out.push('{');
        let states = [
            ("closed", closed),
            ("open", open),
            ("half_open", half_open),
            ("isolated", isolated),
            ("disabled", disabled),
        ];
        for (name, count) in states {
            member(out, name, f64::from(count));
        }
        out.push('}');
    });
}

fn key(out: &mut String, name: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push('"');
    out.push_str(name);
    out.push_str("\":");
}

fn member(out: &mut String, name: &str, value: f64) {
    key(out, name);
    number(out, value);
}

fn list(out: &mut String, name: &str, count: usize, item: impl Fn(&mut String, usize)) {
    key(out, name);
    out.push('[');
    for index in 0..count {
        if index > 0 {
            out.push(',');
        }
        item(out, index);
    }
    out.push(']');
}

fn number(out: &mut String, value: f64) {
    _ = write!(out, "{value}");
}
