//! Writes a result as JSON, with the names of the TypeScript contract. Hand-written, because serde's derived code takes
//! four times the space in the lab's module.

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

#[cfg(test)]
mod tests {
    use super::super::result::{Expectation, Latency, Queueing};
    use super::*;

    #[test]
    fn every_number_of_a_result_is_written_by_its_name() {
        let result = PolicyResult {
            totals: Totals {
                offered: 1,
                attempts: 2,
                succeeded: 3,
                failed: 4,
                rejected: 5,
                abandoned: 6,
                fallbacks: 7,
                success_rate: 0.125,
                amplification: 1.5,
                user_ms: Latency { p50: 8.0, p95: 9.0, p99: 10.0, max: 11.0 },
                goodput_per_second: 12.25,
                wasted_service_ms: 13.0,
                tokens: 14.0,
                cost: 0.015,
                events: 16,
            },
            series: Series {
                offered: vec![17, 18],
                attempts: vec![19],
                succeeded: vec![20],
                failed: vec![21],
                rejected: vec![22],
                in_flight: vec![23],
                queued: vec![24],
                waiting: vec![],
                user_p95_ms: vec![25.5],
                breaker: vec![
                    BreakerCounts { closed: 26, open: 27, half_open: 28, isolated: 29, disabled: 30 },
                    BreakerCounts::default(),
                ],
            },
            expectations: vec![
                Expectation { name: "successRate", limit: 0.5, value: 0.25, holds: false },
                Expectation { name: "amplification", limit: 2.0, value: 1.0, holds: true },
            ],
            seed: 31,
            hash: "00ff".into(),
            queueing: Queueing::default(),
        };
        let expected = concat!(
            r#"{"totals":{"offered":1,"attempts":2,"succeeded":3,"failed":4,"rejected":5,"abandoned":6,"fallbacks":7,"events":16,"#,
            r#""successRate":0.125,"amplification":1.5,"goodputPerSecond":12.25,"wastedServiceMs":13,"tokens":14,"cost":0.015,"#,
            r#""userMs":{"p50":8,"p95":9,"p99":10,"max":11}},"#,
            r#""series":{"offered":[17,18],"attempts":[19],"succeeded":[20],"failed":[21],"rejected":[22],"inFlight":[23],"#,
            r#""queued":[24],"waiting":[],"userP95Ms":[25.5],"#,
            r#""breaker":[{"closed":26,"open":27,"half_open":28,"isolated":29,"disabled":30},"#,
            r#"{"closed":0,"open":0,"half_open":0,"isolated":0,"disabled":0}]},"#,
            r#""expectations":[{"name":"successRate","holds":false,"limit":0.5,"value":0.25},"#,
            r#"{"name":"amplification","holds":true,"limit":2,"value":1}],"hash":"00ff"}"#,
        );
        assert_eq!(result.to_json(), expected);
    }
}
