// redirect() throws: what it throws passes the policy as it is.
import { createPolicy } from 'halfopen';
import { redirect } from 'next/navigation';

export const dynamic = 'force-dynamic';

const policy = createPolicy({ fallback: () => 'instead', breaker: { failureThreshold: 1 } });

export default async function Page() {
  return <p>{await policy.execute(() => redirect('/'))}</p>;
}
