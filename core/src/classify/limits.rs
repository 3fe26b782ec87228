//! The provider's limits as a response's headers state them: the limit, the remainder, the time of the reset.
//!
//! Sources: <https://platform.openai.com/docs/guides/rate-limits> (Azure, Groq, Mistral and xAI send the same names),
//! <https://docs.anthropic.com/en/api/rate-limits#response-headers>, draft-ietf-httpapi-ratelimit-headers-07.

use super::key::Key;
use super::provider;
use super::span::{decimal, until_reset};
use super::thrown::Node;
use crate::limit::{Limit, Unit};

/// Three headers that belong together.
pub(super) struct Family {
    provider: Option<&'static str>,
    unit: Unit,
    limit: Key,
    pub(super) remaining: Key,
    pub(super) reset: Key,
}

const fn family(provider: Option<&'static str>, unit: Unit, [limit, remaining, reset]: [Key; 3]) -> Family {
    Family { provider, unit, limit, remaining, reset }
}

/// All families of headers that are read.
pub(super) const FAMILIES: [Family; 8] = {
    use Key::*;
    use Unit::{Requests, Tokens};
    const ANTHROPIC: Option<&str> = Some("anthropic");
    [
        family(None, Requests, [LimitLimitRequests, LimitRemainingRequests, LimitResetRequests]),
        family(None, Tokens, [LimitLimitTokens, LimitRemainingTokens, LimitResetTokens]),
        family(
            ANTHROPIC,
            Requests,
            [AnthropicRequestsLimit, AnthropicRequestsRemaining, AnthropicRequestsReset],
        ),
        family(ANTHROPIC, Tokens, [AnthropicInputLimit, AnthropicInputRemaining, AnthropicInputReset]),
        family(ANTHROPIC, Tokens, [AnthropicOutputLimit, AnthropicOutputRemaining, AnthropicOutputReset]),
        family(ANTHROPIC, Tokens, [AnthropicTokensLimit, AnthropicTokensRemaining, AnthropicTokensReset]),
        family(None, Requests, [LimitLimit, LimitRemaining, LimitReset]),
        family(None, Requests, [DraftLimit, DraftRemaining, DraftReset]),
    ]
};

/// Returns the limits that the headers state, for each unit the tightest, because it will refuse first. `now`:
/// milliseconds since the epoch, for resets that are dates.
///
/// ```
/// use halfopen::classify::{Thrown, limits};
/// use halfopen::limit::Unit;
/// let headers = Thrown::headers_from_json(
///     r#"{"x-ratelimit-limit-requests":"60","x-ratelimit-remaining-requests":"0","x-ratelimit-reset-requests":"10s"}"#,
/// );
/// let found = limits(headers.root().unwrap(), None);
/// assert_eq!((found[0].unit, found[0].remaining, found[0].reset.unwrap().0), (Unit::Requests, 0.0, 10_000));
/// ```
#[must_use]
pub fn limits(headers: Node<'_>, now: Option<u64>) -> Vec<Limit> {
    let text = |key: Key| headers.get(key).and_then(|node| Some(node.text()?.trim()));
    let sender = sender(headers);
    let stated = FAMILIES.iter().filter_map(|family| {
        Some(Limit {
            provider: sender.or(family.provider),
            unit: family.unit,
            limit: text(family.limit).and_then(decimal),
            remaining: text(family.remaining).and_then(decimal)?,
            reset: text(family.reset).and_then(|value| until_reset(value, now)),
        })
    });
    let mut tightest: Vec<Limit> = Vec::new();
    for limit in stated {
        match tightest.iter_mut().find(|other| other.unit == limit.unit) {
            Some(other) if limit.is_tighter_than(other) => *other = limit,
            Some(_) => {}
            None => tightest.push(limit),
        }
    }
    tightest
}

/// Returns the provider, recognised by headers that only one provider sends.
fn sender(headers: Node<'_>) -> Option<&'static str> {
    let known = Key::ALL.iter().filter(|key| key.is_header()).fold(None, |known, &key| {
        match headers.get(key).and_then(|node| node.text()) {
            Some(text) => provider::better(known, key, text),
            None => known,
        }
    });
    provider::name_of(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::Thrown;

    /// 2026-11-22T00:00:00Z.
    const NOW: u64 = 1_795_305_600_000;

    fn of(json: &str) -> Vec<Limit> {
        limits(Thrown::headers_from_json(json).root().unwrap(), Some(NOW))
    }

    fn shown(found: &[Limit]) -> Vec<(&str, &str, f64, f64, u64)> {
        let row = |limit: &Limit| {
            let name = limit.provider.unwrap_or("?");
            (name, limit.unit.as_str(), limit.limit.unwrap(), limit.remaining, limit.reset.unwrap().0)
        };
        found.iter().map(row).collect()
    }

    #[test]
    fn every_family_is_read() {
        assert_eq!(
            shown(&of(
                r#"{"x-ratelimit-limit-requests":"60","x-ratelimit-remaining-requests":"59","x-ratelimit-reset-requests":"1m0.5s",
                    "x-ratelimit-limit-tokens":"150000","x-ratelimit-remaining-tokens":"149984","x-ratelimit-reset-tokens":"20ms"}"#
            )),
            [("?", "requests", 60.0, 59.0, 60_500), ("?", "tokens", 150_000.0, 149_984.0, 20)]
        );
        for name in ["x-ratelimit", "ratelimit"] {
            let json = format!(r#"{{"{name}-limit":"5","{name}-remaining":"4","{name}-reset":"9"}}"#);
            assert_eq!(shown(&of(&json)), [("?", "requests", 5.0, 4.0, 9000)], "{name}");
        }
    }

    #[test]
    fn of_anthropics_token_limits_the_tightest_counts() {
        let reset = |name: &str, limit: u32, left: u32, second: u32| {
            format!(
                r#""anthropic-ratelimit-{name}-limit":"{limit}","anthropic-ratelimit-{name}-remaining":"{left}","anthropic-ratelimit-{name}-reset":"2026-11-22T00:00:{second}Z""#
            )
        };
        let three = [
            reset("tokens", 100, 90, 11),
            reset("input-tokens", 80, 40, 12),
            reset("output-tokens", 20, 1, 13),
        ];
        let found = of(&format!("{{{}}}", three.join(",")));
        assert_eq!(shown(&found), [("anthropic", "tokens", 20.0, 1.0, 13_000)]);
        let both = [reset("input-tokens", 80, 0, 12), reset("output-tokens", 20, 0, 10)];
        assert_eq!(
            shown(&of(&format!("{{{}}}", both.join(",")))),
            [("anthropic", "tokens", 80.0, 0.0, 12_000)]
        );
    }

    /// Returns the remainder of the tighter of two limits, each given as its size, its remainder, and its reset in
    /// seconds.
    fn tightest(tokens: (&str, u32, u32), output: (&str, u32, u32)) -> f64 {
        let stated = |name: &str, (limit, left, second): (&str, u32, u32)| {
            format!(
                r#""anthropic-ratelimit-{name}-limit":"{limit}","anthropic-ratelimit-{name}-remaining":"{left}","anthropic-ratelimit-{name}-reset":"2026-11-22T00:00:{second}Z""#
            )
        };
        let found = of(&format!("{{{},{}}}", stated("tokens", tokens), stated("output-tokens", output)));
        assert_eq!(found.len(), 1);
        found[0].remaining
    }

    #[test]
    fn the_tightest_limit_has_the_smallest_share_left_whenever_it_is_reset() {
        assert_eq!(tightest(("100", 50, 30), ("20", 1, 10)), 1.0);
        // A tenth of a large limit is less than half of a small one.
        assert_eq!(tightest(("1000", 100, 10), ("20", 10, 30)), 100.0);
    }

    #[test]
    fn of_equal_shares_the_one_that_is_reset_later_counts() {
        assert_eq!(tightest(("100", 50, 10), ("20", 10, 30)), 10.0);
        assert_eq!(tightest(("100", 50, 30), ("20", 10, 10)), 50.0);
        // Output tokens come first in the table.
        assert_eq!(tightest(("100", 50, 10), ("20", 10, 10)), 10.0);
    }

    #[test]
    fn of_an_unknown_whole_nothing_or_everything_is_left() {
        for unknown in ["unlimited", "0"] {
            assert_eq!(tightest((unknown, 0, 10), ("20", 1, 30)), 0.0, "{unknown}");
            assert_eq!(tightest((unknown, 5, 30), ("20", 20, 10)), 5.0, "{unknown}");
            assert_eq!(tightest((unknown, 5, 30), ("20", 19, 10)), 19.0, "{unknown}");
        }
    }

    #[test]
    fn a_reset_may_be_an_epoch_in_seconds_or_milliseconds() {
        for reset in ["1795305660", "1795305660000"] {
            let json = format!(
                r#"{{"x-ratelimit-limit":"5","x-ratelimit-remaining":"0","x-ratelimit-reset":"{reset}"}}"#
            );
            assert_eq!(shown(&of(&json)), [("?", "requests", 5.0, 0.0, 60_000)], "{reset}");
        }
    }

    #[test]
    fn the_sender_is_known_by_what_only_it_sends() {
        let limits = r#""x-ratelimit-limit":"5","x-ratelimit-remaining":"5","x-ratelimit-reset":"1""#;
        for (header, provider) in [("openai-version", "openai"), ("x-groq-region", "groq"), ("server", "?")] {
            let found = of(&format!(r#"{{{limits},"{header}":"x"}}"#));
            assert_eq!(found[0].provider.unwrap_or("?"), provider);
        }
    }

    #[test]
    fn a_limit_without_its_remainder_does_not_count() {
        for json in [
            "{}",
            r#"{"x-ratelimit-limit":"5"}"#,
            r#"{"x-ratelimit-remaining":"many"}"#,
            r#"{"x-ratelimit-remaining":"-1"}"#,
            r#"{"x-ratelimit-remaining":"NaN","x-ratelimit-reset":"9"}"#,
        ] {
            assert_eq!(of(json), [], "{json}");
        }
    }
}
