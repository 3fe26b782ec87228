//! The processes of a resource, and the sums over those that live (whose lease has not ended). The sums are kept up to date
//! with each change, because a fleet can be too large to be counted for each delta.

use super::breaker::Counts;
use super::limit::{Part, Parts};
use std::collections::BTreeMap;

/// What is known of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// The number of its last delta.
    pub(super) number: u64,
    /// Until when it holds what it was granted. A process whose lease has ended counts no more; its number is kept a while, so
    /// that what comes late is known to be late.
    pub(super) lease_until: u64,
    pub(super) options: u32,
    pub(super) totals: Counts,
    pub(super) streak: u32,
    /// When its last results came.
    pub(super) active_at: u64,
    /// When its last failures came.
    pub(super) failed_at: u64,
    /// Its parts of the limits, in their order.
    pub(super) parts: Vec<Part>,
}

impl Node {
    /// For how long the number of a process is kept after its lease, in milliseconds.
    pub(super) const MEMORY: u64 = 60_000;

    /// When its lease ends or, where it has ended, when it is forgotten.
    pub(super) fn next_end(&self, now: u64) -> u64 {
        if self.lease_until > now { self.lease_until } else { self.lease_until.saturating_add(Self::MEMORY) }
    }
}

/// What the processes that live have together.
#[derive(Clone, Debug, Default)]
pub(super) struct Living {
    /// How many they are.
    pub(super) nodes: u64,
    /// How many of them have which options.
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

    /// Takes back what [`Living::add`] has added of the node as it was then.
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

    /// Those of the limit in that place.
    pub(super) fn parts(&self, place: usize) -> Parts {
        self.parts.get(place).copied().unwrap_or_default()
    }

    /// Whether one of them has other options.
    pub(super) fn differ(&self, options: u32) -> bool {
        self.options.keys().any(|&other| other != options)
    }
}
