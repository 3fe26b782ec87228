declare module '*/lab-worker.txt' {
  /** The script of the lab's worker: the build bundles `lab/worker/worker.ts`. */
  const script: string;
  export default script;
}
