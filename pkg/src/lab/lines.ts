/** The lines of a file or a response, which may be anything. For Node. */

import { createReadStream } from 'node:fs';

/** A longer line is no event and no batch of a collector. V8 has no strings of 512 MiB and more. */
const LONGEST_LINE = 128 * 1024 * 1024;

/**
 * Returns the lines of a file in UTF-8, without `\n` and `\r\n`.
 *
 * @throws what the file system says where the file cannot be read, and an Error for a line that is longer than 128 MiB.
 */
export function linesOf(path: string): AsyncGenerator<string, void, undefined> {
  return linesIn(createReadStream(path, 'utf8'));
}

/**
 * Returns the lines of a text in chunks, without `\n` and `\r\n`.
 *
 * @throws an Error for a line that is longer than 128 MiB.
 */
export async function* linesIn(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let number = 1;
  let rest = '';
  for await (const chunk of chunks) {
    const lines = chunk.split('\n');
    // One that ends here begins in an earlier chunk.
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE)
      throw new Error(`line ${number + lines.length} is longer than ${LONGEST_LINE / 1024 / 1024} MiB`);
    number += lines.length;
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}
