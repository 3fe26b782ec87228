// What the core's wasm modules have in common: each is instantiated at its first use, and anew after a trap.

/** The generated glue of one module; it calls into the instance that it was given last. */
export interface Glue {
  __wbg_set_wasm(exports: WebAssembly.Exports): void;
}

/** A module was instantiated afresh after a trap, in the function named. */
export interface CoreRestarted {
  type: 'core.restarted';
  module: string;
  during: string;
}

/** Who emits restarts to the listeners of the process: the event bus, once somebody listens. */
export const restarts: { emit: ((details: CoreRestarted) => void) | undefined } = { emit: undefined };

type Run<A extends unknown[], R> = (...args: A) => R;

/** In which module and function a trap happened. */
const traps = /* @__PURE__ */ new WeakMap<WebAssembly.RuntimeError, { module: CoreModule; during: string }>();

/** One wasm module of the core. Modules share no state: a trap in one leaves the others as they are. */
export class CoreModule {
  /** Counts instances: a handle that was made under another number is void. 0 before the first use. */
  instanceNumber = 0;
  /** The memory of the present instance; there is none before the first use. */
  memory: WebAssembly.Memory | undefined;
  /** Called after each replacement of the instance, by which every handle became void. */
  readonly replaced: Set<() => void> = new Set();
  /** What the module trapped with last. */
  lastTrap: WebAssembly.RuntimeError | undefined;

  /** `instantiate` makes an instance at once; `glue` is the module's own. */
  constructor(
    private readonly name: string,
    private readonly glue: Glue,
    private readonly instantiate: (imports: WebAssembly.Imports) => WebAssembly.Exports,
  ) {}

  /**
   * Gives the function its name in `core.restarted`, and the module its first instance. The caller goes on after a trap:
   * a policy, a breaker, or {@link onceMore}.
   */
  guarded<A extends unknown[], R>(name: string, run: Run<A, R>): Run<A, R> {
    return (...args) => {
      if (this.instanceNumber === 0) this.start();
      try {
        return run(...args);
      } catch (error) {
        throw this.trapped(name, error);
      }
    };
  }

  /** As {@link guarded}, for a function that keeps no state: after a trap it runs once more, on a new instance. */
  retried<A extends unknown[], R>(name: string, run: Run<A, R>): Run<A, R> {
    const named = this.guarded(name, run);
    return (...args) => onceMore(() => named(...args));
  }

  /** Notes where a trap happened, for {@link restart}. Returns the error, whatever it is. */
  trapped(during: string, error: unknown): unknown {
    if (error instanceof WebAssembly.RuntimeError) traps.set(error, { module: this, during });
    return error;
  }

  /** Takes a new instance in place of one that trapped, whose memory cannot be trusted any more. */
  replace(trap: WebAssembly.RuntimeError): void {
    this.lastTrap = trap;
    this.start();
    for (const forget of this.replaced) forget();
  }

  restartedDuring(during: string): CoreRestarted {
    return { type: 'core.restarted', module: this.name, during };
  }

  private start(): void {
    const imports = { [`./${this.name}_bg.js`]: this.glue as unknown as WebAssembly.ModuleImports };
    const exports = this.instantiate(imports);
    this.glue.__wbg_set_wasm(exports);
    this.memory = exports.memory as WebAssembly.Memory;
    // Absent from the translation to JavaScript, which has no table of references to prepare.
    (exports as { __wbindgen_start?: () => void }).__wbindgen_start?.();
    this.instanceNumber += 1;
  }
}

/**
 * Goes on after a trap: a new instance takes the place of the one that trapped, and `core.restarted` is emitted, by
 * default to the listeners of the process.
 *
 * @returns the trap.
 * @throws the error itself, where it is no trap of a module.
 */
export function restart(
  error: unknown,
  emit: ((details: CoreRestarted) => void) | undefined = restarts.emit,
): WebAssembly.RuntimeError {
  const trap = error as WebAssembly.RuntimeError;
  const where = traps.get(trap);
  if (where === undefined) throw error;
  where.module.replace(trap);
  emit?.(where.module.restartedDuring(where.during));
  return trap;
}

/** Runs what does not depend on an instance's state: where a module traps, once more on a new instance. */
export function onceMore<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    restart(error);
  }
  try {
    return run();
  } catch (error) {
    // The same input traps again. The next one finds a sound instance.
    restart(error);
    throw error;
  }
}

/** Runs what nobody waits for, such as giving memory back. */
export function unlessTrapped(run: () => void): void {
  try {
    run();
  } catch (error) {
    restart(error);
  }
}
