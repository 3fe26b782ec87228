/** The output of a tool within bounds: head and tail, and in between how much is missing. */

import { callback, countOrInfinity, type Shape } from '../options.js';
import { graphemeEnd, graphemeStart, truncate } from './truncate.js';

/** Bounds on the output of tools. */
export interface ToolOutputOptions {
  /**
   * The most characters (UTF-16 units) of an output. Of a longer one the model gets head and tail, and between them a line that
   * says how much is missing; both together are no longer than this. `Infinity`: no bound. Default: 50000.
   */
  maxOutput?: number | undefined;
  /**
   * Puts the part that is left out where the model can read it, and returns where: `'/tmp/output-7.txt'`, `'read_output(7)'`. The
   * model reads that (at most 500 characters of it) in the line between head and tail. If it throws, returns nothing, or rejects,
   * the output is cut all the same. Default: the part is dropped.
   */
  spill?:
    | ((rest: string, about: SpilledOutput) => string | undefined | PromiseLike<string | undefined>)
    | undefined;
}

/** The facts for `spill`, beside the part that is left out. */
export interface SpilledOutput {
  /** The tool's name; '' without one. */
  tool: string;
  /** The whole output. */
  output: string;
}

export const outputShape: Shape = { maxOutput: countOrInfinity, spill: callback };

const MOST = 50_000;
/** Characters of the place that `spill` returns. */
const MOST_OF_PLACE = 500;

/** A text that was cut. */
export interface CutText {
  readonly text: string;
  /** How many characters are missing. */
  readonly missing: number;
}

/** The text within the bound; `undefined` for one that fits. Never rejects. */
export async function cutOutput(
  output: string,
  tool: string,
  options: ToolOutputOptions,
): Promise<CutText | undefined> {
  const cut = await cutTexts([output], tool, options);
  return cut === undefined ? undefined : { text: cut.texts.join(''), missing: cut.missing };
}

/** Several texts, within the bound together; a text between head and tail is ''. `undefined` where they fit. Never rejects. */
async function cutTexts(
  texts: readonly string[],
  tool: string,
  { maxOutput = MOST, spill }: ToolOutputOptions,
): Promise<{ texts: readonly string[]; missing: number } | undefined> {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length <= maxOutput) return undefined;
  const output = texts.join('');
  const placeRoom = spill === undefined ? 0 : Math.min(MOST_OF_PLACE, maxOutput >> 1);
  const line = notice(length, length, 'x'.repeat(placeRoom));
  const room = Math.max(0, maxOutput - line.length);
  const from = graphemeEnd(output, Math.ceil(room / 2));
  const to = Math.max(from, graphemeStart(output, length - Math.floor(room / 2)));
  const rest = output.slice(from, to);
  const place = spill === undefined ? '' : await placed(spill, rest, { tool, output });
  const said = notice(rest.length, length, truncate(place, placeRoom));
  let at = 0;
  const parts = texts.map((text) => {
    const [start, end] = [at, at + text.length];
    at = end;
    const head = output.slice(start, Math.min(end, from));
    const tail = output.slice(Math.max(start, to), end);
    // The line occurs once: in the text where the cut begins.
    return start <= from && from < end ? `${head}${said}${tail}` : start < from ? head : tail;
  });
  return { texts: parts, missing: rest.length };
}

function notice(missing: number, length: number, place = ''): string {
  const where = place === '' ? '' : ` They are here: ${place}`;
  return `\n\n[${missing} of ${length} characters are left out.${where}]\n\n`;
}

/** Returns the place of the rest; '' if `spill` failed. A tool's result is worth more than the fate of its rest. */
async function placed(
  spill: NonNullable<ToolOutputOptions['spill']>,
  rest: string,
  about: SpilledOutput,
): Promise<string> {
  try {
    const place: unknown = await spill(rest, about);
    return typeof place === 'string' ? place.trim() : '';
  } catch {
    return '';
  }
}

/** A part of a tool's result, as MCP and LangChain have them. */
interface ContentPart {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly resource?: { readonly text?: unknown };
}

/**
 * The parts of a result whose texts are within the bound together: images and links stay, texts between head and tail go, and
 * embedded resources keep their address. `undefined` where they fit, and for anything but a list. Never rejects.
 */
export async function cutContent(
  content: unknown,
  tool: string,
  options: ToolOutputOptions,
): Promise<readonly unknown[] | undefined> {
  if (!Array.isArray(content)) return undefined;
  const before = content.map(textOf);
  const cut = await cutTexts(before, tool, options);
  if (cut === undefined) return undefined;
  return content.flatMap((part: ContentPart | string, index): unknown[] => {
    const text = cut.texts[index] ?? '';
    if (text === before[index]) return [part];
    if (typeof part === 'string') return text === '' ? [] : [text];
    if (typeof part?.text !== 'string') return [{ ...part, resource: { ...part.resource, text } }];
    return text === '' ? [] : [{ ...part, text }];
  });
}

function textOf(part: ContentPart | string | null | undefined): string {
  if (typeof part === 'string') return part;
  const text = part?.text ?? part?.resource?.text;
  return typeof text === 'string' ? text : '';
}
