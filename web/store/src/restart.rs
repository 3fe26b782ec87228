//! Traps of an agent's WebAssembly module, after each of which the agent made a new instance: a defect of Halfopen itself.

use crate::numbers::CallNumber;
use crate::time::Moment;
use std::collections::VecDeque;

/// Most kinds of restarts that are counted separately. Further kinds count with the last one.
const MOST: usize = 50;
/// Most calls that are kept for a kind, the newest.
const CALLS: usize = 8;

/// The restarts of one module during one function.
#[derive(Clone, Debug, PartialEq)]
pub struct Restarts {
    pub module: Box<str>,
    pub during: Box<str>,
    pub count: u64,
    /// When the last one was.
    pub last: Moment,
    /// The newest calls during which it happened.
    pub calls: VecDeque<CallNumber>,
}

/// All of them.
#[derive(Default)]
pub struct Core(Vec<Restarts>);

impl Core {
    pub(crate) fn add(&mut self, module: &str, during: &str, at: Moment, call: Option<CallNumber>) {
        let known = self.0.iter().position(|one| (&*one.module, &*one.during) == (module, during));
        if known.is_none() && self.0.len() < MOST {
            let (module, during) = (short(module), short(during));
            self.0.push(Restarts { module, during, count: 0, last: at, calls: VecDeque::new() });
        }
        let place = known.unwrap_or(self.0.len().saturating_sub(1));
        let Some(one) = self.0.get_mut(place) else { return };
        one.count += 1;
        one.last = one.last.max(at);
        if let Some(call) = call {
            one.calls.push_back(call);
            if one.calls.len() > CALLS {
                one.calls.pop_front();
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Restarts> {
        self.0.iter()
    }
}

/// Names of modules and functions are short, so a long text is cut: it is no such name.
fn short(text: &str) -> Box<str> {
    text.chars().take(100).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restarts_are_counted_by_module_and_function() {
        let mut core = Core::default();
        for (during, call) in
            [("classify", Some(CallNumber(1))), ("classify", None), ("respond", Some(CallNumber(2)))]
        {
            core.add("core", during, Moment::from_ms(5.0), call);
        }
        let all: Vec<_> = core.iter().map(|one| (&*one.during, one.count, one.calls.len())).collect();
        assert_eq!(all, [("classify", 2, 1), ("respond", 1, 1)]);
    }

    #[test]
    fn hostile_ones_stay_few() {
        let mut core = Core::default();
        for number in 0..1_000_u32 {
            core.add(
                "core",
                &format!("{}{number}", "x".repeat(200)),
                Moment::from_ms(1.0),
                Some(CallNumber(number)),
            );
        }
        assert!(core.iter().count() <= MOST);
        assert_eq!(core.iter().map(|one| one.count).sum::<u64>(), 1_000);
        assert!(core.iter().all(|one| one.calls.len() <= CALLS && one.during.len() <= 100));
    }
}
