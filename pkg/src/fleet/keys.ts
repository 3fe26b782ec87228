/** The keys of a fleet's resources. */

/** A name as it is listed: halves of surrogate pairs are no UTF-8, and a NUL stands between two names. */
export function listable(name: string): string {
  return name.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

const part = (name: string): string => encodeURIComponent(listable(name));

/** The list of a fleet's policies. */
export function directoryKey(fleet: string): string {
  return part(fleet);
}

export function policyKey(fleet: string, policy: string): string {
  return `${part(fleet)}/policy/${part(policy)}`;
}

/** What shares a quota, whichever policies call it. */
export function scopeKey(fleet: string, scope: string): string {
  return `${part(fleet)}/scope/${part(scope)}`;
}
