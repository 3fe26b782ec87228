//! Mail and files by wire: SMTP, IMAP, FTP, SSH, LDAP. Their three digits are no statuses of HTTP.

use super::family::{Family, family};

pub(super) const FAMILIES: &[Family] = &[
    family!("SMTP: reply codes","smtp","RFC 5321 §4.2", {
        Server "421, ~450, ~452, 454, 430, 432, 441, 442, 447, ~4, ~451";
        Missing "~550, 556, 521";
        Invalid "500, 501, 502, 503, 504, 555, 523, ~5";
        Permission "551, ~554, 525";
        Quota "552";
        Authentication "530, 534, 535, 538, 526";
        Invalid "~553";
    }),
    // 4.x.x passes, 5.x.x does not; what is not named is what its subject is.
    family!("SMTP: enhanced status codes","esc","https://www.iana.org/assignments/smtp-enhanced-status-codes/smtp-enhanced-status-codes.xhtml", {
        Missing "5.1.1, 5.1.2, 5.1.6, 5.1.10, 5.2.1, 5.4.4, 5.1";
        Invalid "5.1.0, 5.1.3, 5.1.7, 5.1.8, 5.1.9, 5.3.4, 5.2.3, 5.3, 5.5, 5.6, 5.7.3, 5.4, ~5.0";
        Quota "5.2.2, 5.4.5, 5.5.3, ~4.2.2";
        Permission "~5.7.0, ~5.7.1, ~5.7.2, ~5.7, ~5.2";
        Authentication "5.7.8, 5.7.9, 5.7.11, 5.7.13, 5.7.14, 5.7.5";
        Filtered "5.7.350, 5.7.512, 5.6.0";
        Config "5.7.10, 5.7.4, 5.3.3, 5.3.5";
        Rate "4.7.28, ~4.7.1, ~4.5.3, 4.4.5, ~4.7.26, ~4.7.32, 4.7.500, 4.7.650, 5.7.28, 4.7.700";
        Conflict "4.2.1";
        Server "~4.7.0, 4.3.0, 4.3.1, 4.3.2, 4.3.5, ~4.0, ~4.1, ~4.2, 4.3, 4.5, 4.6, ~4.7";
        Network "4.4.1, 4.4.2, 4.4.3, 4.4, 4.4.7";
    }),
    family!("Nodemailer: codes","","https://nodemailer.com/errors", {
        Authentication "~EAUTH, EOAUTH2, ENOAUTH";
        Invalid "~EENVELOPE, ~EMESSAGE, ESTREAM";
        Config "ETLS, EREQUIRETLS";
        BadAnswer "~EPROTOCOL";
        Network "EDNS";
    }),
    family!("IMAP: response codes","imap","RFC 9051 §7.1", {
        Authentication "AUTHENTICATIONFAILED, AUTHORIZATIONFAILED, EXPIRED, CONTACTADMIN";
        Server "UNAVAILABLE, SERVERBUG";
        Rate "LIMIT, THROTTLED";
        Missing "NONEXISTENT, TRYCREATE";
        Permission "NOPERM, PRIVACYREQUIRED";
        Conflict "INUSE, EXPUNGEISSUED, HASCHILDREN";
        Quota "OVERQUOTA";
        Exists "ALREADYEXISTS";
        Invalid "BADCHARSET, CLIENTBUG, CANNOT, PARSE, TOOBIG, BADEVENT, BADURL";
        Io "CORRUPTION";
        Unsupported "UNKNOWN-CTE";
    }),
    family!("POP3: response codes","imap","RFC 2449 §8.1, RFC 3206", {
        Authentication "AUTH";
        Rate "LOGIN-DELAY";
        Server "SYS/TEMP";
        Defect "SYS/PERM";
    }),
    family!("IMAP: codes of clients","","https://imapflow.com/module-imapflow-ImapFlow.html", {
        Network "NoConnection, EConnectionClosed, ClosedAfterConnectTLS";
        Server "ClosedAfterConnectText";
        Timeout "GREETING_TIMEOUT, UPGRADE_TIMEOUT";
        Rate "ETHROTTLE";
    }),
    family!("FTP: reply codes","ftp","RFC 959 §4.2", {
        Authentication "530, 331, 332, 430";
        Server "451, ~4, ~421";
        Network "425, 426, 434";
        Conflict "~450";
        Quota "452, 552";
        Missing "~550";
        Invalid "500, 501, 502, 503, 504, 551, 553, ~5";
        Permission "532, 533, 534, 535, 536, 537";
    }),
    family!("SFTP: status codes","sftp","https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-13#section-9.1", {
        Missing "2, 10";
        Permission "3, 12";
        Invalid "5, 9, 20";
        Network "6, 7";
        Unsupported "8";
        Exists "11";
        Quota "14, 15";
        Conflict "17";
        Server "~4";
    }),
    family!("SSH: why a channel was not opened","sshopen","RFC 4254 §5.1", {
        Permission "1";
        Network "2";
        Unsupported "3";
        Overloaded "4";
    }),
    family!("SSH: levels and codes of ssh2 and ssh2-sftp-client","","https://github.com/mscdex/ssh2#client-events", {
        Authentication "client-authentication, ERR_BAD_AUTH";
        Timeout "client-timeout";
        Network "client-socket";
        Invalid "ERR_BAD_PATH";
        Cancelled "ERR_NOT_CONNECTED";
    }),
    family!("OAuth 2.0: error codes","","RFC 6749 §4.1.2.1", {
        Permission "unauthorized_client, consent_required";
        Authentication "interaction_required, account_selection_required";
        Invalid "unsupported_grant_type, unsupported_response_type, invalid_scope, invalid_redirect_uri, invalid_target";
    }),
    family!("LDAP: result codes, as ldapts and ldapjs name them","","RFC 4511 §4.1.9", {
        Authentication "InvalidCredentialsError, InappropriateAuthenticationError, AuthMethodNotSupportedError, \
            StrongAuthRequiredError, StrongerAuthRequiredError";
        Permission "InsufficientAccessRightsError, InsufficientAccessError, ConfidentialityRequiredError, UnwillingToPerformError";
        Missing "NoSuchObjectError, NoSuchAttributeError, UndefinedTypeError, UndefinedAttributeTypeError";
        Exists "EntryAlreadyExistsError, TypeOrValueExistsError, AttributeOrValueExistsError";
        Overloaded "BusyError";
        Server "UnavailableError";
        Defect "OperationsError, LoopDetectError";
        Timeout "TimeLimitExceededError";
        Limit "AdminLimitExceededError, SizeLimitExceededError";
        Invalid "InvalidDNSyntaxError, InvalidAttributeSyntaxError, InvalidSyntaxError, ObjectClassViolationError, \
            NamingViolationError, ObjectclassModsProhibitedError, NotAllowedOnNonLeafError, NotAllowedOnRdnError, \
            InappropriateMatchingError, NoObjectClassModsError";
    }),
    // ldapts and ldapjs number their errors too; classes that a bundler has renamed leave only the number.
    family!("LDAP: result codes as numbers","ldap","RFC 4511 §4.1.9", {
        Defect "1, 54";
        Invalid "2, 17, 18, 19, 21, 34, 64, 65, 66, 67, 69, 71";
        Timeout "3, 85, 114";
        Limit "4, 11";
        Authentication "7, 8, 48, 49";
        Unsupported "12, 92";
        Permission "13, 50, 53";
        Missing "16, 32, 33, 36, 94";
        Exists "20, 68";
        Overloaded "51";
        Server "52, 80";
        Network "81, 91";
        Cancelled "88";
        BadAnswer "84";
    }),
];
