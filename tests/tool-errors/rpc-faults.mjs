// The codes of google.rpc, for clients of gRPC and Connect.
import { again, final, unclear } from './expect.mjs';

/** name: [number, message, what is right, why] */
export const CODES = {
  cancelled: [1, 'The operation was cancelled', final('CANCELLED'), 'CANCELLED'],
  unknown: [2, 'Application error processing RPC', unclear('UNKNOWN', 'SERVER_ERROR'), 'UNKNOWN'],
  'invalid-argument': [3, 'page_size must be positive', final('VALIDATION_ERROR'), 'INVALID_ARGUMENT'],
  'deadline-exceeded': [4, 'Deadline exceeded', again('TIMEOUT'), 'DEADLINE_EXCEEDED'],
  'not-found': [5, 'Document june not found', final('NOT_FOUND'), 'NOT_FOUND'],
  'already-exists': [6, 'Document june already exists', final('ALREADY_EXISTS'), 'ALREADY_EXISTS'],
  'permission-denied': [
    7,
    'The caller does not have permission',
    final('PERMISSION_DENIED'),
    'PERMISSION_DENIED',
  ],
  'resource-exhausted': [
    8,
    'Too many requests',
    again('RATE_LIMITED', 'QUOTA_EXCEEDED'),
    'RESOURCE_EXHAUSTED by rate',
  ],
  'message-too-large': [
    8,
    'Received message larger than max (5000000 vs. 4194304)',
    final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
    'RESOURCE_EXHAUSTED by size',
  ],
  'failed-precondition': [
    9,
    'The directory is not empty',
    final('CONFLICT', 'VALIDATION_ERROR'),
    'FAILED_PRECONDITION: not until the state was set right',
  ],
  aborted: [
    10,
    'Transaction lock timeout; retry the transaction',
    again('CONFLICT'),
    'ABORTED is contention; no user aborted',
  ],
  'out-of-range': [11, 'Offset is past the end of the file', final('VALIDATION_ERROR'), 'OUT_OF_RANGE'],
  unimplemented: [
    12,
    'The server does not implement the method Frob',
    final('PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR', 'CONFIG_ERROR', 'NOT_FOUND'),
    'UNIMPLEMENTED',
  ],
  internal: [13, 'Internal error', again('SERVER_ERROR'), 'INTERNAL'],
  unavailable: [
    14,
    'The service is currently unavailable',
    again('PROVIDER_OVERLOADED', 'SERVER_ERROR', 'NETWORK_ERROR'),
    'UNAVAILABLE',
  ],
  'data-loss': [
    15,
    'Unrecoverable data loss',
    final('SERVER_ERROR', 'INVALID_RESPONSE', 'IO_ERROR'),
    'DATA_LOSS',
  ],
  unauthenticated: [
    16,
    'The request does not have valid authentication credentials',
    final('AUTHENTICATION_ERROR'),
    'UNAUTHENTICATED',
  ],
};
