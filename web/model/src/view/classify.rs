//! What the Classify view begins with.

/// Errors to try, as they come.
pub const EXAMPLES: &[(&str, &str)] = &[
    (
        "Rate limit with a hint",
        "{\n  \"name\": \"RateLimitError\",\n  \"status\": 429,\n  \"headers\": { \"retry-after\": \"12\", \"x-request-id\": \"req_81f2\" },\n  \"error\": { \"type\": \"requests\", \"code\": \"rate_limit_exceeded\" }\n}",
    ),
    (
        "Quota used up",
        "{ \"status\": 429, \"error\": { \"code\": \"insufficient_quota\", \"message\": \"You exceeded your current quota\" } }",
    ),
    (
        "Anthropic overloaded",
        "{ \"status\": 529, \"error\": { \"type\": \"error\", \"error\": { \"type\": \"overloaded_error\", \"message\": \"Overloaded\" } } }",
    ),
    (
        "A stack trace",
        "TypeError: fetch failed\n    at async ask (/app/agent.js:12:9) {\n  [cause]: Error: read ECONNRESET\n      at TLSWrap.onStreamRead (node:internal/stream_base_commons:216:20) {\n    code: 'ECONNRESET',\n    syscall: 'read'\n  }\n}",
    ),
    ("Too long", "{ \"status\": 400, \"error\": { \"code\": \"context_length_exceeded\" } }"),
    ("A line of a log", "2026-11-22T09:14:03Z ERROR agent: InternalServerError: 503 Service Unavailable"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use halfopen_answers::{Explain, Question};

    #[test]
    fn every_example_is_recognised() {
        let codes: Vec<_> = EXAMPLES
            .iter()
            .map(|(_, text)| Explain { text: (*text).to_owned(), ..Explain::default() }.answer().code)
            .collect();
        assert_eq!(
            codes,
            [
                "RATE_LIMITED",
                "QUOTA_EXCEEDED",
                "PROVIDER_OVERLOADED",
                "NETWORK_ERROR",
                "CONTEXT_LENGTH_EXCEEDED",
                "SERVER_ERROR"
            ]
        );
    }
}
