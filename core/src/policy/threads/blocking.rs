//! A driver for threads: runs an operation under an engine, sleeping where a step says wait.

use super::shared::{CircuitBreaker, Clock, RetryBudget, lock};
use crate::policy::engine::Engine;
use crate::policy::layer::Layer;
use crate::policy::record::{Record, Ring};
use crate::policy::retry::{Failure, OwnDelay, Why};
use crate::policy::step::{Context, PolicyConfig, Step};
use crate::time::{Millis, Timestamp};
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Why [`Policy::execute`] has no value.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error<E> {
    /// The operation failed and is not tried again.
    #[error("failed after {attempts} attempt(s), {}: {error}", why.as_str())]
    Failed {
        /// The error of the last attempt.
        error: E,
        /// Why it was the last.
        why: Why,
        /// How often the operation was called.
        attempts: u32,
    },
    /// The call was refused here.
    #[error("refused by the {}", by.as_str())]
    Refused {
        /// By which layer.
        by: Layer,
        /// How long until a call may be admitted, if that is known.
        retry_after: Option<Millis>,
        /// The error of an attempt before the refusal.
        last: Option<E>,
    },
}

/// A policy for threads: `Send + Sync`, lent by reference.
///
/// ```
/// use halfopen::Code;
/// use halfopen::policy::{Clock, Failure, PolicyConfig, blocking::Policy};
/// use halfopen::time::{Millis, Timestamp};
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// /// A clock that moves only by sleeping.
/// struct Virtual(AtomicU64);
/// impl Clock for Virtual {
///     fn now(&self) -> Timestamp { Timestamp(self.0.load(Ordering::Relaxed)) }
///     fn sleep(&self, span: Millis) { self.0.fetch_add(span.0, Ordering::Relaxed); }
/// }
///
/// let policy = Policy::new(PolicyConfig::default(), 7, Virtual(AtomicU64::new(0)));
/// let answer = policy.execute(
///     |attempt| if attempt < 3 { Err("503") } else { Ok("hello") },
///     |_error| Failure::of(Code::ServerError),
/// );
/// assert_eq!(answer, Ok("hello"));
/// ```
pub struct Policy {
    state: Mutex<State>,
    freed: Condvar,
    breaker: Option<CircuitBreaker>,
    budget: Option<RetryBudget>,
    clock: Box<dyn Clock>,
}

struct State {
    engine: Engine,
    events: Ring,
    /// Steps of queued calls whose threads have not come for them yet.
    ready: HashMap<u32, Step>,
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Policy").field("breaker", &self.breaker).finish_non_exhaustive()
    }
}

impl Policy {
    /// Creates a policy without a breaker. `seed` fixes the jitter.
    #[must_use]
    pub fn new(config: PolicyConfig, seed: u64, clock: impl Clock + 'static) -> Self {
        let state = State { engine: Engine::new(config, seed), events: Ring::new(), ready: HashMap::new() };
        Self {
            state: Mutex::new(state),
            freed: Condvar::new(),
            breaker: None,
            budget: None,
            clock: Box::new(clock),
        }
    }

    /// Adds a breaker, its own or a shared one.
    #[must_use]
    pub fn with_breaker(mut self, breaker: CircuitBreaker) -> Self {
        self.breaker = Some(breaker);
        self
    }

    /// Adds a budget for its retries, its own or a shared one.
    #[must_use]
    pub fn with_budget(mut self, budget: RetryBudget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Sets whether records of calls are written for [`Policy::poll_record`]. Default: no.
    pub fn observe(&self, observed: bool) {
        lock(&self.state).engine.observe(observed);
    }

    /// The oldest record that was not polled yet.
    pub fn poll_record(&self) -> Option<Record> {
        lock(&self.state).events.pop()
    }

    /// Calls `operation` until it succeeds or the policy gives up. `operation` gets the number of the attempt, from 1;
    /// `judge` classifies its errors.
    ///
    /// # Errors
    /// [`Error::Failed`] with the last error, [`Error::Refused`] by the breaker, the bulkhead or the rate limit.
    pub fn execute<T, E>(
        &self,
        mut operation: impl FnMut(u32) -> Result<T, E>,
        judge: impl Fn(&E) -> Failure,
    ) -> Result<T, Error<E>> {
        let mut last = None;
        let mut step = self.input(|engine, ctx, now| engine.begin(ctx, now));
        loop {
            step = match step {
                Step::Attempt { call, attempt, .. } => {
                    let (took, result) = self.cancelled_by_panic(call, || {
                        let began = self.clock.now();
                        let result = operation(attempt);
                        let took = self.clock.now().since(began);
                        (took, result.map_err(|error| (judge(&error), error)))
                    });
                    let duration = Some(took);
                    match result {
                        Ok(value) => {
                            let _done =
                                self.input(|engine, ctx, now| engine.succeed(ctx, call, now, duration));
                            return Ok(value);
                        }
                        Err((judged, error)) => {
                            let failure = Failure { duration, own_delay: OwnDelay::None, ..judged };
                            last = Some(error);
                            self.input(|engine, ctx, now| engine.fail(ctx, call, now, &failure))
                        }
                    }
                }
                Step::Wait { call, plan, .. } => {
                    self.cancelled_by_panic(call, || self.clock.sleep(plan.due.since(self.clock.now())));
                    self.input(|engine, ctx, now| engine.resume(ctx, call, now))
                }
                Step::Queued { call, by, .. } => {
                    self.cancelled_by_panic(call, || self.wait_in_queue(call, by))
                }
                Step::Rejected { by, retry_after, .. } => {
                    return Err(Error::Refused { by, retry_after, last });
                }
                Step::GiveUp { why, attempts, .. } => match last {
                    Some(error) => return Err(Error::Failed { error, why, attempts }),
                    // Nothing gives up before it has failed; were it so, it would be a refusal.
                    None => {
                        debug_assert!(false, "gave up before an attempt failed: {why:?}");
                        return Err(Error::Refused { by: Layer::Breaker, retry_after: None, last });
                    }
                },
                // These steps do not occur: each input has the time, there is no backoff function, and no other attempt runs.
                Step::Done { .. } | Step::NeedTime | Step::NeedDelay { .. } => {
                    debug_assert!(false, "an input without a next step: {step:?}");
                    return Err(Error::Refused { by: Layer::Breaker, retry_after: None, last });
                }
            };
        }
    }

    /// Gives one input, then handles the calls that it made ready.
    fn input(&self, input: impl FnOnce(&mut Engine, &mut Context<'_>, Option<Timestamp>) -> Step) -> Step {
        let mut state = lock(&self.state);
        let now = Some(self.clock.now());
        let step = self.with_context(&mut state, |engine, ctx| input(engine, ctx, now));
        self.collect_ready(&mut state, now);
        step
    }

    fn with_context<R>(&self, state: &mut State, run: impl FnOnce(&mut Engine, &mut Context<'_>) -> R) -> R {
        let mut breaker = self.breaker.as_ref().map(CircuitBreaker::lock);
        let mut budget = self.budget.as_ref().map(RetryBudget::lock);
        let mut ctx = Context {
            breaker: breaker.as_deref_mut(),
            budget: budget.as_deref_mut(),
            events: &mut state.events,
            policy_id: 0,
            breaker_id: 0,
        };
        run(&mut state.engine, &mut ctx)
    }

    fn collect_ready(&self, state: &mut State, now: Option<Timestamp>) {
        while let Some(call) = state.engine.next_ready(now) {
            let step = self.with_context(state, |engine, ctx| engine.dequeue(ctx, call, now));
            state.ready.insert(call, step);
            self.freed.notify_all();
        }
    }

    /// Waits for a slot until another call ends, or for a turn until its time comes.
    ///
    /// A thread that waits for a slot does not sleep until the next turn, because nothing would wake it when a slot
    /// becomes free. The threads that wait for turns look after these.
    fn wait_in_queue(&self, call: u32, by: Layer) -> Step {
        let mut state = lock(&self.state);
        loop {
            let now = self.clock.now();
            self.collect_ready(&mut state, Some(now));
            if let Some(step) = state.ready.remove(&call) {
                return step;
            }
            state = match state.engine.poll_timeout() {
                Some(due) if by == Layer::RateLimit => {
                    drop(state);
                    self.clock.sleep(due.since(now).max(Millis(1)));
                    lock(&self.state)
                }
                _ => wait(&self.freed, state),
            };
        }
    }

    /// Runs the application's code. If it panics, the call is cancelled on the way out, and holds no slot.
    fn cancelled_by_panic<R>(&self, call: u32, run: impl FnOnce() -> R) -> R {
        let running = Running { policy: self, call };
        let result = run();
        std::mem::forget(running);
        result
    }
}

fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// Cancels its call when dropped.
struct Running<'a> {
    policy: &'a Policy,
    call: u32,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let _cancelled = self.policy.input(|engine, ctx, now| engine.cancel(ctx, self.call, now));
    }
}
