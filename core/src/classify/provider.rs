//! Recognises the provider by names that no other provider uses.

use super::key::Key;
use crate::text::split_at;

/// Headers that only one provider sends. Azure's gateway passes OpenAI's own headers on, so it comes first.
const BY_HEADER: [(Key, &str); 8] = [
    (Key::MsRegion, "azure-openai"),
    (Key::ApimRequestId, "azure-openai"),
    (Key::LitellmVersion, "litellm"),
    (Key::GroqRegion, "groq"),
    (Key::AnthropicOrganization, "anthropic"),
    (Key::OpenaiVersion, "openai"),
    (Key::OpenaiOrganization, "openai"),
    (Key::MistralCorrelationId, "mistral"),
];

/// The hosts of providers, by the end of their names.
const BY_HOST: [(&str, &str); 23] = [
    ("api.openai.com", "openai"),
    ("openai.azure.com", "azure-openai"),
    ("cognitiveservices.azure.com", "azure-openai"),
    ("services.ai.azure.com", "azure-openai"),
    ("api.anthropic.com", "anthropic"),
    ("generativelanguage.googleapis.com", "google"),
    ("aiplatform.googleapis.com", "google"),
    ("api.mistral.ai", "mistral"),
    ("api.cohere.com", "cohere"),
    ("api.cohere.ai", "cohere"),
    ("api.groq.com", "groq"),
    ("openrouter.ai", "openrouter"),
    ("api.deepseek.com", "deepseek"),
    ("api.together.xyz", "together"),
    ("api.together.ai", "together"),
    ("api.fireworks.ai", "fireworks"),
    ("api.x.ai", "xai"),
    ("api.perplexity.ai", "perplexity"),
    ("api.cerebras.ai", "cerebras"),
    ("ai-gateway.vercel.sh", "vercel"),
    ("api.moonshot.ai", "moonshot"),
    ("huggingface.co", "huggingface"),
    ("localhost:11434", "ollama"),
];

/// The names that SDKs give to providers, by their beginning (`openai.chat`, `google.generative-ai`, `amazon-bedrock`).
const BY_NAME: [(&str, &str); 22] = [
    ("azure", "azure-openai"),
    ("openai", "openai"),
    ("anthropic", "anthropic"),
    ("google", "google"),
    ("vertex", "google"),
    ("gemini", "google"),
    ("mistral", "mistral"),
    ("cohere", "cohere"),
    ("groq", "groq"),
    ("amazon-bedrock", "bedrock"),
    ("bedrock", "bedrock"),
    ("openrouter", "openrouter"),
    ("deepseek", "deepseek"),
    ("together", "together"),
    ("fireworks", "fireworks"),
    ("xai", "xai"),
    ("ollama", "ollama"),
    ("perplexity", "perplexity"),
    ("cerebras", "cerebras"),
    ("gateway", "vercel"),
    ("huggingface", "huggingface"),
    ("litellm", "litellm"),
];

/// The classes that only one provider's SDK has.
const BY_CLASS: [(&str, &str); 11] = [
    ("AnthropicError", "anthropic"),
    ("OpenAIError", "openai"),
    ("GoogleGenerativeAI", "google"),
    ("Cohere", "cohere"),
    ("Mistral", "mistral"),
    ("Groq", "groq"),
    ("Ollama", "ollama"),
    ("Bedrock", "bedrock"),
    ("ModelErrorException", "bedrock"),
    ("ModelStreamErrorException", "bedrock"),
    ("ModelTimeoutException", "bedrock"),
];

/// The domains of AWS. One label of the host names the service (`bedrock-runtime.eu-west-1.amazonaws.com`).
/// `x-amzn-requestid` does not: every service sends it, and so do customers' own programs behind AWS's gateways.
const OF_AWS: [&str; 3] = [".amazonaws.com", ".amazonaws.com.cn", ".api.aws"];

/// Returns the better of two readings, as indexes in the table of headers: `known`, or the provider of this header.
pub(crate) fn better(known: Option<usize>, key: Key, text: &str) -> Option<usize> {
    let said = match key {
        // Google's front end has no header of its own, only this value.
        Key::Server if text.starts_with("scaffolding on HTTPServer2") => Some(BY_HEADER.len()),
        _ => BY_HEADER.iter().position(|(header, _)| *header == key),
    };
    match (known, said) {
        (Some(known), Some(said)) => Some(known.min(said)),
        (known, said) => known.or(said),
    }
}

/// Returns the provider at that index.
pub(crate) fn name_of(place: Option<usize>) -> Option<&'static str> {
    place.map(|place| BY_HEADER.get(place).map_or("google", |(_, provider)| *provider))
}

/// Returns the provider by the called address, of which only the host counts.
pub(crate) fn from_url(url: &str) -> Option<&'static str> {
    let rest = split_at(url, "://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next()?.rsplit('@').next()?;
    let bare = if host.starts_with("localhost") { host } else { host.split(':').next()? };
    if OF_AWS.iter().any(|end| bare.ends_with(end)) {
        return bare.split('.').any(|label| label.starts_with("bedrock")).then_some("bedrock");
    }
    BY_HOST.iter().find(|(end, _)| bare.ends_with(end)).map(|(_, provider)| *provider)
}

/// Returns the provider by the name that an SDK gives it.
pub(crate) fn from_name(name: &str) -> Option<&'static str> {
    BY_NAME
        .iter()
        .find(|(start, _)| name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
        .map(|(_, provider)| *provider)
}

/// Returns the provider by the error's class.
pub(crate) fn from_class(class: &str) -> Option<&'static str> {
    BY_CLASS.iter().find(|(start, _)| class.starts_with(start)).map(|(_, provider)| *provider)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_names() {
        assert_eq!(from_url("https://api.openai.com/v1/chat"), Some("openai"));
        assert_eq!(from_url("https://x.openai.azure.com:443/openai"), Some("azure-openai"));
        assert_eq!(from_url("https://evil.example/api.openai.com"), None);
        assert_eq!(from_url("https://bedrock-runtime.us-east-1.amazonaws.com/model/x"), Some("bedrock"));
        assert_eq!(from_url("https://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com"), Some("bedrock"));
        for other in ["https://dynamodb.eu-west-1.amazonaws.com", "https://bedrock.s3.evil.example/"] {
            assert_eq!(from_url(other), None, "{other}");
        }
        assert_eq!(from_name("openai.chat"), Some("openai"));
        assert_eq!(from_name("amazon-bedrock"), Some("bedrock"));
    }

    #[test]
    fn classes_and_googles_front_end() {
        assert_eq!(from_class("GroqError"), Some("groq"));
        assert_eq!(from_class("TypeError"), None);
        assert_eq!(from_class("ProvisionedThroughputExceededException"), None);
        assert_eq!(from_class("ModelTimeoutException"), Some("bedrock"));
        let served_by = |server: &str| name_of(better(None, Key::Server, server));
        assert_eq!(served_by("scaffolding on HTTPServer2"), Some("google"));
        assert_eq!(served_by("nginx"), None);
    }
}
