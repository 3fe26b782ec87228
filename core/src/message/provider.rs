//! Providers' names as people know them.

/// Ids as SDKs, routers and configurations write them. To add a provider, add a row.
const NAMES: &[(&str, &str)] = &[
    ("openai", "OpenAI"),
    ("openai-compatible", "OpenAI-compatible server"),
    ("azure", "Azure OpenAI"),
    ("azure-openai", "Azure OpenAI"),
    ("azureopenai", "Azure OpenAI"),
    ("azure-ai", "Azure AI"),
    ("anthropic", "Anthropic"),
    ("claude", "Anthropic"),
    ("google", "Google"),
    ("google-ai", "Google"),
    ("google-genai", "Google"),
    ("google-generative-ai", "Google"),
    ("gemini", "Google Gemini"),
    ("vertex", "Google Vertex AI"),
    ("vertex-ai", "Google Vertex AI"),
    ("vertexai", "Google Vertex AI"),
    ("google-vertex", "Google Vertex AI"),
    ("google-vertex-ai", "Google Vertex AI"),
    ("bedrock", "Amazon Bedrock"),
    ("amazon-bedrock", "Amazon Bedrock"),
    ("aws-bedrock", "Amazon Bedrock"),
    ("aws", "Amazon Web Services"),
    ("mistral", "Mistral AI"),
    ("mistralai", "Mistral AI"),
    ("cohere", "Cohere"),
    ("groq", "Groq"),
    ("xai", "xAI"),
    ("grok", "xAI"),
    ("deepseek", "DeepSeek"),
    ("openrouter", "OpenRouter"),
    ("together", "Together AI"),
    ("together-ai", "Together AI"),
    ("togetherai", "Together AI"),
    ("fireworks", "Fireworks AI"),
    ("fireworks-ai", "Fireworks AI"),
    ("perplexity", "Perplexity"),
    ("cerebras", "Cerebras"),
    ("sambanova", "SambaNova"),
    ("nvidia", "NVIDIA"),
    ("nvidia-nim", "NVIDIA NIM"),
    ("replicate", "Replicate"),
    ("huggingface", "Hugging Face"),
    ("hugging-face", "Hugging Face"),
    ("databricks", "Databricks"),
    ("cloudflare", "Cloudflare Workers AI"),
    ("workers-ai", "Cloudflare Workers AI"),
    ("vercel", "Vercel AI Gateway"),
    ("gateway", "Vercel AI Gateway"),
    ("vercel-ai-gateway", "Vercel AI Gateway"),
    ("github", "GitHub Models"),
    ("github-models", "GitHub Models"),
    ("ollama", "Ollama"),
    ("lmstudio", "LM Studio"),
    ("lm-studio", "LM Studio"),
    ("llamacpp", "llama.cpp"),
    ("llama-cpp", "llama.cpp"),
    ("vllm", "vLLM"),
    ("litellm", "LiteLLM"),
    ("langchain", "LangChain"),
    ("langsmith", "LangSmith"),
    ("moonshot", "Moonshot AI"),
    ("moonshotai", "Moonshot AI"),
    ("zhipu", "Zhipu AI"),
    ("zai", "Z.ai"),
    ("minimax", "MiniMax"),
    ("qwen", "Qwen"),
    ("alibaba", "Alibaba Cloud"),
    ("dashscope", "Alibaba Cloud"),
    ("baidu", "Baidu"),
    ("tencent", "Tencent"),
    ("volcengine", "Volcengine"),
    ("ai21", "AI21 Labs"),
    ("aleph-alpha", "Aleph Alpha"),
    ("voyage", "Voyage AI"),
    ("voyageai", "Voyage AI"),
    ("jina", "Jina AI"),
    ("elevenlabs", "ElevenLabs"),
    ("deepgram", "Deepgram"),
    ("tavily", "Tavily"),
    ("deepinfra", "DeepInfra"),
    ("hyperbolic", "Hyperbolic"),
    ("novita", "Novita AI"),
    ("watsonx", "IBM watsonx"),
    ("ibm", "IBM watsonx"),
    ("oci", "Oracle Cloud"),
    ("snowflake", "Snowflake"),
    ("meta", "Meta"),
    ("stability", "Stability AI"),
];

/// Returns the provider's usual name. An id that is not in the table gets capitals (`acme-cloud` → `Acme Cloud`); a
/// name that has capitals is left unchanged.
///
/// ```
/// use halfopen::message::display_name;
/// assert_eq!(display_name("azure-openai"), "Azure OpenAI");
/// assert_eq!(display_name("OPENAI"), "OpenAI");
/// assert_eq!(display_name("acme_cloud"), "Acme Cloud");
/// assert_eq!(display_name("McModel Inc."), "McModel Inc.");
/// ```
#[must_use]
pub fn display_name(provider: &str) -> String {
    let id = provider.trim();
    match known(id) {
        Some((_, name)) => name.into(),
        None if id.bytes().any(|b| b.is_ascii_uppercase() || b == b' ' || !b.is_ascii()) => id.into(),
        None => with_capitals(id),
    }
}

/// Returns the row of an id.
fn known(id: &str) -> Option<(&'static str, &'static str)> {
    let key: String = id
        .chars()
        .take(64)
        .map(|c| if matches!(c, '_' | ' ' | '.') { '-' } else { c.to_ascii_lowercase() })
        .collect();
    // The AI SDK uses `openai.chat`, `google.generative-ai`, `amazon-bedrock`, `azure.responses`.
    let family = key.rsplit_once('-').map_or("", |(family, kind)| {
        if ["chat", "responses", "messages", "completion", "embedding"].contains(&kind) { family } else { "" }
    });
    NAMES.iter().find(|(known, _)| *known == key || *known == family).copied()
}

/// Servers of models that people run themselves, mostly on their own machine.
const SELF_HOSTED: &[&str] =
    &["openai-compatible", "ollama", "lmstudio", "lm-studio", "llamacpp", "llama-cpp", "vllm", "litellm"];

/// Returns `true` if the internet lies between an agent and that provider of models. An id that is not in the table may
/// be anything, even a database next door.
pub(super) fn reached_over_internet(provider: &str) -> bool {
    known(provider.trim()).is_some_and(|(id, _)| !SELF_HOSTED.contains(&id))
}

/// Returns the words of an id in ASCII, each with a capital.
fn with_capitals(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for word in id.split(['-', '_']).filter(|word| !word.is_empty()) {
        if !name.is_empty() {
            name.push(' ');
        }
        let begin = name.len();
        name.push_str(word);
        if let Some(first) = name.get_mut(begin..begin + 1) {
            first.make_ascii_uppercase();
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_known_provider_elsewhere_is_reached_over_the_internet() {
        for (id, over_internet) in [
            ("openai.chat", true),
            (" Azure_OpenAI ", true),
            ("ollama", false),
            ("postgres", false),
            ("", false),
        ] {
            assert_eq!(reached_over_internet(id), over_internet, "{id:?}");
        }
    }

    #[test]
    fn the_sdks_own_provider_ids_are_known() {
        for (id, name) in [
            ("openai.chat", "OpenAI"),
            ("azure.responses", "Azure OpenAI"),
            ("anthropic.messages", "Anthropic"),
            ("google.generative-ai", "Google"),
            ("google.vertex", "Google Vertex AI"),
            ("amazon-bedrock", "Amazon Bedrock"),
        ] {
            assert_eq!(display_name(id), name);
        }
    }
}
