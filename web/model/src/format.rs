//! Formats numbers, spans and moments.

/// A span of time: `850 ms`, `4.20 s`, `1 m 05 s`, `2 h 03 m`; a dash if it is unknown.
pub fn span(ms: f64) -> String {
    if !ms.is_finite() {
        return "–".into();
    }
    let ms = if ms > 0.0 { ms } else { 0.0 };
    if ms < 999.5 {
        return format!("{ms:.0} ms");
    }
    if ms < 9_995.0 {
        return format!("{:.2} s", ms / 1e3);
    }
    if ms < 59_950.0 {
        return format!("{:.1} s", ms / 1e3);
    }
    let seconds = (ms / 1e3).round();
    let (hours, minutes) = ((seconds / 3600.0).floor(), (seconds / 60.0).floor() % 60.0);
    if hours < 1.0 {
        format!("{minutes:.0} m {:02.0} s", seconds % 60.0)
    } else {
        format!("{hours:.0} h {minutes:02.0} m")
    }
}

/// A countdown, in tenths of a second while it is short, so that it visibly moves.
pub fn countdown(ms: f64) -> String {
    if ms <= 0.0 {
        return "due".into();
    }
    if ms < 10_000.0 { format!("{:.1} s", ms / 1e3) } else { span(ms) }
}

/// A count with thin spaces between its thousands.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return "–".into();
    }
    // Avoids "-0 %": an empty sum is negative zero, and `max` may return either zero.
    let percent = if share > 0.0 { share * 100.0 } else { 0.0 };
    if percent > 0.0 && percent < 10.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// A text cut for display, with the number of missing characters.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => {
            let more = text.chars().count() - most;
            format!("{}… ({} more)", text.get(..end).unwrap_or_default(), number_of(more as u64, "character"))
        }
    }
}

/// A count with its noun: `1 call`, `2 calls`.
pub fn number_of(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// How often: `once`, `twice`, `3 times`.
pub fn times(number: u64) -> String {
    match number {
        1 => "once".into(),
        2 => "twice".into(),
        more => format!("{} times", count(more)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_as_exact_as_they_are_short() {
        let written: Vec<_> =
            [0.0, 850.4, 4_200.0, 12_340.0, 65_000.0, 7_380_000.0, f64::NAN].map(span).into();
        assert_eq!(written, ["0 ms", "850 ms", "4.20 s", "12.3 s", "1 m 05 s", "2 h 03 m", "–"]);
    }

    #[test]
    fn no_share_is_a_negative_zero() {
        let none: f64 = std::iter::empty::<f64>().sum();
        assert_eq!(
            [none, -0.0, -1.0, 0.0, 0.034, 1.0, f64::NAN].map(percent),
            ["0 %", "0 %", "0 %", "0 %", "3.4 %", "100 %", "–"]
        );
        assert_eq!(span(-0.0), "0 ms");
    }

    #[test]
    fn long_texts_say_how_much_is_missing() {
        assert_eq!(cut("éééé", 3), "ééé… (1 character more)");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
    }
}
