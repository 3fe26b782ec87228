// What the bench uses of opossum, which brings no types.
declare module 'opossum' {
  export default class CircuitBreaker {
    constructor(
      action: () => Promise<unknown>,
      options: { timeout: number | false; volumeThreshold?: number },
    );
    fire(): Promise<unknown>;
    fallback(action: () => unknown): void;
    open(): void;
  }
}
