/** Where the devtools server listens, and where agents look for it, when nothing else is said. */

export const DEFAULT_PORT = 4319;
