// notFound() within a tool and a part that the page can do without.
import { createPolicy, degrade, toolResult } from 'halfopen';
import { notFound } from 'next/navigation';

export const dynamic = 'force-dynamic';

const policy = createPolicy();
const tool = toolResult(policy.wrap(async () => notFound()));

export default async function Page() {
  const { output } = await degrade(() => tool(), { name: 'tool', fallback: { output: 'instead' } });
  return <p>{output}</p>;
}
