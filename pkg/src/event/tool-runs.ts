/** Runs of tools, for tracers: a tool is no call of a policy, and has no events. */

/** A run of a tool. */
interface ToolRun {
  /** The name of the tool. */
  readonly name: string;
  /** The id that the model gave this call, if the tool gets it. */
  readonly callId: string | undefined;
}

/** Called around each run: calls it once, and returns its promise. */
export type ToolTracer = <R>(tool: ToolRun, run: () => Promise<R>) => Promise<R>;

const tracers = /* @__PURE__ */ new Set<ToolTracer>();

/** Adds a tracer. Returns a function that removes it. */
export function traceTools(tracer: ToolTracer): () => void {
  tracers.add(tracer);
  return () => void tracers.delete(tracer);
}

/**
 * Returns the tool's function with traced runs. A tool without a name is not traced, because its trace would be
 * meaningless.
 */
export function tracedTool<A extends unknown[], R>(
  name: string,
  execute: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  if (name === '') return execute;
  return (...args) => {
    let run = (): Promise<R> => execute(...args);
    for (const tracer of tracers) run = traced(tracer, { name, callId: callIdIn(args) }, run);
    return run();
  };
}

/** If a tracer throws, the tool still runs, and runs once. */
function traced<R>(tracer: ToolTracer, tool: ToolRun, run: () => Promise<R>): () => Promise<R> {
  let running: Promise<R> | undefined;
  const once = (): Promise<R> => (running ??= run());
  return () => {
    try {
      return tracer(tool, once);
    } catch {
      return once();
    }
  };
}

/** The AI SDK passes it to a tool in the second argument. */
function callIdIn([, options]: readonly unknown[]): string | undefined {
  try {
    const { toolCallId } = (options ?? {}) as { toolCallId?: unknown };
    return typeof toolCallId === 'string' ? toolCallId : undefined;
  } catch {
    return undefined; // A getter that throws.
  }
}
