//! The short way of a call that succeeds at once: no clock, no record, no limit, no window.
//!
//! What it does is what [`Engine::begin`] and [`Engine::succeed`] would do: they take it too. Across a boundary it is
//! two calls of numbers, so what it costs is what it touches.

use super::Engine;
use crate::policy::breaker::Breaker;
use crate::policy::call::{Call, NEVER, State};

impl Engine {
    /// A new call and its first attempt, where nothing can stand against either and nobody needs the time; none where
    /// [`Engine::begin`] must look. `breaker` is that of [`Engine::shared_by`] for call 0.
    #[inline(always)]
    pub fn begin_plain(&mut self, breaker: Option<&mut Breaker>) -> Option<u32> {
        if !self.plain {
            return None;
        }
        let permit = match breaker {
            Some(breaker) => Some(breaker.admit_plain()?),
            None => None,
        };
        let number = self.begun + 1;
        let key = self.calls.insert(Call {
            number,
            config: 0,
            shared: self.current.shared,
            state: State::Running,
            scope: self.current.scope,
            attempt: 1,
            holds_place: false,
            started: None,
            deadline: NEVER,
            permit,
            story: None,
        })?;
        self.begun = number;
        Some(key)
    }

    /// The operation answered: how often it was called. None where [`Engine::succeed`] must look. `breaker` is that of
    /// [`Engine::shared_by`] for call 0.
    #[inline(always)]
    pub fn succeed_plain(&mut self, breaker: Option<&mut Breaker>, call: u32) -> Option<u32> {
        if !self.plain {
            return None;
        }
        let found = self.calls.get(call)?;
        // A call under older settings may have another breaker.
        if found.state != State::Running || found.config != 0 || found.holds_place {
            return None;
        }
        let attempts = found.attempt;
        if let (Some(permit), Some(breaker)) = (found.permit, breaker) {
            breaker.succeed_plain(permit)?;
        }
        self.calls.discard(call);
        Some(attempts)
    }
}
