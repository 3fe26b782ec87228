//! The lines of the log as they arrived, numbered, in blocks that are evicted oldest first.
//!
//! The line is the source of truth: exports are exact, and details are parsed from it on demand. A line costs its own
//! bytes and four more. A growing log copies none of them.

use crate::numbers::EventNumber;
use crate::time::Moment;
use std::collections::VecDeque;

const BLOCK: usize = 1 << 20;

struct Block {
    /// The number of its first line, and that event's time.
    first: EventNumber,
    began: Moment,
    text: String,
    /// Where each line begins.
    starts: Vec<u32>,
}

/// The lines themselves.
#[derive(Default)]
pub(crate) struct Lines {
    blocks: VecDeque<Block>,
    next: EventNumber,
}

impl Lines {
    /// Keeps the line of an event of that moment. Returns its number.
    pub(crate) fn push(&mut self, line: &str, time: Moment) -> EventNumber {
        let full = self.blocks.back().is_none_or(|block| block.text.len() + line.len() > BLOCK);
        if full {
            if let Some(last) = self.blocks.back_mut() {
                last.starts.shrink_to_fit();
            }
            let text = String::with_capacity(BLOCK.max(line.len()));
            self.blocks.push_back(Block { first: self.next, began: time, text, starts: Vec::new() });
        }
        if let Some(block) = self.blocks.back_mut() {
            block.starts.push(u32::try_from(block.text.len()).unwrap_or(u32::MAX));
            block.text.push_str(line);
        }
        let number = self.next;
        self.next = number.plus(1);
        number
    }

    /// A line; `None` once it is evicted.
    pub(crate) fn get(&self, number: EventNumber) -> &str {
        let after = self.blocks.partition_point(|block| block.first <= number);
        let block = after.checked_sub(1).and_then(|index| self.blocks.get(index));
        block
            .and_then(|block| block.line(usize::try_from(number.0 - block.first.0).ok()?))
            .unwrap_or_default()
    }

    /// The number of the oldest line that is kept.
    pub(crate) fn first(&self) -> EventNumber {
        self.blocks.front().map_or(self.next, |block| block.first)
    }

    /// How many lines are kept.
    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.next.0 - self.first().0).unwrap_or(usize::MAX)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// The time of the oldest line that is kept.
    pub(crate) fn began(&self) -> Option<Moment> {
        self.blocks.front().map(|block| block.began)
    }

    /// Every line that is kept, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flat_map(|block| (0..block.starts.len()).filter_map(|index| block.line(index)))
    }

    /// Evicts the oldest block. Returns how many lines it had.
    pub(crate) fn drop_oldest(&mut self) -> usize {
        self.blocks.pop_front().map_or(0, |block| block.starts.len())
    }
}

impl Block {
    fn line(&self, index: usize) -> Option<&str> {
        let start = *self.starts.get(index)? as usize;
        let end = self.starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        self.text.get(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_until_their_block_is_evicted() {
        let mut lines = Lines::default();
        let first = lines.push("first", Moment::from_ms(1.0));
        let second = lines.push("second", Moment::from_ms(2.0));
        let big = lines.push(&"é".repeat(BLOCK / 2), Moment::from_ms(3.0));
        let last = lines.push("last", Moment::from_ms(4.0));
        let found = [lines.get(first), lines.get(second), lines.get(last)];
        assert_eq!((found, lines.get(big).len(), lines.len()), (["first", "second", "last"], BLOCK, 4));
        assert_eq!(lines.drop_oldest(), 2);
        assert_eq!((lines.get(second), lines.get(last)), ("", "last"));
        assert_eq!((lines.first(), lines.began(), lines.len()), (big, Some(Moment::from_ms(3.0)), 2));
        assert_eq!(lines.iter().map(str::len).collect::<Vec<_>>(), [BLOCK, 4]);
    }
}
