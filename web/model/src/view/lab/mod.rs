//! The Lab view: a scenario under edit, and what its policies did in it. The policies run in a worker (`halfopen/lab`).

pub mod backoff;
pub mod chart;
pub mod code;
pub mod crowd;
pub mod edit;
pub mod field;
pub mod incident;
pub mod json;
pub mod outcome;
pub mod picture;
pub mod presets;
pub mod report;
pub mod sensitivity;
pub mod share;
pub mod table;
pub mod verdict;

/// The most policies that are compared side by side.
pub const MOST_POLICIES: usize = 4;

/// The assumptions of every simulation (docs/lab.md, "What the model assumes").
pub const ASSUMPTIONS: &[&str] = &[
    "The network takes no time. The provider is a row of equal servers with one queue, first in, first out.",
    "What the provider refuses or fails takes no server and is answered at once, but for errors with a latency.",
    "It serves requests whose caller has left, unless they are dropped (\"Work nobody waits for\").",
    "A request in service keeps the speed with which it began; a factor is 1 again at once when its fault ends.",
    "The engine that decides is the one that guards your calls; policies meet the same users and the same luck.",
];
