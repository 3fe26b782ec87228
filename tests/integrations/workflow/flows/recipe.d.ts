// The recipe of docs/integrations/workflow.md, which host.test.ts writes beside this.
export declare function asWorkflowError(thrown: unknown): Error;
