//! The calls of a log by their numbers, oldest first.

use crate::call::Call;
use crate::numbers::{CallNumber, ShortNumber};
use std::collections::VecDeque;

/// Most calls that are kept although the event they began with is not.
const MOST_ELDERS: usize = 10_000;

/// The calls.
pub(crate) struct Calls {
    /// The number of the first recent call.
    first: CallNumber,
    /// Those that began with an event that is kept, without a gap in their numbers.
    recent: VecDeque<Call>,
    /// Older ones that go on, or have an event that is kept: an agent's outermost call may last for hours, and no later call
    /// waits for its end to be evicted.
    elders: Vec<(CallNumber, Call)>,
}

impl Default for Calls {
    fn default() -> Self {
        Self { first: CallNumber(0), recent: VecDeque::new(), elders: Vec::new() }
    }
}

impl Calls {
    /// Adds a call; its number is [`Calls::next`].
    pub(crate) fn push(&mut self, call: Call) {
        self.recent.push_back(call);
    }

    /// The number that the next call gets.
    pub(crate) fn next(&self) -> CallNumber {
        CallNumber(self.first.0 + u32::try_from(self.recent.len()).unwrap_or(u32::MAX))
    }

    pub(crate) fn get(&self, number: CallNumber) -> Option<&Call> {
        match number.0.checked_sub(self.first.0) {
            Some(place) => self.recent.get(place as usize),
            None => self.elders.get(self.elder(number)?).map(|elder| &elder.1),
        }
    }

    pub(crate) fn get_mut(&mut self, number: CallNumber) -> Option<&mut Call> {
        match number.0.checked_sub(self.first.0) {
            Some(place) => self.recent.get_mut(place as usize),
            None => {
                let place = self.elder(number)?;
                self.elders.get_mut(place).map(|elder| &mut elder.1)
            }
        }
    }

    /// The place of an elder.
    fn elder(&self, number: CallNumber) -> Option<usize> {
        self.elders.binary_search_by_key(&number, |elder| elder.0).ok()
    }

    pub(crate) fn len(&self) -> usize {
        self.elders.len() + self.recent.len()
    }

    /// The numbers of the recent calls.
    pub(crate) fn recent(&self) -> std::ops::Range<CallNumber> {
        self.first..self.next()
    }

    /// The calls that are older than those.
    pub(crate) fn elders(&self) -> impl DoubleEndedIterator<Item = (CallNumber, &Call)> {
        self.elders.iter().map(|(number, call)| (*number, call))
    }

    /// All calls with their numbers, oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (CallNumber, &Call)> {
        let first = self.first;
        let recent = self.recent.iter().enumerate();
        let recent =
            recent.map(move |(place, call)| (CallNumber(first.0 + u32::try_from(place).unwrap_or(0)), call));
        self.elders().chain(recent)
    }

    /// Removes the calls of which no event is kept, but for those that go on. `is_kept` says whether an event is, by its
    /// short number.
    pub(crate) fn evict(&mut self, is_kept: impl Fn(ShortNumber) -> bool) -> Vec<(CallNumber, Call)> {
        let stays = |call: &Call| call.status.is_open() || call.events.last().copied().is_some_and(&is_kept);
        let (stay, mut evicted): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.elders).into_iter().partition(|one| stays(&one.1));
        self.elders = stay;
        while let Some(call) =
            self.recent.pop_front_if(|call| call.events.first().copied().is_none_or(|event| !is_kept(event)))
        {
            let number = self.first;
            self.first.0 += 1;
            if stays(&call) {
                self.elders.push((number, call));
            } else {
                evicted.push((number, call));
            }
        }
        evicted.extend(self.elders.drain(..self.elders.len().saturating_sub(MOST_ELDERS)));
        evicted
    }
}
