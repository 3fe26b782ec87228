// The copy that the package makes of a thrown value for the core, in hexadecimal. Imports the package's sources: `node --import tsx`.
import { withThrown } from '../../pkg/src/classify/thrown.ts';
import { core, thrownBuffer } from '../../pkg/src/core/errors.ts';

/** Bytes that stand before the copy in the core's memory. */
const HEAD = 10 * 8;

export const copyOf = (value) =>
  withThrown(value, (length) =>
    Buffer.from(core.memory.buffer, thrownBuffer() + HEAD, length).toString('hex'),
  );
