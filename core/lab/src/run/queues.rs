//! The queues of the policies: which of their calls starts next, and when.

use super::record::{Next, State};
use super::{NANOS_PER_MS, Run};
use crate::event::{Kind, Token};
use halfopen::invariant::Always;

impl Run {
    /// Returns the next call that leaves an engine's queue.
    pub(super) fn next_ready(&mut self) -> Next {
        while let Some(&(depth, engine)) = self.touched.last() {
            let now = self.clock();
            let Some(layer) = self.fleet.layers.get_mut(depth) else { return Next::Idle };
            if layer.has_limits {
                layer.learn(&mut self.fleet.records, engine, self.now);
            }
            let Some(call) = layer.next_ready(engine, now) else {
                self.touched.pop();
                self.schedule_turn(depth, engine);
                continue;
            };
            let Some(frame) = layer.leave_queue(engine, call) else {
                // A call that is not in one of these queues cannot be ready. If one were, this loop would never end.
                self.touched.pop();
                continue;
            };
            if let Some(frame) = self.frames.get_mut(frame) {
                frame.state = State::Running;
            }
            let step = self.input(frame, |engine, context, call| engine.dequeue(context, call, Some(now)));
            match self.take(frame, &step) {
                Next::Idle => {}
                next => return next,
            }
        }
        Next::Idle
    }

    /// Schedules the next check of an engine whose next call waits for time alone.
    pub(super) fn schedule_turn(&mut self, depth: usize, engine: u32) {
        let due = self.fleet.layers.get(depth).and_then(|layer| layer.poll_timeout(engine));
        let layers = self.fleet.layers.len();
        let index = engine as usize * layers + depth;
        let Some(turn) = self.turns.get_mut(index) else { return };
        *turn = match due {
            Some(due) => {
                let at = due.0.saturating_mul(NANOS_PER_MS).max(self.now);
                self.events.push(at, Kind::Turn, u32::try_from(index).always())
            }
            None => 0,
        };
    }

    pub(super) fn turn(&mut self, index: u32, token: Token) {
        if self.turns.get(index as usize) != Some(&token) {
            return;
        }
        let layers = self.fleet.layers.len();
        let engine = u32::try_from(index as usize / layers).always();
        self.touched.push((index as usize % layers, engine));
        self.drive(Next::Idle);
    }
}
