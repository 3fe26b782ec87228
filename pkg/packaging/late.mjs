// A page that imports a policy alone: the words of errors are a chunk of their own, which it fetches when it has a policy. With
// first aid alone, the code of this failure would be UNKNOWN.
import { createPolicy } from 'halfopen';

const scripts = () => performance.getEntriesByType('resource').filter(({ name }) => /\.m?js\b/.test(name));

/** Fails a call; returns its code once a script has come for it, and throws if none did. */
export async function late() {
  if (document.readyState !== 'complete') await new Promise((loaded) => addEventListener('load', loaded));
  const before = scripts().length;
  const failing = () => Promise.reject(Object.assign(new Error('invalid api key'), { status: 401 }));
  const { code } = await createPolicy({ name: 'late', retry: false })
    .execute(failing)
    .catch((error) => error);
  if (code !== 'AUTHENTICATION_ERROR')
    throw new Error(`the words did not come: expected AUTHENTICATION_ERROR, got ${code}`);
  const fetched = scripts().length - before;
  if (fetched === 0)
    throw new Error('the words were there before the policy, expected a chunk that is fetched');
  return `${code} by words that came late`;
}

/** Runs it, and says in the page what came. */
export const show = () =>
  late().then(
    (seen) => document.body.setAttribute('data-result', seen),
    (error) => document.body.setAttribute('data-error', String(error?.stack ?? error)),
  );
