//! What the Providers view shows: a row for each provider and model, or for the attempts that have none.

use crate::format::countdown;
use halfopen_store::breaker::State;
use halfopen_store::names::Name;
use halfopen_store::order;
use halfopen_store::provider::Provider;
use halfopen_store::query::term;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use std::cmp::Reverse;
use std::fmt::Write;

/// Most rows that are shown.
const MOST: usize = 60;

#[derive(Clone, PartialEq)]
pub struct Row {
    pub key: Key,
    /// The provider's name; of attempts without one what stands in its place.
    pub provider: String,
    /// The model, or the policies of attempts without a provider.
    pub second: String,
    /// The filter that its calls pass.
    pub filter: String,
    pub breakers: Vec<(String, State)>,
    pub attempts: u64,
    pub in_flight: u64,
    /// The share that succeeded of the attempts that have ended; `None` before the first has.
    pub ok_share: Option<f64>,
    pub retries: u64,
    /// Durations in milliseconds; `None` before the first is known.
    pub p50: Option<f64>,
    pub p99: Option<f64>,
    /// The most frequent codes, and how many there are beside them.
    pub codes: Vec<(String, u64)>,
    pub more_codes: usize,
    pub limits: Vec<(String, f64, f64, String)>,
    pub tokens: (u64, u64),
}

/// A row is of a provider and a model.
pub type Key = (Name, Name);

/// Most policies that are named.
const NAMED: usize = 3;
/// Most codes of a row.
const CODES: usize = 8;

/// The name, what stands below it, and the filter.
fn named(log: &Log, row: &Provider) -> (String, String, String) {
    let text = |name: Name| log.names.text(name).to_owned();
    if !row.provider.is_none() {
        let provider = text(row.provider);
        let model = text(row.model);
        let of_model =
            if model.is_empty() { "-model:*".into() } else { term("model", std::slice::from_ref(&model)) };
        let filter = format!("{} {of_model}", term("provider", std::slice::from_ref(&provider)));
        return (provider, model, filter);
    }
    let policies: Vec<_> =
        row.policies.iter().map(|&policy| text(policy)).filter(|name| !name.is_empty()).collect();
    // Attempts of these policies may have a provider as well: those are on another row.
    let without = "-provider:*".to_owned();
    let filter =
        if policies.is_empty() { without } else { format!("{} {without}", term("policy", &policies)) };
    let more = policies.len().saturating_sub(NAMED);
    let mut second = policies.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(second, " and {more} more");
    }
    ("(no provider)".to_owned(), second, filter)
}

#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
fn describe(log: &Log, row: &Provider, now: Moment) -> Row {
    let text = |name| log.names.text(name).to_owned();
    let mut codes: Vec<_> = row.codes.iter().map(|(&code, &count)| (text(code), count)).collect();
    order::sort_by_key(&mut codes, |code| Reverse(code.1));
    let more_codes = codes.len().saturating_sub(CODES);
    codes.truncate(CODES);
    let guards = log.breakers_of(row);
    let (provider, second, filter) = named(log, row);
    let done = row.succeeded + row.codes.values().sum::<u64>();
    Row {
        key: (row.provider, row.model),
        provider,
        second,
        filter,
        breakers: guards.map(|breaker| (text(breaker.id.name), breaker.state_at(now))).collect(),
        attempts: row.attempts,
        in_flight: row.in_flight,
        ok_share: (done > 0).then(|| row.succeeded as f64 / done as f64),
        retries: row.retries,
        p50: row.durations.quantile(0.5),
        p99: row.durations.quantile(0.99),
        codes,
        more_codes,
        limits: row
            .limits
            .iter()
            .map(|(&unit, limit)| {
                let reset = limit.reset_at.filter(|&at| at > now);
                let reset = reset.map(|at| format!("resets in {}", countdown(at - now))).unwrap_or_default();
                (text(unit), limit.remaining, limit.limit, reset)
            })
            .collect(),
        tokens: (row.input_tokens, row.output_tokens),
    }
}

/// The rows, by provider and model, and how many more there are.
pub fn rows(log: &Log, now: Moment) -> (Vec<Row>, usize) {
    // A file's last change may be later than the session's clock.
    let now = log.bounds().map_or(now, |bounds| now.max(bounds.1));
    let mut rows: Vec<_> = log
        .providers
        .iter()
        .filter(|row| row.attempts > 0 || !row.limits.is_empty())
        .map(|provider| describe(log, provider, now))
        .collect();
    order::sort_by(&mut rows, |a, b| (&a.provider, &a.second).cmp(&(&b.provider, &b.second)));
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    (rows, more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use halfopen_store::query::Query;

    const NOW: Moment = Moment::from_ms(10_000.0);

    /// A log of attempts: each is a policy, and its provider if it has one.
    /// A log of attempts: each is a provider and its model.
    fn log_of_models(attempts: &[(&str, &str)]) -> Log {
        let mut stage = Stage::new();
        for (provider, model) in attempts {
            stage.call_of("chat", provider, model);
        }
        stage.log()
    }

    fn log(attempts: &[(&str, Option<&str>)]) -> Log {
        let mut log = Log::default();
        for (place, (policy, provider)) in attempts.iter().enumerate() {
            let policy = halfopen_log::quoted(policy);
            let provider = provider
                .map_or_else(String::new, |name| format!(r#","provider":{}"#, halfopen_log::quoted(name)));
            let head = format!(r#"{{"v":1,"source":"s","time":{place},"policy":{policy},"call":"c{place}","#);
            for line in [
                format!(r#"{head}"seq":{},"type":"call.started"}}"#, place * 2),
                format!(r#"{head}"seq":{},"type":"attempt.started","attempt":1{provider}}}"#, place * 2 + 1),
            ] {
                assert!(log.take(&line), "{line} {:?}", log.losses);
            }
        }
        log
    }

    /// Each row's name, what stands below it, and the calls that its filter shows.
    fn shown(log: &Log) -> Vec<(String, String, Vec<String>)> {
        let all = log.providers.iter().map(|row| {
            let (name, second, filter) = named(log, row);
            let filter = Query::parse(&filter).unwrap().prepare(&log.names);
            let shown = log.calls().filter(|(_, call)| filter.passes(log, call, NOW));
            (name, second, shown.map(|(_, call)| call.id.to_string()).collect())
        });
        all.collect()
    }

    fn row(name: &str, second: &str, calls: &[&str]) -> (String, String, Vec<String>) {
        (name.into(), second.into(), calls.iter().map(|&call| call.into()).collect())
    }

    #[test]
    fn a_rows_calls_are_those_that_its_filter_shows() {
        let log = log(&[
            ("chat", Some("openai")),
            ("search", None),
            ("chat", None),
            ("mail", None),
            ("chat", Some("open ai")),
        ]);
        assert_eq!(
            shown(&log),
            [
                row("openai", "", &["c0"]),
                row("(no provider)", "search, chat, mail", &["c1", "c2", "c3"]),
                row("open ai", "", &["c4"]),
            ]
        );
    }

    #[test]
    fn a_row_of_one_model_shows_the_calls_of_that_model_alone() {
        let log = log_of_models(&[
            ("openai", "gpt-5"),
            ("openai", "gpt-5-mini"),
            ("openai", "gpt-5"),
            ("openai", ""),
        ]);
        assert_eq!(
            shown(&log),
            [
                row("openai", "gpt-5", &["c0", "c2"]),
                row("openai", "gpt-5-mini", &["c1"]),
                row("openai", "", &["c3"]),
            ]
        );
    }

    #[test]
    fn a_name_with_a_quotation_mark_is_found_by_its_beginning() {
        let log = log(&[("chat", Some("my \"own\" provider")), ("chat", Some("other"))]);
        assert_eq!(shown(&log)[0], row("my \"own\" provider", "", &["c0"]));
    }

    #[test]
    fn a_provider_without_a_known_breaker_has_none() {
        let log = log(&[("chat", Some("openai"))]);
        assert!(describe(&log, &log.providers[0], NOW).breakers.is_empty());
    }

    /// Else the row would be drawn again four times a second.
    #[test]
    fn a_provider_without_an_ended_attempt_shows_the_same_each_time() {
        let log = log(&[("chat", Some("openai"))]);
        assert!(rows(&log, NOW) == rows(&log, NOW));
        assert_eq!((rows(&log, NOW).0[0].ok_share, rows(&log, NOW).0[0].p50), (None, None));
    }

    #[test]
    fn providers_and_codes_beyond_the_most_are_counted() {
        let names: Vec<_> = (0..MOST + 3).map(|number| format!("provider {number}")).collect();
        let attempts: Vec<_> = names.iter().map(|name| ("chat", Some(name.as_str()))).collect();
        let mut log = log(&attempts);
        let (shown, more) = rows(&log, NOW);
        assert_eq!((shown.len(), more, shown[0].more_codes), (MOST, 3, 0));
        for number in 0..CODES + 2 {
            let head = |seq: usize, kind: &str| {
                let attempt = number + 2;
                format!(
                    r#"{{"v":1,"source":"s","time":500,"policy":"chat","call":"c0","seq":{},"type":"attempt.{kind}","attempt":{attempt},"#,
                    1_000 + seq
                )
            };
            let started = format!(r#"{}"provider":"provider 0"}}"#, head(number * 2, "started"));
            let failed = format!(
                r#"{}"durationMs":1,"code":"CODE_{number}","severity":"critical","retryable":false,"rule":"r","counted":true}}"#,
                head(number * 2 + 1, "failed")
            );
            assert!(log.take(&started) && log.take(&failed), "{:?}", log.losses);
        }
        let row = describe(&log, &log.providers[0], NOW);
        assert_eq!((row.codes.len(), row.more_codes), (CODES, 2));
    }
}
