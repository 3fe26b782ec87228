//! Reads a thrown value's fields into [`Signals`], in one pass. Each key determines the meaning of its value.

use super::hint;
use super::key::Key;
use super::listed::is_state;
use super::provider;
use super::shown::{is_model_name, is_path, is_plain_token, is_request_id};
use super::signals::{Flag, PROGRAM_ERRORS, Signals};
use super::thrown::{DEPTH_LIMIT, Node, Thrown};
use super::token::Role;
use crate::text::contains;

/// The most causes that are read.
pub(super) const CAUSE_LIMIT: u8 = 8;

impl<'a> Signals<'a> {
    /// Gathers the signals of the value and of the JSON inside it.
    pub(crate) fn gather(thrown: &'a Thrown, embedded: &'a [Thrown; 2]) -> Self {
        let mut signals = Self::empty();
        if let Some(root) = thrown.root() {
            signals.value(root, 0, false);
        }
        for documents in embedded.iter().filter_map(Thrown::root) {
            for document in documents.children() {
                signals.value(document, 0, true);
            }
        }
        signals.settle();
        signals
    }

    /// Selects the status that decides.
    fn settle(&mut self) {
        let failed = |status: &u16| *status >= 400;
        let stated = self.http_status;
        if self.texts.is_empty() {
            self.flag(Flag::Silent);
        }
        // A child's output may quote any status, and so may a JSON-RPC response.
        if self.has(Flag::Child) || self.has(Flag::Rpc) || self.listed.numbered {
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
            .or(self.http_status)
            .or(self.success_status);
        if self.http_status.is_none() {
            self.http_status = inner;
        }
    }

    fn value(&mut self, node: Node<'a>, depth: u8, body: bool) {
        if let Some(text) = node.text() {
            return self.add_text(text);
        }
        // Bounds the recursion for bytes from a foreign writer.
        if depth > DEPTH_LIMIT {
            return;
        }
        if node.is_list() {
            if depth == 0 && !body && node.children().next().is_some_and(is_issue) {
                self.flag(Flag::Issues);
            }
            for item in node.children() {
                self.value(item, depth + 1, true);
            }
            return;
        }
        for child in node.children() {
            self.scalar(child, node, depth, body);
        }
        self.shape(node);
        self.listed.object(node);
        for child in node.children() {
            self.container(child, node, depth, body);
        }
    }

    /// Reads the shape of a whole object.
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
            // Sockets and files both have reads and writes, but a socket's failure has a code of its own.
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

    /// Reads a value that is no object, by its key: one arm for the keys of one meaning.
    fn scalar(&mut self, child: Node<'a>, parent: Node<'a>, depth: u8, body: bool) {
        let Some(key) = child.key() else { return };
        match key {
            Key::Class | Key::Name | Key::Kind => {
                // Only the thrown value itself: its cause may be a value that the SDK made an error of.
                let outermost = depth == 0 && !body && key != Key::Kind;
                if outermost && child.text().is_some_and(|name| PROGRAM_ERRORS.contains(&name)) {
                    self.flag(Flag::Program);
                }
                self.name(child);
            }
            Key::Code | Key::CodeUpper | Key::ErrorCode | Key::ErrorCodeSnake => {
                self.code(child, parent, body)
            }
            Key::Status
            | Key::StatusCode
            | Key::StatusCodeSnake
            | Key::HttpStatusCode
            | Key::HttpStatus
            | Key::HttpCode => self.status_field(child, body),
            Key::SqlState | Key::SqlStateLower => {
                self.state(child);
                self.token(child);
            }
            Key::Param => {
                self.param = self.param.or_else(|| child.text().filter(|text| is_path(text)));
            }
            // Only an error about a bad answer: others have these finish reasons too.
            Key::FinishReasonCamel if matches!(child.text(), Some("length" | "content-filter")) => {
                self.token(child);
            }
            Key::Type
            | Key::Reason
            | Key::AwsType
            | Key::LcErrorCode
            | Key::OriginalCode
            | Key::AmznErrorType
            | Key::FinishReason
            | Key::BlockReason
            | Key::Errno => self.token(child),
            // Dropbox sends the whole path through a union's tags, `path/not_found/..`.
            Key::ErrorSummary => self.add_token(child.text().unwrap_or_default(), Role::Code),
            Key::Message
            | Key::Msg
            | Key::Description
            | Key::ErrorDescription
            | Key::Title
            | Key::StatusText
            | Key::StatusMessage => {
                if let Some(text) = child.text() {
                    self.add_text(text);
                }
            }
            Key::Error | Key::Detail | Key::Raw | Key::Details => {
                if let Some(text) = child.text() {
                    // RFC 6749 and many gateways put a code into the field that holds an object elsewhere.
                    if key == Key::Error && is_plain_token(text) {
                        self.token(child);
                    }
                    self.add_text(text);
                }
            }
            // `response` holds the replies of mail servers.
            Key::Body | Key::ResponseBody | Key::Data | Key::Response => {
                if let Some(text) = child.text() {
                    if matches!(key, Key::Body | Key::ResponseBody) {
                        self.flag(Flag::Body);
                    }
                    self.add_text(text);
                }
            }
            Key::Number | Key::Errcode => self.note_number(child),
            Key::RequestIdUpper | Key::RequestIdSnake | Key::RequestId => self.id(child),
            Key::Model | Key::ModelId => self.model_name(child),
            Key::Provider | Key::ProviderId => {
                self.provider = self.provider.or_else(|| child.text().and_then(provider::from_name));
            }
            Key::Url => self.provider = self.provider.or_else(|| child.text().and_then(provider::from_url)),
            Key::RetryDelay => {
                self.retry_info = self.retry_info.or_else(|| child.text().and_then(hint::retry_info))
            }
            // The AI SDK derives it from the status, so its `false` adds nothing.
            Key::IsRetryable if child.boolean() == Some(false) => {}
            Key::Retryable | Key::Retriable | Key::IsRetryable => {
                // The innermost statement counts: a wrapper decides whether to wrap again, and its cause describes the
                // failure.
                self.library_retry = child.boolean().or(self.library_retry);
            }
            Key::RetryAfterMsProperty | Key::RetryAfterMsSnake => {
                self.stated_hint = self.stated_hint.or_else(|| hint::stated(child, 1.0))
            }
            Key::RetryAfterProperty | Key::RetryAfterSnake | Key::RetryAfterSeconds => {
                self.stated_hint = self.stated_hint.or_else(|| hint::stated(child, 1000.0));
            }
            Key::QuotaId => {
                let id = child.text().unwrap_or_default();
                if ["PerDay", "PerMonth", "PerWeek"].iter().any(|span| contains(id, span)) {
                    self.flag(Flag::LongQuota);
                } else if ["PerMinute", "PerSecond", "PerHour"].iter().any(|span| contains(id, span)) {
                    self.flag(Flag::ShortQuota);
                }
            }
            Key::QuotaValue if child.text() == Some("0") || child.number() == Some(0.0) => {
                self.flag(Flag::LimitZero)
            }
            _ => {}
        }
    }

    fn container(&mut self, child: Node<'a>, parent: Node<'a>, depth: u8, body: bool) {
        let Some(key) = child.key() else { return };
        match key {
            Key::Headers | Key::ResponseHeaders => self.response_headers(child),
            Key::AwsRetryable => self.library_retry = Some(true),
            Key::Metadata if child.children().any(|field| field.key().is_some_and(Key::is_header)) => {
                self.response_headers(child);
            }
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
            Key::ErrorLabels => child.children().for_each(|label| self.token(label)),
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
            // A payload may belong to the request. It belongs to a response only beside one, as in the `data` of a Boom
            // error.
            Key::Payload if parent.get(Key::Res).is_none() => {}
            // The values that failed validation add nothing about the failure.
            Key::Issues => {}
            // Other values belong to the application.
            Key::Value if !holds_answer(parent, child) => {}
            Key::Param => {}
            // FastAPI and Pydantic: the path as a list, `["body", "top_k"]`.
            Key::Loc => {
                let last = child.children().filter_map(Node::text).last().filter(|text| is_path(text));
                self.param = self.param.or(last);
            }
            Key::Response
            | Key::AwsMetadata
            | Key::AwsResponse
            | Key::RawResponse
            | Key::HttpResponse
            | Key::Res
            | Key::Context
                if child.is_object() =>
            {
                self.value(child, depth + 1, body);
            }
            _ if child.is_object() || child.is_list() => {
                if matches!(key, Key::Error | Key::Body | Key::ResponseBody | Key::ParsedBody) {
                    self.flag(Flag::Body);
                }
                self.value(child, depth + 1, true);
            }
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

    fn token(&mut self, node: Node<'a>) {
        if let Some(text) = node.text() {
            // `type` may be an address (RFC 9457 §3.1.1) or a shape's name (`com.amazonaws.sqs#QueueDoesNotExist`). The
            // last part is the meaningful one.
            let end = if text.starts_with("http") {
                text.rsplit(['/', '#']).next()
            } else {
                text.rsplit('#').next()
            };
            let text = end.unwrap_or(text);
            // And a path (`urn:…`, `type.googleapis.com/google.rpc.Help`, `X:http://…` in AWS headers).
            let text = text.split([':', '/']).next().filter(|head| !head.is_empty()).unwrap_or(text);
            self.add_token(text, Role::Code);
        }
    }

    fn state(&mut self, node: Node<'a>) {
        // `EPIPE` has the form but is no SQLSTATE: each class of SQLSTATE has a digit, except two of a few vendors.
        let state = |text: &&str| is_state(text) && text.bytes().any(|b| b.is_ascii_digit());
        self.sql_state = self.sql_state.or_else(|| node.text().filter(state));
    }

    fn code(&mut self, node: Node<'a>, parent: Node<'a>, body: bool) {
        self.state(node);
        let number = node
            .number()
            .or_else(|| node.text().and_then(|text| text.trim().parse::<i32>().ok()).map(f64::from));
        let Some(number) = number else { return self.token(node) };
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
        } else if node.text().is_some() {
            // An SQLSTATE of digits, and other numbers that are names.
            self.token(node);
        } else {
            self.note_number(node);
        }
    }

    /// Keeps a vendor's number to show it. A long one is skipped, because it could identify anything.
    fn note_number(&mut self, node: Node<'a>) {
        let number = node.number().filter(|number| number.fract() == 0.0 && (1.0..1e6).contains(number));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by the filter")]
        let number = number.map(|number| number as u32);
        self.vendor_number = self.vendor_number.or(number);
    }

    fn status_field(&mut self, node: Node<'a>, body: bool) {
        let number = node
            .number()
            .or_else(|| node.text().and_then(|text| text.trim().parse::<u16>().ok()).map(f64::from));
        let Some(number) = number else { return self.token(node) };
        let Some(status) = http_status(number) else { return };
        if body {
            if status >= 400 {
                self.body_status = self.body_status.or(Some(status));
            } else {
                self.success_status = self.success_status.or(Some(status));
            }
        } else if self.http_status.is_none() {
            self.http_status = Some(status);
        } else if self.causes > 0 && status >= 400 {
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
        if headers.children().next().is_some() {
            self.flag(Flag::Answered);
        }
        // A single pass: a response has twenty headers, and looking each up by name would cost more than the rules.
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
                Key::ShouldRetry | Key::StripeShouldRetry
                    if self.should_retry.is_none() && matches!(text, "true" | "false") =>
                {
                    self.should_retry = Some(text == "true");
                }
                Key::GrpcPushback if text.starts_with('-') => self.should_retry = Some(false),
                // GitHub reports an exceeded rate with a 403
                // (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api).
                Key::LimitRemaining | Key::DraftRemaining if text == "0" => self.flag(Flag::LimitReached),
                Key::RetryAfter => self.flag(Flag::LimitReached),
                Key::AmznErrorType => self.token(header),
                Key::CfMitigated if text == "challenge" => self.flag(Flag::BotWall),
                _ => {}
            }
            answered = provider::better(answered, key, text);
        }
        self.request_id = self.request_id.or(id.map(|(_, text)| text));
        self.provider = self.provider.or(provider::name_of(answered));
    }
}

/// Returns `true` for an item of the list that some validators return: an object that is no error, with a text and the
/// kind of its mistake.
fn is_issue(item: Node<'_>) -> bool {
    let text = |key| item.get(key).and_then(Node::text).is_some();
    let else_is = [Key::Class, Key::Name, Key::Code, Key::Status, Key::Extensions];
    text(Key::Message) && text(Key::Type) && else_is.iter().all(|key| item.get(*key).is_none())
}

/// Returns `true` if a value that did not match its schema is an error response. A server compatible with OpenAI's may
/// stream an error that the AI SDK's schema does not know,
/// <https://ai-sdk.dev/docs/reference/ai-sdk-errors/ai-type-validation-error>.
fn holds_answer(error: Node<'_>, value: Node<'_>) -> bool {
    let name = error.get(Key::Name).or_else(|| error.get(Key::Class)).and_then(Node::text);
    name.is_some_and(|name| name.ends_with("TypeValidationError"))
        && value.get(Key::Error).is_some_and(Node::is_object)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by the filter")]
fn http_status(number: f64) -> Option<u16> {
    ((100.0..=599.0).contains(&number) && number.fract() == 0.0).then_some(number as u16)
}

/// Headers with the request's id, in the order in which a provider's support prefers them.
const REQUEST_IDS: [Key; 13] = [
    Key::XRequestId,
    Key::RequestIdHeader,
    Key::AmznRequestId,
    Key::AmzRequestId,
    Key::ApimRequestId,
    Key::MsRequestId,
    Key::MistralCorrelationId,
    Key::DebugTraceId,
    Key::GithubRequestId,
    Key::SlackRequestId,
    Key::CorrelationId,
    Key::TraceId,
    Key::CfRay,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use crate::classify::{Context, classify, examine};

    #[test]
    fn a_payload_is_read_beside_a_response_only() {
        let code_of = |json: &str| classify(&Thrown::from_json(json), &Context::default()).code;
        let payload = r#""payload":{"message":"the order already exists"}"#;
        assert_eq!(code_of(&format!(r#"{{"data":{{{payload}}}}}"#)), Code::Unknown);
        assert_eq!(code_of(r#"{"data":{"payload":"the order already exists"}}"#), Code::Unknown);
        assert_eq!(
            code_of(&format!(r#"{{"data":{{{payload},"res":{{"statusCode":409}}}}}}"#)),
            Code::AlreadyExists
        );
    }

    /// Values of a kind, nested in each other around the given bytes, in the layout that `Thrown` reads.
    fn nested(kind: u8, under: Key, depth: usize, inside: &[u8]) -> Thrown {
        let around = |inside: Vec<u8>, _| {
            let length = u16::try_from(inside.len()).unwrap().to_le_bytes();
            [&[under.number(), kind][..], &length, &inside].concat()
        };
        Thrown::from_bytes(&(0..depth).fold(inside.to_vec(), around))
    }
    const OBJECT: u8 = 4;
    const LIST: u8 = 5;

    /// A text in that layout.
    fn text(under: Key, text: &str) -> Vec<u8> {
        [&[under.number(), 3, u8::try_from(text.len()).unwrap(), 0][..], text.as_bytes()].concat()
    }

    #[test]
    fn lists_as_deep_as_bytes_can_say_are_read_to_a_depth() {
        for depth in [1, 25, 256, 8_000] {
            let _ = classify(&nested(LIST, Key::Item, depth, &[]), &Context::default());
        }
        let texts = |thrown: &Thrown| of_thrown(thrown, |signals| signals.texts().count());
        assert_eq!(texts(&nested(LIST, Key::Item, 25, &text(Key::Item, "late"))), 1);
        assert_eq!(texts(&nested(LIST, Key::Item, 26, &text(Key::Item, "late"))), 0);
        for under in [Key::Error, Key::Context, Key::Cause] {
            assert_eq!(texts(&nested(OBJECT, under, 8, &text(Key::Message, "late"))), 1);
            assert_eq!(texts(&nested(OBJECT, under, 40, &text(Key::Message, "late"))), 0);
        }
        let listed = nested(LIST, Key::Errors, 1, &text(Key::Item, "late"));
        assert_eq!(texts(&nested(OBJECT, Key::Error, 25, &listed.bytes)), 1);
        assert_eq!(texts(&nested(OBJECT, Key::Error, 26, &listed.bytes)), 0);
    }

    fn of_thrown<T>(thrown: &Thrown, look: impl FnOnce(&Signals<'_>) -> T) -> T {
        examine(thrown, &Context::default(), look).1
    }

    fn of<T>(json: &str, look: impl FnOnce(&Signals<'_>) -> T) -> T {
        of_thrown(&Thrown::from_json(json), look)
    }

    fn has(json: &str, flag: Flag) -> bool {
        of(json, |signals| signals.has(flag))
    }

    fn status(json: &str) -> Option<u16> {
        of(json, |signals| signals.status)
    }

    fn codes(json: &str) -> Vec<String> {
        of(json, |signals| {
            let codes = signals.tokens.iter().filter(|token| token.role == Role::Code);
            codes.map(|token| token.text.to_owned()).collect()
        })
    }

    fn texts(json: &str) -> usize {
        of(json, |signals| signals.texts().count())
    }

    /// JSON as an SDK quotes it in a message. It is read completely.
    fn quoted(json: &str) -> String {
        serde_json::json!({ "message": json }).to_string()
    }

    #[test]
    fn words_of_a_child_a_json_rpc_error_or_a_numbered_one_are_no_status() {
        assert_eq!(status(r#"{"message":"429 Too Many Requests"}"#), Some(429));
        for json in [
            r#"{"cmd":"curl","message":"429 Too Many Requests"}"#,
            r#"{"code":-32000,"message":"429 Too Many Requests"}"#,
            r#"{"errcode":5,"message":"429 Too Many Requests"}"#,
        ] {
            assert_eq!(status(json), None, "{json}");
        }
        for json in [r#"{"cmd":"curl","code":429}"#, r#"{"exitCode":1,"code":429}"#] {
            assert_eq!(status(&quoted(json)), None, "{json}");
        }
        assert_eq!(of(r#"{"cmd":"x","code":-32000}"#, |signals| signals.rpc), None);
    }

    #[test]
    fn only_a_cause_has_a_status_that_outranks_a_wrapper() {
        assert_eq!(status(r#"{"status":500,"cause":{"status":429}}"#), Some(429));
        assert_eq!(status(r#"{"status":500,"response":{"status":429}}"#), Some(500));
        assert_eq!(status(r#"{"status":500,"cause":{"status":200}}"#), Some(500));
    }

    #[test]
    fn issues_are_a_list_of_texts_with_kinds() {
        assert!(has(r#"[{"message":"too small","type":"min"}]"#, Flag::Issues));
        for json in [
            r#"[{"message":"too small"}]"#,
            r#"[{"type":"min"}]"#,
            r#"{"cause":[{"message":"too small","type":"min"}]}"#,
        ] {
            assert!(!has(json, Flag::Issues), "{json}");
        }
        // Their texts describe the validated value, not the error.
        assert_eq!(texts(&quoted(r#"{"issues":[{"message":"rate limit reached"}]}"#)), 0);
    }

    #[test]
    fn a_child_is_killed_by_what_kills() {
        let killed = |signal: &str| format!(r#"{{"cmd":"x","killed":true,"signal":"{signal}"}}"#);
        assert!(has(&killed("SIGTERM"), Flag::KilledChild) && has(&killed("SIGKILL"), Flag::KilledChild));
        assert!(!has(&killed("SIGINT"), Flag::KilledChild));
    }

    #[test]
    fn a_system_call_is_on_a_socket_a_file_or_a_process() {
        for (call, flag) in [
            ("connect", Flag::NetCall),
            ("getaddrinfo", Flag::NetCall),
            ("read", Flag::FileCall),
            ("readlink", Flag::FileCall),
            ("open", Flag::FileCall),
            ("spawn ls", Flag::SpawnCall),
            ("kill", Flag::SpawnCall),
        ] {
            for other in [Flag::NetCall, Flag::FileCall, Flag::SpawnCall] {
                assert_eq!(has(&format!(r#"{{"syscall":"{call}"}}"#), other), other == flag, "{call}");
            }
        }
    }

    #[test]
    fn an_error_names_its_model_and_provider() {
        let model = |json: &str| of(json, |signals| signals.model.map(str::to_owned));
        for json in [
            r#"{"model":"gpt-5"}"#,
            r#"{"modelId":"gpt-5"}"#,
            r#"{"requestBodyValues":{"model":"gpt-5"}}"#,
            r#"{"data":{"quotaDimensions":{"model":"gpt-5"}}}"#,
        ] {
            assert_eq!(model(json).as_deref(), Some("gpt-5"), "{json}");
        }
        // No other part of a request describes the failure.
        for under in ["requestBodyValues", "quotaDimensions"] {
            assert!(codes(&quoted(&format!(r#"{{"{under}":{{"reason":"late"}}}}"#))).is_empty());
        }
        for json in [r#"{"provider":"openai"}"#, r#"{"providerId":"openai"}"#] {
            assert_eq!(of(json, |signals| signals.provider), Some("openai"), "{json}");
        }
    }

    #[test]
    fn a_library_states_whether_to_retry() {
        let retry = |json: &str| of(json, |signals| signals.library_retry);
        assert_eq!(retry(r#"{"isRetryable":true}"#), Some(true));
        assert_eq!(retry(r#"{"isRetryable":false}"#), None);
        assert_eq!(retry(r#"{"retryable":false}"#), Some(false));
    }

    #[test]
    fn a_quota_of_nothing_is_a_text_or_a_number() {
        for (value, nothing) in [(r#""0""#, true), ("0", true), (r#""5""#, false), ("5", false)] {
            assert_eq!(
                has(&quoted(&format!(r#"{{"quotaValue":{value}}}"#)), Flag::LimitZero),
                nothing,
                "{value}"
            );
        }
    }

    #[test]
    fn codes_are_read_where_they_stand() {
        assert_eq!(codes(r#"{"error":"invalid_grant"}"#), ["invalid_grant"]);
        assert!(codes(r#"{"error":"The grant is invalid"}"#).is_empty());
        assert!(codes(r#"{"detail":"gone"}"#).is_empty());
        assert_eq!(codes(r#"{"errorLabels":["TransientTransactionError"]}"#), ["TransientTransactionError"]);
        assert_eq!(codes(r#"{"metadata":{"reason":"late"}}"#), ["late"]);
        assert_eq!(codes(r#"{"errors":{"code":"late"}}"#), ["late"]);
        for (text, code) in [
            ("https://example.com/problems/out-of-credit", "out-of-credit"),
            ("com.amazonaws.sqs#QueueDoesNotExist", "QueueDoesNotExist"),
            ("ThrottlingException:http://internal.amazon.com/coral/", "ThrottlingException"),
            (":late", ":late"),
        ] {
            assert_eq!(codes(&format!(r#"{{"type":"{text}"}}"#)), [code]);
        }
    }

    #[test]
    fn eight_causes_are_followed() {
        let causes = |json: &str| of(json, |signals| signals.causes);
        assert_eq!(causes(r#"{"errors":[{},{}]}"#), 2);
        let chain = (0..12).fold("{}".to_owned(), |inside, _| format!(r#"{{"cause":{inside}}}"#));
        assert_eq!(causes(&quoted(&chain)), 8);
        let list = [r#"{"errors":[{},{},{},{}]}"#; 4].join(",");
        assert_eq!(causes(&quoted(&format!(r#"{{"errors":[{list}]}}"#))), 8);
    }

    #[test]
    fn text_around_an_error_is_no_text_and_text_in_it_no_program() {
        assert_eq!(texts(r#"{"context":"rate limit reached"}"#), 0);
        assert!(has(r#"{"name":"TypeError"}"#, Flag::Program));
        for json in [r#"{"errors":[{"name":"TypeError"}]}"#, r#"{"context":{"name":"TypeError"}}"#] {
            assert!(!has(json, Flag::Program), "{json}");
        }
    }

    #[test]
    fn headers_say_more_than_a_wait() {
        let headers = |fields: &str| format!(r#"{{"headers":{{{fields}}}}}"#);
        let retry = |fields: &str| of(&headers(fields), |signals| signals.should_retry);
        assert_eq!(retry(r#""x-should-retry":"true""#), Some(true));
        assert_eq!(retry(r#""x-should-retry":"maybe""#), None);
        assert_eq!(retry(r#""x-should-retry":"true","stripe-should-retry":"false""#), Some(true));
        for (fields, flag, is) in [
            (r#""x-ratelimit-remaining":"0""#, Flag::LimitReached, true),
            (r#""x-ratelimit-remaining":"5""#, Flag::LimitReached, false),
            (r#""retry-after":"1""#, Flag::LimitReached, true),
            (r#""cf-mitigated":"challenge""#, Flag::BotWall, true),
            (r#""cf-mitigated":"none""#, Flag::BotWall, false),
        ] {
            assert_eq!(has(&headers(fields), flag), is, "{fields}");
        }
        assert_eq!(codes(&headers(r#""x-amzn-errortype":"ThrottlingException""#)), ["ThrottlingException"]);
    }
}
