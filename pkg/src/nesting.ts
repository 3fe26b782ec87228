/** Which call is whose child: what an operation starts at once, while it is being started itself, is its call's. */

/** A call that others may name. */
export interface Named {
  readonly id: string;
}

let current: Named | undefined;
let wanted = false;

/** Somebody listens to a policy's events, which name a call's parent. Until then nobody needs to know. */
export function wantParents(): void {
  wanted = true;
}

/** The call whose operation is being started. */
export function startingCall(): Named | undefined {
  return current;
}

/** Set before an operation is started, and back to what it was when that is done. */
export function setStartingCall(call: Named | undefined): void {
  if (wanted) current = call;
}
