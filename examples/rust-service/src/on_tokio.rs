//! On tokio: a driver of the core's engine. It follows the numbered steps of the crate's documentation.

use halfopen::policy::blocking::Error;
use halfopen::policy::{Breaker, BreakerConfig, Context, Engine, Failure, Layer, PolicyConfig, Ring, Step};
use halfopen::time::{Millis, Timestamp};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// A policy for tasks: `Send + Sync`, lent by reference. The lock is held for one input, never over an await.
pub struct Policy {
    state: Mutex<State>,
    freed: Notify,
    origin: Instant,
}

struct State {
    engine: Engine,
    breaker: Breaker,
    events: Ring,
    /// Steps of queued calls whose tasks have not come for them yet.
    ready: HashMap<u32, Step>,
}

impl Policy {
    /// A policy with a breaker of its own. `seed` fixes the jitter.
    #[must_use]
    pub fn new(config: PolicyConfig, breaker: BreakerConfig, seed: u64) -> Self {
        let state = State {
            engine: Engine::new(config, seed),
            breaker: Breaker::new(breaker),
            events: Ring::new(),
            ready: HashMap::new(),
        };
        Self { state: Mutex::new(state), freed: Notify::new(), origin: Instant::now() }
    }

    /// Calls `operation` until it succeeds or the policy gives up. It gets the number of the attempt, from 1; `judge` says
    /// what an error of it is. A future that is dropped cancels its call.
    ///
    /// # Errors
    /// [`Error::Failed`] with the last error, [`Error::Refused`] by the breaker, the bulkhead or the rate limit.
    pub async fn execute<T, E, F: Future<Output = Result<T, E>>>(
        &self,
        mut operation: impl FnMut(u32) -> F,
        judge: impl Fn(&E) -> Failure,
    ) -> Result<T, Error<E>> {
        let mut last = None;
        let mut open = OpenCall { policy: self, call: None };
        let mut step = self.input(|engine, ctx, now| engine.begin(ctx, Some(now)));
        loop {
            open.call = call_of(&step);
            step = match step {
                Step::Attempt { call, attempt, .. } => {
                    let began = self.now();
                    let result = operation(attempt).await;
                    let took = Some(self.now().since(began));
                    match result {
                        Ok(value) => {
                            let _done =
                                self.input(|engine, ctx, now| engine.succeed(ctx, call, Some(now), took));
                            open.call = None;
                            return Ok(value);
                        }
                        Err(error) => {
                            let failure = Failure { duration: took, ..judge(&error) };
                            last = Some(error);
                            self.input(|engine, ctx, now| engine.fail(ctx, call, Some(now), &failure))
                        }
                    }
                }
                Step::Wait { call, plan, .. } => {
                    sleep_until(self.instant(plan.due)).await;
                    self.input(|engine, ctx, now| engine.resume(ctx, call, Some(now)))
                }
                Step::Queued { call, .. } => self.turn_of(call).await,
                Step::Rejected { by, retry_after, .. } => {
                    return Err(Error::Refused { by, retry_after, last });
                }
                Step::GiveUp { why, attempts, .. } => {
                    return Err(match last {
                        Some(error) => Error::Failed { error, why, attempts },
                        None => Error::Refused { by: Layer::Breaker, retry_after: None, last },
                    });
                }
                // Each input has the time, there is no backoff function, and a call that runs is not done.
                Step::Done { .. } | Step::NeedTime | Step::NeedDelay { .. } => {
                    return Err(Error::Refused { by: Layer::Breaker, retry_after: None, last });
                }
            };
        }
    }

    /// Waits for a slot until another call ends, or for a turn until its time comes.
    async fn turn_of(&self, call: u32) -> Step {
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            freed.as_mut().enable(); // what is notified from here on is not missed
            let due = {
                let mut state = self.lock();
                state.collect_ready(self.now(), &self.freed);
                if let Some(step) = state.ready.remove(&call) {
                    return step;
                }
                state.engine.poll_timeout()
            };
            match due {
                Some(due) => {
                    let due = due.max(Timestamp(self.now().0 + 1));
                    tokio::select! { () = freed => {}, () = sleep_until(self.instant(due)) => {} }
                }
                None => freed.await,
            }
        }
    }

    /// One input, then what became ready by it.
    fn input(&self, input: impl FnOnce(&mut Engine, &mut Context<'_>, Timestamp) -> Step) -> Step {
        let mut state = self.lock();
        let now = self.now();
        let step = state.with_context(|engine, ctx| input(engine, ctx, now));
        state.collect_ready(now, &self.freed);
        step
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Timestamp {
        Timestamp(u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    fn instant(&self, at: Timestamp) -> Instant {
        let Millis(span) = at.since(Timestamp(0));
        self.origin + Duration::from_millis(span)
    }
}

impl State {
    fn with_context<R>(&mut self, run: impl FnOnce(&mut Engine, &mut Context<'_>) -> R) -> R {
        let mut ctx = Context {
            breaker: Some(&mut self.breaker),
            budget: None,
            events: &mut self.events,
            policy_id: 0,
            breaker_id: 0,
        };
        run(&mut self.engine, &mut ctx)
    }

    fn collect_ready(&mut self, now: Timestamp, freed: &Notify) {
        while let Some(call) = self.engine.next_ready(Some(now)) {
            let step = self.with_context(|engine, ctx| engine.dequeue(ctx, call, Some(now)));
            self.ready.insert(call, step);
            freed.notify_waiters();
        }
    }
}

/// The call that a step leaves open.
fn call_of(step: &Step) -> Option<u32> {
    match step {
        Step::Attempt { call, .. } | Step::Wait { call, .. } | Step::Queued { call, .. } => Some(*call),
        _ => None,
    }
}

/// Cancels its call when it is dropped: a task may be aborted at any await.
struct OpenCall<'a> {
    policy: &'a Policy,
    call: Option<u32>,
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        let Some(call) = self.call else { return };
        self.policy.lock().ready.remove(&call);
        let _cancelled = self.policy.input(|engine, ctx, now| engine.cancel(ctx, call, Some(now)));
    }
}
