//! Secrets without a shape of their own: letters and digits of a known length behind a vendor's name.
//!
//! `ADOBE_CLIENT_ID: 0123…`, `discord.client = "…"`, `twitter => …`. Lengths follow the vendors' documentation and the
//! public rules of secret scanners.

use super::{names, shapes};
use crate::text::contains;

/// A vendor's name, lower-cased, and how long its secrets are.
struct Vendor {
    name: &'static str,
    least: u8,
    most: u8,
}

const fn vendor(name: &'static str, least: u8, most: u8) -> Vendor {
    Vendor { name, least, most }
}

/// UUIDs are harmless in most places: only rows of exactly this length mean them.
const UUID: u8 = 36;

/// Sorted by the first byte.
#[rustfmt::skip]
const VENDORS: &[Vendor] = &[
    vendor("adafruit", 32, 32), vendor("adobe", 32, 32), vendor("airtable", 17, 17), vendor("algolia", 32, 32),
    vendor("alibaba", 30, 30), vendor("artifactory", 64, 73), vendor("asana", 16, 32), vendor("atlassian", 24, 24),
    vendor("beamer", 46, 46), vendor("bintray", 64, 73), vendor("bird", 25, 25), vendor("bird", UUID, UUID),
    vendor("bitbucket", 32, 64), vendor("bittrex", 32, 32),
    vendor("cloudflare", 37, 40), vendor("codecov", 32, 32), vendor("cohere", 40, 40), vendor("coinbase", 64, 64),
    vendor("confluence", 24, 24), vendor("confluent", 16, 64), vendor("contentful", 43, 43), vendor("contribsys", 17, 17),
    vendor("datadog", 40, 40), vendor("discord", 18, 72), vendor("droneci", 32, 32), vendor("dropbox", 15, 64),
    vendor("etsy", 24, 24),
    vendor("facebook", 32, 32), vendor("fastly", 32, 32), vendor("finicity", 20, 32), vendor("finnhub", 20, 20),
    vendor("flickr", 32, 32), vendor("freshbooks", 64, 64),
    vendor("gitter", 40, 40), vendor("gocardless", 45, 45),
    vendor("heroku", UUID, UUID), vendor("hubspot", UUID, UUID),
    vendor("intercom", 60, 60),
    vendor("jfrog", 64, 73), vendor("jira", 24, 24),
    vendor("kraken", 80, 90), vendor("kucoin", 24, 24), vendor("kucoin", UUID, UUID),
    vendor("launchdarkly", 40, 40), vendor("linear", 32, 32), vendor("linked", 14, 16), vendor("linkedin", 14, 16),
    vendor("lob", 40, 40), vendor("looker", 20, 24),
    vendor("mailchimp", 36, 38), vendor("mailgun", 36, 50), vendor("mapbox", 80, 100), vendor("mattermost", 26, 26),
    vendor("meraki", 40, 40), vendor("messagebird", 25, 25), vendor("messagebird", UUID, UUID),
    vendor("netlify", 40, 46), vendor("newrelic", 64, 64), vendor("newyorktimes", 32, 32), vendor("nytimes", 32, 32),
    vendor("okta", 42, 42),
    vendor("plaid", 24, 30), vendor("privateai", 32, 32),
    vendor("rapidapi", 50, 50), vendor("relic", 64, 64),
    vendor("sendbird", 40, 40), vendor("sendbird", UUID, UUID), vendor("sentry", 64, 64), vendor("snyk", UUID, UUID),
    vendor("sonar", 40, 44), vendor("sourcegraph", 40, 40), vendor("squarespace", UUID, UUID), vendor("sumo", 14, 64),
    vendor("travis", 22, 22), vendor("twitch", 30, 30), vendor("twitter", 25, 122), vendor("typeform", 60, 66),
    vendor("wandb", 40, 40),
    vendor("xray", 64, 73),
    vendor("yandex", 38, 200), vendor("york", 32, 32),
    vendor("zendesk", 40, 40),
];

/// The rows of the vendors that a name mentions: at its beginning, behind `-` or `_`, or at a hump of its camel case.
fn rows(name: &str) -> impl Iterator<Item = &'static Vendor> {
    names::parts(name).flat_map(|part| {
        let first = part.first().map(u8::to_ascii_lowercase);
        let begin = VENDORS.partition_point(|row| row.name.as_bytes().first().copied() < first);
        let rows = VENDORS.get(begin..).unwrap_or_default().iter();
        rows.take_while(move |row| row.name.as_bytes().first().copied() == first)
            .filter(move |row| starts_with(part, row.name))
    })
}

fn starts_with(part: &[u8], name: &str) -> bool {
    part.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()))
}

/// Returns `true` if a name mentions a vendor.
pub(super) fn is_named(name: &str) -> bool {
    rows(name).next().is_some()
}

/// Returns `true` if `value` has the form of that vendor's secret. `name` may be several words: `discord client id`.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    let is_uuid = shapes::is_hex_id(value);
    // Some vendors use numbers as the names of clients: only the key before one distinguishes it from the id of a post or a channel.
    let is_number = value.bytes().all(|b| b.is_ascii_digit());
    let is_mixed =
        value.bytes().any(|b| b.is_ascii_digit()) || shapes::is_gibberish(value) || shapes::is_dense(value);
    if !is_mixed || contains(value, "://") {
        return false;
    }
    if is_number && !(value.len() <= 18 && names::mentions(name, "client")) {
        return false;
    }
    let length = value.len();
    rows(name).any(|row| {
        usize::from(row.least) <= length && length <= usize::from(row.most) && (row.least == UUID || !is_uuid)
    })
}

#[cfg(test)]
mod tests {
    use super::VENDORS;

    #[test]
    fn the_table_is_sorted_by_first_byte() {
        let firsts: Vec<_> = VENDORS.iter().map(|row| row.name.as_bytes()[0]).collect();
        assert!(firsts.is_sorted(), "rows() looks a name up by halves");
    }
}
