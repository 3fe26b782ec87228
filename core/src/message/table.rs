//! One language's templates as one text, of which every message is made.
//!
//! The text crosses into JavaScript's module with each message, so that the module carries no language. It is made from
//! the tables in `locale`; [`Row`] names its rows.

use super::duration::{Unit, rounded};
use super::locale::{Explanation, Locale};
use super::{Audience, Circumstance};
use crate::Code;
use crate::text::{joined, split_at};
use crate::time::Millis;

/// Separates the rows; no template contains it.
pub const ROW_END: char = '\u{1e}';
/// Separates the forms of a unit. It is a character, because splitting by a text brings 7 KiB of searching into the
/// module.
const FORM_END: char = '|';

/// The rows behind the first, which is the language's tag, and before those of circumstances and codes.
///
/// Two rows for each circumstance follow, for an owner and for a visitor, then the codes' for an owner, in the codes'
/// order, then the codes' for a visitor. A visitor's row is empty if it equals the owner's.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum Row {
    Plural = 1,
    Seconds,
    Minutes,
    Hours,
    Days,
    AgainIn,
    AgainSoon,
    Details,
    ExpectedGot,
    Empty,
    EmptyForVisitor,
    FirstCircumstance,
}

/// Where the codes' rows begin. `None` is no circumstance.
const FIRST_CODE: usize = Row::FirstCircumstance as usize + 2 * (Circumstance::ALL.len() - 1);

/// One language's templates.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a>(pub &'a str);

impl<'a> Table<'a> {
    /// Returns the template in that row; empty if it is missing.
    pub(super) fn row(self, row: Row) -> &'a str {
        self.nth(row as usize)
    }

    /// Returns the template of a code.
    pub(super) fn of_code(self, code: Code, audience: Audience) -> &'a str {
        let row = FIRST_CODE + usize::from(code.index());
        self.either(row, row + Code::ALL.len(), audience)
    }

    /// Returns the template of a circumstance.
    pub(super) fn of_circumstance(self, circumstance: Circumstance, audience: Audience) -> &'a str {
        let row = Row::FirstCircumstance as usize + 2 * (circumstance as usize).saturating_sub(1);
        self.either(row, row + 1, audience)
    }

    fn either(self, owner: usize, visitor: usize, audience: Audience) -> &'a str {
        let own = if audience == Audience::Visitor { self.nth(visitor) } else { "" };
        if own.is_empty() { self.nth(owner) } else { own }
    }

    fn nth(self, row: usize) -> &'a str {
        self.0.split(ROW_END).nth(row).unwrap_or_default()
    }

    /// Returns "7 minutes", in the form that follows this language's "in about".
    pub(super) fn duration(self, wait: Millis) -> Option<String> {
        let (count, unit) = rounded(wait)?;
        let row = match unit {
            Unit::Second => Row::Seconds,
            Unit::Minute => Row::Minutes,
            Unit::Hour => Row::Hours,
            Unit::Day => Row::Days,
        };
        let forms = self.row(row);
        let form = match (self.row(Row::Plural), count) {
            ("one", 1) | ("up-to-one", 0 | 1) | ("none", _) => forms.split(FORM_END).next(),
            _ => forms.split(FORM_END).next_back(),
        };
        let (before, after) = split_at(form?, "{n}")?;
        Some(joined(&[before, &crate::text::digits(count), after]))
    }
}

/// Returns the rows of a locale, in their order.
pub(super) fn rows(locale: &Locale) -> Vec<String> {
    let mut rows: Vec<String> = [locale.tag, locale.plural.name()].map(str::to_owned).into();
    rows.extend(
        [locale.seconds, locale.minutes, locale.hours, locale.days]
            .map(|forms| forms.join(FORM_END.encode_utf8(&mut [0; 4]))),
    );
    rows.extend([locale.again_in, locale.again_soon, locale.details, locale.expected_got].map(str::to_owned));
    rows.extend([assembled(&locale.empty), locale.empty_for_visitor.to_owned()]);
    for circumstance in Circumstance::ALL.iter().skip(1) {
        let row = locale.circumstances.iter().find(|(of, ..)| of == circumstance);
        rows.extend(row.map_or(["", ""], |&(_, owner, visitor)| [owner, visitor]).map(str::to_owned));
    }
    rows.extend(Code::ALL.iter().map(|code| match code {
        Code::InvalidResponse => assembled(&locale.invalid),
        _ => of_code(locale.messages, *code),
    }));
    rows.extend(Code::ALL.iter().map(|code| of_code(locale.visitor, *code)));
    rows
}

fn of_code(messages: &[(Code, &str)], code: Code) -> String {
    messages.iter().find(|(of, _)| *of == code).map_or("", |(_, template)| template).to_owned()
}

/// Joins an explanation into one template.
fn assembled(of: &Explanation) -> String {
    let mut text = of.what.to_owned();
    text.push_str(if text.ends_with('。') { "" } else { " " });
    text.push_str(of.causes_title);
    for cause in of.causes {
        text.push_str("\n• ");
        text.push_str(cause);
    }
    text.push_str("\n\n");
    text.push_str(of.steps_title);
    for step in of.steps {
        text.push_str("\n• ");
        text.push_str(step);
    }
    text
}
