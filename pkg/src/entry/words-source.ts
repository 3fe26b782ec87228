/** The parts of the words of errors. */

/** Instantiates a module of the core. */
export type Instantiate = (imports: WebAssembly.Imports) => WebAssembly.Exports;

/** The module `errors`, and the messages in languages other than English. An absent part comes from somewhere else. */
export interface Words {
  readonly errors: Instantiate | undefined;
  readonly languages: Readonly<Record<string, () => string>> | undefined;
}
