/**
 * Events out of a file that an OpenTelemetry collector has written.
 *
 * The collector's file exporter writes one `ExportLogsServiceRequest` as JSON a line (opentelemetry-proto,
 * `logs/v1/logs.proto`; proto3's JSON mapping). `exportEvents` of `halfopen/otel` makes the body of each record an event's
 * line. Records of others are passed over.
 */

import { linesOf } from '../../lab/lines.js';
import { type AcceptedEvent, acceptLine } from './accept.js';

/** The contents of a file. */
export interface OtlpSummary {
  /** Events given to `take`. */
  events: number;
  /** Log records that do not come from Halfopen. */
  foreign: number;
  /** Lines that are no OTLP/JSON: torn, or of another format. */
  unreadable: number;
}

interface Attribute {
  readonly key?: unknown;
  readonly value?: { readonly stringValue?: unknown; readonly intValue?: unknown };
}

interface Resource {
  readonly attributes?: readonly Attribute[];
}

/** Fields of `process.started`, and where a resource has them (OpenTelemetry's semantic conventions of resources). */
const OF_RESOURCE: readonly (readonly [field: string, ...attributes: string[]])[] = [
  ['host', 'host.name', 'host.id'],
  ['version', 'service.version'],
  ['deployment', 'deployment.environment.name', 'deployment.environment', 'k8s.deployment.name'],
];

/** How many events are handed over at a time. */
const BATCH = 1_000;

/**
 * Reads the events of an OTLP/JSON file, and hands them over in batches.
 *
 * Each process that the file has events of comes with a `process.started` first, made of its resource where that says
 * something. Its `seq` is 0, which no event that a process sends has.
 *
 * @throws what {@link linesOf} throws.
 */
export async function readOtlp(
  path: string,
  take: (events: readonly AcceptedEvent[]) => Promise<unknown>,
): Promise<OtlpSummary> {
  const summary: OtlpSummary = { events: 0, foreign: 0, unreadable: 0 };
  const introduced = new Set<string>();
  let batch: AcceptedEvent[] = [];
  const hand = async () => {
    summary.events += batch.length;
    await take(batch);
    batch = [];
  };
  for await (const line of linesOf(path)) {
    if (line.trim() === '') continue;
    const resources = resourceLogs(line);
    if (resources === undefined) {
      summary.unreadable += 1;
      continue;
    }
    for (const { resource, bodies } of resources) {
      for (const body of bodies) {
        const event = typeof body === 'string' ? acceptLine(body) : 'no text';
        if (typeof event === 'string') {
          summary.foreign += 1;
          continue;
        }
        if (!introduced.has(event.source)) {
          introduced.add(event.source);
          const started = introduction(event, resource);
          if (started !== undefined) batch.push(started);
        }
        batch.push(event);
        if (batch.length >= BATCH) await hand();
      }
    }
  }
  if (batch.length > 0) await hand();
  return summary;
}

/** Returns the bodies of one line's records, by resource; `undefined` if it is no OTLP/JSON. */
function resourceLogs(line: string): { resource: Resource; bodies: unknown[] }[] | undefined {
  try {
    const { resourceLogs } = JSON.parse(line) as { resourceLogs?: unknown };
    if (!Array.isArray(resourceLogs)) return undefined;
    return resourceLogs.map(({ resource, scopeLogs }) => ({
      resource: (resource ?? {}) as Resource,
      bodies: list(scopeLogs).flatMap((scope) =>
        list((scope as { logRecords?: unknown }).logRecords).map(
          (record) => (record as { body?: { stringValue?: unknown } }).body?.stringValue,
        ),
      ),
    }));
  } catch {
    return undefined;
  }
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

/** The process of an event, as its resource describes it; `undefined` where the resource says nothing. */
function introduction({ source, line }: AcceptedEvent, resource: Resource): AcceptedEvent | undefined {
  const attributes = new Map(
    list(resource.attributes).map((one) => {
      const { key, value } = one as Attribute;
      return [key, value?.stringValue ?? value?.intValue];
    }),
  );
  const fields: Record<string, string | number> = {};
  for (const [field, ...names] of OF_RESOURCE) {
    const value = names
      .map((name) => attributes.get(name))
      .find((one) => typeof one === 'string' && one !== '');
    if (value !== undefined) fields[field] = String(value).slice(0, 200);
  }
  const pid = Number(attributes.get('process.pid') ?? Number.NaN);
  if (Number.isSafeInteger(pid) && pid >= 0) fields.pid = pid;
  if (Object.keys(fields).length === 0) return undefined;
  const { time } = JSON.parse(line) as { time: number };
  const written = JSON.stringify({ v: 1, source, seq: 0, time, type: 'process.started', ...fields });
  return { source, seq: 0, line: written };
}
