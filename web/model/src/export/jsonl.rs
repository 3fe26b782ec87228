//! Every event that is kept, one a line, as it arrived.

use halfopen_store::numbers::EventNumber;
use halfopen_store::store::Log;
use std::ops::Range;

/// Collects the lines, in parts.
pub struct Jsonl {
    numbers: Range<u64>,
    /// Options of policies that are older than all kept events.
    older: String,
}

impl Jsonl {
    pub fn begin(log: &Log) -> Self {
        let older = log.older_lines().map(|line| format!("{line}\n")).collect();
        let kept = log.kept_numbers();
        Self { numbers: kept.start.0..kept.end.0, older }
    }

    /// The next lines, at least `least` bytes or all that are left; `None` after the last.
    pub fn next(&mut self, log: &Log, least: usize) -> Option<Vec<u8>> {
        if self.older.is_empty() && self.numbers.is_empty() {
            return None;
        }
        let mut bytes = Vec::with_capacity(least + least / 4);
        bytes.extend_from_slice(std::mem::take(&mut self.older).as_bytes());
        while bytes.len() < least
            && let Some(number) = self.numbers.next()
        {
            let line = log.line(EventNumber(number));
            if !line.is_empty() {
                bytes.extend_from_slice(line.as_bytes());
                bytes.push(b'\n');
            }
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_the_lines_that_came() {
        let lines: String = (0..100)
            .map(|seq| {
                format!(
                    "{{\"v\":1,\"source\":\"s\",\"seq\":{seq},\"time\":{seq},\"type\":\"call.started\",\"call\":\"c{seq}\"}}\n"
                )
            })
            .collect();
        let mut log = Log::default();
        for line in lines.lines() {
            assert!(log.take(line));
        }
        let mut made = Jsonl::begin(&log);
        let (mut bytes, mut parts) = (Vec::new(), 0);
        while let Some(part) = made.next(&log, 1_000) {
            assert!(part.len() < 1_200, "{}", part.len());
            bytes.extend(part);
            parts += 1;
        }
        assert!(parts > 3, "{parts}");
        assert_eq!(String::from_utf8(bytes).unwrap(), lines);
    }
}
