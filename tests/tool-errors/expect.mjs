// A case's expectation, as rows read it: the kind of error, and whether sending the same request again can help.

/**
 * @param {string} code the code that is right
 * @param {boolean | null} retryable whether the same request can succeed later; null: the value cannot say
 * @param {string[]} neighbours other codes that a careful engineer would accept
 */
const row = (code, retryable, neighbours) => {
  const more = typeof neighbours.at(-1) === 'object' ? neighbours.at(-1) : {};
  return {
    code,
    neighbours: neighbours.filter((one) => typeof one === 'string'),
    retryable,
    clear: retryable !== null,
    ...more,
  };
};
/** Passes by itself: the same request is worth another try. The last argument can add `status`, `retryAfterMs`, `requestId`. */
export const again = (code, ...neighbours) => row(code, true, neighbours);
/** Stays: the same request fails again. */
export const final = (code, ...neighbours) => row(code, false, neighbours);
/** The thrown value does not say which: `retryable` is not scored. */
export const unclear = (code, ...neighbours) => row(code, null, neighbours);

/** Collects the cases of a library. */
export function library(about) {
  const cases = [];
  const add = (name, expect, why, make) => {
    if (cases.some((one) => one.name === name)) throw new Error(`two cases are named ${name}`);
    cases.push({ name, make, expect, why });
  };
  return { ...about, cases, add };
}

/** Every password, key and token contains it, and no classification may. */
export const SECRET = 'CANARYsecret7890';
