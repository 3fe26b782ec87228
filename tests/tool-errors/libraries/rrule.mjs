// rrule: plain errors of the parser and of the options, and the engine's own for unchecked input.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['rrule'] });
const read = (text) => async () =>
  (await import('rrule')).default.rrulestr(text).all((_, count) => count < 2);
const rule =
  (options, use = (made) => made.all((_, count) => count < 2)) =>
  async () => {
    const { RRule } = (await import('rrule')).default;
    return use(new RRule(options(RRule)), RRule);
  };
const wrong = final('VALIDATION_ERROR', 'INVALID_RESPONSE');
lib.add('frequency', wrong, 'Invalid frequency', read('RRULE:FREQ=FORTNIGHTLY'));
lib.add('until', wrong, 'Invalid UNTIL value', read('FREQ=DAILY;UNTIL=never'));
lib.add('property', wrong, 'unsupported property', read('FROB:FREQ=DAILY'));
lib.add('unknown-part', wrong, 'Unknown RRULE property', read('RRULE:FREQ=DAILY;COLOUR=RED'));
lib.add(
  'zone',
  wrong,
  'a time zone that is not there',
  read('DTSTART;TZID=Nowhere/City:20260101T000000\nRRULE:FREQ=DAILY'),
);
lib.add('empty', wrong, 'Invalid empty string', read(''));
lib.add('start', wrong, 'a start that is no date', read('DTSTART:tomorrow\nRRULE:FREQ=DAILY'));
lib.add('parameter', wrong, 'unsupported EXRULE parm', read('EXRULE;VALUE=X:FREQ=DAILY'));
lib.add('dates', wrong, 'unsupported RDATE/EXDATE parm', read('EXDATE;VALUE=FOO:20260101'));
lib.add(
  'weekday',
  final('UNKNOWN', 'VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'a weekday that is none: the engine says it',
  read('RRULE:FREQ=WEEKLY;BYDAY=XX'),
);
lib.add(
  'no-such-week',
  wrong,
  "Can't create weekday with n == 0",
  rule((RRule) => ({ freq: RRule.MONTHLY, byweekday: [RRule.MO.nth(0)] })),
);
lib.add(
  'position',
  wrong,
  'bysetpos must be between 1 and 366',
  rule((RRule) => ({ freq: RRule.DAILY, bysetpos: 400 })),
);
lib.add(
  'date',
  wrong,
  'Invalid date passed in',
  rule(
    (RRule) => ({ freq: RRule.DAILY }),
    (made) => made.after('soon'),
  ),
);
lib.add(
  'bad-start',
  wrong,
  'Invalid options: dtstart',
  rule((RRule) => ({ freq: RRule.DAILY, dtstart: new Date('x') })),
);
lib.add(
  'words',
  unclear('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'Unexpected end: of a body or of a sentence',
  async () => (await import('rrule')).default.RRule.fromText('every blue moon'),
);
export default lib;
