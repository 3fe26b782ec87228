//! Notifies the other processes of the fleet.

use super::Run;
use crate::news::News;
use halfopen::policy::{BreakerScope, Failure, Outcome};

impl Run {
    /// Returns what the breaker of a frame's layer counts, if its processes notify each other.
    #[inline]
    pub(super) fn notified_scope(&self, frame: u32) -> Option<BreakerScope> {
        if !self.fleet.is_late {
            return None;
        }
        let layer = self.frames.get(frame)?.layer;
        self.fleet.layers.get(layer as usize)?.notified_scope()
    }

    /// Notifies the other processes of what the process of a frame does.
    #[inline]
    pub(super) fn notify(&mut self, frame: u32, news: News) {
        if self.fleet.is_late {
            self.notify_others(frame, news);
        }
    }

    #[cold]
    fn notify_others(&mut self, frame: u32, news: News) {
        if let Some(found) = self.frames.get(frame)
            && let Some(layer) = self.fleet.layers.get_mut(found.layer as usize)
        {
            layer.notify(self.now, found.process, news);
        }
    }

    /// A call has ended after this many attempts, the last of which failed. That is a result if the breaker counts
    /// calls.
    pub(super) fn notify_end(&mut self, frame: u32, attempts: u32) {
        if attempts == 0 || self.notified_scope(frame) != Some(BreakerScope::Call) {
            return;
        }
        let Some(last) = self.frames.get(frame).map(|frame| frame.last) else { return };
        if Failure::of(last.code).counts {
            self.notify(frame, News::Result(Outcome::failure(last.hint()), None));
        }
    }

    /// Applies the due news to every process, so that its breaker shows them.
    pub(super) fn learn_all(&mut self) {
        for depth in 0..self.fleet.layers.len() {
            for process in 0..self.fleet.processes() {
                let Some(layer) =
                    self.fleet.layers.get_mut(depth).filter(|layer| layer.notified_scope().is_some())
                else {
                    break;
                };
                layer.learn(&mut self.fleet.records, process, self.now);
                self.drain(depth);
            }
            if let Some(layer) = self.fleet.layers.get_mut(depth) {
                layer.drop_news();
            }
        }
    }
}
