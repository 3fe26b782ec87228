//! The log of a session while events arrive: lines that wait for a frame, pauses, and cleared events that can be restored.
//!
//! Every line is in the log, waiting, or counted as dropped. A pause only stops taking waiting lines into the log, and
//! undoing a clear only puts the old log before the new one, so neither can lose a line.

use super::arrivals::Arrivals;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// Most lines that wait while paused; the events of further ones are counted as dropped.
pub const MOST_HELD: usize = 200_000;

/// A log and the lines that are not in it yet.
#[derive(Default)]
pub struct LiveLog {
    log: Log,
    arrivals: Arrivals,
    paused: bool,
    /// The log that was cleared last.
    cleared: Option<Log>,
    /// Lines dropped while paused, since the log began. No event of the log reports them.
    dropped: u64,
    generation: u32,
}

impl LiveLog {
    /// The events that views show.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Lends the log to a source that writes to it at once.
    pub fn write(&mut self, write: &mut dyn FnMut(&mut Log)) {
        write(&mut self.log);
    }

    /// The number of the log, which changes when another log takes its place.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// How many lines wait for the end of the pause.
    pub fn held(&self) -> usize {
        if self.paused { self.arrivals.lines() } else { 0 }
    }

    /// How many events [`LiveLog::undo`] restores.
    pub fn cleared(&self) -> usize {
        self.cleared.as_ref().map_or(0, Log::kept)
    }

    /// Receives lines, which wait for [`LiveLog::apply`].
    pub fn receive(&mut self, lines: String) {
        if self.paused && self.arrivals.lines() >= MOST_HELD {
            let lost = lines.lines().filter(|line| !line.trim().is_empty()).count() as u64;
            self.dropped += lost;
            self.log.losses.dropped += lost;
            return;
        }
        self.arrivals.push(lines);
        if !self.paused && self.arrivals.is_too_much() {
            self.apply_all();
        }
    }

    /// Takes some of the waiting lines into the log.
    pub fn apply(&mut self) {
        if !self.paused {
            self.arrivals.take_some(&mut |line| _ = self.log.take(line));
        }
    }

    /// Takes all waiting lines into the log.
    pub fn apply_all(&mut self) {
        if !self.paused {
            self.arrivals.take_all(&mut |line| _ = self.log.take(line));
        }
    }

    /// Whether lines wait that [`LiveLog::apply`] would take.
    pub fn has_more(&self) -> bool {
        !self.paused && !self.arrivals.is_empty()
    }

    /// Stops taking lines into the log, or resumes with those that have arrived since.
    pub fn pause(&mut self, paused: bool) {
        self.apply_all();
        self.paused = paused;
    }

    /// Advances the log's clock while no event arrives. Returns whether the log changed.
    pub fn pass_time(&mut self, now: Moment) -> bool {
        !self.has_more() && self.log.pass_time(now)
    }

    /// Clears all events so far, including those that wait. [`LiveLog::undo`] restores them.
    pub fn clear(&mut self) {
        self.arrivals.take_all(&mut |line| _ = self.log.take(line));
        let log = self.replace(Log::default());
        if log.kept() > 0 {
            self.cleared = Some(log);
        }
    }

    /// Drops the cleared events for good.
    pub fn forget_cleared(&mut self) {
        self.cleared = None;
    }

    /// Restores the cleared events, before those that have arrived since. Returns whether there were any.
    pub fn undo(&mut self) -> bool {
        let Some(mut log) = self.cleared.take() else { return false };
        for line in self.log.all_lines() {
            log.take(line);
        }
        let (before, since) = (&mut log.losses, &self.log.losses);
        before.dropped += self.dropped;
        before.torn += since.torn;
        before.rejected += since.rejected;
        before.evicted += since.evicted;
        before.reasons.extend(since.reasons.iter().cloned());
        self.replace(log);
        true
    }

    /// Starts over: drops all events and lines for good.
    pub fn restart(&mut self) {
        *self = Self { generation: self.generation + 1, paused: self.paused, ..Self::default() };
    }

    fn replace(&mut self, log: Log) -> Log {
        self.generation += 1;
        self.dropped = 0;
        std::mem::replace(&mut self.log, log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seq: usize) -> String {
        format!(r#"{{"v":1,"source":"s","seq":{seq},"time":{seq},"call":"c{seq}","type":"call.started"}}"#)
    }

    /// Receives the lines of those numbers, each by itself.
    fn receive(live: &mut LiveLog, numbers: std::ops::Range<usize>) {
        numbers.for_each(|number| live.receive(line(number)));
    }

    fn kept(live: &mut LiveLog) -> usize {
        while live.has_more() {
            live.apply();
        }
        live.log().kept()
    }

    #[test]
    fn undoing_a_clearing_while_paused_loses_no_line_that_came_meanwhile() {
        let mut live = LiveLog::default();
        receive(&mut live, 0..5);
        live.apply();
        live.pause(true);
        receive(&mut live, 5..8);
        live.clear();
        assert_eq!((live.held(), live.cleared(), live.log().kept()), (0, 8, 0));
        receive(&mut live, 8..16);
        assert_eq!(live.held(), 8);
        assert!(live.undo());
        assert_eq!((live.held(), live.cleared(), live.log().kept()), (8, 0, 8));
        live.pause(false);
        assert_eq!(kept(&mut live), 16);
        assert_eq!(live.log().losses.dropped, 0);
    }

    #[test]
    fn what_came_after_a_clearing_follows_what_was_cleared_and_its_losses_are_counted() {
        let mut live = LiveLog::default();
        receive(&mut live, 0..3);
        live.clear();
        receive(&mut live, 3..5);
        live.receive("no event\n{\"v\":1,\"sour".into());
        assert_eq!(kept(&mut live), 2);
        assert!(live.undo() && !live.undo());
        let log = live.log();
        let calls: Vec<_> = log.calls().map(|(_, call)| call.id.to_string()).collect();
        assert_eq!(calls, ["c0", "c1", "c2", "c3", "c4"]);
        assert_eq!((log.losses.rejected, log.losses.torn, log.losses.reasons.len()), (1, 1, 1));
    }

    #[test]
    fn clearing_an_empty_log_keeps_what_was_cleared_before() {
        let mut live = LiveLog::default();
        receive(&mut live, 0..3);
        live.clear();
        live.clear();
        assert_eq!(live.cleared(), 3);
        live.forget_cleared();
        assert!(!live.undo());
    }

    #[test]
    fn every_line_of_a_long_pause_is_held_or_counted_as_dropped_and_blank_ones_are_neither() {
        let mut live = LiveLog::default();
        live.pause(true);
        let batch = (0..MOST_HELD).map(line).collect::<Vec<_>>().join("\n\n");
        live.receive(batch);
        assert_eq!(live.held(), MOST_HELD);
        live.receive(format!("{}\n\n \n{}\n", line(MOST_HELD), line(MOST_HELD + 1)));
        assert_eq!((live.held(), live.log().losses.dropped), (MOST_HELD, 2));
        live.clear();
        live.receive("\n".into());
        assert_eq!((live.held(), live.log().losses.dropped), (0, 0), "a new log has lost nothing yet");
        assert!(live.undo());
        assert_eq!((live.log().kept(), live.log().losses.dropped), (MOST_HELD, 2));
    }

    #[test]
    fn lines_dropped_after_a_clearing_stay_counted_when_it_is_undone() {
        let mut live = LiveLog::default();
        receive(&mut live, 0..1);
        live.clear();
        live.pause(true);
        live.receive((1..=MOST_HELD).map(line).collect::<Vec<_>>().join("\n"));
        live.receive(line(MOST_HELD + 1));
        assert!(live.undo());
        assert_eq!((live.held(), live.log().losses.dropped), (MOST_HELD, 1));
    }

    #[test]
    fn another_log_has_another_number() {
        let mut live = LiveLog::default();
        receive(&mut live, 0..1);
        let mut numbers = vec![live.generation()];
        live.clear();
        numbers.push(live.generation());
        live.undo();
        numbers.push(live.generation());
        live.restart();
        numbers.push(live.generation());
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
        assert_eq!((live.cleared(), live.log().kept(), live.has_more()), (0, 0, false));
    }
}
