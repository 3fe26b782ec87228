//! Messages that libraries and runtimes send, word for word: of prose alone, only these speak for another try.
//!
//! An application's sentence can describe anything, even work that was carried out: "the charge succeeded, but the
//! connection was closed". So a message counts only as a whole. Case and a last dot do not matter, and `*` matches
//! characters without a space: a host, a port, a number. A row is a client or a runtime, with the page or the source
//! file of its messages; the code is the one that the rules give for them.

use crate::Code;
use crate::classify::token::hash;

/// The messages of one sender.
struct Sender {
    /// Where the messages can be read.
    source: &'static str,
    /// Messages of a code, with ` | ` between.
    messages: &'static [(Code, &'static str)],
}

const fn sender(source: &'static str, messages: &'static [(Code, &'static str)]) -> Sender {
    Sender { source, messages }
}

use Code::{Conflict, InvalidResponse, NetworkError, ProviderOverloaded, RateLimited, ServerError, Timeout};

#[rustfmt::skip]
const SENDERS: &[Sender] = &[
    // Node's http, net, tls and http2; Deno and Bun say some of it too.
    sender("https://github.com/nodejs/node/tree/main/lib", &[
        (NetworkError, "socket hang up | read ECONNRESET | write ECONNRESET | write EPIPE | connect ECONNREFUSED * | \
            connect ECONNRESET * | connect EHOSTUNREACH * | connect ENETUNREACH * | getaddrinfo ENOTFOUND * | \
            getaddrinfo EAI_AGAIN * | queryA ENOTFOUND * | Premature close | Client network socket disconnected \
            before secure TLS connection was established | Stream closed with error code NGHTTP2_*"),
        (Timeout, "connect ETIMEDOUT * | connect ETIMEDOUT | read ETIMEDOUT | The operation was aborted due to timeout"),
    ]),
    sender("https://github.com/nodejs/undici/blob/main/lib/core/errors.js", &[
        (NetworkError, "fetch failed | terminated | other side closed | other side closed - Local: * Remote: * | Socket error"),
        (Timeout, "Headers Timeout Error | Body Timeout Error | Connect Timeout Error | Connect Timeout Error (attempted address: * timeout: *)"),
    ]),
    // Browsers reject `fetch` and a body with these.
    sender("https://github.com/chromium/chromium/blob/main/third_party/blink/renderer/core/fetch/fetch_manager.cc", &[
        (NetworkError, "Failed to fetch | TypeError: network error | net::ERR_* | net::ERR_* at *"),
    ]),
    sender("https://github.com/mozilla-firefox/firefox/blob/main/dom/bindings/Errors.msg", &[
        (NetworkError, "NetworkError when attempting to fetch resource | Error in input stream | Error in body stream"),
    ]),
    sender("https://github.com/WebKit/WebKit/blob/main/Source/WebCore/Modules/fetch/FetchResponse.cpp", &[
        (NetworkError, "Load failed | The network connection was lost | The Internet connection appears to be \
            offline | TypeError: A server with the specified hostname could not be found"),
    ]),
    sender("https://github.com/facebook/react-native/blob/main/packages/react-native/Libraries/Network/XMLHttpRequest.js",
        &[(NetworkError, "Network request failed")]),
    sender("https://github.com/denoland/deno/blob/main/ext/fetch/lib.rs", &[
        (NetworkError, "error sending request for url (*) | error sending request for url (*): client error (*): tcp \
            connect error: Connection refused (os error *) | error sending request for url (*): client error (*): \
            dns error: failed to lookup address information: Name or service not known | error sending request for \
            url (*): client error (*): connection error: Connection reset by peer (os error *) | error sending \
            request for url (*): client error (*): connection closed before message completed | error reading a body \
            from connection"),
    ]),
    sender("https://github.com/oven-sh/bun/blob/main/src/bun.js/webcore/fetch.zig", &[
        (NetworkError, "The socket connection was closed unexpectedly. For more information, pass `verbose: true` in \
            the second argument to fetch() | Unable to connect. Is the computer able to access the url? | Was there \
            a typo in the url or port?"),
        (Timeout, "The operation timed out"),
    ]),
    sender("https://github.com/v8/v8/blob/main/src/common/message-template.h", &[
        (InvalidResponse, "Unexpected end of JSON input | Unterminated string in JSON at position * | Unterminated \
            string in JSON at position * (line * column *) | Expected double-quoted property name in JSON at \
            position * | Expected double-quoted property name in JSON at position * (line * column *)"),
    ]),
    sender("https://github.com/googleapis/js-genai/blob/main/src/_api_client.ts", &[
        (InvalidResponse, "Incomplete JSON segment at the end"),
    ]),
    sender("https://github.com/node-fetch/node-fetch/blob/main/src/index.js", &[
        (NetworkError, "request to * failed, reason: * | request to * failed, reason: socket hang up | request to * \
            failed, reason: connect ECONNREFUSED * | request to * failed, reason: read ECONNRESET | request to * \
            failed, reason: getaddrinfo ENOTFOUND *"),
        (Timeout, "network timeout at: *"),
    ]),
    sender("https://github.com/axios/axios/blob/v1.x/lib/adapters/http.js", &[
        (NetworkError, "stream has been aborted"),
        (Timeout, "timeout of *ms exceeded"),
    ]),
    sender("https://github.com/sindresorhus/got/blob/main/source/core/timed-out.ts", &[
        (Timeout, "Timeout awaiting 'request' for *ms | Timeout awaiting 'connect' for *ms | Timeout awaiting \
            'socket' for *ms | Timeout awaiting 'response' for *ms | Timeout awaiting 'lookup' for *ms | Timeout \
            awaiting 'send' for *ms | Timeout awaiting 'read' for *ms"),
    ]),
    sender("https://github.com/sindresorhus/ky/blob/main/source/errors/TimeoutError.ts", &[(Timeout, "Request timed out: * *")]),
    sender("https://github.com/follow-redirects/follow-redirects/blob/main/index.js", &[(Timeout, "Request timed out")]),
    sender("https://github.com/hapijs/wreck/blob/master/lib/index.js", &[
        (NetworkError, "Payload stream closed prematurely"),
        (Timeout, "Client request timeout"),
    ]),
    sender("https://github.com/heroku/node-heroku-client/blob/main/lib/request.js", &[(Timeout, "Request took longer than *ms to complete")]),
    // The SDKs of models: a stream that ends, a connection that fails.
    sender("https://github.com/openai/openai-node/blob/master/src/core/error.ts", &[
        (NetworkError, "Connection error"),
        (InvalidResponse, "stream ended without producing a ChatCompletion | request ended without sending any chunks"),
    ]),
    sender("https://github.com/anthropics/anthropic-sdk-typescript/blob/main/src/lib/MessageStream.ts", &[
        (InvalidResponse, "stream ended without producing a Message with role=assistant"),
    ]),
    sender("https://platform.openai.com/docs/guides/error-codes", &[
        (ServerError, "The server had an error while processing your request. Sorry about that! | The server had an \
            error processing your request. Sorry about that! You can retry your request, or contact us through our \
            help center at help.openai.com if you keep seeing this error"),
        (ProviderOverloaded, "The engine is currently overloaded, please try again later | That model is currently \
            overloaded with other requests. You can retry your request, or contact us through our help center at \
            help.openai.com if the error persists"),
    ]),
    sender("https://github.com/ollama/ollama/blob/main/llm/server.go", &[
        (ServerError, "llama runner process has terminated: signal: * | llama runner process has terminated: exit \
            status * | an error was encountered while running the model: unexpected EOF"),
    ]),
    sender("https://github.com/ollama/ollama-js/blob/main/src/utils.ts", &[(InvalidResponse, "Did not receive done or success response in stream")]),
    sender("https://ai.google.dev/gemini-api/docs/troubleshooting", &[
        (ProviderOverloaded, "The model is overloaded. Please try again later"),
    ]),
    sender("https://github.com/brianc/node-postgres/blob/master/packages/pg/lib/client.js", &[
        (NetworkError, "Connection terminated unexpectedly | Connection terminated"),
        (Timeout, "Query read timeout | timeout expired | timeout exceeded when trying to connect | Connection terminated due to connection timeout"),
    ]),
    sender("https://github.com/mysqljs/mysql/blob/master/lib/protocol/Protocol.js", &[
        (NetworkError, "Connection lost: The server closed the connection"),
        (RateLimited, "Queue limit reached"),
    ]),
    sender("https://github.com/redis/ioredis/blob/main/lib/Redis.ts", &[
        (NetworkError, "Connection is closed | Stream isn't writeable and enableOfflineQueue options is false | None \
            of startup nodes is available | All sentinels are unreachable and retry is disabled. Last error: * | All \
            sentinels are unreachable and retry is disabled. Last error: Connection is closed"),
        (Timeout, "Command timed out"),
    ]),
    sender("https://github.com/redis/node-redis/blob/master/packages/client/lib/errors.ts", &[
        (NetworkError, "Socket closed unexpectedly"),
        (Timeout, "Connection timeout"),
    ]),
    sender("https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors", &[
        (ServerError, "LOADING Redis is loading the dataset in memory | CLUSTERDOWN The cluster is down | \
            CLUSTERDOWN Hash slot not served | MASTERDOWN Link with MASTER is down and replica-serve-stale-data is \
            set to 'no' | NOREPLICAS Not enough good replicas to write"),
        (Conflict, "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE | TRYAGAIN \
            Multiple keys request during rehashing of slot"),
        (ProviderOverloaded, "ERR max number of clients reached"),
    ]),
    sender("https://github.com/mongodb/node-mongodb-native/blob/main/src/cmap/errors.ts", &[
        (NetworkError, "connection * to * closed"),
        (Timeout, "connection * to * timed out | Server selection timed out after * ms | Timed out while checking out a connection from connection pool"),
    ]),
    sender("https://docs.oracle.com/error-help/db/ora-00060/", &[(Conflict, "ORA-00060: deadlock detected while waiting for resource")]),
    sender("https://www.sqlite.org/rescode.html#busy", &[(Conflict, "database is locked | database table is locked | SQLITE_BUSY: database is locked")]),
    sender("https://github.com/knex/knex/blob/master/lib/client.js", &[
        (Timeout, "Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?"),
    ]),
    sender("https://github.com/ClickHouse/clickhouse-js/blob/main/packages/client-node/src/connection/node_base_connection.ts", &[(Timeout, "Timeout error")]),
    sender("https://github.com/memcached/memcached/wiki", &[(NetworkError, "Server at * not available")]),
    sender("https://github.com/memcachier/memjs/blob/master/src/memjs/server.ts", &[(Timeout, "socket timed out waiting on response")]),
    sender("https://github.com/amqp-node/amqplib/blob/main/lib/connection.js", &[
        (NetworkError, "Socket closed abruptly during opening handshake | Unexpected close"),
    ]),
    sender("https://github.com/gdaws/node-stomp/blob/master/lib/connect.js", &[
        (NetworkError, "connection ended unexpectedly"),
        (Timeout, "connection timed out"),
    ]),
    sender("https://github.com/mqttjs/MQTT.js/blob/main/src/lib/client.ts", &[
        (NetworkError, "Connection closed"),
        (Timeout, "connack timeout"),
    ]),
    sender("https://github.com/taskforcesh/bullmq/blob/master/src/classes/job.ts", &[
        (Timeout, "Job wait * timed out before finishing, no finish notification arrived after *ms (id=*)"),
    ]),
    sender("https://github.com/websockets/ws/blob/master/lib/websocket.js", &[
        (Timeout, "Opening handshake has timed out"),
        (NetworkError, "WebSocket was closed before the connection was established"),
    ]),
    sender("https://github.com/socketio/socket.io/blob/main/packages/socket.io-client/lib/socket.ts", &[
        (NetworkError, "socket has been disconnected | xhr poll error | websocket error"),
        (Timeout, "operation has timed out"),
    ]),
    sender("https://github.com/nodemailer/nodemailer/blob/master/lib/smtp-connection/index.js", &[
        (NetworkError, "Connection closed unexpectedly"),
        (Timeout, "Greeting never received"),
    ]),
    sender("https://github.com/mscdex/ssh2/blob/master/lib/client.js", &[
        (NetworkError, "Connection lost before handshake"),
        (Timeout, "Timed out while waiting for handshake"),
    ]),
    sender("https://github.com/patrickjuchli/basic-ftp/blob/master/src/FtpContext.ts", &[
        (NetworkError, "Server sent FIN packet unexpectedly, closing connection"),
        (Timeout, "Timeout (control socket) | Timeout (data socket)"),
    ]),
    sender("https://github.com/temporalio/sdk-typescript/blob/main/packages/client/src/connection.ts", &[
        (NetworkError, "Failed to connect before the deadline"),
        (Timeout, "Workflow execution timed out"),
    ]),
    sender("https://github.com/lobomfz/dns2/blob/master/client/tcp.js", &[(InvalidResponse, "Empty response")]),
    sender("https://github.com/actions/toolkit/blob/main/packages/http-client/src/index.ts", &[(Timeout, "Request timeout: *")]),
    sender("https://github.com/faye/websocket-driver-node/blob/main/lib/websocket/driver/proxy.js", &[
        (NetworkError, "Network error: *: connect ECONNREFUSED * | Network error: *: getaddrinfo ENOTFOUND * | \
            Network error: *: read ECONNRESET | Network error: *: socket hang up"),
    ]),
    sender("https://github.com/grammyjs/grammY/blob/main/src/core/client.ts", &[(Timeout, "Request to '*' timed out after * seconds")]),
    sender("https://github.com/capricorn86/happy-dom/tree/master/packages/happy-dom/src/fetch", &[(NetworkError,
        "Failed to read response body. Error: aborted")]),
    sender("https://github.com/resend/resend-node/blob/canary/src/resend.ts", &[(NetworkError, "Unable to fetch data. The request could not be resolved")]),
    sender("https://github.com/braintree/braintree_node/blob/master/lib/braintree/http.js", &[
        (NetworkError, "Unexpected request error: Error: socket hang up | Unexpected request error: Error: read \
            ECONNRESET | Unexpected request error: Error: connect ECONNREFUSED * | Unexpected request error: Error: \
            getaddrinfo ENOTFOUND *"),
    ]),
    sender("https://github.com/ldapts/ldapts/blob/main/src/Client.ts", &[
        (NetworkError, "Connection closed before message response was received. Message type: * (*) | Socket error. Message type: * (*)\nread ECONNRESET"),
        (Timeout, "*: Operation timed out"),
    ]),
    sender("https://github.com/hgourvest/node-firebird/blob/master/lib/wire/connection.js", &[
        (Conflict, "Deadlock, Update conflicts with concurrent update, Concurrent transaction number is * | Lock time-out on wait transaction"),
        (Timeout, "Operation was cancelled, Statement level timeout expired | Connection timeout after *ms"),
    ]),
    sender("https://github.com/josdejong/workerpool/blob/master/src/Pool.js", &[(ProviderOverloaded, "Max queue size of * reached")]),
    sender("https://www.rfc-editor.org/rfc/rfc3206", &[
        (Conflict, "[IN-USE] Unable to lock maildrop: Mailbox is locked by POP server"),
        (RateLimited, "[LOGIN-DELAY] minimum time between mail checks violation"),
        (ServerError, "[SYS/TEMP] Temporary system problem, try again later"),
    ]),
    sender("https://github.com/stomp-js/stompjs/blob/develop/src/client.ts", &[(NetworkError, "TypeError: There is no underlying STOMP connection")]),
    sender("https://activemq.apache.org/components/classic/documentation/producer-flow-control", &[
        (ProviderOverloaded, "Usage Manager Memory Limit reached. Stopping producer (*) to prevent flooding *"),
    ]),
    sender("https://github.com/algolia/api-clients-automation/blob/main/clients/algoliasearch-client-javascript/packages/client-common/src/transporter/errors.ts",
        &[
        (NetworkError, "Unreachable hosts - your application id may be incorrect. If the error persists, please \
            reach out to the Algolia Support team | Unreachable hosts - your application id may be incorrect. If the \
            error persists, please visit our help center https://alg.li/support-unreachable-hosts or reach out to \
            the Algolia Support team: https://alg.li/support"),
    ]),
    sender("https://github.com/microsoft/playwright/blob/main/packages/playwright-core/src/server/frames.ts", &[
        (NetworkError, "page.*: net::ERR_* at *"),
        (Timeout, "page.*: Timeout *ms exceeded"),
        (Conflict, "page.*: Execution context was destroyed, most likely because of a navigation"),
    ]),
    sender("https://github.com/puppeteer/puppeteer/blob/main/packages/puppeteer-core/src/cdp/FrameManager.ts", &[
        (Timeout, "Navigation timeout of * ms exceeded | * timed out. Increase the 'protocolTimeout' setting in \
            launch/connect calls for a higher timeout if needed"),
        (Conflict, "Execution context was destroyed, most likely because of a navigation"),
    ]),
    sender("https://github.com/modelcontextprotocol/typescript-sdk/blob/main/src/shared/protocol.ts", &[
        (NetworkError, "MCP error -32000: Connection closed | Not connected"),
        (Timeout, "MCP error -32001: Request timed out"),
    ]),
];

/// The messages alone: modules that classify do without the sources.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the core is compiled: out of bounds is an error there"
)]
static MESSAGES: [&[(Code, &str)]; SENDERS.len()] = {
    let mut out: [&[(Code, &str)]; SENDERS.len()] = [&[]; SENDERS.len()];
    let mut at = 0;
    while at < SENDERS.len() {
        out[at] = SENDERS[at].messages;
        at += 1;
    }
    out
};

/// Classes and codes of clients that write their own messages or pass on their server's. Such a class or code supports
/// any words beside it.
const CLASSES: &[u32] = &[
    // https://github.com/redis/node-redis/blob/master/packages/client/lib/errors.ts
    hash("ErrorReply"),
    hash("SimpleError"),
    // https://github.com/google-gemini/deprecated-generative-ai-js/blob/main/src/errors.ts
    hash("GoogleGenerativeAIError"),
    hash("GoogleGenerativeAIFetchError"),
    // https://github.com/cohere-ai/cohere-typescript/tree/main/src/errors
    hash("CohereError"),
    hash("CohereTimeoutError"),
    // https://github.com/redis/ioredis, https://github.com/upstash/redis-js
    hash("ReplyError"),
    hash("UpstashError"),
    // https://mongoosejs.com/docs/api/error.html
    hash("MongooseError"),
    // https://github.com/microsoft/playwright/blob/main/packages/playwright-core/src/client/errors.ts
    hash("PlaywrightError"),
    // https://sailsjs.com/documentation/concepts/models-and-orm/errors
    hash("AdapterError"),
    // https://thrift.apache.org/docs/idl, and Hive's
    hash("TApplicationException"),
    hash("TxnAbortedException"),
    // https://docs.slack.dev/tools/node-slack-sdk/web-api/#rate-limits
    hash("slack_webapi_rate_limited_error"),
];

/// Returns `true` if a class or code of that hash supports the words beside it.
pub(in crate::classify) fn is_sender(hash: u32) -> bool {
    CLASSES.contains(&hash)
}

/// No message of the table is so long.
const LONGEST: usize = 300;

/// The sources, and how many messages of each are here: for docs/rules.md.
pub(in crate::classify) fn sent_rows() -> impl Iterator<Item = (&'static str, usize)> {
    SENDERS.iter().map(|sender| {
        let messages = sender.messages.iter().map(|(_, messages)| messages.split(" | ").count());
        (sender.source, messages.sum())
    })
}

/// The code of a message that a sender sends. A message that many might send counts behind the class that its sender throws:
/// `TypeError: network error`.
pub(in crate::classify) fn sent_code(text: &str) -> Option<Code> {
    let text = text.trim().trim_end_matches('.').as_bytes();
    if text.len() > LONGEST {
        return None;
    }
    let mut rows = MESSAGES.iter().flat_map(|rows| rows.iter());
    let is_one = |messages: &str| {
        messages.as_bytes().split(|byte| *byte == b'|').any(|message| is_message(message.trim_ascii(), text))
    };
    rows.find(|(_, messages)| is_one(messages)).map(|(code, _)| *code)
}

/// Returns `true` if the text is the message. Each `*` matches one or more characters other than a space.
fn is_message(message: &[u8], text: &[u8]) -> bool {
    match message.split_first() {
        None => text.is_empty(),
        Some((b'*', behind)) => {
            let run = text.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
            (1..=run).any(|length| is_message(behind, text.get(length..).unwrap_or_default()))
        }
        Some((letter, behind)) => text
            .split_first()
            .is_some_and(|(first, rest)| first.eq_ignore_ascii_case(letter) && is_message(behind, rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::{Context, Thrown, classify, source_url};

    /// Each message, with its variable parts filled in.
    fn messages() -> impl Iterator<Item = (Code, String)> {
        let rows = SENDERS.iter().flat_map(|sender| sender.messages);
        rows.flat_map(|(code, messages)| {
            messages.split(" | ").map(|message| {
                let message =
                    message.replace("ERR_*", "ERR_CONNECTION_RESET").replace("page.*:", "page.goto:");
                (*code, message.replace('*', "127.0.0.1:80,"))
            })
        })
    }

    #[test]
    fn each_message_is_retried_with_the_code_that_stands_beside_it() {
        for (code, message) in messages() {
            let json = match message.split_once("TypeError: ") {
                Some((_, message)) => serde_json::json!({ "name": "TypeError", "message": message }),
                None => serde_json::json!({ "message": message }),
            }
            .to_string();
            let found = classify(&Thrown::from_json(&json), &Context::default());
            assert_eq!((found.code, found.retryable), (code, true), "{message}: {}", found.rule);
            assert!(!found.is_refusal, "{message}");
        }
    }

    #[test]
    fn a_message_counts_only_as_a_whole() {
        for (code, message) in messages() {
            let ends = [format!("The mail was sent. {message}"), format!("{message}: the mail was sent")];
            for text in &ends {
                assert_ne!(sent_code(text), Some(code), "{text}");
            }
        }
        assert_eq!(sent_code("Socket Hang Up."), Some(NetworkError));
        assert_eq!(sent_code("connect ECONNREFUSED"), None);
        assert_eq!(sent_code(&"connect ECONNREFUSED x".repeat(20)), None);
        assert_eq!(sent_code(""), None);
    }

    #[test]
    fn every_sender_has_a_page() {
        assert!(SENDERS.iter().all(|sender| source_url(sender.source).is_some()));
    }
}
