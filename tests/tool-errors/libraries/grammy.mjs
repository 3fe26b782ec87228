// grammy, the client of Telegram: GrammyError with `error_code`, `description`, `parameters`; HttpError around fetch.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['grammy'] });
const call = async ({ url, timeout, signal }) => {
  const { Api } = await import('grammy');
  return new Api(`1:${SECRET}`, { apiRoot: url, timeoutSeconds: timeout ? timeout / 1000 : 5 }).sendMessage(
    1,
    'Hello',
    {},
    signal,
  );
};
const failed = (error_code, description, parameters) => ({
  ok: false,
  error_code,
  description,
  ...(parameters && { parameters }),
});
addResponses(
  lib,
  [
    [
      'flood',
      429,
      failed(429, 'Too Many Requests: retry after 17', { retry_after: 17 }),
      again('RATE_LIMITED', { retryAfterMs: 17_000 }),
      'parameters.retry_after',
    ],
    [
      'blocked',
      403,
      failed(403, 'Forbidden: bot was blocked by the user'),
      final('PERMISSION_DENIED'),
      'the user wants none',
    ],
    [
      'no-chat',
      400,
      failed(400, 'Bad Request: chat not found'),
      final('NOT_FOUND', 'VALIDATION_ERROR'),
      'a 400 that says not found',
    ],
    ['bad-token', 401, failed(401, 'Unauthorized'), final('AUTHENTICATION_ERROR'), 'the token'],
    [
      'bad-entities',
      400,
      failed(
        400,
        "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 5",
      ),
      final('VALIDATION_ERROR'),
      'a model wrote this Markdown: no broken answer',
    ],
    [
      'too-long',
      400,
      failed(400, 'Bad Request: message is too long'),
      final('VALIDATION_ERROR'),
      'the message; no context of a model',
    ],
    [
      'not-modified',
      400,
      failed(400, 'Bad Request: message is not modified'),
      final('VALIDATION_ERROR', 'CONFLICT', 'ALREADY_EXISTS'),
      'nothing to do',
    ],
    [
      'two-pollers',
      409,
      failed(
        409,
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      ),
      unclear('CONFLICT'),
      'another instance runs',
    ],
    [
      'migrated',
      400,
      failed(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -100 }),
      final('NOT_FOUND', 'VALIDATION_ERROR'),
      'another id',
    ],
    ['internal', 500, failed(500, 'Internal Server Error'), again('SERVER_ERROR'), '500'],
    ['restart', 502, failed(502, 'Bad Gateway'), again('SERVER_ERROR'), '502'],
  ],
  call,
  { hint: true, status: true },
);
addTransportFaults(lib, call, {
  instead: {
    'html-502': unclear('INVALID_RESPONSE', 'NETWORK_ERROR', 'SERVER_ERROR'),
    'cut-body': again('TIMEOUT', 'NETWORK_ERROR'), // It waits on, and says that its time is up.
  },
});
export default lib;
