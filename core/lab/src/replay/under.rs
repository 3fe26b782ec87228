//! The fixed input of a pass: the log, and the set of policies.

use super::model::Target;
use super::recorded::{Attempt, Call, NONE};
use super::world::World;
use crate::scenario::LabPolicy;

/// The log, and whether it runs under its recorded policies or under their replacements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Under<'a> {
    pub(super) world: &'a World,
    pub(super) is_own: bool,
}

impl<'a> Under<'a> {
    /// The policies, indexed by `Call::settings`.
    pub(super) fn policies(self) -> &'a [LabPolicy] {
        if self.is_own { &self.world.recorded } else { &self.world.other }
    }

    pub(super) fn call(self, call: u32) -> Option<&'a Call> {
        self.world.history.calls.get(call as usize)
    }

    pub(super) fn attempt(self, call: u32, number: u32) -> Option<&'a Attempt> {
        self.world.history.attempt(self.call(call)?, number)
    }

    pub(super) fn policy(self, call: u32) -> Option<&'a LabPolicy> {
        self.policies().get(self.call(call)?.settings as usize)
    }

    pub(super) fn recorded(self, call: u32) -> Option<&'a LabPolicy> {
        self.world.recorded_of(self.call(call)?)
    }

    pub(super) fn host(self, call: u32) -> u32 {
        self.call(call).map_or(NONE, |call| call.host)
    }

    pub(super) fn is_replaced(self, host: u32) -> bool {
        !self.is_own && self.world.history.hosts.get(host as usize).is_some_and(|host| host.is_replaced)
    }

    /// The attempts that a call's can be compared with.
    pub(super) fn target(self, call: u32) -> Target {
        Target { provider: self.provider(call), policy: self.policy_of(call) }
    }

    /// The number of the name of a call's policy.
    pub(super) fn policy_of(self, call: u32) -> u32 {
        self.call(call).map_or(NONE, |call| self.world.history.policy_of(call))
    }

    fn provider(self, call: u32) -> u32 {
        let Some(call) = self.call(call) else { return NONE };
        let mut own = self.world.history.attempts_of(call).map(|attempt| attempt.provider);
        own.find(|&provider| provider != NONE).unwrap_or_else(|| {
            self.world.history.hosts.get(call.host as usize).map_or(NONE, |host| host.provider)
        })
    }
}
