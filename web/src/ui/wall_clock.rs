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

/// A moment as the user's local time, to the second: `14:03:10`.
pub(crate) fn time(moment: Moment) -> String {
    let date = date(moment);
    format!("{:02}:{:02}:{:02}", date.get_hours(), date.get_minutes(), date.get_seconds())
}

/// A moment as the user's local time, to the millisecond: `14:03:10.250`.
pub(crate) fn exact(moment: Moment) -> String {
    let date = date(moment);
    format!(
        "{:02}:{:02}:{:02}.{:03}",
        date.get_hours(),
        date.get_minutes(),
        date.get_seconds(),
        date.get_milliseconds()
    )
}

/// The offset of the user's time zone from UTC at a moment, in milliseconds.
pub(crate) fn ahead_ms(moment: Moment) -> f64 {
    -date(moment).get_timezone_offset() * 60_000.0
}

/// A moment as the user's local date, in the user's language.
pub(crate) fn day(moment: Moment) -> String {
    let options = js_sys::Object::new();
    for (key, value) in [("month", "short"), ("day", "numeric")] {
        let _ = js_sys::Reflect::set(&options, &key.into(), &value.into());
    }
    String::from(date(moment).to_locale_date_string("default", &options))
}
