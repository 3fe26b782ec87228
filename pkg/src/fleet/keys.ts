/** The keys of a fleet's resources. */

/** Makes a name listable: half a surrogate pair is not valid UTF-8, and NUL separates two names. */
export function listable(name: string): string {
  return name.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

const part = (name: string): string => encodeURIComponent(listable(name));

/** Returns the key of the list of a fleet's policies. */
export function directoryKey(fleet: string): string {
  return part(fleet);
}

export function policyKey(fleet: string, policy: string): string {
  return `${part(fleet)}/policy/${part(policy)}`;
}

/** Returns the key of a quota scope, which all policies that share the quota use. */
export function scopeKey(fleet: string, scope: string): string {
  return `${part(fleet)}/scope/${part(scope)}`;
}

/** Returns the key of a budget, which all runs that spend from it use. */
export function budgetKey(fleet: string, budget: string): string {
  return `${part(fleet)}/budget/${part(budget)}`;
}
