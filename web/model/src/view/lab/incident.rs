//! A scenario fitted to the log: who called how often, how long the provider took, when it failed with what, and the policies
//! that were there. What a log does not say (how many servers there were) is guessed from how many were busy at once.

use super::MOST_POLICIES;
use super::field::new_fault;
use super::json::{Json, path};
use super::presets::POLICIES;
use halfopen::code::Code;
use halfopen::policy::table;
use halfopen_store::call::{Call, Outcome};
use halfopen_store::order;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// Failures further apart are of two incidents, in milliseconds.
const APART_MS: f64 = 60_000.0;
/// How long a scenario goes on after its last fault: whether goodput comes back is to be seen.
const AFTERWARDS_MS: f64 = 60_000.0;
/// Into how many parts a time is divided to find when the provider failed.
const PARTS: usize = 60;
/// From this share of failed attempts on it is a fault.
const FAULTY: f64 = 0.2;
/// The most faults that are kept.
const MOST_FAULTS: usize = 8;
/// The sections of a policy's options, and what of them the lab knows: what else a policy has is code.
fn known() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let sections = ["retry", "breaker", "timeout", "bulkhead", "adaptive"];
    // A list of codes may be of functions of the program.
    let is_plain = |row: &&table::OptionRow| row.lab && row.path != "retry.retryOn";
    sections.into_iter().map(move |section| {
        (section, table::within(section).filter(is_plain).map(table::OptionRow::name).collect())
    })
}

/// An attempt that has ended.
struct Ended {
    at: Moment,
    duration: f64,
    code: Option<String>,
    retry_after: Option<f64>,
}

/// A part of the log's time.
pub type Range = (Moment, Moment);

/// The name of every scenario of this file, before the policy's.
pub const NAME: &str = "Incident from the log";

/// The calls of one policy, or of all if it is empty.
fn calls_of<'a>(log: &'a Log, policy: &str) -> impl Iterator<Item = &'a Call> {
    log.calls()
        .map(|(_, call)| call)
        .filter(move |call| policy.is_empty() || log.names.text(call.policy_id().name) == policy)
}

/// When attempts of a call failed, within a range.
fn failures(call: &Call, (from, to): Range) -> impl Iterator<Item = Moment> {
    let failed = call.attempts.iter().filter(|attempt| attempt.outcome == Outcome::Failed);
    failed.filter_map(|attempt| attempt.ended).filter(move |at| (from..=to).contains(at))
}

/// The policies of which attempts failed within a range, those with the most of them first.
pub fn failed_policies(log: &Log, range: Range) -> Vec<String> {
    let mut counted: Vec<(usize, &str)> = Vec::new();
    for call in calls_of(log, "") {
        let name = log.names.text(call.policy_id().name);
        match (failures(call, range).count(), counted.iter_mut().find(|(_, known)| *known == name)) {
            (0, _) => {}
            (count, Some((known, _))) => *known += count,
            (count, None) => counted.push((count, name)),
        }
    }
    order::sort_by(&mut counted, |a, b| b.0.cmp(&a.0));
    counted.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// The last time within a range that attempts of a policy failed (of any, where it is empty), with as much before and after it as
/// it lasted, and half a minute at least.
pub fn last_incident(log: &Log, range: Range, policy: &str) -> Option<Range> {
    let mut failures: Vec<Moment> = calls_of(log, policy).flat_map(|call| failures(call, range)).collect();
    order::sort_by(&mut failures, Moment::total_cmp);
    let end = *failures.last()?;
    let begin =
        failures.iter().rev().fold(end, |begin, at| if begin - *at <= APART_MS { *at } else { begin });
    let margin = (end - begin).max(30_000.0);
    let (first, last) = log.bounds()?;
    Some(((begin - margin).max(first), (end + margin).min(last)))
}

/// A scenario of what the log has of a policy in a time (of all, as of one provider, where it is empty); nothing where no call
/// began then. Within a policy's calls may be calls of another one, which has a provider of its own: an agent's model, its
/// database, its search.
pub fn scenario(log: &Log, (from, to): Range, policy: &str) -> Option<Json> {
    let calls: Vec<&Call> = calls_of(log, policy)
        .filter(|call| !policy.is_empty() || call.depth == 0)
        .filter(|call| call.started >= from && call.started <= to)
        .collect();
    let span = calls.iter().map(|call| call.started).fold(from, Moment::max).max(to) - from;
    let seconds = (span / 1000.0).max(1.0);
    if calls.is_empty() {
        return None;
    }
    let attempts: Vec<Ended> = ended(log, (from, to), policy);
    let mut fields: Vec<(String, Json)> = Vec::new();
    let mut put = |name: &str, value: Json| fields.push((name.to_owned(), value));
    let faults = faults(&attempts, from, span.max(1000.0));
    let last =
        faults.iter().filter_map(|fault| Some(fault.get("atMs")?.number()? + fault.get("forMs")?.number()?));
    let duration = last.map(|end| end + AFTERWARDS_MS).fold(span.max(1000.0), f64::max);
    put("version", Json::Number(1.0));
    let of = if policy.is_empty() { String::new() } else { format!(": {policy}") };
    put("name", Json::Text(format!("{NAME}{of}")));
    put("durationMs", Json::Number(rounded(duration)));
    put("intervalMs", Json::Number(if duration < 60_000.0 { 250.0 } else { 1000.0 }));
    put("clients", clients(&calls, seconds));
    put("policies", policies(log, &calls));
    put("provider", provider(&attempts));
    put("faults", Json::List(faults));
    Some(Json::Map(fields))
}

fn ended(log: &Log, (from, to): Range, policy: &str) -> Vec<Ended> {
    let attempts = calls_of(log, policy).flat_map(|call| call.attempts.iter());
    attempts
        .filter(|attempt| {
            attempt.outcome != Outcome::Running && attempt.started >= from && attempt.started <= to
        })
        .map(|attempt| Ended {
            at: attempt.started,
            duration: attempt
                .duration_ms
                .or_else(|| attempt.ended.map(|ended| ended - attempt.started))
                .unwrap_or_default(),
            code: (attempt.outcome == Outcome::Failed).then(|| log.names.text(attempt.code).to_owned()),
            retry_after: attempt.retry_after_ms,
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of calls")]
fn clients(calls: &[&Call], seconds: f64) -> Json {
    let mut processes: Vec<_> = calls.iter().map(|call| call.source).collect();
    order::sort_by_key(&mut processes, |&source| source);
    processes.dedup();
    let rate = (calls.len() as f64 / seconds).max(0.001);
    let mut clients = Json::Null;
    clients.set(&path("count"), Json::Number(processes.len() as f64));
    clients.set(&path("arrivals.kind"), Json::Text("open".into()));
    clients.set(&path("arrivals.perSecond"), Json::Number(rounded_share(rate)));
    clients
}

/// How long answers took, and how many servers gave them.
fn provider(attempts: &[Ended]) -> Json {
    let mut answered: Vec<f64> = attempts
        .iter()
        .filter(|one| one.code.is_none() && one.duration > 0.0)
        .map(|one| one.duration)
        .collect();
    order::sort_by(&mut answered, f64::total_cmp);
    let median = quantile(&answered, 0.5).unwrap_or(500.0).max(1.0);
    let p95 = quantile(&answered, 0.95).unwrap_or(2.0 * median).max(median);
    // 95 % of a normal distribution lie below 1.645 standard deviations.
    let sigma = ((p95 / median).ln() / 1.645).clamp(0.0, 3.0);
    let mut provider = Json::Null;
    provider.set(&path("servers"), Json::Number(f64::from(busiest(attempts).max(2))));
    provider.set(&path("service.kind"), Json::Text("lognormal".into()));
    provider.set(&path("service.median"), Json::Number(rounded(median)));
    provider.set(&path("service.sigma"), Json::Number(rounded_share(sigma)));
    provider
}

/// How many answered attempts ran at once, at most.
fn busiest(attempts: &[Ended]) -> u32 {
    let mut changes: Vec<(Moment, i32)> = attempts
        .iter()
        .filter(|one| one.code.is_none())
        .flat_map(|one| [(one.at, 1), (one.at + one.duration, -1)])
        .collect();
    order::sort_by(&mut changes, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut now, mut most) = (0, 0);
    for (_, change) in changes {
        now += change;
        most = most.max(now);
    }
    u32::try_from(most).unwrap_or(0)
}

/// When attempts failed, how many of them, and with what.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of parts and attempts"
)]
fn faults(attempts: &[Ended], from: Moment, span: f64) -> Vec<Json> {
    let part = span / PARTS as f64;
    let mut parts = vec![(0_u32, 0_u32); PARTS];
    let place = |at: Moment| (((at - from) / part) as usize).min(PARTS - 1);
    for one in attempts {
        if let Some((all, failed)) = parts.get_mut(place(one.at)) {
            *all += 1;
            *failed += u32::from(one.code.is_some());
        }
    }
    let faulty = |(all, failed): (u32, u32)| failed > 0 && f64::from(failed) >= FAULTY * f64::from(all);
    let mut windows: Vec<(usize, usize)> = Vec::new();
    for (at, counts) in parts.iter().copied().enumerate() {
        if !faulty(counts) {
            continue;
        }
        match windows.last_mut() {
            // A part without an attempt means nothing, because there may have been no call.
            Some((_, end))
                if parts
                    .get(*end..at)
                    .is_none_or(|between| between.iter().all(|&(all, failed)| all == failed)) =>
            {
                *end = at + 1
            }
            _ => windows.push((at, at + 1)),
        }
    }
    order::sort_by_key(&mut windows, |(begin, end)| std::cmp::Reverse(end - begin));
    windows.truncate(MOST_FAULTS);
    order::sort_by_key(&mut windows, |&window| window);
    windows
        .into_iter()
        .map(|(begin, end)| {
            let within: Vec<_> =
                attempts.iter().filter(|one| (begin..end).contains(&place(one.at))).collect();
            let failed: Vec<_> = within.iter().filter(|one| one.code.is_some()).collect();
            let rate = failed.len() as f64 / within.len().max(1) as f64;
            // An application's own codes are not the lab's.
            let known = failed
                .iter()
                .filter_map(|one| one.code.as_deref())
                .filter(|code| Code::from_name(code).is_some());
            let code = most_frequent(known);
            let mut hints: Vec<f64> = failed.iter().filter_map(|one| one.retry_after).collect();
            order::sort_by(&mut hints, f64::total_cmp);
            fault(
                &code,
                rate,
                quantile(&hints, 0.5),
                (rounded(begin as f64 * part), rounded((end - begin) as f64 * part).max(1.0)),
            )
        })
        .collect()
}

fn fault(code: &str, rate: f64, retry_after: Option<f64>, (at, span): (f64, f64)) -> Json {
    if code == "NETWORK_ERROR" && rate > 0.95 {
        return new_fault("outage", at, span);
    }
    if code == "TIMEOUT" && rate > 0.95 {
        return new_fault("blackhole", at, span);
    }
    let mut fault = new_fault("errors", at, span);
    fault.set(&path("code"), Json::Text(code.to_owned()));
    fault.set(&path("rate"), Json::Number(rounded_share(rate)));
    if let Some(ms) = retry_after {
        fault.set(&path("retryAfterMs"), Json::Number(rounded(ms)));
    }
    fault
}

/// The policies that made most of the calls, and beside them two that everybody has.
fn policies(log: &Log, calls: &[&Call]) -> Json {
    let mut counted: Vec<(PolicyId, usize)> = Vec::new();
    for call in calls {
        let id = call.policy_id();
        match counted.iter_mut().find(|(known, _)| known.name == id.name) {
            Some((_, count)) => *count += 1,
            None => counted.push((id, 1)),
        }
    }
    order::sort_by_key(&mut counted, |(_, count)| std::cmp::Reverse(*count));
    let mut policies: Vec<(String, Json)> = Vec::new();
    for (id, _) in counted.into_iter().take(MOST_POLICIES - 2) {
        let options = log.options_of(id).and_then(|options| Json::parse(options.as_str()).ok());
        let name = log.names.text(id.name);
        let name = if name.is_empty() { "policy" } else { name };
        policies.push((name.to_owned(), options.map_or(Json::Map(Vec::new()), |options| plain(&options))));
    }
    let timeout = policies.first().and_then(|(_, options)| options.get("timeout")).cloned();
    for name in ["10 retries, no budget", "Retry budget 10 %"] {
        let Some((name, options)) = POLICIES.iter().find(|row| row.0 == name) else { continue };
        let mut options = Json::parse(options).unwrap_or(Json::Map(Vec::new()));
        if let Some(timeout) = &timeout {
            options.set(&path("timeout"), timeout.clone());
        }
        policies.push(((*name).to_owned(), options));
    }
    Json::Map(policies)
}

/// The part of a policy's options that the lab knows.
fn plain(options: &Json) -> Json {
    let mut plain = Json::Map(Vec::new());
    for (section, keys) in known() {
        match options.get(section) {
            Some(Json::Map(fields)) => {
                let known =
                    fields.iter().filter(|(key, value)| keys.contains(&key.as_str()) && *value != Json::Null);
                plain.set(&path(section), Json::Map(known.cloned().collect()));
            }
            Some(Json::Bool(flag)) => plain.set(&path(section), Json::Bool(*flag)),
            _ => {}
        }
    }
    // A policy that was configured without a breaker reports none.
    if options.get("breaker").is_none() && !options.fields().is_empty() {
        plain.set(&path("breaker"), Json::Bool(false));
    }
    plain
}

fn most_frequent<'a>(codes: impl Iterator<Item = &'a str>) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for code in codes {
        match counted.iter_mut().find(|(known, _)| *known == code) {
            Some((_, count)) => *count += 1,
            None => counted.push((code, 1)),
        }
    }
    counted
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .map_or("PROVIDER_OVERLOADED", |(code, _)| code)
        .to_owned()
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a list"
)]
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * share).round() as usize).copied()
}

/// To a number that reads well: whole milliseconds.
fn rounded(ms: f64) -> f64 {
    ms.round()
}

fn rounded_share(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use halfopen_lab::Scenario;

    const ALL: Range = (Moment::FIRST, Moment::LAST);

    fn read(file: &str) -> Log {
        let mut log = Log::default();
        for line in file.lines() {
            log.take(line);
        }
        log
    }

    #[test]
    fn a_recorded_incident_becomes_a_scenario_that_runs() {
        let log = read(include_str!("../../../../../tests/fixtures/incident.jsonl"));
        let range = last_incident(&log, ALL, "").unwrap();
        let fitted = scenario(&log, range, "").unwrap();
        let read = Scenario::from_json(&fitted.compact()).unwrap();
        assert!(!read.faults.is_empty() && read.faults[0].at_ms > 0.0, "{}", fitted.pretty());
        let support = fitted.at(&path("policies.support-desk")).unwrap();
        assert_eq!(support.at(&path("retry.maxRetries")), Some(&Json::Number(2.0)));
        assert_eq!(support.at(&path("breaker.failureThreshold")), Some(&Json::Number(5.0)));
        assert_eq!(read.policies.len(), 3);
    }

    #[test]
    fn failures_are_a_fault_of_their_time_and_code() {
        let mut stage = Stage::new();
        stage.policy("chat", r#"{"retry":{"maxRetries":1},"timeout":{"attemptMs":800}}"#);
        for second in 0..60 {
            let call = stage.call("chat");
            if (20..30).contains(&second) {
                stage.fail_with(call, "RATE_LIMITED", "r", Some(2000.0)).give_up(
                    call,
                    "RATE_LIMITED",
                    "exhausted",
                );
            } else {
                stage.succeed(call);
            }
            stage.pass(960.0);
        }
        let log = stage.log();
        let (from, to) = log.bounds().unwrap();
        let fitted = scenario(&log, (from, to), "").unwrap();
        let faults = fitted.get("faults").unwrap().items();
        assert_eq!(faults.len(), 1, "{}", fitted.pretty());
        let number = |key: &str| faults[0].get(key).unwrap().number().unwrap();
        assert!((number("atMs") - 20_000.0).abs() < 1500.0 && (number("forMs") - 10_000.0).abs() < 2500.0);
        assert_eq!((number("rate"), number("retryAfterMs")), (1.0, 2000.0));
        assert_eq!(faults[0].get("code").unwrap().text(), Some("RATE_LIMITED"));
        let rate = fitted.at(&path("clients.arrivals.perSecond")).unwrap().number().unwrap();
        assert!((rate - 1.0).abs() < 0.05, "{rate}");
        let policies = super::super::edit::policies(&fitted);
        assert_eq!(policies, ["chat", "10 retries, no budget", "Retry budget 10 %"]);
        assert_eq!(fitted.at(&path("policies.chat.breaker")), Some(&Json::Bool(false)));
        Scenario::from_json(&fitted.compact()).unwrap();
        let (begin, end) = last_incident(&log, ALL, "").unwrap();
        assert!(begin >= from && end <= to && end - begin < 61_000.0);
    }

    #[test]
    fn of_several_policies_one_can_be_chosen() {
        let mut stage = Stage::new();
        stage.policy("turn", "{}").policy("chat", "{}").policy("search", "{}").policy("db", "{}");
        for second in 0..40 {
            let turn = stage.call("turn");
            let chat = stage.call_within("chat", Some(turn));
            if (10..20).contains(&second) {
                stage.fail_after(chat, "PROVIDER_OVERLOADED", "r", 900.0).give_up(
                    chat,
                    "PROVIDER_OVERLOADED",
                    "exhausted",
                );
            } else {
                stage.succeed_after(chat, 600.0);
            }
            stage.succeed_after(turn, 10.0);
            let search = stage.call("search");
            if second == 30 {
                stage.fail(search, "TIMEOUT", "r").give_up(search, "TIMEOUT", "exhausted");
            } else {
                stage.succeed_after(search, 40.0);
            }
            let db = stage.call("db");
            stage.succeed_after(db, 1.0);
        }
        let log = stage.log();
        assert_eq!(failed_policies(&log, ALL), ["chat", "search"]);

        let of = |policy: &str| {
            let range = last_incident(&log, ALL, policy).unwrap();
            let fitted = scenario(&log, range, policy).unwrap();
            Scenario::from_json(&fitted.compact()).unwrap();
            fitted
        };
        let (chat, search) = (of("chat"), of("search"));
        assert_eq!(chat.get("name").unwrap().text(), Some("Incident from the log: chat"));
        let median = |fitted: &Json| fitted.at(&path("provider.service.median")).unwrap().number();
        assert_eq!((median(&chat), median(&search)), (Some(600.0), Some(40.0)));
        let code = |fitted: &Json| {
            let faults = fitted.get("faults").unwrap().items();
            (faults.len(), faults[0].get("code").and_then(Json::text).map(str::to_owned))
        };
        assert_eq!(code(&chat), (1, Some("PROVIDER_OVERLOADED".to_owned())));
        assert_eq!(
            super::super::edit::policies(&search),
            ["search", "10 retries, no budget", "Retry budget 10 %"]
        );
        // Of all of them it is one provider, as whose answers those of the database count too.
        assert!(median(&of("")) < Some(600.0));
        assert_eq!(last_incident(&log, ALL, "db"), None);
    }

    #[test]
    fn without_calls_there_is_none() {
        assert_eq!(scenario(&Log::default(), ALL, ""), None);
        assert_eq!(last_incident(&Log::default(), ALL, ""), None);
    }
}
