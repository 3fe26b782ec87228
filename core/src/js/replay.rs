//! The `replay` area for JavaScript: the lines of a log in, a result as JSON out. A replay by its handle, 0 for none.

use crate::lab::{Reader, Replay};
use crate::slab::Slab;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// A log that is being read, or replayed. None for an instant between the two.
enum State {
    Reading(Box<Reader>),
    Running(Box<Replay>),
}

struct Replays {
    all: Slab<Option<State>>,
    misfit: String,
}

thread_local! {
    static REPLAYS: RefCell<Replays> = const { RefCell::new(Replays { all: Slab::new(), misfit: String::new() }) };
}

/// Nothing here calls JavaScript, so the state is never borrowed twice.
fn replays<R: Default>(act: impl FnOnce(&mut Replays) -> R) -> R {
    REPLAYS.with(|all| all.try_borrow_mut().map(|mut all| act(&mut all)).unwrap_or_default())
}

/// A log that has no lines yet.
#[wasm_bindgen(js_name = replayNew)]
#[must_use]
pub fn replay_new() -> u32 {
    let reading = Some(State::Reading(Box::default()));
    replays(|replays| replays.all.insert(reading).unwrap_or_default())
}

/// Reads lines. False where one does not fit: `replayMisfit` says why.
#[wasm_bindgen(js_name = replayRead)]
#[must_use]
pub fn replay_read(replay: u32, lines: &str) -> bool {
    replays(|replays| {
        let Some(Some(State::Reading(reader))) = replays.all.get_mut(replay) else { return false };
        let fault = lines.split('\n').find_map(|line| reader.line(line).err());
        replays.misfit = fault.as_ref().map(ToString::to_string).unwrap_or_default();
        fault.is_none()
    })
}

/// Begins to replay what was read, under policies by name as JSON. False where they do not fit, or there is no call.
#[wasm_bindgen(js_name = replayUnder)]
#[must_use]
pub fn replay_under(replay: u32, policies: &str, seeds: u32, per_attempt: f64, per_token: f64) -> bool {
    replays(|replays| {
        let Some(State::Reading(reader)) = replays.all.get_mut(replay).and_then(Option::take) else {
            return false;
        };
        match reader.under(policies, seeds) {
            Ok(running) => {
                let running = Box::new(running.priced(per_attempt, per_token));
                if let Some(slot) = replays.all.get_mut(replay) {
                    *slot = Some(State::Running(running));
                }
                true
            }
            Err(misfit) => {
                replays.misfit = misfit.to_string();
                false
            }
        }
    })
}

/// What did not fit last.
#[wasm_bindgen(js_name = replayMisfit)]
#[must_use]
pub fn replay_misfit() -> String {
    replays(|replays| std::mem::take(&mut replays.misfit))
}

/// Goes on for so many events. Returns whether the replay has ended.
#[wasm_bindgen(js_name = replayAdvance)]
#[must_use]
pub fn replay_advance(replay: u32, events: u32) -> bool {
    replays(|replays| match replays.all.get_mut(replay) {
        Some(Some(State::Running(running))) => running.advance(u64::from(events)),
        _ => true,
    })
}

/// How far the replay has come, from 0 to 1.
#[wasm_bindgen(js_name = replayShare)]
#[must_use]
pub fn replay_share(replay: u32) -> f64 {
    replays(|replays| match replays.all.get(replay) {
        Some(Some(State::Running(running))) => running.share(),
        _ => 0.0,
    })
}

/// The result as JSON; nothing for a replay that is not there.
#[wasm_bindgen(js_name = replayResult)]
#[must_use]
pub fn replay_result(replay: u32) -> String {
    replays(|replays| match replays.all.get(replay) {
        Some(Some(State::Running(running))) => running.to_json(),
        _ => String::new(),
    })
}

/// Forgets a replay.
#[wasm_bindgen(js_name = replayFree)]
pub fn replay_free(replay: u32) {
    replays(|replays| replays.all.discard(replay));
}
