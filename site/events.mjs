// The page of all events with their fields, from the types in pkg/src/event/events.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../scripts/building.mjs';

/** Descriptions of events whose name and fields do not suffice. */
const ABOUT = {
  'policy.configured': 'The options of a policy, emitted before its first call and after each `update`.',
  'call.started': 'A call began.',
  'call.queued':
    'A call waits for a slot of the bulkhead or of the adaptive limit, or a turn of the rate limit.',
  'call.dequeued': 'It waits no longer.',
  'attempt.started': 'The operation was called. `probe`: by a breaker that is half-open.',
  'attempt.succeeded': 'The attempt succeeded.',
  'attempt.failed': 'The attempt failed. `counted`: the breaker counts it.',
  'attempt.repaired':
    'The request was changed as the error of this attempt asks, and is sent again at once. `changes` says how, without content.',
  'retry.scheduled':
    'Another attempt begins at `dueAt`; jitter took `delayMs` from between `minMs` and `maxMs`.',
  'call.succeeded': 'The call succeeded.',
  'call.failed': 'The call failed for good; `why` says why there was no further attempt.',
  'call.rejected': 'The call was refused before an attempt.',
  'fallback.used': 'A fallback returned a value instead of a failed call, or failed itself (`failed`).',
  'failover.switched': 'The next target of `failover` was called.',
  'breaker.changed': 'The breaker changed its state, and why.',
  'breaker.throttled':
    'A closed breaker refused a call; `rate` is the share of calls that it refuses now (0 to 1). At most one event a second.',
  'limit.changed':
    'The adaptive limit is another now: by good answers, or by overload (`code`). At most one event a second.',
  'stream.chunk': 'Chunks arrived.',
  'stream.broken': 'A stream broke after its first chunk.',
  'limits.observed': "A provider's headers stated a limit.",
  'recovery.routed': '`route` decided.',
  degraded: '`degrade` went on with its fallback.',
  'core.restarted':
    'The WebAssembly instance trapped in the function `during`, and a new instance replaced it.',
  'iterations.exceeded': 'A loop went past the bound of `iterationLimit`.',
  'run.started': 'A run of an agent began, or goes on from a snapshot (`restored`).',
  'run.step': 'A step of the model began.',
  'run.tool': 'A tool call ended, or was refused. `repeated` is how often its outcome has come in a row.',
  'run.warned': 'The run has spent the share `warnAt` of a limit.',
  'run.advised': 'The run gave advice other than to go on. One that only observes gave none, but would have.',
  'run.ended': 'The run is over: the last of its events.',
  'process.started':
    'The process that the events come from, as it introduces itself to the devtools: after its first event, and each hour.',
  'fleet.changed':
    'The process has joined its fleet (`joined`), cannot reach the store or found it emptied (`degraded`), or has left.',
  'fleet.mismatch': 'Another process has other options for the policy of that key.',
  'effect.claimed': 'An act that happens once was claimed, for the time `attempt`. `key` is hashed.',
  'effect.done': 'The act happened, and its result is kept.',
  'effect.reused': 'A later call got the result that was kept.',
  'effect.unknown': 'It is not known whether the act happened.',
  'effect.verified': '`verify` has shown whether the act happened.',
  'effect.settled': 'A person has settled whether the act happened.',
  'effect.unguarded': 'The act was carried out without the ledger, whose store did not answer.',
  'control.applied':
    'A person acted on this process from the devtools (`connectDevtools({ control: true })`). `by` is the user, `of` the action that was taken back.',
  'control.failed': 'Such an action failed and changed nothing; `reason` says why.',
  'events.dropped': 'The number of events that were dropped because no listener took them in time.',
};

function parse(file) {
  return ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
}

function typeNamed(source, name) {
  const found = source.statements.find((one) =>
    ts.isTypeAliasDeclaration(one) || ts.isInterfaceDeclaration(one) ? one.name.text === name : false,
  );
  if (found === undefined) throw new Error(`${source.fileName} has no type ${name}`);
  return found;
}

const comment = (node) =>
  ts
    .getJSDocCommentsAndTags(node)
    .map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '')
    .join(' ');
const cell = (text) => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();

/** Returns a row for each field except `type`, which is the event's name. */
function rows(members) {
  return members
    .filter((member) => member.name.getText() !== 'type')
    .map((member) => {
      const type = member.type
        .getText()
        .replace(/ \| undefined$/, '')
        .replace(/^\s*\| /, '');
      const optional = member.questionToken ? 'no' : 'yes';
      return `| \`${member.name.getText()}\` | \`${cell(type)}\` | ${optional} | ${cell(comment(member))} |`;
    });
}

const table = (lines) => `| Field | Type | Always | |\n|---|---|---|---|\n${lines.join('\n')}`;

export function eventsPage() {
  const events = parse('pkg/src/event/events.ts');
  const restarted = typeNamed(parse('pkg/src/core/instance.ts'), 'CoreRestarted');
  const members = (type) =>
    ts.isTypeLiteralNode(type) ? type.members : (restarted.members ?? restarted.type.members);
  const all = typeNamed(events, 'EventDetails').type.types.map((type) => {
    const fields = [...members(type)];
    const name = fields.find((field) => field.name.getText() === 'type').type.literal.text;
    const lines = rows(fields);
    return `## ${name}\n\n${ABOUT[name] ?? ''}\n${lines.length > 0 ? `\n${table(lines)}\n` : ''}`;
  });
  const base = typeNamed(events, 'EventBase').members.filter((member) => member.name.getText() !== 'type');
  return `# Event types

Every event that policies, \`route\`, \`degrade\` and the devtools emit, from the type \`HalfopenEvent\`. [Events](./policies/events.md) says
how to listen. Readers should pass over fields and types that they do not know.

## Fields of all events

${table(rows(base))}

${all.join('\n')}`;
}
