/** The instances of the core's modules, with exports that a test changes. Import it before `halfopen`. */

/** A module's exports: functions, and its memory. */
export type Exports = Record<string, (...args: unknown[]) => unknown>;

const { Instance } = WebAssembly;

/** Gives each instance of a module of the core, from now on, the exports that `change` makes of its own. */
export function changeExports(change: (module: string, real: Exports) => object): void {
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, [module, imports]) {
      if (imports === undefined) return new target(module); // makes bytes of the modules' texts: no module of the core
      const name = Object.keys(imports)[0]?.replace(/^\.\/(\w+)_bg\.js$/, '$1') ?? '';
      return { exports: change(name, new target(module, imports).exports as Exports) };
    },
  });
}

/** Returns the exports with each function replaced by the result of `guard`; wasm-bindgen's own calls stay. */
export function guarded(
  real: Exports,
  guard: (name: string, value: Exports[string]) => Exports[string],
): object {
  return Object.fromEntries(
    Object.entries(real).map(([name, value]) =>
      typeof value !== 'function' || name.startsWith('__') ? [name, value] : [name, guard(name, value)],
    ),
  );
}

/** Traps: a RuntimeError of the engine's own. */
export const trap = (real: Exports): unknown => real.__wbindgen_free?.(0xffff_fff0, 64, 8);
