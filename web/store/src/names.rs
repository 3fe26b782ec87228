//! Names that come again and again (policies, providers, rules, codes), each kept once and known by its number.

use crate::hash::Quick;
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

/// All names of a log.
pub struct Names {
    texts: Vec<Rc<str>>,
    numbers: HashMap<Rc<str>, Name, Quick>,
}

impl Default for Names {
    fn default() -> Self {
        let none: Rc<str> = Rc::from("");
        Self { texts: vec![Rc::clone(&none)], numbers: HashMap::from_iter([(none, Name::NONE)]) }
    }
}

impl Names {
    /// The number of a text, new or known.
    pub fn number(&mut self, text: &str) -> Name {
        // A text of so few bytes has no more characters.
        let text = match if text.len() <= LONGEST { None } else { text.char_indices().nth(LONGEST) } {
            Some((end, _)) => text.get(..end).unwrap_or_default(),
            None => text,
        };
        if let Some(&name) = self.numbers.get(text) {
            return name;
        }
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(0));
        let kept: Rc<str> = Rc::from(text);
        self.texts.push(Rc::clone(&kept));
        self.numbers.insert(kept, name);
        name
    }

    /// The text of a number.
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |text| text)
    }

    /// Every name with its number.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Name, &str)> {
        self.texts
            .iter()
            .enumerate()
            .map(|(number, text)| (Name(u32::try_from(number).unwrap_or(0)), text.as_ref()))
    }
}
