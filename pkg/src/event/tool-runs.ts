/** Runs of tools, for those who trace them: a tool is no call of a policy, and has no events. */

/** A run of a tool. */
interface ToolRun {
  /** The name of the tool. */
  readonly name: string;
  /** The id that the model gave this call of it, where the tool gets it. */
  readonly callId: string | undefined;
}

/** Called around each run: calls it once, and returns its promise. */
export type ToolTracer = <R>(tool: ToolRun, run: () => Promise<R>) => Promise<R>;

const tracers = /* @__PURE__ */ new Set<ToolTracer>();

/** Adds a tracer. Returns how to remove it. */
export function traceTools(tracer: ToolTracer): () => void {
  tracers.add(tracer);
  return () => void tracers.delete(tracer);
}

/** The tool's function, its runs traced. A tool without a name is not: a trace would say nothing of it. */
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

/** A tracer that throws changes nothing: the tool runs, and runs once. */
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

/** The AI SDK gives it to a tool with its second argument. */
function callIdIn([, options]: readonly unknown[]): string | undefined {
  try {
    const { toolCallId } = (options ?? {}) as { toolCallId?: unknown };
    return typeof toolCallId === 'string' ? toolCallId : undefined;
  } catch {
    return undefined; // A getter that throws.
  }
}
