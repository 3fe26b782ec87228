/** The keys of a fleet's resources. */

const part = encodeURIComponent;

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
