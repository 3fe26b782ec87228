//! What a person takes away: a call as a test, an incident as a report, a log as a trace. Text from events, nothing more.

pub(crate) mod report;
pub(crate) mod test;
pub(crate) mod trace;

#[cfg(test)]
mod tests;

/// The places of the keys, least first, equal ones as they came.
fn order(keys: &[f64]) -> Vec<usize> {
    let key = |place: usize| keys.get(place).copied().unwrap_or_default();
    crate::sort::places(keys.len(), &|a, b| key(a).total_cmp(&key(b)))
}
