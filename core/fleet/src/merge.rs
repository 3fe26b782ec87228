//! What a store does.

use super::delta::Delta;
use super::misfit::Misfit;
use super::state::State;

/// The state after a delta: what a store does. `now` is the store's time, in milliseconds since any origin of its own. An empty
/// delta changes nothing: it is sent by who only looks.
///
/// # Errors
/// [`Misfit`] for bytes that are no state or no delta. The store then keeps what it has.
pub fn merge(state: Option<&[u8]>, delta: &[u8], now: u64) -> Result<Vec<u8>, Misfit> {
    let mut state = state.map_or_else(|| Ok(State::new(now)), State::from_bytes)?;
    if !delta.is_empty() {
        state.apply(&Delta::from_bytes(delta)?, now);
    }
    Ok(state.to_bytes())
}
