// The frameworks are in a folder above this one, which Turbopack would not look into.
import { fileURLToPath } from 'node:url';

export default { turbopack: { root: fileURLToPath(new URL('../..', import.meta.url)) } };
