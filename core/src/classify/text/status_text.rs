//! The HTTP status that a message states in words: the forms of SDKs, wrappers and status lines, and no other number.

use crate::classify::thrown::cut;

/// Returns the status that a message states in one of the fixed forms of SDKs and wrappers, with the words that belong
/// to it.
pub(super) fn status_in_text(text: &str) -> Option<u16> {
    let head = cut(text, 300);
    let bytes = head.as_bytes();
    let mut at = 0;
    while at + 3 <= bytes.len() {
        // Most letters are no digit, so skipping them must be cheap.
        if !bytes.get(at).is_some_and(|b| (b'4'..=b'5').contains(b)) {
            at += 1;
            continue;
        }
        let alone = !at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(|b| {
            b.is_ascii_alphanumeric() || matches!(*b, b'.' | b'_' | b'-' | b'/' | b':' | b'#' | b'$')
        });
        if alone
            && bytes.get(at..at + 3).is_some_and(|d| d.iter().all(u8::is_ascii_digit))
            && !bytes
                .get(at + 3)
                .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(*b, b'_' | b'%' | b'/'))
            && !(bytes.get(at + 3) == Some(&b'.') && bytes.get(at + 4).is_some_and(u8::is_ascii_digit))
        {
            let before = head.get(..at).unwrap_or_default();
            let quoted = before.bytes().filter(|&b| b == b'"').count() % 2 == 1
                || before.bytes().filter(|&b| b == b'`').count() % 2 == 1;
            let after = head.get(at + 3..).unwrap_or_default();
            if !quoted
                && (introduces_status(before, after)
                    || names_status(head.get(at..at + 3).unwrap_or_default(), after, before))
            {
                return head.get(at..at + 3).and_then(|digits| digits.parse().ok());
            }
        }
        at += 1;
    }
    None
}

/// Returns `true` if the text before a number shows that it is an HTTP status.
fn introduces_status(before: &str, after: &str) -> bool {
    let tail = before
        .get(before.ceil_char_boundary(before.len().saturating_sub(48))..)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let tail = tail.trim_end_matches([' ', ':', '=', '(', '[', '"', '\'', '-']);
    const LEADS: [&str; 20] = [
        "status code",
        "statuscode",
        "http",
        "http error",
        "http status",
        "http error! status",
        "response status",
        "error code",
        "failed with status",
        "returned status",
        "got status",
        "http/1.1",
        "http/2",
        "with status",
        "http code",
        "http-code",
        "server response",
        "response code",
        "unexpected status",
        "unexpected response",
    ];
    // Words before both statuses and counts ("returned 429 rows"). They count only if nothing follows.
    const WEAK: [&str; 5] = ["error", "returned", "responded with", "failed with", "failed"];
    let ends = after.trim_start().is_empty() || after.starts_with(['.', ':', ',', ')', ']']);
    if ends && (tail.is_empty() || tail == "status" || WEAK.iter().any(|lead| tail.ends_with(lead))) {
        return true;
    }
    LEADS.iter().any(|lead| tail.ends_with(lead))
        || before.trim_end().ends_with([':', '='])
            && tail.strip_suffix("status").is_some_and(|rest| {
                rest.trim_end().is_empty() || rest.trim_end().ends_with(['!', ',', ';', '(', '.'])
            })
}

/// Returns `true` if the words of the status line follow the number (`429 Too Many Requests`), or if the number opens
/// an SDK's message: `429 status code (no body)`.
fn names_status(digits: &str, after: &str, before: &str) -> bool {
    let after = after.trim_start();
    let before = before.trim_end();
    if before.is_empty() && after.starts_with("status code (no body)") {
        return true;
    }
    // "failed with a 409 code", "received a 503 response".
    if ["with a", "received a", "returned a", "got a"].iter().any(|lead| before.ends_with(lead))
        && ["code", "response", "error", "status"].iter().any(|noun| after.starts_with(noun))
    {
        return true;
    }
    // In mid-sentence ("how to fix 401 unauthorized") it is the subject of a text, not this error's status.
    let stands_alone = before.is_empty() || before.ends_with([':', '[', '(', '-', '|']);
    stands_alone && STATUS_WORDS.iter().any(|(status, words)| *status == digits && after.starts_with(words))
}

/// The words of the status line (RFC 9110 §15, and servers' additions).
const STATUS_WORDS: [(&str, &str); 23] = [
    ("400", "Bad Request"),
    ("401", "Unauthorized"),
    ("402", "Payment Required"),
    ("403", "Forbidden"),
    ("404", "Not Found"),
    ("405", "Method Not Allowed"),
    ("408", "Request Timeout"),
    ("409", "Conflict"),
    ("410", "Gone"),
    ("412", "Precondition Failed"),
    ("413", "Payload Too Large"),
    ("413", "Request Entity Too Large"),
    ("413", "Content Too Large"),
    ("422", "Unprocessable"),
    ("429", "Too Many Requests"),
    ("499", "Client Closed Request"),
    ("500", "Internal Server Error"),
    ("502", "Bad Gateway"),
    ("503", "Service Unavailable"),
    ("503", "Service Temporarily Unavailable"),
    ("504", "Gateway Time"),
    ("524", "A timeout occurred"),
    ("529", "Overloaded"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_stated_in_a_fixed_form() {
        for text in [
            "429",
            "429 Too Many Requests",
            "429 status code (no body)",
            "Request failed with status code 429",
            "HTTP 429",
            "HTTP 4 0, status code 429",
            "HTTP/1.1 429 x",
            "status: 429",
            "status=429",
            "late; status: 429 x",
            "oh! status: 429 x",
            "error (status: 429)",
            "Status 429",
            "HTTP-Code: 429",
            "it failed with a 429 code",
            "we received a 429 response",
            "it returned a 429 error",
            "the call got a 429 status",
            "it returned 429",
            "it returned 429.",
            "it returned 429. Then",
            "it said: 429 Too Many Requests",
            "it \"said\": 429 Too Many Requests",
            "`it` said: 429 Too Many Requests",
        ] {
            assert_eq!(status_in_text(text), Some(429), "{text}");
        }
    }

    #[test]
    fn no_other_number_is_a_status() {
        for text in [
            "42",
            "4290",
            "HTTP 4290",
            "HTTP x429",
            "HTTP 429x",
            "HTTP 429_",
            "HTTP 429%",
            "HTTP 429/1",
            "HTTP 429.5",
            "HTTP .429",
            "HTTP:429",
            "status 429 x",
            "HTTP 4",
            "HTTP 4 Too",
            "HTTP 4a9",
            "HTTP 329",
            "it returned 429 rows",
            "it failed with a 429 page",
            "it is a 429 code",
            "it is a 429 response",
            "the status 429",
            "the status: 429 x",
            "exit status: 429 x",
            "how to fix 429 Too Many Requests",
            "it: 429 Requests",
            "late 429 status code (no body)",
            "it \"said: 429 Too Many Requests\"",
            "it `said: 429 Too Many Requests`",
        ] {
            assert_eq!(status_in_text(text), None, "{text}");
        }
    }
}
