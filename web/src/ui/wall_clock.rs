//! The clock of the page's machine.

use halfopen_store::time::Moment;
use js_sys::Date;

/// The present moment.
pub(crate) fn now() -> Moment {
    Moment::from_ms(Date::now())
}

/// A moment as a date, which knows the user's time zone.
pub(crate) fn date(moment: Moment) -> Date {
    Date::new(&moment.ms().into())
}
