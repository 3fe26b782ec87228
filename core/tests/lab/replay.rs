//! A recorded log under its own policies, and under others.

use halfopen::lab::{Reader, Replay};

fn reader(log: &str) -> Reader {
    let mut reader = Reader::default();
    for line in log.lines() {
        reader.line(line).unwrap();
    }
    reader
}

fn replayed(log: &str, policies: &str, seeds: u32) -> (Replay, serde_json::Value) {
    let mut replay = reader(log).under(policies, seeds).unwrap();
    let mut share = 0.0;
    while !replay.advance(100) {
        assert!(replay.share() >= share, "{} after {share}", replay.share());
        share = replay.share();
    }
    assert_eq!(replay.share(), 1.0);
    let json = serde_json::from_str(&replay.to_json()).unwrap();
    (replay, json)
}

const INCIDENT: &str = include_str!("../../../tests/fixtures/incident.jsonl");
const DAY: &str = include_str!("../../../tests/fixtures/agent-day.jsonl");
const CASES: &str = include_str!("../../../tests/fixtures/export-cases.jsonl");

#[test]
fn recorded_logs_give_back_their_own_outcomes() {
    for (name, log) in [("incident", INCIDENT), ("day", DAY), ("cases", CASES)] {
        let (replay, json) = replayed(log, "{}", 3);
        assert_eq!(replay.identity(), 1.0, "{name}: {json:#}");
        assert_eq!(json["before"]["succeeded"], json["after"]["succeeded"], "{name}");
        assert_eq!(json["changed"], serde_json::json!([]), "{name}");
    }
}

/// A line of a log.
fn event(seq: u64, time: u64, call: u64, rest: &str) -> String {
    format!(r#"{{"v":1,"source":"agent","seq":{seq},"time":{time},"policy":"chat","call":"c{call}",{rest}}}"#)
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
            lines.push(event(seq + 3, time + 20, call, r#""type":"attempt.failed","attempt":1,"durationMs":20,"code":"NETWORK_ERROR","severity":"retriable","retryable":true,"rule":"r","counted":false"#));
            lines.push(event(seq + 4, time + 20, call, r#""type":"call.failed","attempts":1,"durationMs":20,"code":"NETWORK_ERROR","why":"exhausted""#));
        } else {
            lines.push(event(seq + 3, time + 300, call, r#""type":"attempt.succeeded","attempt":1,"durationMs":300,"usage":{"inputTokens":10,"outputTokens":5}"#));
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
fn the_sums_of_a_log_are_what_it_says() {
    let (replay, json) = replayed(&outage(), "{}", 30);
    assert_eq!(replay.identity(), 1.0);
    let before = &json["before"];
    let count = |name: &str| before[name].as_f64().unwrap();
    assert_eq!(
        [count("offered"), count("attempts"), count("succeeded"), count("failed")],
        [300.0, 300.0, 240.0, 60.0]
    );
    assert_eq!([count("successRate"), count("amplification"), count("tokens")], [0.8, 1.0, 3600.0]);
    // To the microsecond in the middle of a bucket of 0.4 %.
    assert!((before["userMs"]["p50"].as_f64().unwrap() / 300.0 - 1.0).abs() < 0.004);
    assert_eq!(before["userMs"]["max"], 300.0);
}

#[test]
fn retries_help_the_calls_at_the_end_of_an_outage_and_no_others() {
    let retries = r#"{"chat":{"retry":{"maxRetries":2,"baseDelayMs":5000,"jitter":0},"breaker":false}}"#;
    let (replay, json) = replayed(&outage(), retries, 30);
    assert_eq!(replay.identity(), 1.0, "of the recorded policy, not of the other");
    let changed = json["changed"].as_array().unwrap();
    assert_eq!(changed.len(), 60, "every call that had failed is tried again");
    assert!(changed.iter().all(|change| change["modelled"] == true));
    let saved = changed.iter().filter(|change| change["after"].as_str().unwrap().starts_with("succeeded"));
    // The last retry is 15 s after the call: those of the last 15 s of the outage. The window is 10 s to either side.
    let saved = saved.count();
    assert!((5..=25).contains(&saved), "{saved}");
    let band = &json["afterBand"];
    let (low, high) =
        (band["low"]["succeeded"].as_f64().unwrap(), band["high"]["succeeded"].as_f64().unwrap());
    let mean = json["after"]["succeeded"].as_f64().unwrap();
    assert!(240.0 < low && low < mean && mean < high && high < 275.0, "{low} {mean} {high}");
}

#[test]
fn a_breaker_spares_the_provider_and_a_fallback_the_users() {
    let policy =
        r#"{"chat":{"retry":false,"breaker":{"failureThreshold":5,"resetTimeoutMs":10000},"fallback":true}}"#;
    let (_, json) = replayed(&outage(), policy, 10);
    let count = |which: &str, name: &str| json[which][name].as_f64().unwrap();
    assert_eq!(count("after", "failed") + count("after", "rejected"), 0.0);
    assert!(count("after", "fallbacks") >= 60.0);
    assert!(count("after", "attempts") < 300.0 - 40.0, "{}", count("after", "attempts"));
    // Attempts that were recorded are used as they were: nothing is drawn, and the band has no width.
    assert_eq!(json["afterBand"]["low"], json["afterBand"]["high"]);
    assert!(json["changed"].as_array().unwrap().iter().all(|change| change["modelled"] == false));
}

#[test]
fn a_shorter_timeout_cuts_off_what_was_answered() {
    let policy = r#"{"chat":{"retry":false,"breaker":false,"timeout":{"attemptMs":100}}}"#;
    let (_, json) = replayed(&outage(), policy, 10);
    assert_eq!(json["after"]["succeeded"], 0.0);
    assert_eq!(json["changed"][0]["before"], "succeeded (1 attempt, 300 ms)");
    assert_eq!(json["changed"][0]["after"], "failed TIMEOUT (1 attempt, 100 ms)");
    assert_eq!(json["after"]["wastedServiceMs"], 240.0 * 100.0);
}

#[test]
fn the_same_seeds_give_the_same_result() {
    let policy = r#"{"chat":{"retry":{"maxRetries":3}}}"#;
    let (first, again) = (replayed(&outage(), policy, 20).1, replayed(&outage(), policy, 20).1);
    assert_eq!(first, again);
}

#[test]
fn a_lost_call_is_no_call_and_lost_events_show_in_the_identity() {
    // The log begins in the middle of a call, and ends in the middle of another.
    let log = outage();
    let cut: Vec<&str> = log.lines().take(1).chain(log.lines().skip(3)).collect();
    let (replay, json) = replayed(&cut[..cut.len() - 1].join("\n"), "{}", 1);
    assert_eq!((replay.identity(), json["before"]["offered"].as_f64()), (1.0, Some(298.0)));
    // Its failure is missing, not its end: the attempt cannot have failed.
    let torn: Vec<&str> = log.lines().filter(|line| !line.contains("attempt.failed")).collect();
    let (replay, _) = replayed(&torn.join("\n"), "{}", 1);
    assert!(replay.identity() < 1.0);
}

#[test]
fn what_is_no_log_says_which_line_and_why() {
    let fault = |lines: &[&str]| {
        let mut reader = Reader::default();
        lines
            .iter()
            .find_map(|line| reader.line(line).err())
            .map_or_else(|| reader.under("{}", 1).unwrap_err().to_string(), |misfit| misfit.to_string())
    };
    let good = r#"{"v":1,"source":"s","seq":1,"time":1,"type":"call.dequeued"}"#;
    for (lines, why) in [
        (&[][..], "log: expected events of a call from its beginning to its end, got 0 lines without one"),
        (&[good], "log: expected events of a call from its beginning to its end, got 1 lines without one"),
        (
            &[good, "", "hello"],
            "log line 3: expected an event of Halfopen as JSON, got expected an object at byte 0",
        ),
        (
            &[good, &good[..30]],
            "log line 2: expected an event of Halfopen as JSON, got the line is torn: it ends in the middle of its JSON",
        ),
        (
            &[r#"{"v":2,"source":"s","seq":1,"time":1,"type":"call.dequeued"}"#],
            "log line 1.v: expected 1, got 2",
        ),
        (
            &[r#"{"v":1,"source":"s","seq":1,"time":1,"type":"call.succeeded"}"#],
            "log line 1: expected an event of Halfopen as JSON, got 'call.succeeded' lacks the field 'attempts'",
        ),
    ] {
        assert_eq!(fault(lines), why);
    }
}

#[test]
fn policies_that_do_not_fit_say_why() {
    for (policies, why) in [
        (
            r#"{"chat":{"retry":{"maxRetries":-1}}}"#,
            "policies.chat.retry.maxRetries: expected a whole number from 0 to 100000000, got -1",
        ),
        (
            r#"{"other":{}}"#,
            "policies.other: expected the name of a policy in the log: chat, got one that is not there",
        ),
        ("[]", "policies: expected an object with a policy for each name, got a list of 0"),
    ] {
        assert_eq!(reader(&outage()).under(policies, 1).unwrap_err().to_string(), why);
    }
}
