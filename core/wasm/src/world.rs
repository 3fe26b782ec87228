//! All state of the package in this module, and its inputs: one step out, packed into a number.

use super::numbers::{span, time};
use super::rows::Rows;
use crate::wire::{packed, slot, step};
use halfopen::policy::{Breaker, Budget, Context, Engine, Fact, Record, Ring, Shared, Step};
use halfopen::slab::Slab;
use halfopen::time::Timestamp;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// All state of the package in this module: policies, what they share, and what happened.
pub(super) struct World {
    pub(super) policies: Slab<Engine>,
    pub(super) breakers: Slab<Breaker>,
    pub(super) budgets: Slab<Budget>,
    pub(super) events: Ring,
    pub(super) rows: Rows,
    pub(super) slots: [f64; slot::SLOTS],
}

thread_local! {
    static WORLD: RefCell<World> = const {
        RefCell::new(World {
            policies: Slab::new(),
            breakers: Slab::new(),
            budgets: Slab::new(),
            events: Ring::new(),
            rows: Rows::new(),
            slots: [f64::NAN; slot::SLOTS],
        })
    };
}

/// The state, lent to `read`. Nothing that reads it comes here again: if the memory says otherwise, it is ruined, and the module
/// traps. `with_borrow_mut` would have a text ready for that, and the module would carry what writes it.
pub(super) fn world<R>(read: impl FnOnce(&mut World) -> R) -> R {
    WORLD.with(|world| match world.try_borrow_mut() {
        Ok(mut world) => read(&mut world),
        Err(_) => std::process::abort(),
    })
}

impl World {
    /// One input to a policy's engine, with what the call at hand shares lent to it. `call` 0 is one to begin.
    #[inline]
    pub(super) fn input(
        &mut self,
        policy: u32,
        call: u32,
        now: f64,
        input: impl FnOnce(&mut Engine, &mut Context<'_>, Option<Timestamp>) -> Step,
    ) -> i32 {
        let shared = self.policies.get(policy).map(|engine| engine.shared_by(call));
        self.input_with(policy, shared.unwrap_or_default(), now, input)
    }

    /// [`World::input`] for a call that shares these.
    #[inline]
    pub(super) fn input_with(
        &mut self,
        policy: u32,
        shared: Shared,
        now: f64,
        input: impl FnOnce(&mut Engine, &mut Context<'_>, Option<Timestamp>) -> Step,
    ) -> i32 {
        let Some(engine) = self.policies.get_mut(policy) else { return step::DONE.cast_signed() };
        engine.rounded_down(now.floor() < now);
        let mut ctx = Context {
            breaker: self.breakers.get_mut(shared.breaker),
            budget: self.budgets.get_mut(shared.budget),
            events: &mut self.events,
            policy_id: policy,
            breaker_id: shared.breaker,
        };
        let taken = input(engine, &mut ctx, time(now));
        let flags = if self.events.is_empty() { 0 } else { packed::EVENTS }
            | if engine.has_ready() { packed::READY } else { 0 };
        (flags | packed_step(taken, &mut self.slots)).cast_signed()
    }

    /// One input to a breaker; its changes become records.
    pub(super) fn breaker<R>(
        &mut self,
        breaker: u32,
        otherwise: R,
        input: impl FnOnce(&mut Breaker) -> R,
    ) -> R {
        let Some(found) = self.breakers.get_mut(breaker) else { return otherwise };
        let result = input(found);
        if !found.has_changes() {
            return result;
        }
        while let Some(change) = found.poll_change() {
            let fact = Fact::BreakerChanged { breaker, change };
            self.events.push(Record { policy: 0, call: 0, at: Some(change.at), fact });
        }
        if let Some(throttled) = found.poll_throttled() {
            let fact = Fact::BreakerThrottled { breaker, rate: throttled.rate };
            self.events.push(Record { policy: 0, call: 0, at: Some(throttled.at), fact });
        }
        result
    }
}

/// The step, packed; its other numbers go to the shared buffer.
fn packed_step(taken: Step, slots: &mut [f64; slot::SLOTS]) -> u32 {
    match taken {
        Step::Attempt { call, .. } => call << packed::CALL_SHIFT | step::ATTEMPT,
        Step::Wait { call, plan, .. } => {
            slots[slot::SLOT_DELAY] = plan.delay.delay.as_f64();
            call << packed::CALL_SHIFT | step::WAIT
        }
        Step::Queued { call, .. } => call << packed::CALL_SHIFT | step::QUEUED,
        Step::Rejected { by, retry_after, .. } => {
            slots[slot::SLOT_BY] = f64::from(by as u8);
            slots[slot::SLOT_RETRY_AFTER] = span(retry_after);
            step::REJECTED
        }
        Step::GiveUp { .. } => step::GIVE_UP,
        Step::Done { .. } => step::DONE,
        Step::NeedTime => step::NEED_TIME,
        Step::NeedDelay { retry, previous } => {
            slots[slot::SLOT_DELAY] = span(previous);
            slots[slot::SLOT_RETRY] = f64::from(retry);
            step::NEED_DELAY
        }
    }
}

/// Where the shared buffer is in the module's memory, in bytes. The address does not move; the memory's `buffer` may.
#[wasm_bindgen(js_name = slotsPointer)]
pub fn slots_pointer() -> u32 {
    world(|world| world.slots.as_ptr() as usize as u32)
}
