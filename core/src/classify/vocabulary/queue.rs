//! Queues, brokers, sockets.

use super::family::{Family, family};

pub(super) const FAMILIES: &[Family] = &[
    family!("Kafka: error codes of the protocol","","https://kafka.apache.org/protocol.html#protocol_error_codes", {
        Server "LEADER_NOT_AVAILABLE, NOT_LEADER_FOR_PARTITION, NOT_LEADER_OR_FOLLOWER, BROKER_NOT_AVAILABLE, \
            REPLICA_NOT_AVAILABLE, NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, COORDINATOR_NOT_AVAILABLE, \
            GROUP_COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, NOT_COORDINATOR_FOR_GROUP, \
            COORDINATOR_LOAD_IN_PROGRESS, GROUP_LOAD_IN_PROGRESS, NOT_CONTROLLER, KAFKA_STORAGE_ERROR, \
            PREFERRED_LEADER_NOT_AVAILABLE, ELIGIBLE_LEADERS_NOT_AVAILABLE, ELECTION_NOT_NEEDED, \
            UNSTABLE_OFFSET_COMMIT, OFFSET_NOT_AVAILABLE, STALE_BROKER_EPOCH, SHARE_SESSION_LIMIT_REACHED, \
            LISTENER_NOT_FOUND, UNKNOWN_LEADER_EPOCH, FENCED_LEADER_EPOCH, UNKNOWN_SERVER_ERROR, \
            KAFKAJSBrokerNotFound, KafkaJSMetadataNotLoaded, KafkaJSPartialMessageError, \
            KafkaJSTopicMetadataNotLoaded, KafkaJSGroupCoordinatorNotFound, KafkaJSGroupCoordinatorNotAvailable";
        NotYet "UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, INCONSISTENT_TOPIC_ID";
        Overloaded "GROUP_MAX_SIZE_REACHED, FETCH_SESSION_TOPIC_ID_ERROR";
        Rate "THROTTLING_QUOTA_EXCEEDED";
        Conflict "REBALANCE_IN_PROGRESS, CONCURRENT_TRANSACTIONS, ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, \
            MEMBER_ID_REQUIRED, REASSIGNMENT_IN_PROGRESS, FENCED_MEMBER_EPOCH, STALE_MEMBER_EPOCH, \
            FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER, \
            UNRELEASED_INSTANCE_ID, TRANSACTION_ABORTABLE, KafkaJSStaleTopicMetadataAssignment, \
            KafkaJSMemberIdRequired";
        Timeout "REQUEST_TIMED_OUT, KafkaJSRequestTimeoutError, KafkaJSLockTimeout, KafkaJSTimeout";
        Network "NETWORK_EXCEPTION, KafkaJSConnectionError, KafkaJSConnectionClosedError";
        CutAnswer "CORRUPT_MESSAGE";
        Invalid "MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE, INVALID_TOPIC_EXCEPTION, INVALID_REQUIRED_ACKS, \
            OFFSET_METADATA_TOO_LARGE, POLICY_VIOLATION, INCONSISTENT_GROUP_PROTOCOL, OFFSET_OUT_OF_RANGE, \
            NON_EMPTY_GROUP, UNSUPPORTED_FOR_MESSAGE_FORMAT, ILLEGAL_SASL_STATE, KafkaJSOffsetOutOfRange, \
            KafkaJSUnsupportedMagicByteInMessageSet, ~KafkaJSNonRetriableError, ~KafkaJSProtocolError, \
            ~KafkaJSCreateTopicError";
        Config "UNSUPPORTED_VERSION, UNSUPPORTED_SASL_MECHANISM, UNSUPPORTED_COMPRESSION_TYPE, SECURITY_DISABLED, \
            FEATURE_UPDATE_FAILED, KafkaJSServerDoesNotSupportApiKey, KafkaJSNotImplemented";
        Authentication "SASL_AUTHENTICATION_FAILED, KafkaJSSASLAuthenticationError, DELEGATION_TOKEN_EXPIRED, DELEGATION_TOKEN_AUTH_DISABLED";
        Permission "TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED, \
            TRANSACTIONAL_ID_AUTHORIZATION_FAILED, DELEGATION_TOKEN_AUTHORIZATION_FAILED";
        Exists "TOPIC_ALREADY_EXISTS, DUPLICATE_SEQUENCE_NUMBER, DUPLICATE_RESOURCE, DUPLICATE_BROKER_REGISTRATION";
        Missing "GROUP_ID_NOT_FOUND, TRANSACTIONAL_ID_NOT_FOUND, LOG_DIR_NOT_FOUND, DELEGATION_TOKEN_NOT_FOUND, UNKNOWN_SUBSCRIPTION_ID";
        Limit "INVALID_PRODUCER_EPOCH, PRODUCER_FENCED, TRANSACTION_COORDINATOR_FENCED, FENCED_INSTANCE_ID";
    }),
    // node-rdkafka and confluent-kafka give the numbers alone; their own are below zero.
    family!("Kafka: error codes as numbers","kafka","https://kafka.apache.org/protocol.html#protocol_error_codes", {
        Server "5, 6, 9, 14, 15, 16, 19, 56, n187, n195, 8, 20, 41, 72, 74, 75, 78, 80, 83";
        NotYet "3, n190";
        Rate "89";
        Conflict "22, 25, 27, 45, 51, 60, 70, 71, 79, 88";
        Timeout "7, n185, n192";
        CutAnswer "n199, 2";
        Invalid "10, 17, 1, 4, 12, 18, 21, 23, 24, 26, 28, 34, 37, 38, 39, 40, 42, 43, 44, 68, 87, n186";
        Authentication "58, n169, 61, 66";
        Permission "29, 30, 31, 53, 65";
        Exists "36, 46";
        Missing "n188, 57, 62, 69, 91";
        Network "13, n193";
        Overloaded "n184";
        Unsupported "n170";
        Limit "47, 52, 82, 90, n144, n150";
        Trust "n181";
        Cancelled "n152, n174";
        Config "33, 35, 76";
    }),
    family!("AMQP 0-9-1: reply codes","amqp","https://www.rabbitmq.com/amqp-0-9-1-reference#constants", {
        Invalid "311, 402, 406, 501, 502, 503, 505, 530";
        Missing "312, 404";
        Server "313, 320, 506, 541, 504";
        Permission "~403";
        Conflict "405";
        Unsupported "540";
    }),
    family!("AMQP: names","","https://www.rabbitmq.com/amqp-0-9-1-reference#constants", {
        Conflict "RESOURCE_LOCKED";
        Server "CONNECTION_FORCED";
        Invalid "COMMAND_INVALID, UNEXPECTED_FRAME";
        Permission "~ACCESS_REFUSED";
    }),
    // RFC-less AMQP 1.0 (Azure Service Bus, ActiveMQ): symbols such as amqp:resource-limit-exceeded.
    family!("AMQP 1.0: error conditions","","https://docs.oasis-open.org/amqp/core/v1.0/os/amqp-core-transport-v1.0-os.html#type-amqp-error", {
        Server "amqp:internal-error, amqp:connection:forced, amqp:link:detach-forced";
        Missing "amqp:not-found, MessagingEntityNotFound, MessagingEntityNotFoundError";
        Permission "amqp:unauthorized-access, UnauthorizedAccess";
        Invalid "amqp:decode-error, amqp:not-allowed, amqp:invalid-field, amqp:illegal-state, \
            amqp:frame-size-too-small, amqp:link:message-size-exceeded, MessageSizeExceeded";
        Unsupported "amqp:not-implemented";
        Conflict "amqp:resource-locked, amqp:link:stolen, MessageLockLost, MessageLockLostError, SessionLockLost, \
            SessionLockLostError, SessionCannotBeLocked, SessionCannotBeLockedError, \
            com.microsoft:session-cannot-be-locked, com.microsoft:message-lock-lost, com.microsoft:session-lock-lost";
        Limit "amqp:resource-limit-exceeded";
        Overloaded "com.microsoft:server-busy, ServerBusyError, ServerBusy, ServiceBusy";
        Timeout "com.microsoft:timeout, OperationTimeoutError";
        Exists "com.microsoft:entity-already-exists";
    }),
    family!("NATS: codes of clients","","https://github.com/nats-io/nats.js/blob/main/core/src/errors.ts", {
        Authentication "AUTHORIZATION_VIOLATION, AUTHENTICATION_EXPIRED, AUTHENTICATION_TIMEOUT, ACCOUNT_EXPIRED, \
            ~AuthorizationError, UserAuthenticationExpiredError, BAD_AUTHENTICATION, BAD_CREDS";
        Permission "PERMISSIONS_VIOLATION, PermissionViolationError";
        Invalid "MAX_PAYLOAD_EXCEEDED, MAX_CONTROL_LINE_EXCEEDED, BAD_SUBJECT, BAD_HEADER, INVALID_PAYLOAD, \
            INVALID_PAYLOAD_TYPE, INVALID_OPTION, BAD_OPTIONS, INVALID_INBOX, INVALID_SUBJECT, InvalidSubjectError";
        Cancelled "CONNECTION_DRAINING, DrainingConnectionError, ClosedConnectionError, SUB_CLOSED, SUB_DRAINING";
        Network "CONN_CLOSED, DISCONNECT, STALE_CONNECTION, CONNECTION_REFUSED, NATS_PROTOCOL_ERR";
        Rate "MAX_CONNECTIONS_EXCEEDED, MAX_ACCOUNT_CONNECTIONS_EXCEEDED";
        Config "SERVER_OPTION_NA, WSS_REQUIRED, SECURE_CONN_REQ";
    }),
    // JetStream answers many failures with one status: its own numbers tell them apart.
    family!("NATS JetStream: error codes","jetstream","https://github.com/nats-io/nats-server/blob/main/server/errors.json", {
        Exists "10058, 10148, 10105, 10013, 10065";
        Missing "10014, 10037, 10043, 10059";
        Conflict "10071, 10164";
        Server "10007, 10008, 10009, 10010, 10041, 10074, 10076, 10104";
        Overloaded "10023, 10028";
        Limit "10002, 10026, 10027, 10054, 10077";
        Permission "10039, 10035";
        Quota "10047";
    }),
    family!("NATS: status of a message","nats","https://docs.nats.io/reference/reference-protocols/nats-protocol", {
        Missing "503";
    }),
    family!("MQTT: reason codes","mqtt","https://docs.oasis-open.org/mqtt/mqtt/v5.0/os/mqtt-v5.0-os.html#_Toc3901031", {
        Config "1, 157";
        Invalid "2, 129, 130, 132, 133, 143, 144, 148, 149, 153, 154, 155, 158, 161, 162";
        Server "3, 128, 131, 136, 139, 156";
        Authentication "4, 5, 134, ~135, 140";
        Overloaded "137";
        Permission "138";
        Timeout "141";
        Conflict "142, 145";
        Missing "17, 146";
        Quota "~151";
        Rate "147, 150, 159";
        Cancelled "152";
    }),
    family!("WebSocket: close codes","ws","https://www.iana.org/assignments/websocket/websocket.xhtml#close-code-number", {
        Cancelled "1000";
        Network "1001, 1005, 1006";
        Invalid "1003, 1007, 1009, 1010";
        Permission "3003, 4403, ~1008";
        Server "1011, 1012, 1014";
        Overloaded "1013";
        Trust "1015";
        Authentication "3000, 4401";
        Timeout "3008, 4408";
        Missing "4404";
        Rate "4429";
        BadAnswer "1002";
    }),
    family!("STOMP, BullMQ, SQS clients, pg-boss: classes","","https://docs.bullmq.io/", {
        Tool "UnrecoverableError";
    }),
];
