//! Relational databases: SQLSTATE, and what each server and driver numbers or names besides.

use super::family::{Family, family};

pub(super) const FAMILIES: &[Family] = &[
    // Five characters, the first two of which are the class: it stands for all that the list does not name.
    family!("SQLSTATE","sqlstate","https://www.postgresql.org/docs/current/errcodes-appendix.html", {
        Network "08";
        Config "08004, 0L, 0P, F0";
        Unsupported "0A";
        Invalid "08P01, 03, 07, 09, 0B, 0D, 0E, 0F, 0K, 0Z, 20, 21, 22, 24, 26, 27, 2B, 2D, 2F, 2H, 34, 35, 36, 37, \
            38, 39, 3B, 44, 54, 23001, 23502, 23503, 23504, 23514, 23513, 42601, 42703, 42S22, 42883, 42702, ~23, \
            ~25, ~42, ~P0";
        Exists "23505, 23P01, 42P03, 42P04, 42P05, 42P06, 42P07, 42710, 42712, 42723, 42S01, 42S11";
        Missing "3D, 3F, 02, P0002, 42P01, 42704, 42S02, 42S12, 58P01";
        Permission "42501, 25006, 42S92";
        Authentication "28, ~28000";
        Conflict "40, 55P03, 55006, 25P04, 57033, ~55";
        Timeout "25P03, 57P05, HYT00, HYT01, S1T00, ~57014, ~70100";
        Cancelled "HY008";
        Server "57P01, 57P02, 57P03, 57P04, ~57, ~58, ~XX, ~HV";
        Overloaded "53";
        Io "53100, 58030";
    }),
    family!("MySQL and MariaDB: error numbers","mysql","https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html", {
        Conflict "1015, 1020, 1205, 1213, 1412, 1613, 1614, 1615, 1689, 3058, 3101, 3132, 3133, 3572";
        Exists "1007, 1022, 1050, 1060, 1061, 1062, 1125, 1169, 1304, 1359, 1537, 1557, 1586, 1826, 1859";
        Missing "1008, 1049, 1051, 1091, 1109, 1141, 1146, 1147, 1176, 1305, 1360, 1539, 1630";
        Invalid "1099, 1100, 1153, 1366, 1364, 1411, 1525, 3140, 3141, 3819, 4025, 1193, 1231, 1232";
        Unsupported "1235, 1289";
        Permission "1044, 1095, 1130, 1142, 1143, 1227, 1290, 1370, 1410, 1698, 1792, 1836, 3118, 3879, 4151";
        Authentication "1045, 1251, 1275, 1820, 1862, 2049, 2059, 2061";
        Rate "1226";
        Overloaded "1040, 1041, 1203, 1637, 1037, 1038, 1135";
        Timeout "1969, 3024, 1907, 4031, 45028, 45039, 45012";
        Cancelled "1317";
        Server "1030, 1047, 1053, 1077, 1079, 1105, 1129, 1180, 1181, 1927, 3032, 3169";
        Network "1042, 1043, 1152, 1158, 1159, 1160, 1161, 1184, 1189, 1190, 1218, 2002, 2003, 2005, 2006, 2012, 2013, 2048, 2055, 45009, 45013, 45014";
        Io "1016, 1021, 1023, 1024, 1026, 1033, 1034, 1035, 1114, 1194, 1195, 1459, 1877, 3019";
        Trust "2026";
    }),
    // Names alone, for proxies and drivers that send no number; where both are there, the number decides, as mysql2 gives
    // MariaDB's numbers MySQL's names.
    family!("MySQL and MariaDB: error names","","https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html", {
        Conflict "ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, ER_LOCK_NOWAIT";
        Exists "ER_DUP_ENTRY, ER_DUP_KEY, ER_TABLE_EXISTS_ERROR, ER_DB_CREATE_EXISTS";
        Missing "ER_NO_SUCH_TABLE, ER_BAD_TABLE_ERROR, ER_BAD_DB_ERROR";
        Invalid "ER_NET_PACKET_TOO_LARGE, ~ER";
        Permission "ER_DBACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR, ER_COLUMNACCESS_DENIED_ERROR, \
            ER_SPECIFIC_ACCESS_DENIED_ERROR, ER_OPTION_PREVENTS_STATEMENT";
        Authentication "ER_ACCESS_DENIED_ERROR, ER_NOT_SUPPORTED_AUTH_MODE, ER_MUST_CHANGE_PASSWORD";
        Rate "ER_USER_LIMIT_REACHED, POOL_ENQUEUELIMIT";
        Overloaded "ER_CON_COUNT_ERROR, ER_TOO_MANY_USER_CONNECTIONS";
        Timeout "ER_QUERY_TIMEOUT, ER_STATEMENT_TIMEOUT, ER_GET_CONNECTION_TIMEOUT, ER_CONNECTION_TIMEOUT, PROTOCOL_SEQUENCE_TIMEOUT, ER_SOCKET_TIMEOUT";
        Cancelled "ER_QUERY_INTERRUPTED, PROTOCOL_ENQUEUE_AFTER_QUIT, PROTOCOL_ENQUEUE_AFTER_DESTROY, POOL_CLOSED, \
            ER_POOL_ALREADY_CLOSED, ER_CMD_CONNECTION_CLOSED";
        Server "ER_SERVER_SHUTDOWN, ER_CONNECTION_KILLED, ER_HOST_IS_BLOCKED";
        Network "PROTOCOL_CONNECTION_LOST, PROTOCOL_PACKETS_OUT_OF_ORDER, ER_SOCKET_UNEXPECTED_CLOSE, ER_NET_READ_ERROR";
        Io "ER_RECORD_FILE_FULL, ER_DISK_FULL";
        Trust "HANDSHAKE_NO_SSL_SUPPORT";
    }),
    family!("SQLite: result codes","","https://www.sqlite.org/rescode.html", {
        Conflict "SQLITE_BUSY, SQLITE_LOCKED, SQLITE_SCHEMA, SQLITE_ABORT_ROLLBACK, SQLITE_PROTOCOL";
        Exists "SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_ROWID";
        Invalid "SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_TOOBIG, SQLITE_MISUSE, SQLITE_FORMAT, \
            SQLITE_CONSTRAINT_FOREIGNKEY, SQLITE_CONSTRAINT_NOTNULL, SQLITE_CONSTRAINT_CHECK, \
            SQLITE_CONSTRAINT_DATATYPE, SQLITE_CONSTRAINT_TRIGGER, SQLITE_CONSTRAINT_PINNED, ~SQLITE_CONSTRAINT, \
            ~SQLITE_ERROR";
        Missing "SQLITE_NOTFOUND";
        Permission "SQLITE_PERM, SQLITE_READONLY";
        Authentication "SQLITE_AUTH";
        Io "SQLITE_CANTOPEN, SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_FULL, SQLITE_NOLFS";
        IoBusy "SQLITE_IOERR";
        Server "SQLITE_NOMEM";
        Defect "SQLITE_INTERNAL";
        Cancelled "SQLITE_INTERRUPT, SQLITE_ABORT";
    }),
    family!("SQLite: result codes as numbers","sqlite","https://www.sqlite.org/rescode.html", {
        Conflict "5, 6, 15, 17, 516";
        Exists "1555, 2067, 2579";
        Invalid "18, 20, 21, 24, 25, 275, 787, 1299, 1811, 3091, 2835, ~19, ~1";
        Missing "12";
        Permission "3, 8";
        Authentication "23";
        Io "11, 13, 14, 22, 26";
        IoBusy "10";
        Server "7";
        Defect "2";
        Cancelled "4, 9";
    }),
    family!("SQL Server: error numbers","mssql","https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors", {
        Conflict "1204, 1205, 1222, 3960, 41302, 601, 617, 1203, 1221, 1807, 3950, 3953, 3957, 3966, 41301, 41305, 41325, 41839";
        Exists "2601, 2627, 2714, 1801, 1913, 15023, 15025";
        Missing "208, 2812, 911, 3701, 4902, 15151";
        Invalid "515, 547, 102, 156, 207, 241, 245, 248, 2628, 8114, 8115, 8134, 8152";
        Permission "229, 230, 262, 297, 916, 3906, 300, 15247, 40615";
        Authentication "18450, 18452, 18456, 18470, 18486, 18487, 18488";
        Missing "4060";
        Rate "49918, 49919, 49920, 10928, 10929, 10936";
        Overloaded "40501, 701, 8645, 8628, 8651";
        Server "596, 983, 40143, 40166, 40197, 40540, 40613, 42108, 42109, 17142, 615, 921, 926, 997, 4221, 17197, 18401, 42019";
        Network "10053, 10054, 10060, 10061, 11001, 233, 64, 20, 53, 121";
        Io "9002, 823, 824, 825, 1101, 1105";
        Quota "40544, 40549, 40550";
        Cancelled "3617";
        Timeout "n2";
    }),
    family!("SQL Server: names of drivers","","https://tediousjs.github.io/tedious/api-connection.html", {
        Authentication "ELOGIN";
        Config "EINSTLOOKUP, ENODRIVER, ENOINSTANCE, EDRIVER";
        Network "ECONNCLOSED, ENOCONN";
        Cancelled "ECANCEL, EALREADYCLOSED";
        Conflict "EALREADYCONNECTING, EREQINPROG";
        Invalid "~EREQUEST, EPARAM, EINJECT, EARGS, EDUPEPARAM, ETRANSACTION";
        Timeout "ETIMEOUT";
    }),
    family!("Oracle Database: ORA, and node-oracledb's NJS and DPI","","https://docs.oracle.com/error-help/db/", {
        Conflict "ORA-00054, ORA-00060, ORA-08177, ORA-04021, ORA-02049, ORA-30006, ORA-04068, ORA-08103, ORA-00051";
        Exists "ORA-00001, ORA-00955, ORA-01920, ORA-02264";
        Missing "ORA-00942, ORA-04043, ORA-01403, ORA-02289, ORA-12505, ORA-12514";
        Invalid "~ORA, ~NJS";
        Permission "ORA-01031, ORA-01720, ORA-16000, ORA-01456";
        Authentication "ORA-01005, ORA-01017, ORA-28000, ORA-28001";
        Rate "ORA-02391, NJS-076";
        Overloaded "ORA-00018, ORA-00020, ORA-12516, ORA-12519, ORA-12520, ORA-04031";
        Timeout "ORA-12170, ORA-12535, ORA-03156, ORA-03136, ORA-02396, NJS-040, NJS-123, NJS-510, DPI-1067, ORA-12606, ORA-12608, ORA-12609, ORA-25228";
        Cancelled "ORA-01013, NJS-065";
        Server "ORA-01033, ORA-01034, ORA-01089, ORA-01090, ORA-01092, ORA-12518, ORA-12528, ORA-25408, ORA-01109, ORA-12526, ORA-12527, ORA-12513";
        Defect "ORA-00600, ORA-07445";
        Network "ORA-03113, ORA-03114, ORA-03135, ORA-12537, ORA-12541, ORA-12543, ORA-12545, ORA-12547, ORA-12560, \
            ORA-12571, ORA-25401, ORA-25402, ORA-00028, ORA-01012, NJS-500, NJS-501, NJS-503, NJS-521, DPI-1010, \
            DPI-1080, ORA-12592, ORA-12637, ORA-02068, ORA-03150";
        Config "ORA-12154, ORA-12504, NJS-515, NJS-517, NJS-518, DPI-1047";
        Io "ORA-01653, ORA-01654, ORA-01652, ORA-00257, ORA-01578";
        Quota "ORA-01536";
        Trust "ORA-28860, ORA-29024";
    }),
    family!("Prisma","","https://www.prisma.io/docs/orm/reference/error-reference", {
        Authentication "P1000";
        Network "P1001, P1017";
        Timeout "P1002, P1008, P2024, ~P2028";
        Missing "P1003, P1014, P2001, P2015, P2018, P2021, P2025";
        Exists "P1009, P2002";
        Permission "P1010, P5007";
        Trust "P1011";
        Invalid "P1012, P1013, P2003, ~P2010";
        Config "P1015, P1016, P1018, P2030, P2031, P6002";
        Conflict "P2034";
        Overloaded "P2037, P5011";
        Server "P5000, P6000, P6008";
        Rate "P5012";
        Quota "P6003";
        Network "P5010";
        Timeout "P6004, P6005";
        Limit "P6009";
    }),
    family!("Sequelize, TypeORM, MikroORM, Objection: classes of wrappers","","https://sequelize.org/api/v6/identifiers.html#errors", {
        Exists "SequelizeUniqueConstraintError, UniqueViolationError, UniqueConstraintViolationException, TableExistsException";
        Invalid "SequelizeForeignKeyConstraintError, SequelizeExclusionConstraintError, SequelizeValidationError, \
            SequelizeUnknownConstraintError, SequelizeQueryError, ForeignKeyViolationError, NotNullViolationError, \
            CheckViolationError, ConstraintViolationError, DataError, ForeignKeyConstraintViolationException, \
            NotNullConstraintViolationException, CheckConstraintViolationException, InvalidFieldNameException, \
            SyntaxErrorException, EntityPropertyNotFoundError, FindRelationsNotFoundError, \
            SequelizeAssociationError, SequelizeInstanceError, SequelizeBulkRecordError, ~SequelizeDatabaseError, \
            ~QueryFailedError";
        Missing "SequelizeEmptyResultError, EntityNotFoundError, EntityNotFound, TableNotFoundException, NoResultError";
        Timeout "SequelizeTimeoutError, SequelizeConnectionAcquireTimeoutError, SequelizeConnectionTimedOutError, KnexTimeoutError";
        Network "SequelizeConnectionRefusedError, SequelizeHostNotReachableError, SequelizeHostNotFoundError, \
            SequelizeInvalidConnectionError, ~SequelizeConnectionError";
        Authentication "SequelizeAccessDeniedError";
        Conflict "SequelizeOptimisticLockError, OptimisticLockVersionMismatchError, OptimisticLockError, DeadlockException, LockWaitTimeoutException";
        Config "ConnectionNotFoundError, DataSourceNotFoundError, EntityMetadataNotFoundError, MissingDriverError, \
            DriverPackageNotInstalledError, RepositoryNotFoundError, MissingSchemaError";
        Cancelled "CannotExecuteNotConnectedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError";
    }),
    family!("Clients of PostgreSQL","","https://github.com/porsager/postgres#error-handling", {
        Cancelled "CONNECTION_ENDED";
        Network "CONNECTION_DESTROYED, CONNECTION_CLOSED";
        Timeout "CONNECT_TIMEOUT";
        Invalid "UNDEFINED_VALUE, NOT_TAGGED_CALL, UNSAFE_TRANSACTION, MAX_PARAMETERS_EXCEEDED";
        Authentication "SASL_SIGNATURE_MISMATCH, AUTH_TYPE_NOT_IMPLEMENTED";
    }),
    family!("PostgREST and Supabase","","https://docs.postgrest.org/en/stable/references/errors.html", {
        Network "PGRST000";
        Server "PGRST001, PGRST002";
        Timeout "PGRST003";
        Invalid "PGRST100, PGRST200, PGRST204";
        Missing "PGRST106, PGRST116, PGRST202, PGRST205, PGRST126";
        Authentication "PGRST300, PGRST301, PGRST302, PGRST303";
        Defect "PGRSTX00";
        Invalid "PGRST117";
    }),
];
