//! Interned names (policies, providers, rules, codes): each is kept once and identified by a number.
//!
//! Tasks and trace ids are names too, and a long session keeps adding new ones. A sweep removes the names that nothing in
//! the log refers to.

use crate::hash::Seeded;
use std::collections::HashMap;
use std::rc::Rc;

/// The number of a name. [`Name::NONE`] is the empty name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub u32);

impl Name {
    pub const NONE: Self = Self(0);

    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// Longest name that is kept, in characters: names are for lists, not for prose.
const LONGEST: usize = 200;
/// The least number of new names between two sweeps.
const BETWEEN_SWEEPS: usize = 20_000;

/// All names of a log.
pub struct Names {
    texts: Vec<Rc<str>>,
    numbers: HashMap<Rc<str>, Name, Seeded>,
    /// Numbers whose names were removed.
    free: Vec<Name>,
    /// Names that the last sweep did not see. Only the next one removes them: a view may hold on to a number for longer
    /// than the log does.
    unseen: Vec<bool>,
    /// The names that were added since the last sweep, in order.
    fresh: Vec<Name>,
    sweeps: u32,
    /// The number of names at which the next sweep begins.
    sweep_at: usize,
}

impl Default for Names {
    fn default() -> Self {
        let none: Rc<str> = Rc::from("");
        Self {
            texts: vec![Rc::clone(&none)],
            numbers: HashMap::from_iter([(none, Name::NONE)]),
            free: Vec::new(),
            unseen: Vec::new(),
            fresh: vec![Name::NONE],
            sweeps: 0,
            sweep_at: BETWEEN_SWEEPS,
        }
    }
}

impl Names {
    /// The number of a text, new or known.
    pub fn number(&mut self, text: &str) -> Name {
        // A text has at least as many bytes as characters.
        let text = match if text.len() <= LONGEST { None } else { text.char_indices().nth(LONGEST) } {
            Some((end, _)) => text.get(..end).unwrap_or_default(),
            None => text,
        };
        if let Some(&name) = self.numbers.get(text) {
            return name;
        }
        let kept: Rc<str> = Rc::from(text);
        let name = self.free.pop().unwrap_or_else(|| {
            self.texts.push(Rc::clone(&kept));
            Name(u32::try_from(self.texts.len() - 1).unwrap_or(0))
        });
        if let Some(place) = self.texts.get_mut(name.0 as usize) {
            *place = Rc::clone(&kept);
        }
        self.numbers.insert(kept, name);
        self.fresh.push(name);
        name
    }

    /// The text of a number.
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |text| text)
    }

    /// How many numbers are in use, including those of removed names.
    pub fn numbers(&self) -> usize {
        self.texts.len()
    }

    /// How many names are kept.
    pub fn kept(&self) -> usize {
        self.numbers.len()
    }

    /// The number of sweeps so far. After a sweep a number may stand for another name.
    pub fn sweeps(&self) -> u32 {
        self.sweeps
    }

    /// The names since the last sweep, without the first `known` of them.
    pub fn fresh(&self, known: usize) -> &[Name] {
        self.fresh.get(known..).unwrap_or_default()
    }

    /// Every name with its number.
    pub fn iter(&self) -> impl Iterator<Item = (Name, &str)> {
        self.numbers.iter().map(|(text, &name)| (name, text.as_ref()))
    }

    /// Returns `true` if there are enough new names for a sweep.
    pub(crate) fn want_a_sweep(&self) -> bool {
        self.numbers.len() >= self.sweep_at
    }

    /// Removes the names that neither this sweep nor the previous one saw. `show` calls its argument with every name
    /// that is in use.
    pub(crate) fn sweep(&mut self, show: impl FnOnce(&mut dyn FnMut(Name))) {
        let mut used = vec![false; self.texts.len()];
        let mut mark = |name: Name| {
            if let Some(used) = used.get_mut(name.0 as usize) {
                *used = true;
            }
        };
        mark(Name::NONE);
        show(&mut mark);
        self.unseen.resize(self.texts.len(), false);
        let mut in_use = 0;
        for (number, ((text, used), unseen)) in
            self.texts.iter_mut().zip(&used).zip(&mut self.unseen).enumerate()
        {
            if *used {
                in_use += 1;
            } else if *unseen && !text.is_empty() {
                self.numbers.remove(text);
                *text = Rc::from("");
                self.free.push(Name(u32::try_from(number).unwrap_or(0)));
            }
            *unseen = !*used;
        }
        self.fresh.clear();
        self.sweeps += 1;
        self.sweep_at = self.numbers.len() + BETWEEN_SWEEPS.max(in_use);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_two_sweeps_do_not_see_is_removed_and_its_number_given_again() {
        let mut names = Names::default();
        let [kept, gone] = ["kept", "gone"].map(|text| names.number(text));
        names.sweep(|show| show(kept));
        assert_eq!(names.number("gone"), gone, "a view may still hold its number");
        names.sweep(|show| show(kept));
        assert_eq!((names.text(kept), names.text(gone), names.kept()), ("kept", "", 2));
        assert_eq!((names.number("new"), names.number("kept")), (gone, kept));
        assert_eq!((names.fresh(0), names.fresh(1)), (&[gone][..], &[][..]));
        let mut all: Vec<_> = names.iter().map(|(_, text)| text).collect();
        all.sort_unstable();
        assert_eq!(all, ["", "kept", "new"]);
    }

    #[test]
    fn names_that_are_used_once_do_not_pile_up() {
        let mut names = Names::default();
        for number in 0..200_000_u32 {
            let used = names.number(&number.to_string());
            if names.want_a_sweep() {
                names.sweep(|show| show(used));
            }
        }
        assert!(names.numbers() < 4 * BETWEEN_SWEEPS, "{}", names.numbers());
    }
}
