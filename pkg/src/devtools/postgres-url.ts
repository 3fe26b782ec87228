/** URLs of PostgreSQL databases. */

/** Returns `true` for a URL beginning with `postgres://` or `postgresql://`. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(url) && URL.canParse(url);
}

/** Where a database is, without user and password. */
export function databasePlace(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
