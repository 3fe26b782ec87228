//! The cost of a decision, beside the crates that people use for the same. `make bench`, or `cargo bench
//! --manifest-path core/benches/Cargo.toml`.
//!
//! The peers read the clock themselves. Ours gets the time as an argument, so the lines "with Instant::now" read the
//! clock for it too.

use backon::BackoffBuilder;
use criterion::{Criterion, criterion_group, criterion_main};
use failsafe::CircuitBreaker as _;
use halfopen::policy::{Backoff, Breaker, BreakerConfig, Budget, BudgetConfig, CircuitBreaker, Clock, Context,
    Engine, Jitter, Outcome, PolicyConfig, Rate, Rates, Ring, Step, Trip};
use halfopen::rng::SplitMix64;
use halfopen::time::{Millis, Timestamp};
use std::hint::black_box;
use std::time::{Duration, Instant};
use tower::retry::budget::{Budget as _, TpsBudget};
use tower::{Service as _, ServiceExt as _, service_fn};
use tower_resilience_circuitbreaker::CircuitBreakerLayer;

struct Std(Instant);

impl Clock for Std {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.elapsed().as_millis() as u64)
    }

    fn sleep(&self, _: Millis) {}
}

fn with(trip: Trip) -> Breaker {
    Breaker::new(BreakerConfig { trip, ..BreakerConfig::default() })
}

fn rates() -> Rates {
    Rates { failure: Rate::from_f64(0.5), minimum_calls: 10, slow: None }
}

fn pass(breaker: &mut Breaker, now: Timestamp) {
    if let Ok(permit) = breaker.admit(black_box(now)) {
        breaker.settle(permit, black_box(Outcome::Success), None, now);
    }
}

fn breakers(c: &mut Criterion) {
    let mut group = c.benchmark_group("breaker: admit and success");
    let mut consecutive = with(Trip::Consecutive(5));
    group.bench_function("halfopen", |b| b.iter(|| pass(&mut consecutive, Timestamp(1))));
    let mut count = with(Trip::Count { size: 100, rates: rates() });
    group.bench_function("halfopen, the last 100 calls", |b| b.iter(|| pass(&mut count, Timestamp(1))));
    let shared = CircuitBreaker::new(BreakerConfig::default(), Std(Instant::now()));
    group.bench_function("halfopen, mutex, with Instant::now", |b| {
        b.iter(|| {
            if let Ok(permit) = shared.acquire() {
                permit.success(None);
            }
        })
    });
    let failsafe = failsafe::Config::new().build();
    group.bench_function("failsafe", |b| b.iter(|| failsafe.call(|| Ok::<_, ()>(black_box(1)))));
    let recloser = recloser::Recloser::default();
    group.bench_function("recloser", |b| b.iter(|| recloser.call(|| Ok::<_, ()>(black_box(1)))));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let layer = CircuitBreakerLayer::builder().sliding_window_size(100).build().expect("its settings");
    let mut service = layer.layer_fn(service_fn(|()| async { Ok::<_, ()>(black_box(1)) }));
    group.bench_function("tower-resilience, the last 100 calls, a future", |b| {
        b.iter_custom(|times| {
            runtime.block_on(async {
                let began = Instant::now();
                for _ in 0..times {
                    if let Ok(ready) = service.ready().await {
                        let _ = black_box(ready.call(()).await);
                    }
                }
                began.elapsed()
            })
        })
    });
    group.finish();

    let mut group = c.benchmark_group("breaker: refusal");
    let mut open = with(Trip::Consecutive(1));
    open.record(Outcome::Failure, None, Timestamp(0));
    group.bench_function("halfopen", |b| b.iter(|| open.admit(black_box(Timestamp(1)))));
    let recloser = recloser::Recloser::custom().closed_len(2).build();
    for _ in 0..10 {
        let _ = recloser.call(|| Err::<(), ()>(()));
    }
    group.bench_function("recloser", |b| b.iter(|| recloser.call(|| Ok::<_, ()>(black_box(1)))));
    group.finish();
}

fn windows(c: &mut Criterion) {
    let mut group = c.benchmark_group("time window: admit and success, 1 ms apart");
    for (name, ms) in
        [("a second", 1000), ("a minute", 60_000), ("an hour", 3_600_000), ("a day", 86_400_000)]
    {
        let mut breaker = with(Trip::Time { duration: Millis(ms), rates: rates() });
        let mut now = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                now += 1;
                pass(&mut breaker, Timestamp(now));
            })
        });
    }
    group.finish();
}

fn delays(c: &mut Criterion) {
    let mut group = c.benchmark_group("delay");
    let mut rng = SplitMix64::new(7);
    let jitters = [
        ("halfopen", Backoff::default().jitter),
        ("halfopen, no jitter", Jitter::None),
        ("halfopen, full jitter", Jitter::Full),
    ];
    for (name, jitter) in jitters {
        let backoff = Backoff { jitter, ..Backoff::default() };
        group.bench_function(name, |b| b.iter(|| backoff.delay(black_box(3), Millis::ZERO, &mut rng)));
    }
    let backoff = Backoff { factor: halfopen::policy::Factor::from_f64(1.5), ..Backoff::default() };
    group.bench_function("halfopen, factor 1.5", |b| {
        b.iter(|| backoff.delay(black_box(3), Millis::ZERO, &mut rng))
    });
    let endless = backon::ExponentialBuilder::default().without_max_times();
    let mut plain = endless.build();
    group.bench_function("backon, no jitter", |b| b.iter(|| plain.next()));
    let mut jittered = endless.with_jitter().build();
    group.bench_function("backon", |b| b.iter(|| jittered.next()));
    group.finish();
}

fn budgets(c: &mut Criterion) {
    let mut group = c.benchmark_group("budget: deposit and withdraw");
    let mut budget = Budget::new(BudgetConfig::new(0.5, 1e6, Millis(10_000)));
    group.bench_function("halfopen", |b| {
        b.iter(|| {
            budget.deposit(black_box(Timestamp(1)));
            budget.withdraw(black_box(Timestamp(1)))
        })
    });
    let (mut budget, start) = (Budget::new(BudgetConfig::new(0.5, 1e6, Millis(10_000))), Std(Instant::now()));
    group.bench_function("halfopen, with Instant::now", |b| {
        b.iter(|| {
            budget.deposit(start.now());
            budget.withdraw(start.now())
        })
    });
    let tower = TpsBudget::new(Duration::from_secs(10), 1_000_000, 0.5);
    group.bench_function("tower", |b| {
        b.iter(|| {
            tower.deposit();
            tower.withdraw()
        })
    });
    group.finish();
}

fn calls(c: &mut Criterion) {
    let mut engine = Engine::new(PolicyConfig::default(), 7);
    let mut breaker = Breaker::new(BreakerConfig::default());
    let mut events = Ring::new();
    c.bench_function("engine: begin and succeed, with a breaker", |b| {
        b.iter(|| {
            let (breaker, events) = (Some(&mut breaker), &mut events);
            let mut ctx = Context { breaker, budget: None, events, policy_id: 1, breaker_id: 1 };
            match engine.begin(&mut ctx, black_box(None)) {
                Step::Attempt { call, .. } => engine.succeed(&mut ctx, call, None, None),
                step => step,
            }
        })
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300));
    targets = breakers, windows, delays, budgets, calls
}
criterion_main!(benches);
