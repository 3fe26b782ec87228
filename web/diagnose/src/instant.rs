//! Moments in ISO 8601, in UTC: what a reader elsewhere can compare with other logs.

use halfopen_store::time::Moment;

const DAY_MS: i64 = 86_400_000;

/// A moment as `2026-11-28T00:32:24.000Z`.
pub(crate) fn iso(at: Moment) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "a float beyond an integer becomes the last one")]
    let ms = (at.ms().floor() as i64).clamp(-(1 << 52), 1 << 52);
    let (days, rest) = (ms.div_euclid(DAY_MS), ms.rem_euclid(DAY_MS));
    let (year, month, day) = halfopen::calendar::date(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, thousandth) = (rest / 1_000 % 60, rest % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{thousandth:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_javascripts_dates() {
        // new Date(<the first>).toISOString()
        for (ms, expected) in [
            (0.0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999.0, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000.0, "2000-02-29T00:00:00.000Z"),
            (1_795_317_652_278.0, "2026-11-22T03:20:52.278Z"),
            (-1.0, "1969-12-31T23:59:59.999Z"),
            (4_107_542_400_000.0, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso(Moment::from_ms(ms)), expected);
        }
        assert!(!iso(Moment::LAST).is_empty());
    }
}
