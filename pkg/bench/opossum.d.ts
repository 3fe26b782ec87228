// The part of opossum, which has no types, that the bench uses.
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
