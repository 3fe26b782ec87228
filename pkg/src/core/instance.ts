// Instances of the core's wasm modules: each is instantiated at its first use, and again after a trap.

import { deliver, nextSeq, processName, processObserved } from '../listeners.js';

/** The generated glue of one instance: it calls into the exports that it was given. */
export interface Glue {
  __wbg_set_wasm(exports: WebAssembly.Exports): void;
}

/** A module was instantiated afresh after a trap, in the function named. */
export interface CoreRestarted {
  type: 'core.restarted';
  module: string;
  during: string;
}

type Name<G extends Glue> = Exclude<keyof G, keyof Glue> & string;
type Run = (...args: unknown[]) => unknown;

/**
 * The error of a module's trap: a `WebAssembly.RuntimeError`, or an error of that name if the module was translated to
 * JavaScript.
 */
export type Trap = Error & { readonly name: 'RuntimeError' };

/** A trap of our own making, where the core's memory turns out to be broken. The engine may lack WebAssembly's class of it. */
export const trap = (message: string): Trap =>
  Object.assign(new Error(message), { name: 'RuntimeError' as const });

/** The core calls no function of the application, so that an error of this name is a trap's. */
const isTrap = (error: unknown): error is Trap => error instanceof Error && error.name === 'RuntimeError';

/** In which module and function a trap happened. */
interface Where {
  readonly module: CoreModule<Glue>;
  readonly during: string;
}
const traps = /* @__PURE__ */ new WeakMap<Error, Where>();

/** One wasm module of the core. Modules share no state: a trap in one leaves the others as they are. */
export class CoreModule<G extends Glue> {
  /** Counts instances: a handle that was made under another number is void. 0 before the first use. */
  instanceNumber = 0;
  /**
   * The functions of the present instance. They exist from the first use on, and any code that has a handle may call
   * them.
   */
  glue!: G;
  /** The memory of the present instance, from its first use on. */
  memory: WebAssembly.Memory | undefined;
  /** Called after each replacement of the instance, by which every handle became void. */
  readonly replaced: Set<() => void> = new Set();
  /** The error of the module's last trap. */
  lastTrap: Trap | undefined;

  /** `makeGlue` and `instantiate` are called once for each instance. */
  constructor(
    private readonly name: string,
    private readonly makeGlue: () => G,
    private readonly instantiate: (imports: WebAssembly.Imports) => WebAssembly.Exports,
  ) {}

  /**
   * The function of that name, of whichever instance is the present one when it is called. The caller goes on after a
   * trap: a policy, a breaker, or {@link onceMore}.
   */
  guarded<N extends Name<G>>(name: N): G[N] {
    const call: Run = (...args) => {
      if (this.instanceNumber === 0) this.start();
      try {
        return (this.glue[name] as Run)(...args);
      } catch (error) {
        throw this.trapped(name, error);
      }
    };
    return call as G[N];
  }

  /** As {@link guarded}, for a function that keeps no state: after a trap it runs once more, on a new instance. */
  retried<N extends Name<G>>(name: N): G[N] {
    const named = this.guarded(name) as Run;
    const call: Run = (...args) => onceMore(() => named(...args));
    return call as G[N];
  }

  /** Notes where a trap happened, for {@link restart}. Returns the error, whatever it is. */
  trapped(during: string, error: unknown): unknown {
    if (isTrap(error)) traps.set(error, { module: this, during });
    return error;
  }

  /** Takes a new instance in place of one that trapped, whose memory cannot be trusted any more. */
  replace(trap: Trap): void {
    this.lastTrap = trap;
    this.start();
    for (const forget of this.replaced) forget();
  }

  restartedDuring(during: string): CoreRestarted {
    return { type: 'core.restarted', module: this.name, during };
  }

  private start(): void {
    // Each instance has its own glue, because the glue keeps views of its memory.
    const glue = this.makeGlue();
    const exports = this.instantiate({
      [`./${this.name}_bg.js`]: glue as unknown as WebAssembly.ModuleImports,
    });
    glue.__wbg_set_wasm(exports);
    this.glue = glue;
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
 * @throws the error itself if it is no trap of a module.
 */
export function restart(error: unknown, emit: (details: CoreRestarted) => void = emitted): Trap {
  const trap = error as Trap;
  const where = traps.get(trap);
  if (where === undefined) throw error;
  where.module.replace(trap);
  emit(where.module.restartedDuring(where.during));
  return trap;
}

/** The names in it are the package's own, so that there is nothing to redact. */
function emitted(details: CoreRestarted): void {
  if (!processObserved()) return;
  deliver({ v: 1, source: processName(), seq: nextSeq(), time: Date.now(), ...details });
}

/**
 * Runs what does not depend on an instance's state: where a module traps, once more on a new instance.
 *
 * @throws RangeError if it traps again, for example because it does not fit into the module's memory. Its cause is the trap.
 */
export function onceMore<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    restart(error);
  }
  try {
    return run();
  } catch (error) {
    // The next input finds a sound instance.
    const cause = restart(error);
    const refused = new RangeError(
      'halfopen: the core trapped twice: this may need more memory than there is',
      { cause },
    );
    // Code that goes on after a trap goes on after this, too.
    traps.set(refused, traps.get(cause) as Where);
    throw refused;
  }
}

/** Runs a function that no code waits for, such as freeing memory. */
export function unlessTrapped(run: () => void): void {
  try {
    run();
  } catch (error) {
    restart(error);
  }
}
