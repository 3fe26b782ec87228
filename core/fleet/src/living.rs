//! The processes of a resource, and the sums over the living ones (those whose lease has not ended). Each change
//! updates the sums, because a fleet can be too large to add up for each delta.

use super::breaker::Counts;
use super::limit::{Part, Parts};
use std::collections::BTreeMap;

/// The state of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// The number of its last delta.
    pub(super) number: u64,
    /// How long it holds its grants. A process whose lease has ended no longer counts. Its number is kept for a while,
    /// so that late deltas are recognised.
    pub(super) lease_until: u64,
    pub(super) options: u32,
    pub(super) totals: Counts,
    pub(super) streak: u32,
    /// The time of its last results.
    pub(super) active_at: u64,
    /// The time of its last failures.
    pub(super) failed_at: u64,
    /// Its parts of the limits, in their order.
    pub(super) parts: Vec<Part>,
}

impl Node {
    /// How long the number of a process is kept after its lease ended, in milliseconds.
    pub(super) const MEMORY: u64 = 60_000;

    /// Returns when its lease ends or, if it has ended, when the process is forgotten.
    pub(super) fn next_end(&self, now: u64) -> u64 {
        if self.lease_until > now { self.lease_until } else { self.lease_until.saturating_add(Self::MEMORY) }
    }
}

/// The sums over the living processes.
#[derive(Clone, Debug, Default)]
pub(super) struct Living {
    /// The number of processes.
    pub(super) nodes: u64,
    /// The number of processes with each options hash.
    options: BTreeMap<u32, u64>,
    parts: Vec<Parts>,
}

impl Living {
    pub(super) fn add(&mut self, node: &Node) {
        self.nodes += 1;
        *self.options.entry(node.options).or_default() += 1;
        if self.parts.len() < node.parts.len() {
            self.parts.resize(node.parts.len(), Parts::default());
        }
        for (sum, part) in self.parts.iter_mut().zip(&node.parts) {
            sum.add(part);
        }
    }

    /// Reverts [`Living::add`], for the node as it was then.
    pub(super) fn remove(&mut self, node: &Node) {
        self.nodes -= 1;
        if let Some(count) = self.options.get_mut(&node.options) {
            *count -= 1;
            if *count == 0 {
                self.options.remove(&node.options);
            }
        }
        for (sum, part) in self.parts.iter_mut().zip(&node.parts) {
            sum.remove(part);
        }
    }

    /// Returns the sums for the limit at that index.
    pub(super) fn parts(&self, place: usize) -> Parts {
        self.parts.get(place).copied().unwrap_or_default()
    }

    /// Returns `true` if one of them has other options.
    pub(super) fn differ(&self, options: u32) -> bool {
        self.options.keys().any(|&other| other != options)
    }
}
