//! The system below: files, Node, browsers, containers, names of schema validators.

use super::family::{Family, family};

pub(super) const FAMILIES: &[Family] = &[
    family!("Errno: files and devices","","https://man7.org/linux/man-pages/man3/errno.3.html", {
        Missing "ENOENT, ENODEV, ENXIO";
        Exists "EEXIST";
        Permission "EACCES, EPERM, EROFS";
        Conflict "EDEADLK, ENOLCK, ESTALE, ETXTBSY, EBUSY, EADDRINUSE";
        IoBusy "EMFILE, ENFILE, EAGAIN, EIO, EINTR, ENOBUFS";
        Io "EISDIR, ENOTDIR, ENOSPC, EDQUOT, ENOTEMPTY, EXDEV, ELOOP, EFBIG, EMLINK, ESPIPE, EBADF, ENOMEM, ENOTBLK, ENOEXEC, ~EINVAL";
        Invalid "ENAMETOOLONG";
    }),
    family!("Node.js: error codes","","https://nodejs.org/api/errors.html#nodejs-error-codes", {
        Invalid "ERR_SOCKET_BAD_PORT, ERR_SOCKET_BAD_TYPE, ERR_STREAM_WRITE_AFTER_END, ERR_STREAM_NULL_VALUES, \
            ERR_INVALID_FILE_URL_PATH, ERR_INVALID_FILE_URL_HOST, ERR_INVALID_URL_SCHEME, ERR_INVALID_IP_ADDRESS, \
            ERR_UNKNOWN_ENCODING, ERR_BUFFER_OUT_OF_BOUNDS, ERR_STRING_TOO_LONG, ERR_BUFFER_TOO_LARGE, \
            ERR_INVALID_STATE, ERR_HTTP_HEADERS_SENT, ERR_HTTP_INVALID_STATUS_CODE, ERR_FS_FILE_TOO_LARGE, \
            ERR_PARSE_ARGS_UNKNOWN_OPTION, ERR_PARSE_ARGS_INVALID_OPTION_VALUE, ~ERR_CRYPTO, ~ERR_OSSL, URIError, \
            ERR_INVALID_URI, ERR_INVALID_MIME_SYNTAX, ERR_INVALID_RETURN_VALUE, ERR_INVALID_THIS, \
            ERR_UNKNOWN_SIGNAL, ERR_INVALID_CURSOR_POS, ERR_UNHANDLED_ERROR, E2BIG";
        BadAnswer "HPE_HEADER_OVERFLOW, HPE_INVALID_CONSTANT, HPE_INVALID_VERSION, HPE_INVALID_STATUS, \
            HPE_INVALID_HEADER_TOKEN, HPE_INVALID_CONTENT_LENGTH, HPE_INVALID_CHUNK_SIZE, \
            HPE_UNEXPECTED_CONTENT_LENGTH, HPE_INVALID_TRANSFER_ENCODING, HPE_LF_EXPECTED, HPE_CR_EXPECTED, \
            UND_ERR_HEADERS_OVERFLOW, ERR_ENCODING_INVALID_ENCODED_DATA, ERR__ERROR, Z_NEED_DICT, WS_ERR, \
            WS_ERR_INVALID_UTF8, WS_ERR_UNSUPPORTED_MESSAGE_LENGTH, HPE_INVALID_METHOD";
        Exists "ERR_FS_CP_EEXIST";
        Io "ERR_FS_EISDIR, ERR_DIR_CLOSED, ERR_FS_CP_DIR_TO_NON_DIR, ERR_FS_CP_NON_DIR_TO_DIR, ERR_FS_CP_EINVAL";
        Cancelled "ERR_SERVER_NOT_RUNNING, ERR_USE_AFTER_CLOSE, ERR_IPC_CHANNEL_CLOSED, ERR_CLOSED_MESSAGE_PORT, \
            ERR_SOCKET_DGRAM_NOT_RUNNING, UND_ERR_DESTROYED, ERR_WORKER_NOT_RUNNING";
        Conflict "ERR_SERVER_ALREADY_LISTEN";
        Defect "ERR_WORKER_OUT_OF_MEMORY";
        Tool "ERR_CHILD_PROCESS_STDIO_MAXBUFFER, ERR_CHILD_CLOSED_BEFORE_REPLY, ERR_WORKER_INIT_FAILED";
        Unsupported "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM, ERR_METHOD_NOT_IMPLEMENTED";
        CutAnswer "Z_BUF_ERROR, ERR_PADDING_PARTIAL_CHUNK";
        BadAnswer "Z_DATA_ERROR";
        Authentication "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED";
        Config "ERR_OSSL_X509_KEY_VALUES_MISMATCH, ERR_OSSL_PEM_NO_START_LINE, ERR_OSSL_UNSUPPORTED, \
            ERR_CRYPTO_FIPS_UNAVAILABLE, ERR_CRYPTO_INVALID_KEYLEN, EADDRNOTAVAIL";
    }),
    family!("DNS: c-ares and response codes","","https://nodejs.org/api/dns.html#error-codes", {
        Network "ENODATA, ESERVFAIL, EREFUSED, EDESTRUCTION, SERVFAIL, NXDOMAIN, ENONAME, EBADRESP";
        Invalid "EBADNAME, EBADFAMILY, EBADQUERY, EFORMERR";
        Unsupported "ENOTIMP";
    }),
    // Without `Busy`: the body of any service may say no more than that.
    family!("Deno and Bun: classes of errors","","https://docs.deno.com/api/deno/errors", {
        Exists "AlreadyExists";
        Conflict "WouldBlock, AddrInUse";
        Network "BrokenPipe, NotConnected, ConnectionAborted, UnexpectedEof";
        Permission "NotCapable";
    }),
    family!("Chromium: network errors","","https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h", {
        Network "ERR_NAME_NOT_RESOLVED, ERR_INTERNET_DISCONNECTED, ERR_CONNECTION_REFUSED, ERR_CONNECTION_RESET, \
            ERR_CONNECTION_CLOSED, ERR_CONNECTION_ABORTED, ERR_CONNECTION_FAILED, ERR_ADDRESS_UNREACHABLE, \
            ERR_ADDRESS_INVALID, ERR_NETWORK_CHANGED, ERR_NETWORK_IO_SUSPENDED, ERR_NAME_RESOLUTION_FAILED, \
            ERR_EMPTY_RESPONSE, ERR_SOCKET_NOT_CONNECTED, ERR_HTTP2_PROTOCOL_ERROR, ERR_HTTP2_PING_FAILED, \
            ERR_HTTP2_SERVER_REFUSED_STREAM, ERR_QUIC_PROTOCOL_ERROR, ERR_QUIC_HANDSHAKE_FAILED, \
            ERR_PROXY_CONNECTION_FAILED, ERR_TUNNEL_CONNECTION_FAILED, ERR_SOCKS_CONNECTION_FAILED, \
            ERR_SOCKS_CONNECTION_HOST_UNREACHABLE, ERR_DNS_SERVER_FAILED, ERR_DNS_MALFORMED_RESPONSE, \
            ERR_DNS_SERVER_REQUIRES_TCP";
        Timeout "ERR_TIMED_OUT, ERR_CONNECTION_TIMED_OUT, ERR_DNS_TIMED_OUT";
        CutAnswer "ERR_INCOMPLETE_CHUNKED_ENCODING, ERR_CONTENT_LENGTH_MISMATCH, ERR_CONTENT_DECODING_FAILED, \
            ERR_INVALID_CHUNKED_ENCODING, ERR_CACHE_READ_FAILURE";
        BadAnswer "ERR_TOO_MANY_REDIRECTS, ERR_INVALID_RESPONSE, ERR_INVALID_HTTP_RESPONSE, ERR_INVALID_REDIRECT, \
            ERR_UNSAFE_REDIRECT, ERR_RESPONSE_HEADERS_TOO_BIG, ERR_RESPONSE_HEADERS_TRUNCATED, \
            ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH, ERR_RESPONSE_HEADERS_MULTIPLE_LOCATION";
        Trust "ERR_CERTIFICATE_TRANSPARENCY_REQUIRED, ERR_SSL_PROTOCOL_ERROR, ERR_SSL_VERSION_OR_CIPHER_MISMATCH, \
            ERR_SSL_CLIENT_AUTH_CERT_NEEDED, ERR_SSL_PINNED_KEY_NOT_IN_CERT_CHAIN, ERR_SSL_OBSOLETE_VERSION, \
            ERR_SSL_UNRECOGNIZED_NAME_ALERT, ERR_SSL_KEY_USAGE_INCOMPATIBLE, ERR_BAD_SSL_CLIENT_AUTH_CERT, \
            ERR_UNSAFE_PORT, ERR_BLOCKED_BY_CLIENT, NS_ERROR_NET_INADEQUATE_SECURITY, ERR_CERT, SEC_ERROR, \
            MOZILLA_PKIX, SSL_ERROR";
        Missing "ERR_FILE_NOT_FOUND, NS_ERROR_FILE_NOT_FOUND";
        Permission "ERR_ACCESS_DENIED, ERR_NETWORK_ACCESS_DENIED, ERR_BLOCKED_BY_ADMINISTRATOR, \
            ERR_BLOCKED_BY_RESPONSE, ERR_BLOCKED_BY_CSP, ERR_BLOCKED_BY_ORB";
        Authentication "ERR_INVALID_AUTH_CREDENTIALS, ERR_MISSING_AUTH_CREDENTIALS, ERR_PROXY_AUTH_REQUESTED, ERR_PROXY_AUTH_UNSUPPORTED, ERR_TOO_MANY_RETRIES";
        Invalid "ERR_UNKNOWN_URL_SCHEME, ERR_DISALLOWED_URL_SCHEME";
        Config "ERR_NO_SUPPORTED_PROXIES, ERR_PAC_SCRIPT_FAILED, ERR_PROXY_CERTIFICATE_INVALID, ERR_MANDATORY_PROXY_CONFIGURATION_FAILED";
        Io "ERR_FILE_NO_SPACE, ERR_FILE_TOO_BIG, ERR_INSUFFICIENT_RESOURCES";
    }),
    family!("Firefox: network errors","","https://searchfox.org/mozilla-central/source/xpcom/base/ErrorList.py", {
        Network "NS_ERROR_UNKNOWN_HOST, NS_ERROR_CONNECTION_REFUSED, NS_ERROR_NET_RESET, NS_ERROR_NET_INTERRUPT, \
            NS_ERROR_OFFLINE, NS_ERROR_UNKNOWN_PROXY_HOST, NS_ERROR_PROXY_CONNECTION_REFUSED, \
            NS_ERROR_NET_EMPTY_RESPONSE";
        Timeout "NS_ERROR_NET_TIMEOUT, NS_ERROR_NET_TIMEOUT_EXTERNAL";
        CutAnswer "NS_ERROR_NET_PARTIAL_TRANSFER";
        BadAnswer "NS_ERROR_REDIRECT_LOOP, NS_ERROR_CORRUPTED_CONTENT, NS_ERROR_INVALID_CONTENT_ENCODING";
        Trust "NS_ERROR_PORT_ACCESS_NOT_ALLOWED";
        Cancelled "NS_BINDING_ABORTED";
        Invalid "NS_ERROR_MALFORMED_URI, NS_ERROR_UNKNOWN_PROTOCOL";
    }),
    family!("WebDriver and browser automation: classes","","https://www.w3.org/TR/webdriver2/#errors", {
        Missing "NoSuchElementError, NoSuchFrameError, NoSuchWindowError, NoSuchAlertError, NoSuchCookieError, NoSuchShadowRootError";
        Conflict "StaleElementReferenceError, ElementClickInterceptedError, ElementNotInteractableError, \
            ElementNotVisibleError, DetachedShadowRootError, UnexpectedAlertOpenError";
        Invalid "InvalidSelectorError, InvalidElementStateError, ElementNotSelectableError, \
            MoveTargetOutOfBoundsError, InvalidCookieDomainError, UnableToSetCookieError, UnknownMethodError, \
            UnknownCommandError";
        Timeout "ScriptTimeoutError";
        Cancelled "NoSuchSessionError, TargetClosedError, TargetCloseError";
        Config "SessionNotCreatedError";
        Trust "InsecureCertificateError";
        Tool "JavascriptError, UnableToCaptureScreenError";
    }),
    family!("HTTP/2: error codes, as nghttp2 names them","","RFC 9113 §7", {
        Rate "NGHTTP2_ENHANCE_YOUR_CALM";
        Server "NGHTTP2_INTERNAL_ERROR";
        BadAnswer "NGHTTP2_PROTOCOL_ERROR, NGHTTP2_FRAME_SIZE_ERROR, NGHTTP2_COMPRESSION_ERROR, \
            NGHTTP2_FLOW_CONTROL_ERROR, NGHTTP2_INADEQUATE_SECURITY, NGHTTP2_HTTP_1_1_REQUIRED";
    }),
    family!("HTTP/3 and QPACK: error codes","","RFC 9114 §8.1, RFC 9204 §6", {
        Overloaded "H3_EXCESSIVE_LOAD";
        Server "H3_INTERNAL_ERROR";
        Network "H3_NO_ERROR, H3_REQUEST_REJECTED, H3_CONNECT_ERROR, H3_CLOSED_CRITICAL_STREAM";
        Cancelled "H3_REQUEST_CANCELLED";
        CutAnswer "H3_REQUEST_INCOMPLETE";
        BadAnswer "H3_GENERAL_PROTOCOL_ERROR, H3_STREAM_CREATION_ERROR, H3_FRAME_UNEXPECTED, H3_FRAME_ERROR, \
            H3_ID_ERROR, H3_SETTINGS_ERROR, H3_MISSING_SETTINGS, H3_MESSAGE_ERROR, H3_DATAGRAM_ERROR, \
            QPACK_DECOMPRESSION_FAILED, QPACK_ENCODER_STREAM_ERROR, QPACK_DECODER_STREAM_ERROR";
        Unsupported "H3_VERSION_FALLBACK";
    }),
    family!("QUIC: Node's codes","","https://nodejs.org/api/errors.html#err_quic_application_error", {
        Network "ERR_QUIC_CONNECTION_FAILED, ERR_QUIC_ENDPOINT_CLOSED, ERR_QUIC_TRANSPORT_ERROR, \
            ERR_QUIC_OPEN_STREAM_FAILED, ERR_QUIC_STREAM_RESET, ERR_QUIC_STREAM_ABORTED";
        Unsupported "ERR_QUIC_VERSION_NEGOTIATION_ERROR";
    }),
    family!("Kubernetes: why a container or pod does not run","","https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/", {
        Tool "CrashLoopBackOff, BackOff, BackoffLimitExceeded, OOMKilled, ContainerCannotRun, RunContainerError, StartError, PodFailed";
        Missing "ImagePullBackOff, ErrImagePull, ErrImageNeverPull";
        Config "CreateContainerConfigError, CreateContainerError, InvalidImageName";
        Overloaded "Unschedulable, FailedScheduling";
        Server "Evicted, NodeLost, Preempting, Preempted, NodeShutdown, NodeNotReady, RegistryUnavailable";
    }),
    family!("Kubernetes: reasons of a status","","https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/types.go", {
        Server "ServerTimeout";
        Invalid "RequestEntityTooLarge, UnsupportedMediaType, NotAcceptable, MethodNotAllowed";
    }),
    family!("DOM: names of exceptions","","https://webidl.spec.whatwg.org/#idl-DOMException-error-names", {
        Invalid "HierarchyRequestError, WrongDocumentError, InvalidCharacterError, NamespaceError, \
            InvalidNodeTypeError, InvalidModificationError, IndexSizeError";
        Quota "QuotaExceededError";
    }),
    family!("Schema validators: classes","","https://standardschema.dev/", {
        Invalid "TraversalError, ZodRealError, YupError, JoiError, TypeBoxError, ValueErrors, \
            TransformDecodeCheckError, TransformEncodeCheckError, SuperstructError, ConformError, \
            JSONSchemaValidationError, SchemaValidationError, ValidatorResultError, ValibotError, RuntypeError, \
            TypeGuardError, AjvValidationError, StandardSchemaV1Error, FailedStandardSchemaValidation, \
            ValidatorError";
        Config "MissingRefError";
    }),
    family!("Parsers: classes","","https://eemeli.org/yaml/#errors", {
        Invalid "YAMLException, YAMLParseError, YAMLWarning, YAMLSemanticError, YAMLSyntaxError, YAMLReferenceError, \
            TomlError, TomlParserError, CsvError, ~CSV, CssSyntaxError, ParserError, LexerError, XMLParserError, \
            XmlParseError, MarkedError, ParseException, XMLError, SaxError, GraphQLSyntaxError, CypherSyntaxError, \
            LiquidParseError, ParsingError, InvalidPDFException, PasswordException, FormatError";
        BadAnswer "UnknownErrorException, TarError, TAR_BAD_ARCHIVE, ZlibError";
        CutAnswer "TAR_ABORT";
    }),
    family!("OAuth 2.0 and OpenID Connect: codes of oauth4webapi","","https://github.com/panva/oauth4webapi/blob/main/docs/README.md", {
        Config "OAUTH_HTTP_REQUEST_FORBIDDEN, OAUTH_MISSING_SERVER_METADATA, OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED";
    }),
    family!("JOSE: key sets","","https://github.com/panva/jose/blob/main/docs/util/errors/README.md", {
        BadAnswer "ERR_JWKS_INVALID";
    }),
    family!("Orama: error codes","","https://github.com/oramasearch/orama/blob/main/packages/orama/src/errors.ts", {
        Config "LANGUAGE_NOT_SUPPORTED, INVALID_SCHEMA_TYPE, INVALID_VECTOR_SIZE, MISSING_STEMMER, CUSTOM_TOKENIZER_FUNCTION_NOT_ALLOWED";
    }),
    family!("Ethereum: codes of ethers","","https://docs.ethers.org/v6/api/utils/errors/#ErrorCode", {
        Cancelled "ACTION_REJECTED";
        BadAnswer "BAD_DATA, BUFFER_OVERRUN";
        Tool "CALL_EXCEPTION";
        Server "OFFCHAIN_FAULT";
    }),
    family!("Stripe: declines","","https://docs.stripe.com/declines/codes", {
        Server "processing_error";
    }),
    family!("Temporal: classes of its client","","https://typescript.temporal.io/api/namespaces/client", {
        Invalid "QueryNotRegisteredError";
    }),
    family!("Amazon SQS and Secrets Manager: errors","","https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html", {
        Permission "DecryptionFailure, EncryptionFailure";
    }),
    family!("Locks of processes and files","","https://github.com/moxystudio/node-proper-lockfile", {
        Conflict "ELOCKED, ECOMPROMISED, LEVEL_LOCKED, E_ALREADY_LOCKED";
        Missing "ENOTACQUIRED";
        Cancelled "E_CANCELED, E_CANCELLED, ~LEVEL_DATABASE_NOT_OPEN, LEVEL_ITERATOR_NOT_OPEN, LEVEL_BATCH_NOT_OPEN, LEVEL_STATUS_NOT_OPEN";
    }),
    family!("Circuit breakers, bulkheads and queues in the process: classes","","https://github.com/connor4312/cockatiel", {
        Overloaded "BrokenCircuitError, IsolatedCircuitError, BulkheadRejectedError, EOPENBREAKER, ESEMLOCKED, \
            QueueFullError, QueueFull, ECACHEFULL, CircuitOpenError, CircuitBreakerOpenError, OpenCircuitError, \
            TaskRejectedError";
        Timeout "TaskCancelledByTimeoutError";
    }),
    family!("Git: isomorphic-git","","https://isomorphic-git.org/docs/en/errors", {
        Invalid "UnknownTransportError, UrlParseError, InvalidRefNameError, InvalidOidError, InvalidFilepathError, \
            UnsafeFilepathError, MissingNameError, MissingParameterError, AmbiguousError, NoCommitError";
        Conflict "MergeConflictError, CheckoutConflictError, CommitNotFetchedError, IndexResetError, MergeNotSupportedError";
        BadAnswer "SmartHttpError, RemoteCapabilityError, EmptyServerResponseError";
        Permission "PushRejectedError, GitPushError";
        Config "NoRefspecError, UnmergedPathsError";
        Cancelled "UserCanceledError";
    }),
    family!("Containers, archives and local programs","","https://docs.docker.com/reference/api/engine/", {
        Missing "ImageNotFound, ImageNotFoundError, ContainerNotFoundError";
    }),
];
