//! Sentences: two to four words that say what happened in any library's own words, where no code does.
//!
//! A text's words are looked up in runs, without quotations. The first outcome in the order of `Outcome` decides, so
//! that "connection closed: authentication failed" is about the authentication. A `~` marks a word or two that only
//! hint: they rank after all sentences, and count only if no rule knows more.

use super::family::{Family, WORDING, family};

pub(super) const FAMILIES: &[Family] = &[family!("Sentences","said",WORDING, {
    Authentication "please log in, please sign in, authentication failed, authentication failure, authentication \
        required, authentication error, not authenticated, invalid credentials, bad credentials, wrong credentials, \
        invalid login, login incorrect, login failed, incorrect password, wrong password, invalid password, password \
        is incorrect, bad username or password, incorrect username or password, password expired, credentials \
        expired, token expired, token has expired, jwt expired, token is expired, invalid token, bad token, invalid \
        jwt, signature verification failed, authorization violation, login was refused, unable to authenticate, \
        could not authenticate, authorization header is missing, access denied for user, all configured \
        authentication methods failed, invalid signature, signature is invalid, no authentication, authentication \
        credentials, invalid access token, unauthenticated, no credentials, missing credentials, invalid username, \
        invalid api key, api key is invalid, api key is missing, credentials are invalid, credentials are missing, \
        expired token, expired credentials, invalid access key, login required, sign in required, not logged in, no \
        longer valid session, jwt not active, jwt malformed, jwt is expired, invalid issuer, invalid audience, \
        audience invalid, issuer invalid, invalid nonce, token is invalid, token is not valid, token was revoked, \
        token has been revoked, token revoked, ~unauthorized, ~credentials, ~password, password is invalid, access \
        refused for user, incorrect api key, api key not valid, invalid x api key, api key expired, expired api key, \
        invalid authentication, invalid api token, authentication fails, no auth credentials, invalid subscription \
        key, security token included in the, token included in the request, api key you provided, missing \
        authentication, api key has been, api key has expired, api key is disabled, request signature we calculated, \
        no cookie auth credentials, api key format, api key does not exist, invalid or expired, authentication \
        factor, need a new token, missing client token, invalid role, api key invalid, api key rejected, bad api \
        key, wrong api key, provide an api key, invalid session, connection refused not authorized, ~revoked, key \
        was revoked, key has been revoked, key is revoked, key revoked, was revoked, been revoked, must log in, need \
        to log in, failed to authenticate, cannot authenticate, authentication was unsuccessful, auth failed, auth \
        failure, auth required, auth error, not authed, token required, authorization required, signature expired, \
        signature has expired, signature does not match, signature mismatch, signature is missing, no signatures \
        found, token signature, token is malformed, token malformed, token header, token algorithm, claim value, \
        claim is required, claim is missing, claim timestamp, claim check, session expired, bearer token, ~login, \
        ~logged in, or api key, or missing api token, oauth token, hmac validation, verify signature, verify the \
        signature, requires authentication, log in again, re authenticate, token has been blacklisted, token was \
        rejected, token rejected, token not valid, token verification failed, token could not be verified, token \
        does not exist, unknown token, unknown api key, api key was not, no authorization, authorization token, \
        authorization header, access key id, access key does not, wrong username, bad username, bad api token, \
        incorrect username, invalid client, invalid refresh token, invalid id token, invalid authorization, invalid \
        grant, certificate required, client certificate, sasl authentication, not signed in, session is invalid, \
        session invalid, session no longer valid, ~sign in, ~passphrase";
    Exists "already exists, duplicate key, duplicate entry, already registered, unique constraint, already taken, \
        must be unique, file exists, already defined, uniqueness violation, unique violation, already been taken, \
        duplicate record, duplicate value, duplicate name, already been registered, already present, violates \
        unique, unique key, conflicts with existing, already created, already been created, ~exists, ~duplicate, \
        ~duplicated, already started, cannot be reused, ~already in, already exist, already own, already used, \
        already in use, already a member, is taken, not unique, already known, with an existing, with that name \
        already, already subscribed, already added, already installed, already assigned, already uses, already has \
        a, already contains, already being used, already bound, already attached, already stored, already processed, \
        already sent, already initialized, already has an, another user with, another record with, existing record \
        found, with the same email, name conflict, naming conflict, name collision";
    Quota "flood stage, quota exceeded, over quota, exceeded storage allocation, mailbox full, mailbox is full, \
        storage quota, storage limit, exceeded your quota, quota has been exceeded, exceeded quota, insufficient \
        quota, out of quota, sending quota, insufficient storage, daily limit, daily quota, daily request limit, \
        monthly limit, monthly quota, limit per day, requests per day, per 24 hours, exceeded the quota, usage \
        limit, out of credits, account has run out, insufficient funds, insufficient balance, insufficient credits, \
        ~quota, credit balance is too low, billing hard limit, insufficient credit, exceeded your current quota, api \
        usage limits, not enough credits, billing is not active, account is not active, spending limit, purchase \
        credits, reached your monthly, exceeded its monthly, prepayment, no active subscription, budget has been \
        exceeded, exceeded your monthly, balance is insufficient, billing to be enabled, has been overdue, requires \
        more credits, exceeded the daily, exceeded your daily, exceeded the monthly, payment required, payment is \
        required, subscription expired, subscription has expired, trial expired, trial has expired, trial has ended, \
        ~past due, ~upgrade your, ~billing, api credits, used all of your, used up all, no credits, not enough \
        credit, no more credits, hit your usage, usage cap, plan limit reached, limit of your plan, upgrade to \
        continue, storage full, storage is full, out of storage, not enough storage, account limit, account has \
        reached, reached the maximum number, monthly search, monthly usage, monthly request, daily usage, daily api, \
        license limit, license expired, license has expired, invoice is overdue, payment overdue, subscription is \
        inactive, subscription inactive, subscription required, subscription is required, subscription has been \
        cancelled, subscription has ended";
    Filtered "contains a virus, message contains malware, spam content, rejected as spam, suspected spam, detected \
        as spam, flagged as spam, marked as spam, considered as spam, classified as spam, spam detected, usage \
        policies, usage policy, content policy, content violates, inappropriate content, prohibited content, safety \
        system, safety policy, safety filter, flagged by our, was flagged, virus detected, virus found, malware \
        detected, file is infected, profanity";
    Permission "permission denied, access denied, access is denied, not authorized, not authorised, not permitted, \
        insufficient privileges, insufficient permissions, insufficient permission, not enough privileges, command \
        denied, must be owner, no permission, has no permissions, does not have permission, do not have permission, \
        dont have permission, not allowed to, you are not allowed, read only transaction, read only filesystem, \
        readonly database, row level security policy, permissions violation, relay denied, relaying denied, \
        unauthorized access, missing permission, missing permissions, missing scope, requires permission, privileges \
        required, ip address is blocked, rejects connection, access forbidden, was banned, is banned, refused \
        banned, access not allowed, administratively prohibited, is forbidden, not have access, no access to, \
        insufficient access, insufficient rights, lacks permission, not been granted, is read only, blocked by \
        policy, requires authorization, ~forbidden, ~denied, ~prohibited, ~disallowed, ~restricted, ~no access, not \
        enabled for, ~disabled, ~not enabled, cross origin request, same origin policy, not included in your, not \
        accessible on your, not available on your, outside the output, outside the target, outside allowed \
        directories, account is locked, account locked, account has been locked, account inactive, account is \
        inactive, missing access, not accessible by, authorization failed, authorization failure, authorization \
        error, required scope, required scopes, required role, not a member, must be a member, must be an admin, \
        must be an owner, requires admin, only the owner, not the owner, do not own, does not own, not verified, not \
        confirmed, may not see, may not access, malware was detected, unsubscribed, opted out, retention policy, not \
        have the right, ~read only, ~blocked, ~suspended, ~permission, ~permissions, ~unverified, oauth scopes, \
        oauth scope, this action requires the, requires the scope, requires scope, requires the following scope, \
        lacks the required, lacks required, lacks scope, required authentication scope, not have rights, have the \
        rights, ip address not allowed, ip not allowed, ip is not allowed, ip address is not, origin not allowed, \
        origin is not allowed, domain not allowed, only workspace admins, only admins, only administrators, only \
        owners, only members, only available to, only available for, only available on, administrators only, admins \
        only, administrator privileges, admin privileges, admin rights, root privileges, superuser, must be the \
        owner, not have sufficient, not have privileges, not have the necessary, not allowed for this, not allowed \
        for your, not entitled, not available in your, not available for your, not available to your, isnt enabled, \
        feature is not, locked by an administrator, writes are not allowed, writing is not allowed, is blacklisted, \
        not whitelisted, not in the allowlist, not allowlisted, private repository, deactivated, user is inactive, \
        user is not allowed, user not allowed, token does not have, you cannot access, region is not supported, \
        country is not supported";
    Rate "too many requests, rate limit, rate limited, rate exceeded, request limit exceeded, request rate is large, \
        requests per second, too many connections from, too many messages, queue limit reached, max requests limit \
        exceeded, greylisted, greylisting, unusual rate of, flood control, too many login attempts, too many \
        attempts, too many simultaneous, too many concurrent, concurrency limit, was throttled, been throttled, \
        request throttled, requests throttled, is throttled, ratelimit exceeded, too many pending, too many in \
        flight, quota per minute, too frequent, slow down, reduce your request rate, retry your request later, \
        requests too quickly, rate of requests, ~throttled, ~throttling, max concurrent, maximum concurrent, \
        concurrent connections exceeded, concurrent requests, from this ip, no channels left, throughput exceeded, \
        throughput was exceeded, throughput limit, provisioned throughput, too many calls, too many api, call limit, \
        rate limits, rate limiting, ~per second, ~per minute, ~throttle, ~throttles, ~try again in, ~retry after, \
        ~please wait, ~must wait, calls per hour, requests per hour, too many queries, too many operations, too many \
        failed, too many writes, api quota per, api calls quota, reduce request rates, reduce request rate, reduce \
        the rate, reduce your rate, rate is too high, rate too high, request rate too, too fast, too quickly, too \
        rapidly, too often, in a short time, in a short period, short period of time, exceeded the rate, exceeded \
        rate, exceeded your rate, exceeded your request, exceeding the rate, cool down, back off, slow your, wait a \
        moment, limit resets";
    Conflict "could not serialize, serialization failure, write conflict, conflicting write, database is locked, \
        table is locked, file is locked, resource is locked, lock timeout, lock wait timeout, lock request time out, \
        could not obtain lock, could not acquire lock, unable to acquire lock, failed to acquire lock, cannot \
        acquire lock, unable to obtain lock, lock is held, lock not available, already locked, resource busy, file \
        busy, resource temporarily unavailable, being accessed by other users, version conflict, version mismatch, \
        optimistic lock, optimistic locking, concurrent update, concurrent modification, concurrently modified, \
        modified concurrently, modified by another, changed by another, try restarting transaction, restart \
        transaction, retry transaction, retry your operation, transaction conflict, transaction was aborted due to, \
        transaction aborted, conflicted with another, conflict with another, conflicts with another, conflict with \
        recovery, wrong last sequence, mailbox in use, in use by another, has been modified, revision mismatch, etag \
        mismatch, node is detached, detached from document, stale element, element is stale, not attached to the, \
        element click intercepted, not clickable, execution context was destroyed, frame was detached, missing lock \
        for job, operation in progress, deadlock detected, deadlock found, deadlock victim, could not lock, failed \
        to lock, lock file is already, lock is already, already being held, already held by process, is locked by, \
        was locked by, conflict on update, conflict on tuple, transaction conflicts, another process is, file exists \
        another git process, another git process, another operation is, another instance is, seems to be running, \
        already running, already in progress, is in progress, in progress by another, simultaneous modification, has \
        changed since, was changed since, stale revision, update conflict, revision conflict, currently in use, is \
        in use, being used by, is busy, resource locked, serialization error, could not acquire the lock, unable to \
        lock, cannot lock, quorum during its retry, request already in flight, please retry the transaction, has \
        since changed, file already open, ~conflict, ~conflicting, ~locked, ~deadlock, ~race, in exclusive use, \
        already connected from, precondition failed, precondition was not met, precondition not met, pre conditions \
        you, conditional request failed, conditional check failed, condition is not met, condition not met, \
        conditions not met, is ongoing, still in use, still in progress, another in progress, in progress request, \
        currently accessing, already a lease, currently being, changed by somebody, was modified, was changed by, \
        not match head, not match current, not match the current, not match the latest, exclusive access, nonce has \
        already, nonce too low, ~is being, ~being deleted, ~being created, ~being updated, ~being modified, ~being \
        processed, ~stale, ~outdated, ~rolled back, does not match etag, etag does not match, etag did not match, \
        etags do not match, version does not match, version did not match, revision does not match, expected \
        revision, wrong revision, not the latest, changed on the server, modified in the meantime, modified since, \
        updated since, updated by another, edited by another, been modified by, changed since, another update, \
        another transaction, another job, another user is, another user has, deadlocked on lock, exclusive lock, \
        acquire lock, acquire the lock, lock could not, lock acquisition, lost the lock, lost lock, lock expired, \
        lock was lost, waiting for lock, waiting for a lock, lock wait, concurrent transaction, concurrent write, \
        concurrent writes, concurrent request, concurrent change, concurrency violation, concurrency error, \
        concurrency exception, merge conflicts, retry the transaction, retry this transaction, rerun the \
        transaction, restart the transaction, transaction has been aborted, still running, still being, invalid \
        state transition, ~busy, ~contention, ~concurrently";
    Overloaded "too many connections, too many clients, too many open connections, pool exhausted, pool is full, no \
        more connections, remaining connection slots, maximum number of connections, max number of clients, server \
        busy, server is busy, server too busy, service busy, system is busy, at capacity, over capacity, queue is \
        full, too many users, too many sessions, no available connections, connection limit exceeded, insufficient \
        resources, try again later, out of memory, system overloaded, service overloaded, breaker is open, circuit \
        is open, circuit breaker open, circuit open, queue full, queue is at, buffer is full, buffer full, dropped \
        by bottleneck, exceeded maximum concurrency, max queue, no free connections, no free slots, all connections \
        are in use, pool is exhausted, not enough resources, capacity exceeded, exceeds capacity, insufficient \
        capacity, insufficient memory, maximum capacity, concurrent limit, resource exhausted, resources exhausted, \
        capacity is exhausted, retry later, ~overload, ~exhausted, server overloaded, temporarily overloaded, server \
        is overloaded, service is overloaded, currently overloaded, memory limit reached, rejected execution, heavy \
        load, high load, high demand, high traffic, no capacity, capacity limit, capacity reached, ~backpressure, \
        ~congested, overloaded please, due to overloaded, been overloaded, too busy, pool is at, pool has reached, \
        no connections in the pool, no idle connections, connections are busy, no workers available, no worker \
        available, no slots, not enough capacity, out of capacity, maximum load, heavily loaded, too much load, \
        overloaded with, experiencing high, experiencing heavy, high volume, heavy traffic, try again in a few, try \
        again in a moment, try again shortly, try again soon, system is overloaded, system is under, system under, \
        queue size exceeded, queue limit, queue overflow, queue is overloaded, ~saturated";
    NotYet "unknown topic or partition";
    Missing "doesnt exist, no such file, no such table, no such database, no such key, no such bucket, no such \
        collection, no such index, no such object, no such user, no such container, no such image, no such mailbox, \
        no such queue, no such exchange, no such topic, no such job, no such element, no such entity, could not be \
        found, cannot be found, could not find, unable to find, cannot find, unknown database, unknown table, \
        unknown mailbox, unknown user, unknown collection, mailbox unavailable, user unknown, recipient rejected, \
        recipient address rejected, invalid recipient, missing key for job, no document found, no element found, \
        failed to find element, no rows, contains 0 rows, no longer exists, invalid namespace, hasnt been \
        registered, was not found, file not found, table not found, document not found, user not found, object not \
        found, key not found, record not found, entity not found, collection not found, index not found, bucket not \
        found, queue not found, topic not found, job not found, stream not found, consumer not found, page not \
        found, resource not found, item not found, mailbox not found, namespace not found, ns not found, container \
        not found, image not found, element not found, message not found, session not found, channel not found, chat \
        not found, group not found, folder not found, path not found, database not found, schema not found, project \
        not found, team not found, role not found, account not found, customer not found, order not found, event not \
        found, node not found, route not found, endpoint not found, method not found, function not found, row not \
        found, cursor not found, subscription not found, zone not found, region not found, cluster not found, \
        service not found, secret not found, issue not found, repository not found, branch not found, commit not \
        found, tag not found, id not found, no files found, did not match any, pathspec, not a git repository, file \
        is missing, no such remote, no such ref, no such branch, no such resource, no such document, no such record, \
        no such room, no such channel, no such process, no such service, no such device, could not locate, unable to \
        locate, has been deleted, was deleted, is deleted, no matching, no results found, no match found, no match \
        for, no object found, no record found, no records found, no items found, no entry found, not exist, \
        ~nonexistent, ~missing file, ~gone, ~not registered, ~has no, ~have no, not in collection, already deleted, \
        ~theres no, ~there is no, no mailbox, could not resolve to a, ~cant find, did not find, didnt find, does not \
        contain, no message found, unknown channel, unknown guild, unknown message, unknown member, unknown role, \
        unknown account, unknown customer, unknown project, unknown resource, unknown object, unknown document, \
        unknown record, unknown item, unknown session, unknown job, unknown queue, unknown bucket, unknown file, no \
        document with, no record with, no item with, no entry with, no file with, no such customer, no such product, \
        no such order, no such account, no such project, no such item, no such page, no such entry, no such id, no \
        such event, no such task, no such message, no such directory, no such path, no such view, no such function, \
        no such relation, no such subscription, no such invoice, no such payment, not present in, not known to, was \
        removed, been removed, is removed, were deleted, been deleted, no longer available, no longer present, not \
        be located, couldnt find, couldnt be found, wasnt found, no data found, no data available, no results for, \
        no result found, no matches, no match was, zero results, no user found, no file found, no index found, no \
        such node, unconfigured table, invalid object name, undefined table, table or view does, relation does not, \
        unknown workspace, unknown recipient, unknown topic, unknown stream, ~unknown id";
    Invalid "syntax error, error in your sql syntax, parse error, invalid input, invalid argument, invalid \
        arguments, invalid parameter, invalid parameters, invalid value, invalid format, invalid type, invalid \
        query, invalid request, invalid topic, invalid name, invalid key, invalid subject, invalid selector, invalid \
        uri, invalid scheme, no such column, unknown column, unknown command, unknown operator, unknown option, \
        unknown argument, unknown field, unknown property, command not implemented, command not recognized, \
        unrecognized command, bad sequence of commands, bad request, constraint failed, foreign key constraint, not \
        null constraint, check constraint, violates constraint, cannot be null, cannot be empty, cannot be blank, \
        may not be null, must be one of, must be at least, should be one of, missing required, required field, \
        required parameter, required property, out of range, division by zero, wrong number of arguments, too few \
        arguments, too many arguments, too few parameter values, wrong kind of value, type mismatch, expected type, \
        validation failed, validation error, failed validation, schema validation, exceeds maximum, exceeds the \
        maximum, exceeds fixed maximum, exceeded maximum size, file name not allowed, custom id cannot, unsupported \
        type, cannot store, strict mode violation, invalid email, invalid date, invalid json, invalid id, invalid \
        identifier, undefined values are not, bind parameters, unexpected token, unexpected argument, illegal \
        argument, no recipients defined, wrong format, incorrect type, sender address rejected, is not a buffer, \
        error in imap command, not an integer, value too long, data too long, message too long, message too large, \
        entity too large, payload too large, is the wrong type, column reference is ambiguous, could not convert, \
        cannot convert, unable to convert, malformed, incorrect header, expected positive, expected one of, expected \
        string, expected number, expected object, expected to be, expected name, must be a string, must be a \
        function, must be a positive, must be a valid, must be a non, must be a boolean, must be a date, must be a \
        buffer, must be a integer, must be a finite, must be an, must be of, must be between, must be positive, must \
        be greater, must be less, must be specified, must be provided, must be set, must be string, must be object, \
        must be array, must be unique among, must be valid, must have, must not, must start with, must contain, must \
        include, must match, has to be, have to be, should be a, should be an, should be of, should not be, needs to \
        be, is required, are required, is mandatory, is a required, required but, is not valid, not a valid, is \
        invalid, are invalid, is not allowed, not allowed here, are not allowed, is not a string, is not an object, \
        is not an array, is not a function or, not a number, on a non numeric, non numeric value, is not permitted \
        value, cannot contain, cannot be used, cannot be undefined, cannot be negative, cannot be converted, cannot \
        be combined, cannot copy, cannot move, can not be, not specified, no value provided, not provided, were \
        provided, no paths specified, unterminated, unclosed, not closed, unbalanced, unresolved alias, undefined \
        variable, undefined field, undefined column, unknown keyword, unknown parameter, unknown method, unknown \
        function, unknown cipher, unknown algorithm, unknown key, unknown attribute, unknown type, unknown format, \
        unknown identifier, unknown variable, unknown setting, unknown encoding, unknown operation, unrecognized \
        option, unrecognized key, unrecognized argument, unrecognized field, unrecognized parameter, unexpected \
        character, unexpected end of input, unexpected end of expression, unexpected end of query, unexpected end of \
        statement, unexpected identifier, unexpected symbol, unexpected field, unexpected key, unexpected value, \
        unexpected parameter, unexpected closing, unexpected string, unexpected number, invalid character, invalid \
        syntax, invalid option, invalid options, invalid state, invalid version, invalid filename, invalid path, \
        invalid time, invalid number, invalid data, invalid length, invalid regular expression, invalid content, \
        invalid body, invalid payload, invalid message, invalid field, invalid column, invalid document, invalid \
        expression, invalid filter, invalid configuration value, invalid operation, invalid object, invalid index, \
        invalid address, invalid phone number, invalid count, invalid mode, invalid flag, invalid method, invalid \
        attribute, invalid property, invalid tag, invalid enum, invalid file, invalid image, invalid timestamp, \
        invalid timezone, invalid range, invalid reference, invalid size, invalid utf, invalid unicode, invalid \
        base64, invalid hex, invalid encoding, invalid sequence, invalid command, unsupported image format, \
        unsupported file format, does not match the, do not match, doesnt match, does not conform, mismatched, \
        dimension mismatch, dimension error, length mismatch, size mismatch, schema mismatch, referenced column, \
        binder error, conversion error, no arguments, empty string, cannot serialize, not serializable, bad extract \
        area, bad parameter, bad argument, bad value, bad arguments, exceeds limit, exceeds the limit, exceeds max, \
        over the maximum, larger than, too big, too deep, too deeply nested, is too long, is too large, is too \
        short, not unique among, is not supported by, ~invalid, ~illegal, ~required, ~missing, ~unrecognized, \
        ~incorrect, ~mismatch, ~but received, ~but got, ~instead of, ~inconsistent, ~parsing, ~at position, ~at \
        character, ~validate, ~validation, ~not allowed, ~no such, ~argument, ~arguments, ~parameter, ~unresolved, \
        ~deficient, ~at index, ~deserialize, ~serialize, ~serialization, ~maximum, must provide, should not contain, \
        should not exceed, to be of type, is encrypted, password protected, ~greater than, ~longer than, ~less than, \
        ~shorter than, ~more than, ~fewer than, ~length, ~maxlength, bad data, unexpected close tag, out of bounds, \
        outside of, ~octets, ~unquoted, ~unescaped, ~unopened, ~not recognized, ~unencoded, ~unmatched, ~unbound, \
        root node, first tag, unbound namespace, attribute value, closing tag, string expected, number expected, \
        integer expected, boolean expected, object expected, array expected, function expected, buffer expected, \
        omitting directory, unsupported file type, write after close, parse the frame, parse the command, doesnt \
        have a default, outside the allowed, no viable alternative, extraneous input, conversion failed, failed to \
        convert, failed to coerce, unable to coerce, could not coerce, coercion failed, could not cast, cast failed, \
        not match pattern, not match the pattern, not match regex, not match format, no recipients, no recipient, \
        recipients given, no input, document separator, expected but, not filterable, not sortable, not searchable, \
        not indexed, need to specify, need to pass, requires at least, requires exactly, unexpected eol, unexpected \
        newline, unexpected indent, unexpected input, unexpected keyword, unexpected property, unexpected type, \
        unexpected operator, unexpected attribute, unexpected element, unexpected tag, unexpected option, unexpected \
        additional, additional properties, additional property, extra field, extra keys, wrong type, wrong number, \
        wrong dimension, wrong size, wrong value, wrong data type, wrong date, wrong input, not recognised, not \
        understood, not understand, nesting level, nesting depth, recursion depth, not in the correct format, not in \
        the expected format, not in a valid format, not in range, not within the range, not in the list of, not one \
        of, type does not match, schema does not, violates check, violates foreign, violates not null, violates \
        schema, integrity constraint, referential integrity, column does not exist, function does not exist, divide \
        by zero, number out of, index out of, offset out of, no columns, parse exception, syntax exception, \
        compilation failed, compile error, compilation error, evaluation error";
    Unsupported "not supported, not implemented, does not support, unsupported operation, unsupported method, \
        unsupported version, ~unsupported, ~unimplemented, ~no support, no longer supported, unsupported protocol, \
        not yet supported, not yet implemented, isnt supported, arent supported, not available in this, not \
        available for this";
    Config "not configured, missing configuration, invalid configuration, configuration error, executable doesnt \
        exist, executable path, was not found at the, does not support ssl, no pg_hba.conf entry, tls not available, \
        misconfigured, no model has been, environment variable, no configured, configuration is invalid, invalid \
        config, missing config, could not load config, no strategy, unknown authentication strategy, region is \
        missing, no api key, missing api key, invalid url, websocket url, validator schema, is not installed, please \
        install, not been initialized, not initialized, not been configured, no protocol, no matching c, no matching \
        s, cannot parse privatekey, key values mismatch, no start line, pem routines, schema is invalid, invalid \
        schema, allowinsecureconnection is false, unknown dialect, unknown driver, unknown provider, secret or \
        private key, ~misconfiguration, ~configuration, ~config, ~uninitialized, ~initialize, ~configure, failed to \
        launch, unable to start, failed to start, could not start, unable to launch, failed to initialize, failed to \
        load, promise during, ~must register, ~no active, environmental variable, supported versions are, ~adapter, \
        ~plugin, ~loader, ~datastore, datastore configurations, url not provided, must use https, requests to https, \
        ~unregistered, strict mode unknown, strict mode missing, invalid webhook url, invalid base url, invalid \
        endpoint url, invalid proxy url, database url, no url configured, must be initialized, must be configured, \
        needs to be configured, needs to be initialized, must be initialised, call init, please specify a, must be \
        set in, is needed to create, env variable, unknown transport, unknown strategy, unknown backend, unknown \
        engine, unsupported driver, unsupported engine, unsupported dialect, no transport, no engine, no endpoint, \
        no project id, missing client id, missing client secret, missing base url, missing connection string, \
        invalid connection string, malformed connection string, invalid connection url, connection string is, \
        connection string must, invalid host, invalid hostname, invalid port, port should be, port must be, invalid \
        private key, peer dependency, must be installed";
    Timeout "timed out, connection timed, deadline exceeded, deadline has been exceeded, exceeded time limit, \
        exceeded the time limit, time limit exceeded, took too long, maximum execution time exceeded, in required \
        time, no response within, did not respond, timeout expired, timeout exceeded, connack timeout, connection \
        timeout, connect timeout, operation timeout, statement timeout, query timeout, request timeout, response \
        timeout, read timeout, write timeout, socket timeout, inactivity timeout, idle timeout, pool timeout, \
        acquire timeout, command timeout, handshake timeout, greeting timeout, session timeout, execution timeout, \
        ping timeout, heartbeat timeout, ack timeout, timeout acquiring, timeout waiting, timeout while, timeout \
        after, timeout reached, timeout elapsed, timeout control socket, transaction timeout, timeout data socket, \
        timeout of, expired before, expired after, not completed within, did not complete, did not finish, no reply \
        within, no reply received, no response received, no answer, waited too long, wait timeout, exceeded timeout, \
        exceeded the timeout, timeout was reached, wait time exceeded, ~expired, ~deadline, took longer, took more \
        than, due to timeout, due to a timeout, timeout being reached, never received, the permitted time, running \
        too long, running for too long, ~time limit, ~too slow, timeout during, timeout occurred, timeout has, \
        timeout period, timeout error, not answered within, not answer within, no response after, no response from, \
        did not reply, did not answer, not respond in, gave up waiting, gave up after, failed to complete in, not \
        complete in, not finish in, within the timeout, exceeded allowed time, exceeded the allowed time, exceeded \
        maximum time, exceeded execution, execution time exceeded, maximum time exceeded, maximum execution time, \
        max execution time, taking too long, taking longer, ran out of time, navigation timeout, gateway timeout, \
        lookup timeout, dns timeout, upload timeout, download timeout, lock wait timed";
    Cancelled "due to user request, by user request, cancelled by user, canceled by user, client disconnecting, \
        client closed, client is closed, client was closed, user closed client, in closed state, is not open, not \
        queryable, pool is closed, pool was destroyed, after calling end, cannot use a pool after, has been \
        destroyed, is draining, channel closed, channel ended, is disconnecting, session is closed, session closed, \
        session has ended, session has expired, driver closed, topology is closed, killed by user, worker \
        terminated, operation cancelled, operation canceled, task cancelled, request cancelled, request canceled, \
        request was canceled, operation was cancelled, operation was canceled, task was cancelled, task was \
        canceled, statement was canceled, job was cancelled, abort signal received, has been stopped, was stopped, \
        has been disposed, is disposed, was disposed, has been closed, already closed, was closed by the client, has \
        been terminated by user, has been shut down, has been finalized, already finalized, after finalize, after \
        end, after close, lock canceled, been cancelled, been canceled, is cancelled, is canceled, aborted by the \
        user, interrupted by user, closed by user, database is closed, connection is closing, cannot be used after, \
        ~aborted, ~stopped, ~disposed, ~closed, ~destroyed, ~finalized, ~terminated, ~killed, ~interrupted, ~ended, \
        query was cancelled, query was canceled, request was cancelled, execution cancelled, execution canceled, \
        process cancelled, process canceled, cancelled by caller, canceled by caller, cancelled by the caller, \
        canceled by the caller, cancelled by client, canceled by client, canceled by the user, cancelled by the \
        user, user cancelled, user canceled, client is shut, already cancelled, already canceled, job cancelled, job \
        canceled, query cancelled, query canceled, run cancelled, run was cancelled, cancellation requested, \
        cancellation token, keyboard interrupt";
    Server "starting up, shutting down, shutdown in progress, in recovery mode, administrator command, server error, \
        internal error, service not available, temporary failure, temporary error, temporary authentication failure, \
        local error in processing, local problem, not primary, not master, not the leader, not leader, no leader, \
        leader not available, primary stepped down, is loading, is initializing, still initializing, in maintenance, \
        under maintenance, maintenance mode, no responders, replica is stale, quorum lost, no quorum, cluster is \
        down, clusterdown, no available server, server gave no, system problem, no backend, internal failure, \
        temporarily unavailable, server unavailable, service unavailable, is not available at the, please contact \
        support, something went wrong on our, an unexpected error, an internal, unhandled exception, crashed, \
        process exited unexpectedly, is failing over, no primary, not enough replicas, replica unavailable, no \
        replica, node is down, nodes are down, not ready, not yet ready, warming up, is restarting, server restart, \
        service restart, recovering, max configured retries, maximum retries, retries exhausted, retries exceeded, \
        all retries failed, error on the server, unspecified error, backend error, one of our backends, unable to \
        handle request, while processing your, unable to process your request, will shut down, no shard available, \
        shards failed, not responding, in sync replicas, not a leader, service is not available, unexpected error \
        occurred, unexpected error has, servers are having, having problems, having trouble, having issues, \
        experiencing issues, experiencing problems, experiencing technical, technical difficulties, technical issue, \
        technical problem, down for, currently down, is currently not available, not currently available, not \
        available right now, not available at this time, not available at the moment, upstream service, upstream \
        server, upstream error, upstream request, upstream connect, upstream failure, backend failure, unexpected \
        condition, unexpected exception, unexpected failure, unexpected problem, internal exception, internal \
        problem, internal service, internal database, internal issue, server failure, server exception, server \
        encountered, server failed, server is starting, server is shutting, server problem, server has encountered, \
        service failure, service failed, service is starting, database is starting, database is shutting, not a \
        primary, not the primary, no master, not enough nodes, not enough live, not enough replica, consistency \
        level, primary shard, failing over, currently failing, gone wrong, error processing your, error processing \
        request, failed to process your, failed to process the request, could not process your, bad gateway, gateway \
        error, proxy error, routing server, could not serve, temporary problem, temporary issue, transient error, \
        transient failure, transient fault, retryable error, undergoing maintenance, for maintenance, scheduled \
        maintenance, is down, is offline, temporarily down, temporarily offline, temporarily disabled, temporarily \
        out, currently offline, system unavailable, database unavailable, cluster unavailable, backend unavailable, \
        node unavailable, service outage";
    Trust "unable to verify, handshake failure, wrong version number, host key verification failed, hostname \
        mismatch, host denied, no matching key exchange, unable to negotiate, self signed certificate, certificate \
        has expired, certificate verify failed, certificate is not trusted, certificate is not yet valid, untrusted \
        certificate, invalid certificate, certificate name mismatch, ~certificate, ~handshake, ~untrusted, ssl \
        routines";
    Network "unreachable host, unreachable hosts, connection closed, connection is closed, connection was closed, \
        connection has been closed, connection ended, connection lost, connection reset, connection refused, \
        connection terminated, connection aborted, connection dropped, connection broken, connection error, \
        connection failed, connection failure, connection not available, connection interrupted, connection \
        unavailable, lost connection, closed connection, closed the connection, closing connection, closed \
        unexpectedly, closed abruptly, unexpected close, unexpectedly closed, unexpectedly been closed, broken pipe, \
        not connected, socket closed, socket hang up, socket error, socket is closed, websocket error, websocket was \
        closed, poll error, transport closed, transport error, transport failure, stream closed, stream ended \
        unexpectedly, network error, network failure, no route to host, unable to connect, cannot connect, could not \
        connect, failed to connect, cant connect, couldnt connect, fin packet, no brokers, no hosts available, no \
        host available, none of startup nodes, no nodes available, no living connections, max retries per request, \
        failed to refresh slots, all sentinels, dns lookup, name resolution, name or service not, unknown host, host \
        not found, no such host, target closed, data connection, premature close, server selection error, are \
        unreachable, been disconnected, server has gone away, no connection available, all hosts tried, could not \
        resolve, unable to resolve, cannot resolve, couldnt resolve, failed to resolve, connection not established, \
        no connection established, no connection to, connection could not be, connection was lost, connection was \
        reset, connection was refused, connection was terminated, connection is lost, connection is broken, \
        connection is dead, failed to fetch, fetch failed, unable to access, unable to reach, cannot reach, could \
        not reach, failed to reach, cannot establish, could not establish, failed to establish, unable to establish, \
        failed to send, failed to perform, is unreachable, network is down, network down, stream was reset, stream \
        reset, abnormal closure, forcibly closed, hung up, remote end closed, remote host closed, peer closed, reset \
        by peer, closed by peer, closed by the remote, closed by remote, closed by the server, disconnected from, \
        was disconnected, is disconnected, been lost, no servers available, no available hosts, no available nodes, \
        service unreachable, host is down, early eof, ~disconnected, ~disconnect, ~connection, ~socket, ~network, \
        ~websocket, unable to fetch, failed to read response, no active connection, stream isnt writeable, stream \
        isnt writable, stream is not writable, socket is not writable, no underlying stomp connection, server \
        aborted, aborted by the server, aborted by server, response aborted, terminated by the server, terminated by \
        peer, aborted by peer, use another server, no internet, are you connected, you are offline, discovery \
        failed, perform discovery, no routing servers, server closed, server terminated, server dropped, server not \
        responding, tcp error, dns error, dns resolution, dns failure, error connecting, error communicating, error \
        while connecting, could not communicate, unable to communicate, failed to communicate, failed to contact, \
        unable to contact, could not contact, stream was closed, stream interrupted, stream was interrupted, stream \
        aborted, proxy refused, link failure, remote closed, peer reset, refused to connect, ~reconnect, \
        ~reconnecting";
    BadAnswer "unexpected response, unexpected packet, unexpected message, invalid response, bad response, malformed \
        response, invalid header, unknown resp type, invalid packet, ~protocol error, protocol violation, parser \
        error, cannot parse response, expected http, invalid server response, exceeds maxframesize, bad frame, \
        invalid frame, unrecognized response, got unexpected, is not json, not valid json, unexpected content, \
        unexpected server response, unexpected reply, bad gateway response, decompression failed, incorrect data \
        check, invalid compressed data, invalid stored block, corrupt data, is corrupt, invalid magic, bad magic, \
        invalid signature of file, wrong magic, central directory, tar header, no end header, unsupported zip, \
        invalid zip, corrupted zip, invalid pdf, bad xref, invalid websocket frame, invalid identification string, \
        unexpected format, unrecognized archive format, invalid gzip, unknown compression, ~corrupt, ~decompress, \
        ~decompression, ~decode, ~decoding, invalid json received, invalid json response, received invalid json, \
        websocket handshake, accept mismatch, reserved bits, header found, parse pdf document, checksum failed, \
        checksum mismatch, checksum error, checksum does not match, invalid checksum, bad checksum, crc mismatch, \
        invalid crc, bad crc, bad signature, invalid wire type, invalid varint, rpc message, trying to parse, cannot \
        decode, could not decode, failed to decode, unable to decode, not a zip, not a pdf, not a spreadsheet, \
        unclosed root, redirection without, invalid png, invalid jpeg, invalid svg, bounds of the dataview, header \
        overflow, headers overflow, response could not be, response was not, response is not valid, response is \
        malformed, response did not, response does not, not a valid json, isnt valid json, isnt json, invalid json \
        in, not valid xml, invalid xml, invalid html, bad gzip, gzip header, bad zip, bad header, bad content type, \
        wrong content type, unexpected mime type, unexpected body, unexpected status, unexpected payload, unexpected \
        structure, unexpected data, unexpected result, unexpected answer, unexpected opcode, unexpected frame, \
        unknown opcode, unparseable response, unparsable response, could not parse response, could not parse the \
        response, cannot parse the response, failed to parse the response, error parsing response, error parsing the \
        response, malformed packet, malformed frame, corrupted response, corrupted data, data is corrupted, file is \
        corrupted, not a valid zip, not a valid pdf, not a valid image, invalid archive, invalid image data, invalid \
        file signature, end of central";
    CutAnswer "unexpected eof, unexpected end, incomplete response, body is incomplete, failed to parse response, \
        premature end, ended prematurely, truncated, was cut off, ~incomplete, ~prematurely, ~premature, empty \
        response, server returned an empty, empty reply, no content in response, response was empty, response is \
        empty, response body is empty, eof while parsing, response ended, body ended, content length mismatch, fewer \
        bytes than, partial response";
    Io "disk image is malformed, disk full, not a directory, input output error, corrupted, disk error, failed to \
        write, failed to read, failed to open, table is full, disk is full, illegal operation on a directory, is a \
        directory, could not write, unable to write, failed to create, could not create, unable to create, cannot \
        create, unable to open, could not open, cannot open, could not read, unable to read, no space, read failed, \
        write failed, not a database, write to file, read from file, disk space, disk quota, not enough space, not \
        enough disk, filesystem error, file could not be, file cannot be, could not save, failed to save, unable to \
        save, not readable, not writable, io error, read error, write error";
    IoBusy "too many open files, disk i o error";
    // No rule asks for it: what is unknown to the library itself says nothing.
    Tool "~unknown error, ~unknown reason, ~unknown reasons, ~unknown exception, ~cannot read, ~must be a number";
    Misuse "~expected a, ~expected an, ~to be a, ~to be an, ~cannot, ~cant, ~unknown, ~must, ~should, ~only, \
        ~without, ~not a, ~not an, ~is not, ~are not, ~may not, ~attempted to, ~refusing to, ~specified, ~provided, \
        ~provide, ~undefined, ~exceed, ~exceeds, ~different, ~already, ~too, ~unhandled, ~failed to execute, \
        ~expected range, ~expected variable, ~expecting, ~overflow, ~incompatible, ~unrecognised, ~violation, ~not \
        satisfy";
})];
