//! The service under a provider that misbehaves: the same on threads and on tokio.

use halfopen::policy::blocking::Error;
use halfopen::policy::{BulkheadConfig, Clock, Layer, PolicyConfig, Why};
use halfopen::time::{Millis, Timestamp};
use halfopen_rust_service::provider_error::ProviderError;
use halfopen_rust_service::{breaker_config, on_threads, on_tokio, policy_config};
use serde_json::json;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

fn refusal(status: u16, retry_after: Option<&str>, code: &str) -> ProviderError {
    ProviderError {
        status,
        retry_after: retry_after.map(str::to_owned),
        body: json!({ "error": { "code": code, "message": "no" } }),
    }
}

/// A provider that is busy, then asks to wait five seconds, then answers.
fn flaky(call: u32) -> Result<String, ProviderError> {
    match call {
        1 => Err(refusal(503, None, "overloaded")),
        2 => Err(refusal(429, Some("5"), "rate_limit_exceeded")),
        _ => Ok("Paris".to_owned()),
    }
}

/// A clock that moves only by sleeping.
struct Virtual(Arc<AtomicU64>);

impl Clock for Virtual {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }

    fn sleep(&self, span: Millis) {
        self.0.fetch_add(span.0, Ordering::Relaxed);
    }
}

fn tokio_policy(config: PolicyConfig) -> on_tokio::Policy {
    on_tokio::Policy::new(config, breaker_config(), 7)
}

#[test]
fn on_threads_it_is_retried_and_waits_as_the_provider_asks() {
    let time = Arc::new(AtomicU64::new(0));
    let policy = on_threads::policy(Virtual(Arc::clone(&time)), 7);
    let calls = Cell::new(0);
    let answer = on_threads::complete(&policy, || {
        calls.set(calls.get() + 1);
        flaky(calls.get())
    });
    assert_eq!(answer, Ok("Paris".to_owned()));
    // A second, give or take a fifth, and the five of Retry-After.
    assert!((5800..=6200).contains(&time.load(Ordering::Relaxed)), "{time:?}");
}

#[tokio::test(start_paused = true)]
async fn on_tokio_it_is_retried_and_waits_as_the_provider_asks() {
    let (policy, began) = (tokio_policy(policy_config()), Instant::now());
    let answer = policy.execute(|attempt| async move { flaky(attempt) }, ProviderError::failure).await;
    assert_eq!(answer, Ok("Paris".to_owned()));
    assert!((5800..=6200).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_helped_is_not_retried_and_the_user_reads_why() {
    let failed = tokio_policy(policy_config())
        .execute(|_| async { Err::<(), _>(refusal(429, None, "insufficient_quota")) }, ProviderError::failure)
        .await;
    let Err(Error::Failed { error, why, attempts: 1 }) = failed else { panic!("{failed:?}") };
    assert_eq!(why, Why::NotRetryable);
    assert!(error.user_message("en").contains("OpenAI"), "{}", error.user_message("en"));
    assert_ne!(error.user_message("de"), error.user_message("en"));
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_is_down_is_left_alone_for_half_a_minute() {
    let policy = tokio_policy(policy_config());
    let down = |_| async { Err::<(), _>(refusal(503, None, "overloaded")) };
    for _ in 0..5 {
        assert!(policy.execute(down, ProviderError::failure).await.is_err());
    }
    let refused = policy.execute(down, ProviderError::failure).await;
    assert!(matches!(refused, Err(Error::Refused { by: Layer::Breaker, last: None, .. })), "{refused:?}");
    sleep(Duration::from_secs(31)).await;
    let probe = policy.execute(|_| async { Ok::<_, ProviderError>(1) }, ProviderError::failure).await;
    assert_eq!(probe, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn tasks_queue_for_slots_and_an_aborted_task_gives_its_slot_back() {
    let bulkhead = BulkheadConfig { max_concurrent: 2, max_queued: 10 };
    let policy = Arc::new(tokio_policy(PolicyConfig { bulkhead: Some(bulkhead), ..policy_config() }));
    let stuck =
        policy.execute(|_| std::future::pending::<Result<(), ProviderError>>(), ProviderError::failure);
    assert!(timeout(Duration::from_secs(1), stuck).await.is_err());

    let (running, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let began = Instant::now();
    let tasks: Vec<_> = (0..6)
        .map(|n| {
            let (policy, running, most) = (Arc::clone(&policy), Arc::clone(&running), Arc::clone(&most));
            tokio::spawn(async move {
                let work = |_| async {
                    most.fetch_max(running.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                    sleep(Duration::from_secs(1)).await;
                    running.fetch_sub(1, Ordering::Relaxed);
                    Ok::<_, ProviderError>(n)
                };
                policy.execute(work, ProviderError::failure).await
            })
        })
        .collect();
    for (n, task) in tasks.into_iter().enumerate() {
        assert_eq!(task.await.unwrap().ok(), Some(n));
    }
    assert_eq!(most.load(Ordering::Relaxed), 2);
    assert_eq!(began.elapsed().as_secs(), 3);
}
