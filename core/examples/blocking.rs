//! A guarded call from a plain thread: retries with backoff, a breaker, the clock of the standard library.
//!
//! `cargo run -p halfopen --example blocking`

use halfopen::Code;
use halfopen::policy::blocking::{Error, Policy};
use halfopen::policy::{
    Backoff, BreakerConfig, CallConfig, CircuitBreaker, Clock, Failure, PolicyConfig, RetryConfig, Trip,
};
use halfopen::time::{Millis, Timestamp};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The standard library's monotonic clock.
struct StdClock(Instant);

impl Clock for StdClock {
    fn now(&self) -> Timestamp {
        Timestamp(u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    fn sleep(&self, span: Millis) {
        std::thread::sleep(Duration::from_millis(span.0));
    }
}

fn main() {
    let clock = Arc::new(StdClock(Instant::now()));
    let breaker = CircuitBreaker::new(
        BreakerConfig { trip: Trip::Consecutive(2), reset_timeout: Millis(50), ..BreakerConfig::default() },
        Arc::clone(&clock),
    );
    let retry = RetryConfig {
        max_retries: 2,
        backoff: Backoff { base: Millis(10), ..Backoff::default() },
        ..RetryConfig::default()
    };
    let config =
        PolicyConfig { call: CallConfig { retry, ..CallConfig::default() }, ..PolicyConfig::default() };
    let policy = Policy::new(config, 7, Arc::clone(&clock)).with_breaker(breaker.clone());
    let judge = |_error: &&str| Failure::of(Code::ServerError);

    let answer = policy.execute(|attempt| if attempt < 3 { Err("503") } else { Ok(attempt) }, judge);
    println!("answered on attempt {answer:?}");

    for _ in 0..2 {
        if let Err(Error::Failed { why, attempts, .. }) = policy.execute(|_| Err::<(), _>("503"), judge) {
            println!("gave up after {attempts} attempts: {}", why.as_str());
        }
    }
    println!("the breaker is {}", breaker.state().as_str());
    if let Err(Error::Refused { by, .. }) = policy.execute(|_| Ok(()), judge) {
        println!("refused by the {}", by.as_str());
    }

    clock.sleep(Millis(60));
    println!("after the reset timeout it is {}", breaker.state().as_str());
    println!("the probe: {:?}", policy.execute(|_| Ok("well again"), judge));
    println!("the breaker is {}", breaker.state().as_str());
}
