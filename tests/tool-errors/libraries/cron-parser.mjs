// cron-parser: plain errors of the parser, and of the search for the next date.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['cron-parser'] });
const parse =
  (text, options, use = (made) => made.next().toString()) =>
  async () => {
    const { CronExpressionParser } = await import('cron-parser');
    return use(CronExpressionParser.parse(text, options));
  };
const wrong = final('VALIDATION_ERROR', 'INVALID_RESPONSE');
for (const [name, text, why, options] of [
  ['too-many', '* * * * * * *', 'too many fields'],
  ['letters', '* * * * frobday', 'Invalid characters'],
  ['range', '70 * * * *', 'Constraint error, expected range 0-59'],
  ['backwards', '20-10 * * * *', 'Invalid range: min > max'],
  ['repeat', '*/0 * * * *', 'cannot repeat at every 0 time'],
  ['step', '*/x * * * *', 'a step that is no number'],
  ['list', '1,,2 * * * *', 'Invalid list value format'],
  ['alias', '* * * jum *', 'cannot resolve alias'],
  ['day', '0 0 30 2 *', 'Invalid explicit day of month definition: February has no 30th'],
  ['occurrence', '0 0 * * 1#9', 'invalid dayOfWeek occurrence number'],
  ['both', '0 0 1 1 1 1', 'not both dayOfMonth and dayOfWeek in strict mode', { strict: true }],
  ['strict', '* * * *', 'expected 6 fields in strict mode', { strict: true }],
  ['words', 'every day at noon', 'a sentence'],
  ['zone', '0 12 * * *', 'a time zone that is not there', { tz: 'Nowhere/City' }],
  ['date', '0 12 * * *', 'a date that is none', { currentDate: 'tomorrow' }],
])
  lib.add(name, wrong, why, parse(text, options));
lib.add(
  'past-end',
  final('NOT_FOUND', 'VALIDATION_ERROR'),
  'Out of the time span range: there is no next date',
  parse('0 0 1 1 *', { currentDate: '2026-01-02', endDate: '2026-02-01' }),
);
lib.add('missing-file', final('NOT_FOUND', 'IO_ERROR'), 'ENOENT of a crontab', async () => {
  const { CronFileParser } = await import('cron-parser');
  return CronFileParser.parseFile('/nowhere/crontab');
});
export default lib;
