//! The demonstration, read by the log that the dashboard reads it with.

use super::Demo;
use halfopen_store::breaker::State;
use halfopen_store::call::{Call, MarkKind, Status};
use halfopen_store::store::Log;

#[test]
fn the_demonstration_shows_waits_breakers_and_fallbacks_and_nothing_of_it_is_rejected() {
    let mut demo = Demo::new(1_700_000_000_000.0);
    let mut log = Log::default();
    for line in demo.run_until(150_000).lines() {
        assert!(log.take(line), "{line}: {:?}", log.losses);
    }
    assert!(log.totals.calls > 100, "{:?}", log.totals);
    assert!(log.totals.retries > 10, "{:?}", log.totals);
    // Fallbacks, and calls that were refused, whether or not a fallback answered for them.
    assert!(log.calls().any(|(_, call)| call.status == Status::Degraded));
    let refused = |call: &Call| call.marks.iter().any(|mark| mark.kind == MarkKind::Rejected);
    assert!(log.calls().any(|(_, call)| refused(call)));
    assert!(log.breakers.iter().any(|breaker| breaker.changes.iter().any(|change| change.to == State::Open)));
    assert!(log.breakers.iter().any(|breaker| !breaker.probes.is_empty()));
    let waits: Vec<_> = log.calls().flat_map(|(_, call)| call.waits.clone()).collect();
    assert!(
        waits.iter().all(|wait| wait.ended.zip(wait.due).is_none_or(|(ended, due)| ended >= due)),
        "a wait was cut short"
    );
    assert!(log.calls().any(|(_, call)| call.depth > 0));
    // The log agrees with the options: where calls are counted, no more failures are counted than calls failed.
    for breaker in &log.breakers {
        let options = log.options_of(log.policy_of(breaker.id)).unwrap();
        let counts_attempts = options.at(&["breakerScope"]).is_some_and(|scope| scope.is_text("attempt"));
        let trip = breaker.changes.iter().find(|change| change.to == State::Open);
        let Some(change) = trip.filter(|_| !counts_attempts) else { continue };
        let failed = |call: &Call| {
            let last = call.attempts.last().filter(|_| call.policy == breaker.policy);
            call.ended.is_some_and(|ended| ended <= change.at) && last.is_some_and(|attempt| attempt.counted)
        };
        let failed = log.calls().filter(|(_, call)| failed(call)).count();
        let counted = change.window.as_ref().unwrap().failures;
        assert!(failed >= counted as usize, "{failed} calls, {counted} counted");
    }
    // Each task is a run, with its steps, its tools and its calls; those of the first round have ended.
    let ends: Vec<_> = log.runs.iter().map(|run| log.names.text(run.end)).collect();
    assert!(ends.contains(&"completed") && ends.contains(&"failed"), "{ends:?}");
    let whole = log.runs.iter().find(|run| log.names.text(run.end) == "completed").unwrap();
    assert!(whole.steps == 4 && whole.tools >= 2 && whole.limited == Some(true), "{whole:?}");
    assert!(whole.calls.len() >= 6 && whole.spent.input_tokens > 0.0, "{whole:?}");
    assert!(log.losses.unknown + log.losses.rejected + log.losses.torn == 0, "{:?}", log.losses);
}
