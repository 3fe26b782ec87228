// The tools of an application: HTTP services that may fail. The task and the addresses come from the rehearsal.
export const TASK = process.env.HALFOPEN_REHEARSE_TASK;

const text = { type: 'string' };
const parameters = (properties) => ({ type: 'object', properties, required: Object.keys(properties) });

export const TOOLS = {
  find_order: {
    description: 'Finds an order and says whether it was refunded.',
    parameters: parameters({ order_id: text }),
  },
  refund: {
    description: 'Refunds an order.',
    parameters: parameters({ order_id: text, amount: { type: 'number' } }),
  },
  send_mail: {
    description: 'Sends a mail to the customer.',
    parameters: parameters({ to: text, text }),
  },
  search: { description: 'Searches the help pages.', parameters: parameters({ query: text }) },
};

/** Calls a tool. Throws an error with the status and the headers if the service does not answer with 200. */
export async function callTool(name, args, { signal, key } = {}) {
  const response = await fetch(`${process.env.HALFOPEN_REHEARSE_TOOLS_URL}/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
    body: JSON.stringify(args),
    signal,
  });
  const body = await response.text();
  if (!response.ok) {
    const { status, headers } = response;
    throw Object.assign(new Error(`${name} answered ${status}: ${body}`), { status, headers });
  }
  return body;
}

/** The outermost handler of most agents: the user reads the answer, or a sentence with the error's message. */
export async function main(agent) {
  try {
    console.log(await agent());
  } catch (error) {
    console.log(`Sorry, something went wrong: ${error.message}`);
  }
}
