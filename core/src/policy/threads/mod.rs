//! Policies for threads: a breaker and a budget behind a mutex each, and a driver that sleeps when a step says wait.

pub mod blocking;
mod shared;

pub use shared::{CircuitBreaker, Clock, HeldPermit, Isolation, RetryBudget};
