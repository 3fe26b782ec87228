//! The lines of the log as they came, in blocks that are let go oldest first.
//!
//! The line is the truth: an export is exact and details are read from it when somebody looks.

use std::collections::VecDeque;

const BLOCK: usize = 1 << 20;

/// Where a line stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    block: u32,
    start: u32,
    length: u32,
}

impl Place {
    /// The block that must be kept for this line to be readable.
    pub(crate) const fn block(self) -> u32 {
        self.block
    }
}

/// The lines themselves.
#[derive(Default)]
pub(crate) struct Lines {
    blocks: VecDeque<String>,
    first: u32,
}

impl Lines {
    /// Keeps a line.
    pub(crate) fn push(&mut self, line: &str) -> Place {
        let full = self.blocks.back().is_none_or(|block| block.len() + line.len() > BLOCK);
        if full {
            self.blocks.push_back(String::with_capacity(BLOCK.max(line.len())));
        }
        let block = self.first + count(self.blocks.len().saturating_sub(1));
        let Some(text) = self.blocks.back_mut() else { return Place::default() };
        let start = count(text.len());
        text.push_str(line);
        Place { block, start, length: count(line.len()) }
    }

    /// A line, or nothing when it has been let go.
    pub(crate) fn get(&self, place: Place) -> &str {
        let block = place.block.checked_sub(self.first).and_then(|block| self.blocks.get(block as usize));
        let end = place.start as usize + place.length as usize;
        block.and_then(|block| block.get(place.start as usize..end)).unwrap_or_default()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// Lets the oldest block go; the first that remains.
    pub(crate) fn drop_oldest(&mut self) -> u32 {
        if self.blocks.pop_front().is_some() {
            self.first += 1;
        }
        self.first
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_until_their_block_is_let_go() {
        let mut lines = Lines::default();
        let first = lines.push("first");
        let big = lines.push(&"é".repeat(BLOCK / 2));
        let last = lines.push("last");
        assert_eq!((lines.get(first), lines.get(big).len(), lines.get(last)), ("first", BLOCK, "last"));
        lines.drop_oldest();
        assert_eq!((lines.get(first), lines.get(last)), ("", "last"));
    }
}
