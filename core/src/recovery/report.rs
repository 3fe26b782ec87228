//! The report of an error for a user or a log, as Markdown: a sentence for the user, then the details. Unknown facts
//! are left out.

use super::context::ErrorContext;
use super::decimal::{count, tenths};
use super::labels::Labels;
use super::markdown::{fenced, inline};

/// Returns the report of an error in the language of the labels. `now` is in milliseconds since the Unix epoch; the
/// report shows it in UTC.
///
/// ```
/// use halfopen::recovery::{Cause, ErrorContext, State, labels, report};
/// let text = report(&ErrorContext::new(Cause::default(), State::default()), 0, labels("en"));
/// assert!(text.starts_with("⚠️ **Error report** - 1970-01-01 00:00:00 UTC"));
/// ```
#[must_use]
pub fn report(context: &ErrorContext, now: i64, labels: &Labels<'_>) -> String {
    let cause = &context.classification;
    let kind = cause.code.error_type().as_str().to_ascii_uppercase();
    let mut heading = format!("⚠️ **{}** - {}", labels.heading, utc(now));
    let sentence: Vec<String> = cause.user_message.lines().map(inline).collect();
    if !cause.user_message.trim().is_empty() {
        heading = format!("{heading}\n\n{}\n", sentence.join("  \n"));
    }
    let mut lines = vec![heading];
    let line = |label: &str, text: &str| format!("**{label}:** {text}");
    lines.push(line(labels.kind, &format!("{kind} ({}, {})", cause.code.as_str(), cause.severity.as_str())));
    lines.push(line(labels.task, &inline(&context.current_task)));
    lines.push(line(labels.operation, &inline(&context.failed_operation)));
    if !context.error_message.is_empty() {
        lines.push(line(labels.message, &inline(&context.error_message)));
    }
    if let Some(capability) = &context.capability_name {
        lines.push(line(labels.capability, &inline(capability)));
    }
    if !cause.metadata.is_empty() {
        lines.push(format!("**{}:**\n{}", labels.metadata, fenced("json", &cause.metadata)));
    }
    let mut stats = Vec::new();
    if context.total_operations > 0.0 {
        stats.push(format!("{}: {}", labels.operations, count(context.total_operations)));
    }
    if let Some(seconds) = context.execution_time {
        stats.push(format!("{}: {}s", labels.time, tenths(seconds)));
    }
    if context.retry_count > 0.0 {
        stats.push(format!("{}: {}", labels.retries, count(context.retry_count)));
    }
    if !stats.is_empty() {
        lines.push(line(labels.stats, &stats.join(", ")));
    }
    let mut text = String::new();
    for line in lines {
        if !text.is_empty() {
            // Two spaces end a line in Markdown; without them the lines would run together. A fence ends by itself.
            let ends = text.ends_with('\n')
                || text.lines().last().is_some_and(|last| last.bytes().all(|byte| byte == b'`'));
            text.push_str(if ends { "\n" } else { "  \n" });
        }
        text.push_str(&line);
    }
    text
}

/// `2026-01-31 23:59:59 UTC`.
fn utc(now: i64) -> String {
    let seconds = now.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = crate::calendar::date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recovery::{Cause, State, labels};

    #[test]
    fn the_sentence_for_the_user_stands_alone_before_the_details() {
        let user_message = "An answer could not be read.\n• Try again".to_owned();
        let mut context = ErrorContext::new(Cause { user_message, ..Cause::default() }, State::default());
        context.error_message.clear();
        let text = report(&context, 0, labels("en"));
        assert!(
            text.starts_with(
                "⚠️ **Error report** - 1970-01-01 00:00:00 UTC\n\nAn answer could not be read.  \n• Try again\n\n**Error type:** UNKNOWN"
            ),
            "{text}"
        );
        assert!(!text.contains("Error message"), "{text}");
    }

    #[test]
    fn times_are_in_utc() {
        for (now, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399_999, "2000-02-28 23:59:59 UTC"),
            (951_782_400_000, "2000-02-29 00:00:00 UTC"),
            (1_798_761_599_000, "2026-12-31 23:59:59 UTC"),
            (-1, "1969-12-31 23:59:59 UTC"),
        ] {
            assert_eq!(utc(now), text);
        }
    }
}
