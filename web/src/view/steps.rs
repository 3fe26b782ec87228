//! Work on the whole log, a little at a time.

use crate::session::Session;
use crate::session::store::Log;
use gloo_timers::future::TimeoutFuture;
use halfopen_model::export::jsonl::Jsonl;

/// Does `finish` with what `step` makes of the log, a little at a time. Of a log that is gone meanwhile there is nothing.
pub(super) fn in_steps<T: 'static>(
    session: Session,
    mut made: T,
    step: impl Fn(&mut T, &Log) -> bool + 'static,
    finish: impl FnOnce(T, &Log) + 'static,
) {
    let of = session.log.generation();
    leptos::task::spawn_local(async move {
        while session.log.peek(|log| step(&mut made, log)) {
            TimeoutFuture::new(0).await;
            if session.log.generation() != of {
                return;
            }
        }
        session.log.peek(|log| finish(made, log));
    });
}

/// Bytes of the log that are copied in one go: some milliseconds, for a page that is to stay alive.
const COPIED: usize = 4 << 20;

/// Collects all events that are kept, as parts of a file.
pub(super) fn collect_events(session: Session, then: impl FnOnce(&js_sys::Array) + 'static) {
    let made = (session.log.peek(Jsonl::begin), js_sys::Array::new());
    let step = |(lines, parts): &mut (Jsonl, js_sys::Array), log: &Log| {
        let Some(bytes) = lines.next(log, COPIED) else { return false };
        parts.push(&js_sys::Uint8Array::from(bytes.as_slice()));
        true
    };
    in_steps(session, made, step, move |(_, parts), _| then(&parts));
}
