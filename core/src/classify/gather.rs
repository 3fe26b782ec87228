//! Reads a thrown value's fields into [`Signals`], in one pass: each key says what its value can mean.

use super::hint;
use super::key::Key;
use super::provider;
use super::shown::{is_model_name, is_plain_token, is_request_id};
use super::signals::{Flag, Signals};
use super::thrown::{DEPTH_LIMIT, Node, Thrown};
use super::token::Role;
use crate::text::contains;

/// No more causes are looked at.
pub(super) const CAUSE_LIMIT: u8 = 8;

impl<'a> Signals<'a> {
    /// Gathers what the value and the JSON inside it say.
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

    /// Which of the statuses decides.
    fn settle(&mut self) {
        let failed = |status: &u16| *status >= 400;
        let stated = self.http_status;
        if self.texts.is_empty() {
            self.flag(Flag::Silent);
        }
        // A child's output may quote any status, and so may an answer by JSON-RPC.
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
        // Bounds the recursion for bytes that no reader of ours has written.
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
            Key::Class | Key::Name | Key::Kind => {
                // Only of the thrown value itself: a cause may be what the SDK made an error of.
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
            | Key::HttpCode => self.status_field(child, depth, body),
            Key::Type
            | Key::Reason
            | Key::AwsType
            | Key::LcErrorCode
            | Key::OriginalCode
            | Key::AmznErrorType
            | Key::FinishReason
            | Key::BlockReason
            | Key::Errno => self.token(child, Role::Code),
            // Dropbox: the whole path through a union's tags, `path/not_found/..`.
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
                    // RFC 6749 and many gateways put a code where others have an object.
                    if key == Key::Error && is_plain_token(text) && !text.contains(' ') {
                        self.token(child, Role::Code);
                    }
                    self.add_text(text);
                }
            }
            // Mail servers' replies stand under `response`.
            Key::Body | Key::ResponseBody | Key::Data | Key::Response => {
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
            // The AI SDK derives it from the status: no more than that is in its `false`.
            Key::IsRetryable if child.boolean() == Some(false) => {}
            Key::Retryable | Key::Retriable | Key::IsRetryable => {
                // Of several the innermost is believed: a wrapper says whether to wrap again, its cause what happened.
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
            Key::ErrorLabels => child.children().for_each(|label| self.token(label, Role::Code)),
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
            // A payload may be the request's: it is a response's beside one, as in the `data` of a Boom error.
            Key::Payload if parent.get(Key::Res).is_none() => {}
            // What failed validation says nothing of the failure beyond that it did.
            Key::Issues => {}
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
            // `type` may be an address (RFC 9457 §3.1.1) or a shape's name (`com.amazonaws.sqs#QueueDoesNotExist`): its end says what.
            let end =
                if contains(text, "://") { text.rsplit(['/', '#']).next() } else { text.rsplit('#').next() };
            let text = end.unwrap_or(text);
            // And a path (`urn:…`, `type.googleapis.com/google.rpc.Help`, `X:http://…` in AWS headers).
            let text = text
                .split([':', '/'])
                .next()
                .filter(|head| role == Role::Code && !head.is_empty())
                .unwrap_or(text);
            self.add_token(text, role);
        }
    }

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
            if status >= 400 {
                self.body_status = self.body_status.or(Some(status));
            } else {
                self.success_status = self.success_status.or(Some(status));
            }
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
        if headers.children().next().is_some() {
            self.flag(Flag::Answered);
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
                Key::ShouldRetry | Key::StripeShouldRetry
                    if self.should_retry.is_none() && matches!(text, "true" | "false") =>
                {
                    self.should_retry = Some(text == "true");
                }
                Key::GrpcPushback if text.starts_with('-') => self.should_retry = Some(false),
                // GitHub refuses for its rate with a 403 (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api).
                Key::LimitRemaining | Key::DraftRemaining if text == "0" => self.flag(Flag::LimitReached),
                Key::RetryAfter => self.flag(Flag::LimitReached),
                Key::AmznErrorType => self.token(header, Role::Code),
                Key::CfMitigated if text == "challenge" => self.flag(Flag::BotWall),
                _ => {}
            }
            answered = provider::better(answered, key, text);
        }
        self.request_id = self.request_id.or(id.map(|(_, text)| text));
        self.provider = self.provider.or(provider::name_of(answered));
    }
}

/// Whether it is what some validators make a list of: an object that is no error, with a text and the kind of its mistake.
fn is_issue(item: Node<'_>) -> bool {
    let text = |key| item.get(key).and_then(Node::text).is_some();
    let else_is = [Key::Class, Key::Name, Key::Code, Key::Status, Key::Extensions];
    text(Key::Message) && text(Key::Type) && else_is.iter().all(|key| item.get(*key).is_none())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by the filter")]
fn http_status(number: f64) -> Option<u16> {
    ((100.0..=599.0).contains(&number) && number.fract() == 0.0).then_some(number as u16)
}

/// What engines throw for `undefined.x`, `missing()` and `new Array(-1)`: <https://tc39.es/ecma262/#sec-error-objects>.
const PROGRAM_ERRORS: [&str; 3] = ["TypeError", "ReferenceError", "RangeError"];

/// Headers with the request's id, the one that a provider's support asks for first.
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
    use crate::Code;
    use crate::classify::{Context, Thrown, classify};

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

    /// Lists, one within the other, in the layout that `Thrown` reads.
    fn nested_lists(depth: u16) -> Vec<u8> {
        (0..depth).flat_map(|at| [&[0, 5][..], &((depth - at - 1) * 4).to_le_bytes()].concat()).collect()
    }

    #[test]
    fn lists_as_deep_as_bytes_can_say_are_read_to_a_depth() {
        for depth in [1, 25, 256, 8_000] {
            let _ = classify(&Thrown::from_bytes(&nested_lists(depth)), &Context::default());
        }
    }
}
