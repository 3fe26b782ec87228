//! The limits of each provider and model, as its last response reported them.

use crate::names::Name;
use crate::time::Moment;
use std::collections::BTreeMap;

/// A provider's last report of one of its limits.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub limit: f64,
    pub remaining: f64,
    pub reset_at: Option<Moment>,
}

/// Most providers and models whose limits are kept.
const MOST: usize = 1_000;

/// The limits of a provider's model, by their unit.
pub type Limits = BTreeMap<Name, Limit>;

/// The limits of all providers.
#[derive(Debug, Default)]
pub struct Providers(BTreeMap<(Name, Name), Limits>);

impl Providers {
    /// The limits of a provider and model, if a response had some.
    pub fn limits(&self, provider: Name, model: Name) -> Option<&Limits> {
        self.0.get(&(provider, model))
    }

    /// Keeps the last report of a limit.
    pub(crate) fn observed(&mut self, key: (Name, Name), unit: Name, limit: Limit) {
        if self.0.len() < MOST || self.0.contains_key(&key) {
            self.0.entry(key).or_default().insert(unit, limit);
        }
    }

    /// Shows every name that it has.
    pub(crate) fn names(&self, show: &mut dyn FnMut(Name)) {
        for (&(provider, model), limits) in &self.0 {
            [provider, model].into_iter().chain(limits.keys().copied()).for_each(&mut *show);
        }
    }
}
