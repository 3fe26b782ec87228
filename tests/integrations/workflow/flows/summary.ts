// A workflow as an application has it. Its directives mean something to Workflow's compiler alone.
import { createPolicy, ensureOk } from 'halfopen';
import { asWorkflowError } from './recipe.js';

async function embed(url: string): Promise<number> {
  'use step';
  const policy = createPolicy({ name: 'embeddings', retry: false });
  try {
    return await policy.execute(async ({ signal }) => {
      const response = await fetch(`${url}/embeddings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'e', input: ['a'] }),
        signal,
      });
      await ensureOk(response);
      return response.status;
    });
  } catch (error) {
    throw asWorkflowError(error);
  }
}

export async function summary(url: string): Promise<string> {
  'use workflow';
  return `embedded with ${await embed(url)}`;
}
