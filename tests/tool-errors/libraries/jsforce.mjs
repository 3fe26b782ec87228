// jsforce, the client of Salesforce: `errorCode` and `name` in capitals (UNABLE_TO_LOCK_ROW …).
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['jsforce'] });
const call = async ({ url }) => {
  const { Connection } = (await import('jsforce')).default;
  return new Connection({ instanceUrl: url, accessToken: SECRET, maxRequest: 1 })
    .sobject('Account')
    .retrieve('001000000000001');
};
const failed = (errorCode, message) => [{ errorCode, message }];
addResponses(
  lib,
  [
    [
      'session',
      401,
      failed('INVALID_SESSION_ID', 'Session expired or invalid'),
      final('AUTHENTICATION_ERROR'),
      'INVALID_SESSION_ID',
    ],
    [
      'missing',
      404,
      failed('NOT_FOUND', 'The requested resource does not exist'),
      final('NOT_FOUND'),
      'NOT_FOUND',
    ],
    [
      'deleted',
      404,
      failed('ENTITY_IS_DELETED', 'entity is deleted'),
      final('NOT_FOUND'),
      'ENTITY_IS_DELETED',
    ],
    [
      'locked-row',
      400,
      failed('UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access to this record or 1 records: 001'),
      again('CONFLICT'),
      'contention as 400',
    ],
    [
      'duplicate',
      400,
      failed('DUPLICATE_VALUE', 'duplicate value found: Email__c duplicates value on record with id: 001'),
      final('ALREADY_EXISTS'),
      'DUPLICATE_VALUE as 400',
    ],
    [
      'duplicates-detected',
      400,
      failed('DUPLICATES_DETECTED', "You're creating a duplicate record."),
      final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
      'DUPLICATES_DETECTED',
    ],
    [
      'required',
      400,
      failed('REQUIRED_FIELD_MISSING', 'Required fields are missing: [Name]'),
      final('VALIDATION_ERROR'),
      'REQUIRED_FIELD_MISSING',
    ],
    [
      'bad-query',
      400,
      failed('MALFORMED_QUERY', "unexpected token: 'FORM'"),
      final('VALIDATION_ERROR'),
      'a model wrote this SOQL',
    ],
    [
      'no-field',
      400,
      failed('INVALID_FIELD', "No such column 'Nick' on entity 'Account'"),
      final('VALIDATION_ERROR', 'NOT_FOUND'),
      'INVALID_FIELD',
    ],
    [
      'daily-limit',
      403,
      failed('REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
      final('QUOTA_EXCEEDED', 'RATE_LIMITED'),
      'a limit of 24 hours as 403',
    ],
    [
      'concurrent',
      503,
      failed('SERVER_UNAVAILABLE', 'Server Unavailable'),
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      '503',
    ],
    [
      'access',
      403,
      failed('INSUFFICIENT_ACCESS', 'insufficient access rights on object id'),
      final('PERMISSION_DENIED'),
      'rights',
    ],
    [
      'api-disabled',
      403,
      failed('API_DISABLED_FOR_ORG', 'API is not enabled for this Organization or Partner'),
      final('PERMISSION_DENIED', 'CONFIG_ERROR', 'PROVIDER_NOT_CONFIGURED'),
      'the edition lacks it',
    ],
    [
      'storage',
      400,
      failed('STORAGE_LIMIT_EXCEEDED', 'storage limit exceeded'),
      final('QUOTA_EXCEEDED'),
      'no room',
    ],
    [
      'query-timeout',
      400,
      failed('QUERY_TIMEOUT', 'Your query request was running for too long.'),
      again('TIMEOUT'),
      'a timeout as 400',
    ],
    [
      'unknown-exception',
      500,
      failed(
        'UNKNOWN_EXCEPTION',
        'An unexpected error occurred. Please include this ErrorId if you contact support: 123',
      ),
      unclear('SERVER_ERROR', 'UNKNOWN'),
      '500',
    ],
  ],
  call,
);
addTransportFaults(lib, call, {
  abort: false,
  timeout: false,
  instead: { 'html-502': again('SERVER_ERROR') },
  skip: ['refused', 'unknown-host', 'reset', 'cut-body'],
}); // It tries those again and again.
export default lib;
