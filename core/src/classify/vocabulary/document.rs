//! Document, key-value, column, graph and search stores.

use super::family::{Family, family};

pub(super) const FAMILIES: &[Family] = &[
    family!("MongoDB: error codes","mongo","https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml", {
        Conflict "24, 36, 46, 63, 98, 107, 112, 117, 143, 150, 208, 215, 225, 239, 246, 249, 250, 251, 267, 272, \
            276, 282, 285, 12586, 12587, 13388, 314, 338, 343, 363, 406, 412";
        Exists "48, 68, 85, 86, 213, 11000, 11001";
        Missing "4, 11, 26, 27, 31, 43, 47, 60, 70, 71, 177, 211, 13113, 29, 33";
        Invalid "121, ~x";
        Unsupported "62, 76, 115, 148, 151, 166, 167, 235, 238";
        Permission "13, 214, 371";
        Authentication "18, 69, 391, 334, 335, 8000";
        Rate "16500, 462, 449";
        Overloaded "261, 264, 365, 402, 433, 450";
        Timeout "50, 64, 89, 202, 262, 290, 407";
        Cancelled "11601, 90, 237, 46841";
        Server "65, 74, 77, 91, 94, 95, 109, 125, 126, 133, 134, 136, 149, 175, 189, 203, 216, 222, 234, 245, 279, \
            281, 10107, 11600, 11602, 13435, 13436, 355, 453";
        Defect "1, 8, 127";
        Network "6, 7, 145, 172, 173, 190, 230, 9001, 288";
        Io "37, 38, 39, 42, 176, 14031";
        Config "93, 103, 101, 140, 293, 79, 100";
        Trust "141, 299";
    }),
    family!("MongoDB: labels, and classes of its drivers","","https://www.mongodb.com/docs/drivers/node/current/fundamentals/errors/", {
        Conflict "~TransientTransactionError";
        Server "~RetryableWriteError";
        Network "MongoNetworkError, MongoPoolClearedError, PoolClearedError, PoolClearedOnNetworkError, \
            ~ResumableChangeStreamError, ~MongoServerSelectionError, ~MongooseServerSelectionError";
        Timeout "MongoNetworkTimeoutError, MongoWaitQueueTimeoutError, WaitQueueTimeoutError, \
            MongoOperationTimeoutError, MongoCryptKMSRequestNetworkTimeoutError";
        Config "MongoParseError, MongoMissingDependencyError, MongoMissingCredentialsError";
        Invalid "MongoInvalidArgumentError, BSONError, BSONRuntimeError, BSONVersionError, BSONOffsetError, \
            MongoAPIError, MongoCompatibilityError, MongoBatchReExecutionError, MongoTailableCursorError, CastError, \
            ObjectParameterError, StrictModeError, StrictPopulateError, DivergentArrayError, ObjectExpectedError";
        Cancelled "MongoExpiredSessionError, MongoCursorExhaustedError, MongoTopologyClosedError, \
            MongoNotConnectedError, MongoClientClosedError, MongoPoolClosedError, PoolClosedError, \
            MongoServerClosedError";
        Missing "DocumentNotFoundError";
        Exists "OverwriteModelError";
        Conflict "VersionError, ParallelSaveError, ~MongoTransactionError";
        Authentication "MongoAzureError, MongoAWSError, MongoOIDCError, MongoGCPError, MongoKerberosError";
        BadAnswer "MongoDecompressionError, MongoUnexpectedServerResponseError";
        Server "MongoStalePrimaryError";
    }),
    // The first word of a reply, in capitals.
    family!("Redis and Valkey: the first words of error replies","redis","https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors", {
        Server "LOADING, MASTERDOWN, CLUSTERDOWN, NOREPLICAS, NOMASTERLINK, NOGOODSLAVE, IOERR";
        Conflict "BUSY, TRYAGAIN, UNBLOCKED, MOVED, ASK, NOTBUSY, INPROG, UNKILLABLE, READONLY, BUSYLOADING";
        Exists "BUSYGROUP, BUSYKEY";
        Missing "NOSCRIPT, NOGROUP, NOKEY, NOSUB";
        Invalid "WRONGTYPE, CROSSSLOT, EXECABORT, DENIED, NOPROTO, WRONGARGS, INVALIDOBJ, BADARITY, ~ERR";
        Authentication "NOAUTH, WRONGPASS, UNAUTHENTICATED";
        Permission "NOPERM";
        Limit "OOM";
        Defect "MISCONF";
    }),
    family!("Clients of Redis","","https://github.com/redis/node-redis/tree/master/packages/client", {
        Cancelled "ClientClosedError, DisconnectsClientError";
        Network "ClientOfflineError, SocketClosedUnexpectedlyError, SocketClosedUnexpectedly, \
            MaxRetriesPerRequestError, ClusterAllFailedError, NR_CLOSED, CONNECTION_BROKEN, UNCERTAIN_STATE, \
            RootNodesUnavailableError";
        Timeout "ConnectionTimeoutError, CommandTimeoutError, CommandTimeoutDuringMaintenanceError, SocketTimeoutError";
        Conflict "WatchError, ExecutionError, ResourceLockedError";
        Invalid "~ReplyError, ~ErrorReply, ~SimpleError, ~MultiErrorReply";
    }),
    family!("Memcached: the first words of replies","redis","https://github.com/memcached/memcached/blob/master/doc/protocol.txt", {
        Server "SERVER_ERROR";
        Invalid "CLIENT_ERROR";
    }),
    family!("Elasticsearch and OpenSearch: exception types","","https://www.elastic.co/docs/api/doc/elasticsearch/", {
        Exists "resource_already_exists_exception, index_already_exists_exception";
        Missing "index_not_found_exception, resource_not_found_exception, document_missing_exception, \
            search_context_missing_exception, alias_not_found_exception, aliases_not_found_exception, \
            repository_missing_exception, snapshot_missing_exception, type_missing_exception, \
            index_template_missing_exception, pipeline_missing_exception";
        Conflict "~version_conflict_engine_exception, snapshot_in_progress_exception, \
            concurrent_snapshot_execution_exception, snapshot_in_use_deletion_exception";
        Overloaded "circuit_breaking_exception, es_rejected_execution_exception, rejected_execution_exception, opensearch_rejected_execution_exception";
        Server "no_shard_available_action_exception, unavailable_shards_exception, master_not_discovered_exception, \
            cluster_manager_not_discovered_exception, not_master_exception, no_longer_primary_shard_exception, \
            node_closed_exception, node_not_connected_exception, primary_missing_action_exception, \
            shard_not_found_exception, index_shard_not_started_exception, index_shard_recovering_exception, \
            failed_to_commit_cluster_state_exception";
        Network "connect_transport_exception, node_disconnected_exception";
        Timeout "process_cluster_event_timeout_exception, timeout_exception, receive_timeout_transport_exception, \
            elasticsearch_timeout_exception, opensearch_timeout_exception, search_timeout_exception";
        Cancelled "task_cancelled_exception";
        Invalid "illegal_argument_exception, too_many_buckets_exception, index_closed_exception";
        Permission "~cluster_block_exception";
    }),
    family!("Cassandra and ScyllaDB: error codes of the protocol","cql","https://github.com/apache/cassandra/blob/trunk/doc/native_protocol_v4.spec", {
        Defect "0";
        Invalid "10, 8192, 8704";
        Authentication "256";
        Server "4096, 4098, 4864, 5120, 5376";
        Overloaded "4097";
        Timeout "4352, 4608";
        Permission "8448";
        Config "8960";
        Exists "9216";
        Missing "9472";
    }),
    family!("Cassandra: classes of its drivers","","https://docs.datastax.com/en/developer/nodejs-driver/latest/api/module.errors/", {
        Network "NoHostAvailableError";
        Timeout "OperationTimedOutError";
        Overloaded "BusyConnectionError";
    }),
    family!("ClickHouse: error names","","https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp", {
        Invalid "VIOLATED_CONSTRAINT, ~ClickHouseError";
        Missing "UNKNOWN_TABLE, UNKNOWN_DATABASE, UNKNOWN_DICTIONARY, NO_SUCH_REPLICA";
        Exists "TABLE_ALREADY_EXISTS, DATABASE_ALREADY_EXISTS, ACCESS_ENTITY_ALREADY_EXISTS, \
            DICTIONARY_ALREADY_EXISTS, FUNCTION_ALREADY_EXISTS, REPLICA_ALREADY_EXISTS";
        Authentication "AUTHENTICATION_FAILED, REQUIRED_PASSWORD, WRONG_PASSWORD, IP_ADDRESS_NOT_ALLOWED";
        Permission "ACCESS_DENIED, NOT_ENOUGH_PRIVILEGES, QUERY_IS_PROHIBITED, DATABASE_ACCESS_DENIED";
        Rate "TOO_MANY_SIMULTANEOUS_QUERIES";
        Overloaded "TOO_MANY_PARTS, TOO_MANY_MUTATIONS, SERVER_OVERLOADED, CANNOT_SCHEDULE_TASK";
        Limit "TOO_SLOW";
        Timeout "TIMEOUT_EXCEEDED, UNKNOWN_STATUS_OF_INSERT";
        Cancelled "QUERY_WAS_CANCELLED, QUERY_WAS_CANCELLED_BY_CLIENT";
        Server "KEEPER_EXCEPTION, ALL_REPLICAS_LOST, ALL_REPLICAS_ARE_STALE, NO_ZOOKEEPER, NO_ACTIVE_REPLICAS, \
            TABLE_IS_READ_ONLY, REPLICA_IS_NOT_IN_QUORUM, TOO_FEW_LIVE_REPLICAS, \
            UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE, SHARD_HAS_NO_CONNECTIONS, ALL_CONNECTION_TRIES_FAILED";
        Conflict "PART_IS_TEMPORARILY_LOCKED, QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING, DEADLOCK_AVOIDED, \
            TABLE_IS_BEING_RESTARTED, SERIALIZATION_ERROR, CONCURRENT_ACCESS_NOT_SUPPORTED";
        Network "DNS_ERROR, CANNOT_READ_FROM_SOCKET, CANNOT_WRITE_TO_SOCKET, ATTEMPT_TO_READ_AFTER_EOF";
        Io "NOT_ENOUGH_SPACE, CANNOT_WRITE_TO_FILE_DESCRIPTOR, CORRUPTED_DATA, CHECKSUM_DOESNT_MATCH";
        Defect "LOGICAL_ERROR, MEMORY_LIMIT_EXCEEDED, CANNOT_ALLOCATE_MEMORY";
        Unsupported "SUPPORT_IS_DISABLED";
    }),
    // Classification, category, title: what is not named is what its category is.
    family!("Neo4j: status codes","","https://neo4j.com/docs/status-codes/current/errors/all-errors/", {
        Conflict "Neo.TransientError.Transaction, Neo.TransientError.Statement, Neo.ClientError.Transaction.LockClientStopped";
        Server "Neo.TransientError, Neo.ClientError.Cluster.NotALeader, Neo.ClientError.General.ForbiddenOnReadOnlyDatabase, ~Neo.DatabaseError";
        Overloaded "Neo.TransientError.General.OutOfMemoryError, Neo.TransientError.General.StackOverFlowError, \
            Neo.TransientError.General.MemoryPoolOutOfMemoryError, Neo.TransientError.Request.NoThreadsAvailable, \
            Neo.TransientError.Transaction.MaximumTransactionLimitReached, \
            Neo.TransientError.General.TransactionMemoryLimit";
        Rate "Neo.ClientError.Security.AuthenticationRateLimit";
        Authentication "Neo.ClientError.Security.Unauthorized, Neo.ClientError.Security.AuthorizationExpired, \
            Neo.ClientError.Security.TokenExpired, Neo.ClientError.Security.CredentialsExpired, \
            Neo.ClientError.Security.AuthenticationFailed, Neo.ClientError.Security.AuthProviderFailed, \
            Neo.ClientError.Security.AuthProviderTimeout";
        Permission "Neo.ClientError.Security, Neo.ClientError.Statement.AccessMode";
        Exists "Neo.ClientError.Schema.ConstraintValidationFailed, Neo.ClientError.Schema.ConstraintAlreadyExists, \
            Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists, Neo.ClientError.Schema.IndexAlreadyExists, \
            Neo.ClientError.Schema.IndexWithNameAlreadyExists, \
            Neo.ClientError.Schema.ConstraintWithNameAlreadyExists, Neo.ClientError.Database.ExistingDatabaseFound";
        Missing "Neo.ClientError.Statement.EntityNotFound, Neo.ClientError.Database.DatabaseNotFound, \
            Neo.ClientError.Procedure.ProcedureNotFound, Neo.ClientError.Schema.IndexNotFound, \
            Neo.ClientError.Transaction.TransactionNotFound";
        Timeout "Neo.ClientError.Transaction.TransactionTimedOut, \
            Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration, \
            Neo.TransientError.Transaction.LockAcquisitionTimeout";
        Cancelled "Neo.ClientError.Transaction.Terminated, Neo.TransientError.Transaction.Terminated, Neo.TransientError.Transaction.LockClientStopped";
        Invalid "Neo.ClientError";
    }),
    family!("Amazon S3: another place or storage class","","https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html", {
        Invalid "InvalidObjectState";
        Config "PermanentRedirect, IllegalLocationConstraintException, AuthorizationHeaderMalformed";
    }),
    family!("etcd, Consul, Couchbase and others that name contention","","https://docs.couchbase.com/nodejs-sdk/current/ref/error-codes.html", {
        Conflict "CasMismatchError, DocumentLockedError, CannotAcquireLockError, DurableWriteInProgressError, \
            DurableWriteReCommitInProgressError, ConditionalCheckFailed, OptimisticLockException, \
            ConcurrencyException, ConcurrentModificationException, VersionConflictError, StaleObjectStateError, \
            WriteConflictError, LockTimeoutError, DeadlockError, DeadlockDetected, LockError, SerializationFailure, \
            EtcdLockFailedError, ETCDLOCKFAILED, TransactionConflict, LockTimeout, LockNotAvailable";
        Exists "DocumentExistsError, CollectionExistsError, ScopeExistsError, BucketExistsError, IndexExistsError, \
            UserExistsError, DuplicateKeyError, DuplicateEntryError, UniqueConstraintError, AlreadyExistsError, \
            EntityAlreadyExists, ResourceAlreadyExists, FileExistsError, FileAlreadyExistsException";
        Missing "DocumentNotFound, BucketNotFoundError, CollectionNotFoundError, ScopeNotFoundError, \
            IndexNotFoundError, TableNotFoundError, FileNotFoundError, FileNotFoundException, NoSuchFileException, \
            NoSuchKeyError, KeyNotFoundError, RecordNotFoundError, RecordNotFound, UserNotFoundError, \
            ObjectNotFoundError";
        Timeout "UnambiguousTimeoutError, AmbiguousTimeoutError, QueryTimeoutError, LockAcquireTimeoutError, \
            PoolTimeoutError, AcquireTimeoutError, ConnectionPoolTimeoutError, StatementTimeoutError";
        Overloaded "TooManyConnectionsError, PoolExhaustedError, ConnectionPoolExhaustedError, ServerOverloadedError";
        Permission "InsufficientPrivilegesError, AccessDeniedError";
        Server "TemporaryFailureError, ServiceNotAvailableError, NotLeaderError, NotPrimaryError";
    }),
];
