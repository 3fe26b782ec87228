//! The key formats of vendors: how a key begins, and what must follow.

use super::shapes::is_word;

/// A vendor's key format.
struct Format {
    prefix: &'static str,
    tail: Tail,
}

/// The text that must follow a prefix, so that it is a key and no name.
#[derive(Clone, Copy)]
enum Tail {
    /// This many characters, whichever.
    Any(u8),
    /// This many characters, among them a digit or a capital: the prefix also begins ordinary names (`hf_hub_download`).
    Mixed(u8),
    /// This many characters, among them a capital and a small letter: names of services have digits too (`user-api-7d4b9c`).
    Cased(u8),
    /// As `Mixed`, and the key has the `+`, `/` and `=` of base64.
    Wide(u8),
    /// This many letters and digits of a random string, in one piece: the prefix also begins `s.someMethod`.
    Chance(u8),
    /// A UUID.
    Uuid,
}

use Tail::{Any, Cased, Chance, Mixed, Uuid, Wide};

const fn format(prefix: &'static str, tail: Tail) -> Format {
    Format { prefix, tail }
}

/// From the vendors' documentation and secret scanners' public rules, sorted by the first byte. To add a vendor, add a
/// row, and a kind to the corpus in `core/tests/redaction`.
#[rustfmt::skip]
const FORMATS: &[Format] = &[
    format("1//0", Mixed(20)),            // Google OAuth refresh token
    format("4b1d", Chance(38)),           // ClickHouse Cloud
    format("A3-", Mixed(30)),             // 1Password secret key
    format("A3T", Chance(17)),            // AWS, early
    format("ABIA", Mixed(16)),            // AWS STS bearer token
    format("ABSK", Wide(20)),             // Amazon Bedrock, long-term
    format("ACCA", Mixed(16)),            // AWS context
    format("AGE-SECRET-KEY-1", Any(10)),  // age
    format("AIza", Any(20)),              // Google
    format("AKCp", Mixed(40)),            // JFrog Artifactory
    format("AKIA", Mixed(16)),            // AWS access key id
    format("API-", Chance(26)),           // Octopus Deploy
    format("AQ.", Mixed(20)),             // Google AI Studio, since 2025
    format("AQVN", Mixed(30)),            // Yandex Cloud
    format("ASIA", Mixed(16)),            // AWS temporary access key id
    format("ATATT3", Wide(20)),           // Atlassian
    format("ATBB", Mixed(24)),            // Bitbucket app password
    format("ATCTT3", Wide(20)),           // Bitbucket access token
    format("BSA", Mixed(24)),             // Brave Search
    format("CLOJARS_", Mixed(40)),        // Clojars
    format("EAAA", Cased(22)),            // Square
    format("EAAC", Mixed(60)),            // Meta
    format("EAAG", Mixed(60)),
    format("EAAM", Mixed(60)),
    format("EZAK", Mixed(40)),            // EasyPost
    format("EZTK", Mixed(40)),
    format("FLWPUBK", Mixed(12)),         // Flutterwave
    format("FLWSECK", Mixed(12)),
    format("GOCSPX-", Any(10)),           // Google OAuth client secret
    format("GR1348941", Mixed(16)),       // GitLab runner registration
    format("HRKU-", Mixed(40)),           // Heroku
    format("LTAI", Any(16)),           // Alibaba Cloud
    format("NRAK-", Mixed(20)),           // New Relic
    format("NRII-", Mixed(20)),
    format("NRJS-", Mixed(12)),
    format("PMAK-", Mixed(40)),           // Postman
    format("SG.", Mixed(20)),             // SendGrid
    format("SK", Chance(32)),             // Twilio
    format("ZXlK", Wide(40)),             // a JSON Web Token in base64 once more
    format("ak-", Cased(20)),             // Modal token id
    format("ak_", Mixed(16)),             // Composio
    format("api-", Uuid),                 // LaunchDarkly
    format("api_org_", Mixed(12)),        // Hugging Face organisations
    format("apify_api_", Any(10)),        // Apify
    format("access-development-", Any(20)), // Plaid
    format("access-production-", Any(20)),
    format("access-sandbox-", Any(20)),
    format("acct_", Mixed(10)),           // Stripe account
    format("as-", Cased(20)),             // Modal token secret
    format("authress_", Wide(40)),        // Authress
    format("bedrock-api-key-", Wide(10)), // Amazon Bedrock, short-term
    format("cmVmd", Mixed(40)),           // JFrog reference token
    format("csk-", Mixed(12)),            // Cerebras
    format("dapi", Mixed(28)),            // Databricks
    format("dckr_pat_", Any(10)),         // Docker Hub
    format("dckr_oat_", Any(10)),
    format("dnkey-", Mixed(40)),          // Defined Networking
    format("dop_v1_", Any(10)),           // DigitalOcean
    format("doo_v1_", Any(10)),
    format("dor_v1_", Any(10)),
    format("dp.", Mixed(24)),             // Doppler (dp.pt., dp.st., dp.ct., dp.sa.)
    format("dt0c01.", Mixed(40)),         // Dynatrace
    format("dt0s", Mixed(40)),
    format("duffel_", Wide(30)),          // Duffel
    format("esecret_", Mixed(12)),        // Anyscale
    format("eyJ", Wide(16)),              // JSON Web Tokens (RFC 7519): `{"` in base64url
    format("ext_", Wide(60)),             // Authress
    format("fc-", Mixed(24)),             // Firecrawl
    format("figd_", Mixed(20)),           // Figma
    format("fio-u-", Wide(40)),           // Frame.io
    format("fm1a_", Wide(40)),            // Fly.io
    format("fm1r_", Wide(40)),
    format("fm2_", Wide(40)),
    format("fo1_", Mixed(30)),
    format("fw_", Mixed(12)),             // Fireworks
    format("ghp_", Mixed(12)),            // GitHub
    format("gho_", Mixed(12)),
    format("ghu_", Mixed(12)),
    format("ghs_", Mixed(12)),
    format("ghr_", Mixed(12)),
    format("github_pat_", Mixed(12)),
    format("glagent-", Mixed(20)),        // GitLab
    format("glc_", Wide(24)),             // Grafana Cloud
    format("glcbt-", Mixed(16)),
    format("gldt-", Mixed(16)),
    format("glffct-", Mixed(16)),
    format("glft-", Mixed(16)),
    format("glimt-", Mixed(16)),
    format("gloas-", Mixed(20)),
    format("glpat-", Mixed(12)),
    format("glptt-", Mixed(16)),
    format("glrt-", Mixed(16)),
    format("glrtr-", Mixed(16)),
    format("glsa_", Mixed(24)),           // Grafana service account
    format("glsoat-", Mixed(16)),
    format("gsk_", Mixed(10)),            // Groq
    format("helicone-", Mixed(20)),       // Helicone
    format("hf_", Any(30)),               // Hugging Face
    format("hf_", Mixed(12)),
    format("hvb.", Mixed(24)),            // HashiCorp Vault
    format("hvr.", Mixed(24)),
    format("hvs.", Mixed(12)),
    format("ico-", Cased(32)),           // Infracost
    format("jina_", Mixed(16)),           // Jina
    format("key-", Mixed(32)),            // Mailgun
    format("lin_api_", Any(10)),          // Linear
    format("lin_oauth_", Any(10)),
    format("ls__", Mixed(12)),            // LangSmith, before 2024
    format("lsv2_", Mixed(12)),           // LangSmith
    format("mob-", Uuid),                 // LaunchDarkly
    format("ntn_", Mixed(16)),            // Notion
    format("npm_", Mixed(24)),            // npm
    format("nvapi-", Mixed(12)),          // NVIDIA
    format("ops_eyJ", Wide(40)),          // 1Password service account
    format("org-", Cased(12)),            // OpenAI organisation
    format("p8e-", Mixed(24)),            // Adobe
    format("pa-", Cased(24)),             // Voyage
    format("pat.", Mixed(40)),            // Harness
    format("pat-eu", Mixed(30)),          // HubSpot
    format("pat-na", Mixed(30)),
    format("pat", Mixed(79)),            // Airtable
    format("pcsk_", Mixed(12)),           // Pinecone
    format("phc_", Mixed(30)),            // PostHog
    format("phx_", Mixed(16)),
    format("pk-", Mixed(24)),             // Portkey
    format("pk.", Mixed(60)),            // Mapbox
    format("pnu_", Mixed(24)),            // Prefect
    format("pplx-", Mixed(16)),           // Perplexity: its models (pplx-70b-online) are shorter
    format("proj_", Mixed(12)),           // OpenAI project
    format("pscale_", Wide(24)),          // PlanetScale
    format("pubkey-", Chance(32)),        // Mailgun
    format("pul-", Chance(40)),           // Pulumi
    format("pypi-", Mixed(24)),           // PyPI
    format("r8_", Mixed(12)),             // Replicate
    format("rdme_", Mixed(40)),           // ReadMe
    format("rk_live_", Any(8)),           // Stripe
    format("rk_prod_", Any(8)),
    format("rk_test_", Any(8)),
    format("rubygems_", Mixed(24)),       // RubyGems
    format("s-s4t2", Mixed(40)),          // 42 intra
    format("s.", Chance(24)),             // Vault, before 2022
    format("sat.", Mixed(40)),            // Harness
    format("sb_secret_", Any(16)),        // Supabase
    format("sbp_", Mixed(20)),            // Supabase
    format("sc_", Wide(60)),              // Authress
    format("scauth_", Wide(60)),
    format("sdk-", Uuid),                 // LaunchDarkly
    format("secret-live-", Any(10)),      // Stytch
    format("secret-test-", Any(10)),
    format("secret_", Mixed(24)),         // Notion, before 2024
    format("sgp_", Mixed(30)),            // Sourcegraph
    format("sha256~", Mixed(30)),         // OpenShift
    format("shippo_", Mixed(24)),         // Shippo
    format("shpat_", Mixed(24)),          // Shopify
    format("shpca_", Mixed(24)),
    format("shppa_", Mixed(24)),
    format("shpss_", Mixed(24)),
    format("sk-", Any(6)), // OpenAI (sk-proj-, sk-svcacct-, sk-admin-), Anthropic (sk-ant-), OpenRouter, DeepSeek, LiteLLM, Langfuse
    format("sk_live_", Wide(12)),         // WorkOS
    format("sk_test_", Wide(12)),
    format("sk_", Mixed(12)),             // ElevenLabs, Stripe (sk_live_), Freemius
    format("sl.", Wide(60)),              // Dropbox
    format("sm_aat_", Any(10)),           // SettleMint
    format("sm_pat_", Any(10)),
    format("sm_sat_", Any(10)),
    format("sntrys_", Wide(10)),          // Sentry
    format("sntryu_", Any(10)),
    format("sq0atp-", Any(16)),           // Square
    format("sq0csp-", Any(16)),
    format("sqa_", Mixed(30)),            // SonarQube
    format("sqp_", Mixed(30)),
    format("squ_", Mixed(30)),
    format("t1.", Wide(80)),              // Yandex IAM
    format("tfp_", Mixed(40)),            // Typeform
    format("tgp_v1_", Any(10)),           // Together
    format("tk-us-", Mixed(30)),          // Scalingo
    format("tvly-", Mixed(10)),           // Tavily
    format("up_", Mixed(20)),             // Upstage
    format("user-", Cased(16)),           // OpenAI user
    format("v1.0-", Mixed(100)),         // Cloudflare origin CA
    format("vck_", Mixed(12)),            // Vercel AI Gateway
    format("whsec_", Wide(8)),            // Stripe, Svix
    format("wrkspc_", Mixed(12)),         // Anthropic workspace
    format("xai-", Mixed(12)),            // xAI
    format("xapp-", Mixed(12)),           // Slack
    format("xkeysib-", Mixed(24)),        // Brevo
    format("xoxa-", Any(8)),              // Slack
    format("xoxb-", Any(8)),
    format("xoxe-", Any(8)),
    format("xoxe.", Any(8)),
    format("xoxo-", Any(8)),
    format("xoxp-", Any(8)),
    format("xoxr-", Any(8)),
    format("xoxs-", Any(8)),
    format("ya29.", Any(10)),             // Google OAuth access token
];

/// Returns the length of the key that `text` begins with.
pub(super) fn key(text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    let begin = FORMATS.partition_point(|row| row.prefix.as_bytes().first() < Some(&first));
    let rows = FORMATS.get(begin..)?.iter();
    let rows = rows.take_while(|row| row.prefix.as_bytes().first() == Some(&first));
    rows.filter(|row| text.starts_with(row.prefix.as_bytes())).find_map(|row| {
        let rest = text.get(row.prefix.len()..)?;
        let wide = matches!(row.tail, Wide(_));
        let head = rest.get(..MOST_DECISIVE).unwrap_or(rest);
        let found = head.get(..tail_length(head, wide))?;
        let is_key = match row.tail {
            Any(least) => has(found, least),
            Mixed(least) | Wide(least) => {
                has(found, least) && found.iter().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
            }
            Cased(least) => {
                has(found, least)
                    && found.iter().any(u8::is_ascii_uppercase)
                    && found.iter().any(u8::is_ascii_lowercase)
            }
            Chance(least) => found.get(..usize::from(least)).is_some_and(super::shapes::is_mixed),
            Uuid => std::str::from_utf8(found).is_ok_and(super::shapes::is_uuid),
        };
        (is_key || found.contains(&b'*')).then(|| row.prefix.len() + tail_length(rest, wide))
    })
}

fn has(found: &[u8], least: u8) -> bool {
    found.len() >= usize::from(least)
}

/// Only this much of a tail decides. With all of it, a text of nothing but prefixes would be read again and again.
const MOST_DECISIVE: usize = 104;

/// Letters, digits, `-`, `_`, the stars of a mask, and dots that do not end a sentence; `wide` adds base64's own.
fn tail_length(text: &[u8], wide: bool) -> usize {
    let belongs = |b: u8| is_word(b) || matches!(b, b'*' | b'.') || wide && matches!(b, b'+' | b'/' | b'=');
    let end = text.iter().position(|&b| !belongs(b)).unwrap_or(text.len());
    let dots = text.get(..end).unwrap_or_default().iter().rev().take_while(|&&b| b == b'.').count();
    end - dots
}

#[cfg(test)]
mod tests {
    use super::FORMATS;

    #[test]
    fn the_table_is_sorted_by_first_byte() {
        let firsts: Vec<_> = FORMATS.iter().map(|row| row.prefix.as_bytes()[0]).collect();
        assert!(firsts.is_sorted(), "key() looks a prefix up by halves");
    }
}
