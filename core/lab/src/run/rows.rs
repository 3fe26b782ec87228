//! The rows of timers: one for users, three for each layer.

pub(super) const PATIENCE: usize = 0;
pub(super) const TIMERS: usize = 3;
pub(super) const TIMEOUT: usize = 0;
pub(super) const DEADLINE: usize = 1;
pub(super) const HEDGE: usize = 2;

pub(super) const fn row(layer: usize, timer: usize) -> usize {
    1 + layer * TIMERS + timer
}
