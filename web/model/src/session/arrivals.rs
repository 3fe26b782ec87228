//! A buffer of lines that have arrived and are not in the log yet. Agents send a batch every fifth of a second: too much
//! work for one frame, and little for three.

use std::collections::VecDeque;

/// The least number of bytes that one turn takes, if there are enough: well below a millisecond of work.
const LEAST: usize = 48 << 10;
/// With more bytes than this, lines are taken without waiting for a frame: in a replay, or if the page draws no frames.
const MOST: usize = 4 << 20;

/// The lines, oldest first.
#[derive(Default)]
pub struct Arrivals {
    batches: VecDeque<String>,
    /// How much of the first batch has been taken.
    taken: usize,
    bytes: usize,
    /// How many lines that are not blank wait.
    lines: usize,
}

impl Arrivals {
    /// Adds lines.
    pub fn push(&mut self, lines: String) {
        self.bytes += lines.len();
        self.lines += lines.lines().filter(|line| !line.trim().is_empty()).count();
        self.batches.push_back(lines);
    }

    /// How many lines wait; blank ones do not count.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Returns `true` if the buffer is too full to wait for a frame.
    pub fn is_too_much(&self) -> bool {
        self.bytes > MOST
    }

    /// Returns `true` if the buffer is empty.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Takes a quarter of the backlog, but at least `LEAST` bytes: a burst is spread over several frames, because
    /// receiving it was work for the browser already.
    pub fn take_some(&mut self, line: &mut dyn FnMut(&str)) {
        self.take((self.bytes / 4).max(LEAST), line);
    }

    /// Takes all lines.
    pub fn take_all(&mut self, line: &mut dyn FnMut(&str)) {
        self.take(usize::MAX, line);
    }

    fn take(&mut self, most: usize, line: &mut dyn FnMut(&str)) {
        let mut taken = 0;
        while taken < most
            && let Some(batch) = self.batches.front()
        {
            let rest = batch.get(self.taken..).unwrap_or_default();
            let (one, next) = rest.split_once('\n').unwrap_or((rest, ""));
            if !one.trim().is_empty() {
                self.lines -= 1;
                line(one.trim_end_matches('\r'));
            }
            let by = rest.len() - next.len();
            taken += by;
            self.taken += by;
            self.bytes -= by;
            if next.is_empty() {
                self.batches.pop_front();
                self.taken = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_taken_once_and_in_order() {
        let mut arrivals = Arrivals::default();
        let line = |number: usize| format!("{number}{}", "x".repeat(1_000));
        for batch in 0..10 {
            let lines: Vec<_> = (0..100).map(|one| line(batch * 100 + one)).collect();
            arrivals.push(lines.join(if batch % 2 == 0 { "\n" } else { "\r\n" }));
            arrivals.push("\n \n".to_owned());
        }
        let (mut lines, mut turns) = (Vec::new(), 0);
        while !arrivals.is_empty() {
            arrivals.take_some(&mut |line| lines.push(line.to_owned()));
            turns += 1;
        }
        assert_eq!(lines, (0..1_000).map(line).collect::<Vec<_>>());
        assert!((4..12).contains(&turns), "{turns}");
        assert_eq!((arrivals.bytes, arrivals.lines()), (0, 0));
    }
}
