//! What a thrown value says, gathered in one pass: statuses, codes, names, flags, texts, and who answered.
//!
//! Nothing is decided here; `rules` does that. Texts and names are borrowed from the bounded copies.

use std::cell::OnceCell;

use super::hint;
use super::json;
use super::key::Key;
use super::provider;
use super::thrown::{Node, Thrown, cut};
use super::words::Words;
use crate::time::Millis;

/// No more causes are looked at.
pub(crate) const CAUSE_LIMIT: u8 = 8;
const TOKEN_LIMIT: usize = 40;
const TEXT_COUNT: usize = 10;

/// Something that was observed and that a rule can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Flag {
    /// It comes from a child process.
    Child,
    /// The child process was killed by its timeout.
    KilledChild,
    /// A system call on a file failed.
    FileCall,
    /// Starting a process failed.
    SpawnCall,
    /// A system call on a socket or a name failed.
    NetCall,
    /// A quota with a limit of nothing.
    LimitZero,
    /// A quota that is counted by the day or longer.
    LongQuota,
    /// A quota that is counted by the minute or shorter.
    ShortQuota,
    /// A body that is HTML where JSON was due.
    Html,
    /// JSON that breaks off.
    CutJson,
    /// A parser found no JSON.
    BadJson,
    /// Validation issues are listed (Zod and its kin).
    Issues,
    /// It is a JSON-RPC error, so that its number is no HTTP status.
    Rpc,
    /// It failed while embedding or drawing was asked of a provider that has no such model.
    OtherModelKind,
    /// The response says that the proxy wants credentials.
    Proxy,
    /// The status line's words stand at the end of the message, where the status itself was lost.
    StatusWords,
    /// Nothing at all could be read.
    Nothing,
    /// A bot wall answered in the provider's place.
    BotWall,
    /// The SDK says that it would retry.
    SdkRetries,
}

/// Where a token stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Name,
    Code,
}

/// A code, type, reason or name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) hash: u32,
    pub(crate) text: &'a str,
    pub(crate) role: Role,
}

/// A name without regard to case and separators, as one number: `rate_limit_exceeded`, `RateLimitExceeded` and
/// `RATE-LIMIT-EXCEEDED` are the same (FNV-1a over the letters and digits).
#[must_use]
pub(crate) const fn hash(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let mut hash: u32 = 0x811c_9dc5;
    let mut at = 0;
    while at < bytes.len() {
        #[expect(clippy::indexing_slicing, reason = "`at` is below the length; const fn has no iterators")]
        let byte = bytes[at].to_ascii_lowercase();
        if byte.is_ascii_alphanumeric() {
            hash = (hash ^ byte as u32).wrapping_mul(0x0100_0193);
        }
        at += 1;
    }
    hash
}

/// The bit that stands for a hash in a set of 128.
#[must_use]
pub(crate) const fn bit(hash: u32) -> u128 {
    1 << (hash & 127)
}

/// What a thrown value says.
#[derive(Debug, Default)]
pub struct Signals<'a> {
    /// The status of the response that carried the error.
    pub(crate) http_status: Option<u16>,
    /// The status that decides: the body's, where the response itself claims success.
    pub(crate) status: Option<u16>,
    body_status: Option<u16>,
    text_status: Option<u16>,
    inner_status: Option<u16>,
    pub(crate) rpc: Option<i32>,
    tokens: Vec<Token<'a>>,
    token_bits: u128,
    flags: u32,
    texts: Vec<&'a str>,
    words: OnceCell<Vec<Words>>,
    pub(crate) headers: Option<Node<'a>>,
    stated_hint: Option<Millis>,
    retry_info: Option<Millis>,
    pub(crate) should_retry: Option<bool>,
    pub(crate) request_id: Option<&'a str>,
    pub(crate) model: Option<&'a str>,
    pub(crate) provider: Option<&'static str>,
    pub(crate) causes: u8,
}

/// Texts that may hold JSON: messages, and bodies that were kept as text.
const WRAPPING_TEXTS: [Key; 9] = [
    Key::Item,
    Key::Message,
    Key::Body,
    Key::ResponseBody,
    Key::Data,
    Key::Error,
    Key::Raw,
    Key::Detail,
    Key::Details,
];

/// Classes whose messages quote what they were given.
const QUOTING_CLASSES: [&str; 7] = [
    "SyntaxError",
    "ZodError",
    "$ZodError",
    "ValidationError",
    "AssertionError",
    "AI_JSONParseError",
    "AI_TypeValidationError",
];

/// The JSON that stands inside the value's texts, as a list; parsed once more, so that JSON inside that is found too.
pub(crate) fn embedded(thrown: &Thrown) -> [Thrown; 2] {
    let first = embedded_once(thrown);
    let second = embedded_once(&first);
    [first, second]
}

fn embedded_once(thrown: &Thrown) -> Thrown {
    let mut out = Thrown::default();
    if let Some(root) = thrown.root().filter(|_| thrown.may_hold_json()) {
        let place = out.open(Key::Item, true);
        let mut left = 4;
        read_embedded(root, 0, &mut left, &mut out);
        if let Some(place) = place {
            out.close(place);
        }
        if left == 4 {
            return Thrown::default();
        }
    }
    out
}

fn read_embedded(node: Node<'_>, depth: u8, left: &mut u8, out: &mut Thrown) {
    if depth > 24 || *left == 0 {
        return;
    }
    if let Some(text) = node.text() {
        if node.key().is_some_and(|key| WRAPPING_TEXTS.contains(&key))
            && let Some(json) = json::find(text).and_then(|at| text.get(at..))
        {
            *left -= 1;
            json::read(json, Key::Item, out);
        }
        return;
    }
    // What a parser, a validator or a child process quotes is no provider's word.
    let names = [node.get(Key::Class), node.get(Key::Name)];
    let quotes =
        names.iter().flatten().filter_map(|name| name.text()).any(|name| QUOTING_CLASSES.contains(&name));
    if quotes || node.get(Key::Cmd).is_some() {
        return;
    }
    // A body that the SDK has parsed need not be parsed again from the message that quotes it.
    let parsed = node.is_object() && node.get(Key::Error).is_some_and(Node::is_object);
    for child in node.children() {
        let quoted = parsed && child.key() == Some(Key::Message);
        if !quoted && !child.key().is_some_and(Key::is_header) {
            read_embedded(child, depth + 1, left, out);
        }
    }
}

/// Headers with the request's id, the one that a provider's support asks for first.
const REQUEST_IDS: [Key; 8] = [
    Key::XRequestId,
    Key::RequestIdHeader,
    Key::AmznRequestId,
    Key::AmzRequestId,
    Key::ApimRequestId,
    Key::MsRequestId,
    Key::MistralCorrelationId,
    Key::DebugTraceId,
];

impl<'a> Signals<'a> {
    /// Gathers what the value and the JSON inside it say.
    pub(crate) fn gather(thrown: &'a Thrown, embedded: &'a [Thrown; 2]) -> Self {
        let mut signals =
            Self { tokens: Vec::with_capacity(16), texts: Vec::with_capacity(4), ..Self::default() };
        match thrown.root() {
            Some(root) => signals.value(root, 0, false),
            None => signals.flag(Flag::Nothing),
        }
        for documents in embedded.iter().filter_map(Thrown::root) {
            for document in documents.children() {
                signals.value(document, 0, true);
            }
        }
        signals.settle();
        signals
    }

    /// Which of the statuses decides.
    fn settle(&mut self) {
        let failed = |status: &u16| *status >= 400;
        let stated = self.http_status;
        // A child's output may quote any status, and so may an answer by JSON-RPC.
        if self.has(Flag::Child) || self.has(Flag::Rpc) {
            self.text_status = None;
        }
        if self.http_status.is_none() {
            self.http_status = self.text_status.or(self.body_status);
        }
        // A wrapper's own 500 or 502 says less than the failure inside.
        let inner = self.inner_status.filter(|_| matches!(self.http_status, None | Some(500 | 502)));
        self.status = inner
            .or_else(|| self.http_status.filter(failed))
            .or(self.body_status)
            .or(self.text_status.filter(|_| stated.is_none()))
            .or(self.http_status);
        if self.http_status.is_none() {
            self.http_status = inner;
        }
    }

    fn value(&mut self, node: Node<'a>, depth: u8, body: bool) {
        if let Some(text) = node.text() {
            return self.add_text(text);
        }
        if node.is_list() {
            for item in node.children() {
                self.value(item, depth + 1, true);
            }
            return;
        }
        if depth > 24 {
            return;
        }
        for child in node.children() {
            self.scalar(child, node, depth, body);
        }
        self.shape(node);
        for child in node.children() {
            self.container(child, depth, body);
        }
    }

    /// What the object as a whole is.
    fn shape(&mut self, node: Node<'a>) {
        let has = |key| node.get(key).is_some();
        if has(Key::Cmd) || has(Key::ExitCode) {
            self.flag(Flag::Child);
            let timed_out = node.get(Key::TimedOut).and_then(Node::boolean) == Some(true);
            let killed = node.get(Key::Killed).and_then(Node::boolean) == Some(true);
            let terminated =
                node.get(Key::Signal).and_then(Node::text).is_some_and(|s| s == "SIGTERM" || s == "SIGKILL");
            if timed_out || (killed && terminated && node.get(Key::Code).and_then(Node::text).is_none()) {
                self.flag(Flag::KilledChild);
            }
        }
        if let Some(call) = node.get(Key::Syscall).and_then(Node::text) {
            let net = [
                "connect",
                "getaddrinfo",
                "read",
                "write",
                "bind",
                "listen",
                "accept",
                "send",
                "recv",
                "query",
                "getnameinfo",
                "shutdown",
            ];
            // Reading and writing happen on sockets and on files; a socket's failure has a code of its own.
            if call.starts_with("spawn") || call == "kill" {
                self.flag(Flag::SpawnCall);
            } else if net.iter().any(|name| call.starts_with(name))
                && !matches!(call, "read" | "write" | "readlink" | "writev")
            {
                self.flag(Flag::NetCall);
            } else {
                self.flag(Flag::FileCall);
            }
        }
        if node.get(Key::Issues).is_some_and(Node::is_list) {
            self.flag(Flag::Issues);
        }
        if node.get(Key::ModelType).and_then(Node::text).is_some_and(|kind| kind != "languageModel") {
            self.flag(Flag::OtherModelKind);
        }
    }

    fn scalar(&mut self, child: Node<'a>, parent: Node<'a>, depth: u8, body: bool) {
        let Some(key) = child.key() else { return };
        match key {
            Key::Class | Key::Name | Key::Kind => self.name(child),
            Key::Code => self.code(child, parent, body),
            Key::Status | Key::StatusCode | Key::StatusCodeSnake | Key::HttpStatusCode => {
                self.status_field(child, depth, body)
            }
            Key::Type
            | Key::Reason
            | Key::ErrorCode
            | Key::ErrorCodeSnake
            | Key::LcErrorCode
            | Key::AmznErrorType
            | Key::FinishReason
            | Key::BlockReason
            | Key::Errno => self.token(child, Role::Code),
            Key::Message
            | Key::Msg
            | Key::Description
            | Key::ErrorDescription
            | Key::Title
            | Key::StatusText => {
                if let Some(text) = child.text() {
                    self.add_text(text);
                }
            }
            Key::Error | Key::Detail | Key::Raw | Key::Details => {
                if let Some(text) = child.text() {
                    // RFC 6749 and many gateways put a code where others have an object.
                    if key == Key::Error && is_plain_token(text) && !text.contains(' ') {
                        self.token(child, Role::Code);
                    }
                    self.add_text(text);
                }
            }
            Key::Body | Key::ResponseBody | Key::Data => {
                if let Some(text) = child.text() {
                    self.add_text(text);
                }
            }
            Key::RequestIdUpper | Key::RequestIdSnake | Key::RequestId => self.id(child),
            Key::Model | Key::ModelId => self.model_name(child),
            Key::Provider | Key::ProviderId => {
                self.provider = self.provider.or_else(|| child.text().and_then(provider::from_name));
            }
            Key::Url => self.provider = self.provider.or_else(|| child.text().and_then(provider::from_url)),
            Key::RetryDelay => {
                self.retry_info = self.retry_info.or_else(|| child.text().and_then(hint::retry_info))
            }
            Key::RetryAfterMsProperty => {
                self.stated_hint = self.stated_hint.or_else(|| hint::stated(child, 1.0))
            }
            Key::RetryAfterProperty | Key::RetryAfterSnake => {
                self.stated_hint = self.stated_hint.or_else(|| hint::stated(child, 1000.0));
            }
            Key::QuotaId => {
                let id = child.text().unwrap_or_default();
                if ["PerDay", "PerMonth", "PerWeek"].iter().any(|span| id.contains(span)) {
                    self.flag(Flag::LongQuota);
                } else if ["PerMinute", "PerSecond", "PerHour"].iter().any(|span| id.contains(span)) {
                    self.flag(Flag::ShortQuota);
                }
            }
            Key::QuotaValue if child.text() == Some("0") || child.number() == Some(0.0) => {
                self.flag(Flag::LimitZero)
            }
            Key::IsRetryable if child.boolean() == Some(true) => self.flag(Flag::SdkRetries),
            _ => {}
        }
    }

    fn container(&mut self, child: Node<'a>, depth: u8, body: bool) {
        let Some(key) = child.key() else { return };
        match key {
            Key::Headers | Key::ResponseHeaders => self.response_headers(child),
            Key::RequestBodyValues => {
                if let Some(model) = child.get(Key::Model) {
                    self.model_name(model);
                }
            }
            Key::QuotaDimensions => {
                if let Some(model) = child.get(Key::Model) {
                    self.model_name(model);
                }
            }
            Key::Cause | Key::LastError if self.causes < CAUSE_LIMIT => {
                self.causes += 1;
                self.value(child, depth + 1, body);
            }
            Key::Errors if child.is_list() => {
                for item in child.children() {
                    if self.causes < CAUSE_LIMIT {
                        self.causes += 1;
                        self.value(item, depth + 1, body);
                    }
                }
            }
            // What failed validation says nothing of the failure beyond that it did.
            Key::Issues => {}
            Key::Response | Key::AwsMetadata | Key::AwsResponse | Key::RawResponse if child.is_object() => {
                self.value(child, depth + 1, body);
            }
            _ if child.is_object() || child.is_list() => self.value(child, depth + 1, true),
            _ => {}
        }
    }

    fn name(&mut self, node: Node<'a>) {
        let Some(text) = node.text() else { return };
        let text = text.strip_prefix("AI_").or_else(|| text.strip_prefix("Vercel_AI_")).unwrap_or(text);
        if matches!(text, "Error" | "Object" | "" | "TypeError$1") {
            return;
        }
        self.provider = self.provider.or_else(|| provider::from_class(text));
        self.add_token(text, Role::Name);
    }

    fn token(&mut self, node: Node<'a>, role: Role) {
        if let Some(text) = node.text() {
            // `type` may be a path (`urn:…`, `type.googleapis.com/google.rpc.Help`, `X:http://…` in AWS headers).
            let text = text
                .split([':', '/'])
                .next()
                .filter(|head| role == Role::Code && !head.is_empty())
                .unwrap_or(text);
            self.add_token(text, role);
        }
    }

    fn add_token(&mut self, text: &'a str, role: Role) {
        if text.is_empty() || text.len() > 96 || self.tokens.len() >= TOKEN_LIMIT {
            return;
        }
        let hash = hash(text);
        if matches!(text, "error" | "None" | "null")
            || self.tokens.iter().any(|token| token.hash == hash && token.role == role)
        {
            return;
        }
        self.token_bits |= bit(hash);
        self.tokens.push(Token { hash, text, role });
    }

    /// A `code` is a name, an HTTP status as a number or digits, a JSON-RPC number, or an exit code.
    fn code(&mut self, node: Node<'a>, parent: Node<'a>, body: bool) {
        let number = node
            .number()
            .or_else(|| node.text().and_then(|text| text.trim().parse::<i32>().ok()).map(f64::from));
        let Some(number) = number else { return self.token(node, Role::Code) };
        if parent.get(Key::Cmd).is_some() || parent.get(Key::ExitCode).is_some() {
            return;
        }
        if (-32_999.0..=-32_000.0).contains(&number) {
            #[expect(clippy::cast_possible_truncation, reason = "in range by the line above")]
            let number = number as i32;
            self.rpc = self.rpc.or(Some(number));
            self.flag(Flag::Rpc);
        } else if let Some(status) = http_status(number).filter(|status| *status >= 400) {
            if body {
                self.body_status = self.body_status.or(Some(status));
            } else {
                self.text_status = self.text_status.or(Some(status));
            }
        }
    }

    fn status_field(&mut self, node: Node<'a>, depth: u8, body: bool) {
        let number = node
            .number()
            .or_else(|| node.text().and_then(|text| text.trim().parse::<u16>().ok()).map(f64::from));
        let Some(number) = number else { return self.token(node, Role::Code) };
        let Some(status) = http_status(number) else { return };
        if body {
            self.body_status = self.body_status.or(Some(status).filter(|status| *status >= 400));
        } else if self.http_status.is_none() {
            self.http_status = Some(status);
        } else if depth > 0 && self.causes > 0 && status >= 400 {
            self.inner_status = self.inner_status.or(Some(status));
        }
    }

    fn id(&mut self, node: Node<'a>) {
        if let Some(text) = node.text().filter(|text| is_request_id(text)) {
            self.request_id = self.request_id.or(Some(text));
        }
    }

    fn model_name(&mut self, node: Node<'a>) {
        if let Some(text) = node.text().filter(|text| is_model_name(text)) {
            self.model = self.model.or(Some(text));
        }
    }

    fn response_headers(&mut self, headers: Node<'a>) {
        if self.headers.is_none() {
            self.headers = Some(headers);
        }
        // One pass: a response has twenty headers, and asking for each by name would cost more than the rules.
        let mut id: Option<(usize, &'a str)> = None;
        let mut answered = None;
        for header in headers.children() {
            let (Some(key), Some(text)) = (header.key(), header.text()) else { continue };
            let rank = REQUEST_IDS.iter().position(|known| *known == key);
            if let Some(rank) =
                rank.filter(|rank| id.is_none_or(|(best, _)| *rank < best) && is_request_id(text))
            {
                id = Some((rank, text));
            }
            match key {
                Key::ShouldRetry if self.should_retry.is_none() && matches!(text, "true" | "false") => {
                    self.should_retry = Some(text == "true");
                }
                Key::AmznErrorType => self.token(header, Role::Code),
                Key::CfMitigated if text == "challenge" => self.flag(Flag::BotWall),
                Key::ProxyAuthenticate => self.flag(Flag::Proxy),
                _ => {}
            }
            answered = provider::better(answered, key, text);
        }
        self.request_id = self.request_id.or(id.map(|(_, text)| text));
        self.provider = self.provider.or(provider::name_of(answered));
    }

    fn add_text(&mut self, text: &'a str) {
        let text = unwrapped(text.trim());
        if text.is_empty() || self.texts.len() >= TEXT_COUNT || self.quotes(text) {
            return;
        }
        if starts_like_html(text) {
            self.flag(Flag::Html);
            return;
        }
        let failed = self.http_status.is_some_and(|status| status >= 400);
        if !failed {
            self.read_json_complaint(text);
        }
        let json = json::find(text);
        if json == Some(0) {
            return;
        }
        if !failed && self.text_status.is_none() {
            self.text_status = status_in_text(text);
        }
        // What precedes embedded JSON or HTML is prose; what is inside has been read as what it is.
        let html = find_html(text);
        if html.is_some() {
            self.flag(Flag::Html);
        }
        let prose = text.get(..json.or(html).unwrap_or(text.len())).unwrap_or(text);
        if let Some(name) = grpc_name(prose).or_else(|| dotted_error_name(prose)) {
            self.add_token(name, Role::Code);
        }
        if !prose.trim().is_empty() {
            self.texts.push(prose);
        }
    }

    /// Whether a text that is known already says it: SDKs put a body's message into their own, after a status at most.
    fn quotes(&self, text: &str) -> bool {
        let head = cut(text, 64).as_bytes();
        self.texts.iter().any(|known| {
            known.len() >= text.len().min(1000)
                && (0..=24).any(|offset| known.as_bytes().get(offset..offset + head.len()) == Some(head))
        })
    }

    /// What JSON parsers of V8, SpiderMonkey, JavaScriptCore and node-fetch say.
    fn read_json_complaint(&mut self, text: &str) {
        let head = cut(text, 512);
        if !(head.contains("JSON") || head.contains("json")) {
            return;
        }
        const CUT: [&str; 9] = [
            "Unexpected end of JSON input",
            "Unterminated string in JSON",
            "Unexpected EOF",
            "unexpected end of data",
            "Unterminated string",
            "end of input",
            "unterminated string",
            "Incomplete JSON",
            "Expected double-quoted property name in JSON",
        ];
        const BAD: [&str; 9] = [
            "is not valid JSON",
            "in JSON at position",
            "JSON.parse:",
            "JSON Parse error",
            "JSON parsing failed",
            "invalid json response body",
            "Invalid JSON response",
            "Bad control character in string literal in JSON",
            "Unexpected non-whitespace character after JSON",
        ];
        if CUT.iter().any(|phrase| head.contains(phrase)) {
            self.flag(Flag::CutJson);
            self.flag(Flag::BadJson);
        } else if BAD.iter().any(|phrase| head.contains(phrase)) {
            self.flag(Flag::BadJson);
        }
        if head.contains("token '<'")
            || head.contains("token <")
            || head.contains("\"<!DOCTYPE")
            || head.contains("\"<html")
        {
            self.flag(Flag::Html);
        }
        // A body that is a status line's words alone: `"Too Many Requests" is not valid JSON`.
        if head.contains("\"Too Many Requests\" is not valid JSON") {
            self.text_status = self.text_status.or(Some(429));
        }
    }

    fn flag(&mut self, flag: Flag) {
        self.flags |= 1 << flag as u8;
    }

    /// Whether that was observed.
    pub(crate) fn has(&self, flag: Flag) -> bool {
        self.flags & (1 << flag as u8) != 0
    }

    /// Whether any of the names occurs; `mask` has the bits of their hashes.
    pub(crate) fn any_token(&self, mask: u128, hashes: &[u32], role: Option<Role>) -> bool {
        self.token_bits & mask != 0
            && self
                .tokens
                .iter()
                .any(|token| role.is_none_or(|role| role == token.role) && hashes.contains(&token.hash))
    }

    fn words(&self) -> &[Words] {
        self.words.get_or_init(|| self.texts.iter().map(|text| Words::of(text)).collect())
    }

    /// Whether any text says any of the phrases, see [`Words::say`].
    pub(crate) fn say(&self, phrases: &[&str]) -> bool {
        self.words().iter().any(|words| words.say(phrases))
    }

    /// Whether the first 64 bytes of any text hold any of the phrases as they stand.
    pub(crate) fn begin_with(&self, phrases: &[&str]) -> bool {
        self.texts.iter().any(|text| phrases.iter().any(|phrase| cut(text, 64).contains(phrase)))
    }

    /// Whether any text opens with any of the phrases, within its first 120 letters.
    pub(crate) fn open_with(&self, phrases: &[&str]) -> bool {
        self.words().iter().any(|words| words.open_with(phrases, 120))
    }

    /// What was asked to wait, the most precise first: headers, google.rpc.RetryInfo, stated fields, prose, limits.
    pub(crate) fn hint(&self, now: Option<u64>, limits: bool) -> Option<Millis> {
        self.headers
            .and_then(|headers| hint::from_headers(headers, now, false))
            .or(self.retry_info)
            .or(self.stated_hint)
            .or_else(|| self.texts.iter().find_map(|text| hint::from_prose(text)))
            .or_else(|| {
                self.headers.filter(|_| limits).and_then(|headers| hint::from_headers(headers, now, true))
            })
    }

    /// The codes and names that may be shown, in the order in which they were found.
    pub(crate) fn shown(&self, role: Role) -> impl Iterator<Item = &'a str> {
        self.tokens
            .iter()
            .filter(move |token| token.role == role && is_plain_token(token.text))
            .map(|token| token.text)
    }

    /// What was found, for events and the dashboard. Names, codes and numbers only.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let mut out = serde_json::Map::new();
        let mut put = |name: &str, value: serde_json::Value| {
            out.insert(name.to_owned(), value);
        };
        if let Some(status) = self.status {
            put("status", status.into());
        }
        let codes: Vec<&str> = self.shown(Role::Code).take(4).collect();
        if !codes.is_empty() {
            put("codes", codes.into());
        }
        let names: Vec<&str> = self.shown(Role::Name).take(3).collect();
        if !names.is_empty() {
            put("names", names.into());
        }
        if let Some(rpc) = self.rpc {
            put("rpc", rpc.into());
        }
        if let Some(should) = self.should_retry {
            put("shouldRetry", should.into());
        }
        if self.causes > 0 {
            put("causes", self.causes.into());
        }
        serde_json::Value::Object(out)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by the filter")]
fn http_status(number: f64) -> Option<u16> {
    ((100.0..=599.0).contains(&number) && number.fract() == 0.0).then_some(number as u16)
}

/// A text that is one quotation as a whole, as SDKs make of a body that is a JSON string, without its marks.
fn unwrapped(text: &str) -> &str {
    // OpenAI's SDK puts the status in front: `400 "Incorrect API key …"`.
    let bare = text
        .get(3..)
        .filter(|_| text.bytes().take(3).all(|b| b.is_ascii_digit()))
        .map_or(text, str::trim_start);
    let inner = bare.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(text)
}

fn starts_like_html(text: &str) -> bool {
    let head = cut(text, 15);
    head.starts_with('<')
        && ["<!doctype html", "<html", "<head", "<body"]
            .iter()
            .any(|tag| head.get(..tag.len()).is_some_and(|h| h.eq_ignore_ascii_case(tag)))
}

fn find_html(text: &str) -> Option<usize> {
    let head = cut(text, 256);
    head.match_indices('<').map(|(at, _)| at).find(|&at| starts_like_html(head.get(at..).unwrap_or_default()))
}

/// The status that a message states in one of the fixed forms of SDKs and wrappers, with the words that go with it.
fn status_in_text(text: &str) -> Option<u16> {
    let head = cut(text, 300);
    let bytes = head.as_bytes();
    let mut at = 0;
    while at + 3 <= bytes.len() {
        // Most letters are no digit: they must cost nothing.
        if !bytes.get(at).is_some_and(|b| (b'4'..=b'5').contains(b)) {
            at += 1;
            continue;
        }
        let alone = !at
            .checked_sub(1)
            .and_then(|before| bytes.get(before))
            .is_some_and(|b| b.is_ascii_alphanumeric() || b"._-/:#$".contains(b));
        if alone
            && bytes.get(at..at + 3).is_some_and(|d| d.iter().all(u8::is_ascii_digit))
            && !bytes.get(at + 3).is_some_and(|b| b.is_ascii_alphanumeric() || b"_%/".contains(b))
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

/// Whether what stands before a number says that it is an HTTP status.
fn introduces_status(before: &str, after: &str) -> bool {
    let tail = before
        .get(before.ceil_char_boundary(before.len().saturating_sub(48))..)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let tail = tail.trim_end_matches([' ', ':', '=', '(', '[', '"', '\'', '-']);
    const LEADS: [&str; 15] = [
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
    ];
    // Said of statuses and of counts alike ("returned 429 rows"): only where nothing follows.
    const WEAK: [&str; 6] =
        ["error", "returned", "responded with", "failed with", "request failed", "call failed"];
    let ends = after.trim_start().is_empty() || after.starts_with(['.', ':', ',', ')', ']']);
    if ends && (tail.is_empty() || WEAK.iter().any(|lead| tail.ends_with(lead))) {
        return true;
    }
    LEADS.iter().any(|lead| tail.ends_with(lead))
        || (tail.ends_with("status")
            && before.trim_end().ends_with([':', '='])
            && !tail.contains(" status status"))
            && tail.strip_suffix("status").is_some_and(|rest| {
                rest.trim_end().is_empty() || rest.trim_end().ends_with(['!', ',', ';', '(', '.'])
            })
}

/// Whether the words of the status line follow the number: `429 Too Many Requests`, or the number opens an SDK's
/// message: `429 status code (no body)`.
fn names_status(digits: &str, after: &str, before: &str) -> bool {
    let after = after.trim_start();
    let before = before.trim_end();
    if before.is_empty() && after.starts_with("status code (no body)") {
        return true;
    }
    // Mid-sentence ("how to fix 401 unauthorized") it is somebody's subject, not this error's status.
    let stands_alone = before.is_empty() || before.ends_with([':', '[', '(', '-', '|']);
    stands_alone && STATUS_WORDS.iter().any(|(status, words)| *status == digits && after.starts_with(words))
}

/// The words of the status line (RFC 9110 §15, and what servers add).
const STATUS_WORDS: [(&str, &str); 21] = [
    ("400", "Bad Request"),
    ("401", "Unauthorized"),
    ("402", "Payment Required"),
    ("403", "Forbidden"),
    ("404", "Not Found"),
    ("405", "Method Not Allowed"),
    ("408", "Request Timeout"),
    ("409", "Conflict"),
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

/// gRPC for JavaScript opens a message with number and name of the status: `14 UNAVAILABLE: No connection`.
fn grpc_name(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let taken = text.len() - rest.len();
    let rest = rest.strip_prefix(' ').filter(|_| (1..=2).contains(&taken))?;
    let (name, _) = rest.split_once(':')?;
    (name.len() > 3 && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')).then_some(name)
}

/// A Python class in front of a message, as LiteLLM and vLLM forward it: `litellm.RateLimitError: …`.
fn dotted_error_name(text: &str) -> Option<&str> {
    let (head, _) = cut(text, 120).split_once(':')?;
    let name = head.rsplit([' ', '.']).next()?;
    (head.contains('.')
        && name.len() > 8
        && name.bytes().all(|b| b.is_ascii_alphanumeric())
        && (name.ends_with("Error") || name.ends_with("Exception")))
    .then_some(name)
}

/// Whether a code or name may be shown: a word as programmers write them, and nothing that looks like a key.
pub(crate) fn is_plain_token(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-$".contains(&b))
        && text.bytes().filter(u8::is_ascii_digit).count() <= 6
        && !looks_secret(text)
}

fn is_request_id(text: &str) -> bool {
    (4..=128).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-:/+=,;|".contains(&b))
        && !looks_secret(text)
}

fn is_model_name(text: &str) -> bool {
    (2..=96).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-:/@".contains(&b))
        && !looks_secret(text)
}

/// How keys and tokens begin: OpenAI and its kin, Google, AWS, GitHub, Slack, Groq, Hugging Face, xAI, JWT.
fn looks_secret(text: &str) -> bool {
    const PREFIXES: [&str; 16] = [
        "sk-",
        "sk_",
        "pk-",
        "rk-",
        "AIza",
        "AKIA",
        "ASIA",
        "ghp_",
        "gho_",
        "github_pat_",
        "xox",
        "gsk_",
        "hf_",
        "xai-",
        "eyJ",
        "Bearer",
    ];
    PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}
