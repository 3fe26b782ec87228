//! Any numbers as a breaker's snapshot: they are refused, or the breaker goes on from them, and its own snapshot fits too.
#![no_main]

use halfopen::policy::{
    Breaker, BreakerConfig, BreakerSnapshot, BreakerState, DemandSnapshot, Outcome, Rate, Rates, Throttle,
    Trip,
};
use halfopen::time::{Millis, Timestamp};
use libfuzzer_sys::fuzz_target;

/// Numbers out of bytes: now and then one that only JavaScript would send.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        byte
    }

    fn small(&mut self) -> u32 {
        u32::from(self.byte()) << (self.byte() % 25)
    }

    fn any(&mut self) -> f64 {
        match self.byte() % 8 {
            0 => f64::from_bits(u64::from_le_bytes([0; 8].map(|_: u8| self.byte()))),
            1 => -f64::from(self.small()),
            2 => f64::from(self.small()) + 0.5,
            _ => f64::from(self.small()),
        }
    }

    fn maybe<T>(&mut self, some: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.byte() % 2 == 1).then(|| some(self))
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut numbers = Numbers(bytes);
    let rates = Rates { failure: Rate::from_f64(0.5), minimum_calls: 10, slow: None };
    let trip = match numbers.byte() % 4 {
        0 => Trip::Consecutive(numbers.small()),
        1 => Trip::Count { size: numbers.small() % 1000, rates },
        2 => Trip::Time { duration: Millis(u64::from(numbers.small())), rates },
        _ => Trip::Throttle(Throttle::default()),
    };
    let config = BreakerConfig { trip, ..BreakerConfig::default() };
    let snapshot = BreakerSnapshot {
        version: 1 + u32::from(numbers.byte() == 255),
        name: "fuzzed".to_owned(),
        state: BreakerState::ALL[usize::from(numbers.byte()) % 5],
        generation: numbers.any(),
        at: numbers.any(),
        consecutive_failures: numbers.small(),
        failed_probes: numbers.small(),
        retry_after_ms: numbers.maybe(Numbers::any),
        throttle: numbers
            .maybe(|numbers| DemandSnapshot { requests: numbers.small(), accepts: numbers.small() }),
        window: numbers.maybe(|numbers| (0..numbers.byte()).map(|_| numbers.any()).collect()),
    };
    let (now, wall) = (Timestamp(u64::from(numbers.small())), Millis(u64::from(numbers.small())));
    let mut breaker = Breaker::new(config);
    if let Err(misfit) = breaker.restore(&snapshot, now, wall) {
        assert!(!misfit.to_string().is_empty());
        assert_eq!(breaker.state(now), BreakerState::Closed, "what is refused changes nothing");
        return;
    }
    let again = breaker.snapshot("fuzzed", now, wall);
    assert_eq!(Breaker::new(config).restore(&again, now, wall), Ok(()));
    // It goes on, whatever was in it.
    for step in 0..20 {
        let at = now + Millis(step * 10_000);
        if let Ok(permit) = breaker.admit(at) {
            let outcome = if step % 3 == 0 { Outcome::Success } else { Outcome::Failure };
            breaker.settle(permit, outcome, Some(Millis(1)), at);
        }
        let _ = breaker.refusal_rate(at);
    }
});
