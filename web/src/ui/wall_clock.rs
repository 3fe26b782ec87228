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

/// A moment as the time of day at the user's place, to the second: `14:03:10`.
pub(crate) fn time(moment: Moment) -> String {
    let date = date(moment);
    format!("{:02}:{:02}:{:02}", date.get_hours(), date.get_minutes(), date.get_seconds())
}
