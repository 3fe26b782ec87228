//! A recorded log under its own policies, and under others. The lines are read here: in the package, TypeScript does.

use halfopen::Code;
use halfopen::policy::{Layer, Why};
use halfopen_lab::{
    Ended, How, LabPolicy, NAMES, ROW, Recorder, Replay, Scenario, Sums, Unknown, failed, row,
};
use halfopen_log::{Event, Kind, Usage};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The policy of some options.
fn policy(options: &str) -> LabPolicy {
    let scenario = format!(
        r#"{{"version":1,"durationMs":1,"policies":{{"it":{options}}},"clients":{{"count":1,"arrivals":{{"kind":"once"}}}},"provider":{{"servers":1,"service":{{"kind":"constant","mean":1}}}}}}"#
    );
    Scenario::from_json(&scenario).unwrap().policies.remove(0).1
}

/// The options of an event that the lab knows.
fn known(options: &serde_json::Value) -> String {
    let keys = ["retry", "breaker", "breakerScope", "timeout", "bulkhead", "adaptive", "rateLimit", "hedge"];
    let mut kept: serde_json::Map<_, _> =
        keys.iter().filter_map(|key| Some(((*key).to_owned(), options.get(key)?.clone()))).collect();
    kept.retain(|key, value| key == "breakerScope" || !value.is_string());
    for part in ["retry", "breaker"] {
        if let Some(serde_json::Value::Object(inner)) = kept.get_mut(part) {
            inner.retain(|key, value| {
                *value != "function" && *value != "shared" && key != "seed" && key != "shared"
            });
        }
    }
    if options.get("fallback").is_some() {
        kept.insert("fallback".to_owned(), true.into());
    }
    serde_json::Value::Object(kept).to_string()
}

#[derive(Default)]
struct Numbers(BTreeMap<String, u32>);

impl Numbers {
    fn of(&mut self, name: String) -> f64 {
        let next = u32::try_from(self.0.len()).unwrap();
        f64::from(*self.0.entry(name).or_insert(next))
    }
}

/// The replay of a log. If `other` is given, it replaces every policy.
#[allow(clippy::too_many_lines)]
fn replay_of(log: &str, other: Option<&str>, seeds: u32) -> Replay {
    let mut recorder = Recorder::default();
    let (mut hosts, mut calls, mut providers) = (Numbers::default(), Numbers::default(), Numbers::default());
    let (mut shared, mut policies) = (Numbers::default(), Numbers::default());
    let (mut recorded, mut replaced) = (Vec::new(), Vec::new());
    let mut settings_of = BTreeMap::new();
    for line in log.lines() {
        let event = Event::parse(line).unwrap();
        let source = event.source.as_ref().map_or(String::new(), |source| source.as_str().to_owned());
        let seq = f64::from(u32::try_from(event.seq).unwrap());
        let name = event.policy.as_ref().map_or("default", |policy| policy.as_str()).to_owned();
        let mut rows = Vec::new();
        let mut add = |kind: u32, subject: f64, rest: [f64; 6]| {
            let [a, b, c, d, e, f] = rest;
            rows.push([f64::from(kind), subject, event.time, seq, a, b, c, d, e, f]);
        };
        let known_hosts = hosts.0.len();
        let host = hosts.of(format!("{source} {name}"));
        if hosts.0.len() > known_hosts {
            let seed = match &event.kind {
                Kind::PolicyConfigured(configured) => configured.seed,
                _ => 0.0,
            };
            let shared = match &event.kind {
                Kind::PolicyConfigured(configured) => {
                    let breaker = configured.options.value()["breaker"].clone();
                    breaker["shared"].as_bool().map(|_| shared.of(breaker["name"].to_string()))
                }
                _ => None,
            };
            let replaced = f64::from(other.is_some());
            let policy = policies.of(name.clone());
            add(row::HOST, host, [seed, replaced, shared.unwrap_or(-1.0), policy, 0.0, 0.0]);
        }
        if let Kind::PolicyConfigured(configured) = &event.kind {
            let options = known(&configured.options.value());
            recorded.push(policy(&options));
            replaced.push(policy(other.unwrap_or(&options)));
            let number = f64::from(u32::try_from(recorded.len() - 1).unwrap());
            settings_of.insert(host.to_bits(), number);
            add(row::SETTINGS, host, [number, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        if let Kind::RetryScheduled(wait) = &event.kind
            && wait.due_at.fract() != 0.0
        {
            add(row::FINE_CLOCK, host, [0.0; 6]);
        }
        if let Kind::BreakerChanged(changed) = &event.kind
            && changed.to.as_str() == "isolated"
        {
            add(row::CONTROL, host, [0.0; 6]);
        }
        let call = event.call.as_ref().map(|id| calls.of(format!("{source} {}", id.as_str())));
        if let Some(call) = call {
            match &event.kind {
                Kind::CallStarted(_) => {
                    let settings = settings_of.get(&host.to_bits()).copied().unwrap_or_default();
                    add(row::CALL_STARTED, call, [host, settings, 0.0, 0.0, 0.0, 0.0]);
                }
                Kind::CallQueued(_) => add(row::CALL_QUEUED, call, [0.0; 6]),
                Kind::AttemptStarted(started) => {
                    let provider = started.provider.as_ref().map_or("", |name| name.as_str()).to_owned();
                    let number = providers.of(provider);
                    add(row::ATTEMPT_STARTED, call, [f64::from(started.attempt), number, 0.0, 0.0, 0.0, 0.0]);
                }
                Kind::AttemptSucceeded(ended) => {
                    let tokens = tokens_of(ended.usage);
                    add(
                        row::ATTEMPT_SUCCEEDED,
                        call,
                        [f64::from(ended.attempt), ended.duration_ms, tokens, 0.0, 0.0, 0.0],
                    );
                }
                Kind::AttemptFailed(ended) => {
                    let by_policy =
                        ended.rule.as_str() == "policy.timeout" || ended.rule.as_str() == "policy.hedge";
                    let flags = u32::from(ended.retryable) * failed::RETRYABLE
                        + u32::from(ended.counted) * failed::COUNTED
                        + u32::from(by_policy) * failed::BY_POLICY;
                    let code = f64::from(ended.code.code().unwrap_or(Code::Unknown).index());
                    let hint = ended.retry_after_ms.unwrap_or(f64::NAN);
                    add(
                        row::ATTEMPT_FAILED,
                        call,
                        [f64::from(ended.attempt), ended.duration_ms, 0.0, code, f64::from(flags), hint],
                    );
                }
                Kind::RetryScheduled(wait) => {
                    let drawn = f64::from(wait.delay_source.as_str() == "backoff");
                    add(
                        row::RETRY_SCHEDULED,
                        call,
                        [f64::from(wait.attempt), wait.delay_ms, drawn, 0.0, 0.0, 0.0],
                    );
                }
                Kind::StreamChunk(chunk) => {
                    let tokens = [f64::from(chunk.attempt), tokens_of(chunk.usage), 0.0, 0.0, 0.0, 0.0];
                    add(row::TOKENS_BESIDE, call, tokens);
                }
                Kind::CallSucceeded(ended) => {
                    add(row::TOKENS_BESIDE, call, [0.0, tokens_of(ended.usage), 0.0, 0.0, 0.0, 0.0]);
                    let how = f64::from(ended.closed_early == Some(true));
                    add(row::CALL_ENDED, call, [how, 0.0, 0.0, 0.0, 0.0, 0.0]);
                }
                Kind::CallFailed(ended) => {
                    add(row::TOKENS_BESIDE, call, [0.0, tokens_of(ended.usage), 0.0, 0.0, 0.0, 0.0]);
                    let why = Why::ALL.iter().position(|why| why.as_str() == ended.why.as_str()).unwrap();
                    let code = f64::from(ended.code.code().unwrap_or(Code::Unknown).index());
                    add(
                        row::CALL_ENDED,
                        call,
                        [2.0, code, f64::from(u32::try_from(why).unwrap()), 0.0, 0.0, 0.0],
                    );
                }
                Kind::CallRejected(ended) => {
                    let by = Layer::ALL.iter().position(|by| by.as_str() == ended.by.as_str()).unwrap();
                    add(
                        row::CALL_ENDED,
                        call,
                        [3.0, f64::from(u32::try_from(by).unwrap()), 0.0, 0.0, 0.0, 0.0],
                    );
                }
                Kind::FallbackUsed(used) => {
                    add(row::FALLBACK, call, [f64::from(used.failed != Some(true)), 0.0, 0.0, 0.0, 0.0, 0.0]);
                }
                _ => {}
            }
        }
        rows.iter().for_each(|row: &[f64; ROW]| recorder.rows(row));
    }
    let mut replay = Replay::new(recorder, recorded, replaced, seeds);
    let mut share = 0.0;
    while !replay.advance(100) {
        assert!(replay.share() >= share, "{} after {share}", replay.share());
        share = replay.share();
    }
    assert_eq!(replay.share(), 1.0);
    replay
}

fn sum(sums: &Sums, name: &str) -> f64 {
    sums[NAMES.iter().position(|known| *known == name).unwrap()]
}

/// The sums of the first seed.
fn after(replay: &Replay, name: &str) -> f64 {
    sum(&replay.after()[0], name)
}

const INCIDENT: &str = include_str!("../../../../tests/fixtures/incident.jsonl");
const DAY: &str = include_str!("../../../../tests/fixtures/agent-day.jsonl");
const CASES: &str = include_str!("../../../../tests/fixtures/export-cases.jsonl");

#[test]
fn recorded_logs_give_back_their_own_outcomes() {
    for (name, log) in [("incident", INCIDENT), ("day", DAY), ("cases", CASES)] {
        // Isolated before anybody listened, and a call with options of its own: the package sees that, this reader does not.
        let strange =
            |line: &&str| line.contains(r#""policy":"manual""#) || line.contains(r#""policy":"plain""#);
        let log: Vec<&str> = log.lines().filter(|line| !strange(line)).collect();
        let replay = replay_of(&log.join("\n"), None, 3);
        assert_eq!(replay.identity(), 1.0, "{name}: {:?}", replay.changed());
        assert_eq!(replay.changed(), [], "{name}");
        assert_eq!(after(&replay, "succeeded"), sum(&replay.before(), "succeeded"), "{name}");
    }
}

/// A line of a log.
fn event(seq: u64, time: u64, call: u64, rest: &str) -> String {
    format!(r#"{{"v":1,"source":"agent","seq":{seq},"time":{time},"policy":"chat","call":"c{call}",{rest}}}"#)
}

fn tokens_of(usage: Option<Usage>) -> f64 {
    let all = usage.map_or(0, |usage| usage.input_tokens.unwrap_or(0) + usage.output_tokens.unwrap_or(0));
    f64::from(u32::try_from(all).unwrap())
}

#[test]
fn tokens_of_streams_that_ended_early_and_of_bodies_count_before_and_after() {
    let usage = r#""usage":{"inputTokens":10,"outputTokens":5}"#;
    let mut lines = vec![
        r#"{"v":1,"source":"agent","seq":0,"time":0,"policy":"chat","type":"policy.configured","options":{"retry":false,"breaker":false},"seed":7}"#.to_owned(),
    ];
    for call in 0..3 {
        let (time, seq) = (call * 1000, call * 10 + 1);
        lines.push(event(seq, time, call, r#""type":"call.started""#));
        lines.push(event(seq + 1, time, call, r#""type":"attempt.started","attempt":1,"provider":"openai""#));
    }
    let closed =
        format!(r#""type":"call.succeeded","attempts":1,"durationMs":300,"closedEarly":true,{usage}"#);
    lines.push(event(51, 3300, 0, &closed));
    let cancelled = format!(
        r#""type":"call.failed","attempts":1,"durationMs":300,"code":"CANCELLED","why":"cancelled",{usage}"#
    );
    lines.push(event(52, 3400, 1, &cancelled));
    lines.push(event(53, 3500, 2, r#""type":"attempt.succeeded","attempt":1,"durationMs":1500"#));
    lines.push(event(54, 3500, 2, r#""type":"call.succeeded","attempts":1,"durationMs":1500"#));
    let read = format!(r#""type":"stream.chunk","attempt":1,"chunks":2,"characters":9,{usage}"#);
    lines.push(event(55, 3900, 2, &read));
    let other = r#"{"retry":false,"breaker":{"failureThreshold":9}}"#;
    let replay = replay_of(&lines.join("\n"), Some(other), 3);
    assert_eq!(replay.identity(), 1.0);
    assert_eq!(sum(&replay.before(), "tokens"), 45.0);
    assert_eq!(sum(&replay.after()[0], "tokens"), 45.0);
}

/// A log of a provider that is away from 60 to 120 s: a call a second, without retries.
fn outage() -> String {
    let mut lines = vec![
        r#"{"v":1,"source":"agent","seq":0,"time":0,"policy":"chat","type":"policy.configured","options":{"retry":false,"breaker":false},"seed":7}"#.to_owned(),
    ];
    for call in 0..300 {
        let (time, seq) = (call * 1000, call * 10);
        lines.push(event(seq + 1, time, call, r#""type":"call.started""#));
        lines.push(event(seq + 2, time, call, r#""type":"attempt.started","attempt":1,"provider":"openai""#));
        if (60..120).contains(&call) {
            lines.push(event(seq + 3, time + 20, call,
                r#""type":"attempt.failed","attempt":1,"durationMs":20,"code":"NETWORK_ERROR","severity":"retriable","retryable":true,"rule":"r","counted":false"#));
            lines.push(event(seq + 4, time + 20, call, r#""type":"call.failed","attempts":1,"durationMs":20,"code":"NETWORK_ERROR","why":"exhausted""#));
        } else {
            lines.push(event(seq + 3, time + 300, call,
                r#""type":"attempt.succeeded","attempt":1,"durationMs":300,"usage":{"inputTokens":10,"outputTokens":5}"#));
            lines.push(event(
                seq + 4,
                time + 300,
                call,
                r#""type":"call.succeeded","attempts":1,"durationMs":300"#,
            ));
        }
    }
    lines.join("\n")
}

#[test]
fn the_sums_of_a_log_match_its_events() {
    let replay = replay_of(&outage(), None, 30);
    assert_eq!(replay.identity(), 1.0);
    let before = replay.before();
    for (name, expected) in [
        ("offered", 300.0),
        ("attempts", 300.0),
        ("succeeded", 240.0),
        ("failed", 60.0),
        ("successRate", 0.8),
        ("amplification", 1.0),
        ("tokens", 3600.0),
        ("userMs.max", 300.0),
    ] {
        assert_eq!(sum(&before, name), expected, "{name}");
    }
    // In the middle of a bucket of 0.4 %.
    assert!((sum(&before, "userMs.p50") / 300.0 - 1.0).abs() < 0.004);
}

#[test]
fn retries_help_the_calls_at_the_end_of_an_outage_and_no_others() {
    let retries =
        r#"{"retry":{"maxRetries":2,"baseDelayMs":5000,"jitter":0,"budget":false},"breaker":false}"#;
    let replay = replay_of(&outage(), Some(retries), 30);
    assert_eq!(replay.identity(), 1.0, "of the recorded policy, not of the other");
    let changed = replay.changed();
    assert_eq!(changed.len(), 60, "every call that had failed is tried again");
    assert!(changed.iter().all(|change| change.modelled));
    let saved = changed.iter().filter(|change| change.after.unwrap().how == How::Succeeded);
    // The last retry is 15 s after the call: those of the last 15 s of the outage, and the window is 10 s to either side.
    let saved = saved.count();
    assert!((5..=25).contains(&saved), "{saved}");
    let mut succeeded: Vec<f64> = replay.after().iter().map(|sums| sum(sums, "succeeded")).collect();
    succeeded.sort_by(f64::total_cmp);
    assert_eq!(succeeded.len(), 30);
    assert!(240.0 < succeeded[0] && succeeded[0] < succeeded[29] && succeeded[29] < 275.0, "{succeeded:?}");
}

#[test]
fn a_breaker_spares_the_provider_and_a_fallback_the_users() {
    let policy = r#"{"retry":false,"breaker":{"failureThreshold":5,"resetTimeoutMs":10000},"fallback":true}"#;
    let replay = replay_of(&outage(), Some(policy), 10);
    assert_eq!(after(&replay, "failed") + after(&replay, "rejected"), 0.0);
    assert!(after(&replay, "fallbacks") >= 60.0);
    assert!(after(&replay, "attempts") < 300.0 - 40.0, "{}", after(&replay, "attempts"));
    // Attempts that were recorded are used as they were: nothing is drawn, so one seed is enough.
    assert_eq!(replay.after().len(), 1);
    assert!(replay.changed().iter().all(|change| !change.modelled));
}

#[test]
fn a_shorter_timeout_cuts_off_answered_attempts() {
    let policy = r#"{"retry":false,"breaker":false,"timeout":{"attemptMs":100}}"#;
    let replay = replay_of(&outage(), Some(policy), 10);
    assert_eq!(after(&replay, "succeeded"), 0.0);
    assert_eq!(after(&replay, "wastedServiceMs"), 240.0 * 100.0);
    let Ended { how, took, .. } = replay.changed()[0].after.unwrap();
    assert_eq!((how, took), (How::Failed { code: Code::Timeout, why: Why::Exhausted }, 100_000));
}

#[test]
fn a_longer_timeout_waits_as_long_as_others_took() {
    // Half of the calls are cut off after 200 ms, half take 150 or 400 ms: who waits longer gets 400, or hangs.
    let mut lines = vec![r#"{"v":1,"source":"agent","seq":0,"time":0,"policy":"chat","type":"policy.configured","options":{"retry":false,"breaker":false,"timeout":{"attemptMs":200}},"seed":7}"#.to_owned()];
    for call in 0..100 {
        let (time, seq) = (call * 100, call * 10);
        lines.push(event(seq + 1, time, call, r#""type":"call.started""#));
        lines.push(event(seq + 2, time, call, r#""type":"attempt.started","attempt":1"#));
        if call % 2 == 0 {
            lines.push(event(seq + 3, time + 200, call,
                r#""type":"attempt.failed","attempt":1,"durationMs":200,"code":"TIMEOUT","severity":"s","retryable":true,"rule":"policy.timeout","counted":false"#));
            lines.push(event(
                seq + 4,
                time + 200,
                call,
                r#""type":"call.failed","attempts":1,"durationMs":200,"code":"TIMEOUT","why":"exhausted""#,
            ));
        } else {
            lines.push(event(
                seq + 3,
                time + 150,
                call,
                r#""type":"attempt.succeeded","attempt":1,"durationMs":150"#,
            ));
            lines.push(event(
                seq + 4,
                time + 150,
                call,
                r#""type":"call.succeeded","attempts":1,"durationMs":150"#,
            ));
        }
    }
    let longer = r#"{"retry":false,"breaker":false,"timeout":{"attemptMs":1000}}"#;
    // No recorded attempt took longer, so the log cannot tell: they hang, or are answered at once.
    let replay = replay_of(&lines.join("\n"), Some(longer), 5);
    assert_eq!(replay.identity(), 0.5, "half of the calls do not end as recorded with more time");
    assert_eq!((after(&replay, "succeeded"), after(&replay, "userMs.max")), (50.0, 1000.0));
    assert_eq!(replay.unknown_of(None), Some(Unknown { attempts: 50, calls: 50 }));
    assert!(replay.changed().iter().all(|change| change.unknown));
    let bounds: Vec<f64> = replay.after().iter().map(|sums| sum(sums, "succeeded")).collect();
    assert_eq!(bounds, [50.0, 100.0], "one seed, for nothing was drawn");
    // With some that took 400 ms (for they had a timeout of their own), they may take as long.
    let slow: Vec<String> = lines
        .iter()
        .map(|line| {
            if line.contains(r#""call":"c5""#) {
                line.replace("\"time\":650", "\"time\":900").replace("150", "400")
            } else {
                line.clone()
            }
        })
        .collect();
    let replay = replay_of(&slow.join("\n"), Some(longer), 5);
    assert!(after(&replay, "succeeded") > 50.0, "{}", after(&replay, "succeeded"));
    assert_eq!(replay.unknown_of(None), Some(Unknown::default()));
    assert!(replay.changed().iter().all(|change| change.modelled));
}

#[test]
fn the_same_seeds_give_the_same_result() {
    let run = || replay_of(&outage(), Some(r#"{"retry":{"maxRetries":3}}"#), 20);
    let (first, again) = (run(), run());
    assert_eq!((first.after(), first.changed()), (again.after(), again.changed()));
}

#[test]
fn a_lost_call_is_no_call_and_lost_events_show_in_the_identity() {
    // The log begins in the middle of a call, and ends in the middle of another.
    let log = outage();
    let cut: Vec<&str> = log.lines().take(1).chain(log.lines().skip(3)).collect();
    let replay = replay_of(&cut[..cut.len() - 1].join("\n"), None, 1);
    assert_eq!((replay.identity(), sum(&replay.before(), "offered")), (1.0, 298.0));
    // Failures are missing, not the ends of their calls: without them, the calls cannot have failed.
    let torn: Vec<&str> = log.lines().filter(|line| !line.contains("attempt.failed")).collect();
    assert!(replay_of(&torn.join("\n"), None, 1).identity() < 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Lines of a log may be missing or reordered: a replay still ends, and its sums are consistent.
    #[test]
    fn a_damaged_log_is_replayed_to_its_end(
        keep in proptest::collection::vec(0u8..10, 120),
        swaps in proptest::collection::vec((0usize..1000, 0usize..1000), 0..5),
        retries in 0u32..4,
        queue in 0u32..3,
    ) {
        // A fallback takes as long as it took, beyond every deadline.
        let log = INCIDENT.lines().filter(|line| !line.contains("fallback.used"));
        let kept = log.enumerate().filter(|(index, _)| keep[index % keep.len()] > 0);
        let mut lines: Vec<&str> = kept.map(|(_, line)| line).collect();
        for (one, other) in swaps {
            let count = lines.len();
            lines.swap(one % count, other % count);
        }
        let policy = format!(r#"{{"retry":{{"maxRetries":{retries}}},"bulkhead":{{"maxConcurrent":1,"maxQueued":{queue}}},"adaptive":{{"initial":1}},"rateLimit":{{"limit":3,"windowMs":1000,"maxWaitMs":2000}},"timeout":{{"totalMs":3000}},"hedge":{{"afterMs":150}}}}"#);
        let replay = replay_of(&lines.join("\n"), Some(&policy), 3);
        for sums in &replay.after() {
            let ended: f64 = ["succeeded", "failed", "rejected", "abandoned", "fallbacks"].iter().map(|name| sum(sums, name)).sum();
            prop_assert_eq!(ended, sum(sums, "offered"));
            prop_assert!(sum(sums, "offered") <= sum(&replay.before(), "offered"));
            prop_assert!(sum(sums, "userMs.max") <= 3_001.0);
        }
    }
}
