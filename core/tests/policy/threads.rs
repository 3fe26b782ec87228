//! The handles that threads share, and the driver that blocks.

use halfopen::Code;
use halfopen::limit::Unit;
use halfopen::policy::blocking::{Error, Policy};
use halfopen::policy::{
    BreakerConfig, BreakerState, BudgetConfig, BulkheadConfig, CircuitBreaker, Clock, Failure, Jitter, Layer,
    PolicyConfig, RateLimitConfig, RetryBudget, Trip, Why,
};
use halfopen::time::{Millis, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A clock that only sleeping moves.
#[derive(Default)]
struct Virtual(AtomicU64);

impl Clock for Virtual {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }

    fn sleep(&self, span: Millis) {
        self.0.fetch_add(span.0, Ordering::SeqCst);
    }
}

fn server_error(_: &&str) -> Failure {
    Failure::of(Code::ServerError)
}

const fn assert_shared<T: Send + Sync>() {}
const _: () = assert_shared::<CircuitBreaker>();
const _: () = assert_shared::<RetryBudget>();
const _: () = assert_shared::<Policy>();

#[test]
fn a_thread_sleeps_as_long_as_the_policy_says() {
    let clock = Arc::new(Virtual::default());
    let mut config = PolicyConfig::default();
    config.call.retry.backoff.jitter = Jitter::None;
    let policy = Policy::new(config, 1, Arc::clone(&clock));
    let failed = policy.execute(|_| Err::<(), _>("down"), server_error);
    assert_eq!(failed, Err(Error::Failed { error: "down", why: Why::Exhausted, attempts: 4 }));
    assert_eq!(clock.now(), Timestamp(7000));
}

#[test]
fn policies_share_a_breaker() {
    let clock = Arc::new(Virtual::default());
    let breaker = CircuitBreaker::new(
        BreakerConfig { trip: Trip::Consecutive(1), ..BreakerConfig::default() },
        Arc::clone(&clock),
    );
    let mut config = PolicyConfig::default();
    config.call.retry.max_retries = 0;
    let policies = [1, 2]
        .map(|seed| Policy::new(config.clone(), seed, Arc::clone(&clock)).with_breaker(breaker.clone()));
    assert!(policies[0].execute(|_| Err::<(), _>("down"), server_error).is_err());
    let refused = policies[1].execute(|_| Ok::<_, &str>(()), server_error);
    assert!(matches!(refused, Err(Error::Refused { retry_after: Some(Millis(60_000)), .. })));
}

#[test]
fn policies_share_a_budget() {
    let clock = Arc::new(Virtual::default());
    let budget = RetryBudget::new(BudgetConfig::new(0.0, 0.2, Millis(10_000)), Arc::clone(&clock));
    let policies = [1, 2].map(|seed| {
        Policy::new(PolicyConfig::default(), seed, Arc::clone(&clock)).with_budget(budget.clone())
    });
    let attempts = |policy: &Policy| match policy.execute(|_| Err::<(), _>("down"), server_error) {
        Err(Error::Failed { attempts, why: Why::Budget, .. }) => attempts,
        other => panic!("{other:?}"),
    };
    assert_eq!((attempts(&policies[0]), attempts(&policies[1])), (3, 1));
}

#[test]
fn a_lost_permit_gives_its_place_back() {
    let clock = Arc::new(Virtual::default());
    let breaker = CircuitBreaker::new(
        BreakerConfig { trip: Trip::Consecutive(1), reset_timeout: Millis(10), ..BreakerConfig::default() },
        Arc::clone(&clock),
    );
    breaker.record_failure(None);
    clock.sleep(Millis(10));
    let probe = breaker.acquire().unwrap();
    assert!(breaker.acquire().is_err());
    drop(probe);
    breaker.acquire().unwrap().success(None);
    assert_eq!(breaker.state(), BreakerState::Closed);
    let isolation = breaker.isolate();
    assert_eq!(breaker.state(), BreakerState::Isolated);
    drop(isolation);
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn a_panic_in_the_operation_holds_no_place() {
    let bulkhead = Some(BulkheadConfig { max_concurrent: 1, max_queued: 0 });
    let policy = Policy::new(PolicyConfig { bulkhead, ..PolicyConfig::default() }, 1, Virtual::default());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        policy.execute(|_| -> Result<(), &str> { panic!("operation") }, server_error)
    }));
    assert!(panicked.is_err());
    assert_eq!(policy.execute(|_| Ok::<_, &str>(1), server_error), Ok(1));
}

#[test]
fn a_panic_in_the_judge_holds_no_place() {
    let bulkhead = Some(BulkheadConfig { max_concurrent: 1, max_queued: 0 });
    let policy = Policy::new(PolicyConfig { bulkhead, ..PolicyConfig::default() }, 1, Virtual::default());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        policy.execute(|_| Err::<(), _>("down"), |_| -> Failure { panic!("judge") })
    }));
    assert!(panicked.is_err());
    assert_eq!(policy.execute(|_| Ok::<_, &str>(1), server_error), Ok(1));
}

/// The time of the machine.
struct Real(std::time::Instant);

impl Clock for Real {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.elapsed().as_millis() as u64)
    }

    fn sleep(&self, span: Millis) {
        std::thread::sleep(std::time::Duration::from_millis(span.0));
    }
}

#[test]
fn a_thread_that_waits_for_a_slot_notices_a_free_one_while_another_waits_for_a_turn() {
    let limit =
        RateLimitConfig { limit: 1, window: Millis(4000), max_wait: Millis(5000), unit: Unit::Requests };
    let bulkhead = Some(BulkheadConfig { max_concurrent: 2, max_queued: 1 });
    let config = PolicyConfig { bulkhead, rate_limits: vec![limit], ..PolicyConfig::default() };
    let policy = Policy::new(config, 1, Real(std::time::Instant::now()));
    let (is_second_ready, end_first) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            policy.execute(
                |_| {
                    is_second_ready.wait();
                    end_first.wait();
                    Ok::<_, &str>(())
                },
                server_error,
            )
        });
        is_second_ready.wait();
        // It has the other slot, and its turn comes in four seconds.
        let second = scope.spawn(|| policy.execute(|_| Ok::<_, &str>(()), server_error));
        std::thread::sleep(std::time::Duration::from_millis(100));
        let third = scope.spawn(|| {
            let refused = policy.execute(|_| Ok::<_, &str>(()), server_error);
            (refused, std::time::Instant::now())
        });
        std::thread::sleep(std::time::Duration::from_millis(100));
        let freed = std::time::Instant::now();
        end_first.wait();
        // The slot is free for the third, whose turn would come too late: it is refused then, and not seconds later.
        let (refused, at) = third.join().unwrap();
        assert!(matches!(refused, Err(Error::Refused { by: Layer::RateLimit, .. })), "{refused:?}");
        assert!(at.duration_since(freed).as_millis() < 2000);
        assert_eq!((first.join().unwrap(), second.join().unwrap()), (Ok(()), Ok(())));
    });
}

#[test]
fn threads_wait_for_places_and_never_exceed_them() {
    let bulkhead = Some(BulkheadConfig { max_concurrent: 2, max_queued: 100 });
    let policy = Policy::new(PolicyConfig { bulkhead, ..PolicyConfig::default() }, 1, Virtual::default());
    let (running, most) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let done = policy.execute(
                        |_| {
                            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                            std::thread::yield_now();
                            running.fetch_sub(1, Ordering::SeqCst);
                            Ok::<_, &str>(())
                        },
                        server_error,
                    );
                    assert_eq!(done, Ok(()));
                }
            });
        }
    });
    assert!(most.load(Ordering::SeqCst) <= 2);
}

#[test]
fn threads_wait_for_their_turn() {
    let limit =
        RateLimitConfig { limit: 2, window: Millis(1000), max_wait: Millis(10_000), unit: Unit::Requests };
    let clock = Arc::new(Virtual::default());
    let policy = Policy::new(
        PolicyConfig { rate_limits: vec![limit], ..PolicyConfig::default() },
        1,
        Arc::clone(&clock),
    );
    let starts: Vec<u64> =
        (0..5).map(|_| policy.execute(|_| Ok::<_, &str>(clock.now().0), server_error).unwrap()).collect();
    assert_eq!(starts, [0, 0, 1000, 1000, 2000]);
}
