/** Carries out the actions of the dashboard in the agent's process. Each leaves an event, and can be undone. */

import { CircuitBreaker } from '../../breaker/breaker.js';
import { controllable } from '../../controllable.js';
import { type EventDetails, emit } from '../../event/events.js';
import { over } from '../../options.js';
import type { PolicyHost } from '../../policy/host.js';
import { type PolicyOptions, readUpdate } from '../../policy/options.js';
import type { Action, SentAction } from './action.js';

/** Actions that can be undone. */
const MOST_KEPT = 100;

/** An action that was carried out, and the way back. */
interface Done {
  readonly action: Action;
  readonly undo: (() => void) | undefined;
  isUndone: boolean;
}

/** A run, as far as it can be ended here. */
interface EndableRun {
  readonly end: unknown;
  cancel(): void;
}

/** The actions on this process. */
export class Control {
  /** By their ids, oldest first. An action that came twice is in it, and is not carried out again. */
  private readonly done = new Map<string, Done>();

  /** Carries out an action, once. Never throws: an action that failed is an event too. */
  carryOut(sent: SentAction): void {
    const { id, by: _, ...action } = sent;
    if (this.done.has(id)) return;
    try {
      const undo = this.apply(action);
      this.done.set(id, { action, undo, isUndone: false });
      for (const oldest of this.done.keys()) {
        if (this.done.size <= MOST_KEPT) break;
        this.done.delete(oldest);
      }
      report(sent, { type: 'control.applied', undoable: undo !== undefined });
    } catch (thrown) {
      this.done.set(id, { action, undo: undefined, isUndone: true });
      const reason = (thrown instanceof Error ? thrown.message : String(thrown)).replace(/^halfopen: /, '');
      report(sent, { type: 'control.failed', reason });
    }
  }

  /** Lifts what would otherwise hold for ever: nothing can undo it once the connection is closed. */
  close(): void {
    for (const one of this.done.values()) {
      if (one.action.action === 'isolate') undo(one);
    }
  }

  /** Returns how to undo it, if that is possible. */
  private apply(action: Action): (() => void) | undefined {
    switch (action.action) {
      case 'isolate':
        return isolate(breakersOf(action.breaker));
      case 'close':
        return this.closeBreakers(action.breaker);
      case 'update':
        return update(policiesOf(action.policy), action.options);
      case 'end-run':
        endRun(action.run);
        return undefined;
      case 'undo': {
        const one = this.done.get(action.of);
        if (one === undefined) throw new Error(`there is no action '${action.of}' in this process`);
        if (one.isUndone) throw new Error('this was undone before');
        if (one.undo === undefined) throw new Error(`'${one.action.action}' cannot be undone`);
        undo(one);
        return undefined;
      }
    }
  }

  /** Closes breakers, isolated ones too if the dashboard isolated them. */
  private closeBreakers(name: string): () => void {
    const breakers = breakersOf(name);
    const before = breakers.map((breaker) => breaker.snapshot());
    const lifted = [...this.done.values()].filter(
      (one) => one.action.action === 'isolate' && one.action.breaker === name && !one.isUndone,
    );
    lifted.forEach(undo);
    for (const breaker of breakers) breaker.reset();
    return () => {
      for (const [index, breaker] of breakers.entries()) breaker.restore(before[index] as never);
      if (lifted.length > 0) isolate(breakers);
    };
  }
}

function undo(one: Done): void {
  if (one.isUndone) return;
  one.isUndone = true;
  one.undo?.();
}

function isolate(breakers: readonly CircuitBreaker[]): () => void {
  const handles = breakers.map((breaker) => breaker.isolate());
  return () => {
    for (const handle of handles) handle.dispose();
  };
}

/** Changes the options of policies. All are checked before the first is changed. */
function update(hosts: readonly PolicyHost[], options: Readonly<Record<string, unknown>>): () => void {
  const shared = hosts.find((host) => host.settings.given.breaker instanceof CircuitBreaker);
  if ('breaker' in options && shared !== undefined)
    throw new Error(
      `the breaker of '${shared.name}' belongs to several policies: change it where it is made`,
    );
  const changes = readUpdate(revived(options) as PolicyOptions<unknown>);
  const names = Object.keys(changes);
  const before = hosts.map(({ settings }) =>
    Object.fromEntries(names.map((name) => [name, settings.given[name as keyof PolicyOptions<unknown>]])),
  );
  const back = (count: number): void => {
    for (const [index, host] of hosts.slice(0, count).entries())
      host.update(before[index] as PolicyOptions<unknown>);
  };
  for (const [index, host] of hosts.entries()) {
    try {
      // The page sends only the changed options, and an update replaces each as a whole.
      host.update(over(before[index] as PolicyOptions<unknown>, changes));
    } catch (thrown) {
      back(index);
      throw thrown;
    }
  }
  return () => back(hosts.length);
}

/** JSON has no infinity, and no `undefined`: 'Infinity', as events write it, and `null` stand for them. */
function revived(value: unknown): unknown {
  if (value === null) return undefined;
  if (value === 'Infinity') return Number.POSITIVE_INFINITY;
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, revived(of)]));
}

function endRun(id: string): void {
  const runs = controllable('run', id) as EndableRun[];
  if (runs.length === 0) throw new Error(`there is no run '${id}' in this process`);
  if (runs.every((run) => run.end !== undefined)) throw new Error('the run has ended already');
  for (const run of runs) run.cancel();
}

function policiesOf(name: string): PolicyHost[] {
  const hosts = (controllable('policy', name) as PolicyHost[]).filter((host) => !host.isDisposed);
  if (hosts.length === 0) throw new Error(`there is no policy '${name}' in this process any more`);
  return hosts;
}

function breakersOf(name: string): CircuitBreaker[] {
  const hosts = controllable('policy') as PolicyHost[];
  const found = new Set(hosts.map((host) => host.settings.breaker).filter((one) => one?.name === name));
  if (found.size === 0)
    throw new Error(
      `no policy of this process has a breaker '${name}': only breakers of policies can be controlled`,
    );
  return [...found] as CircuitBreaker[];
}

/** Emits the event of an action. Its policy or its run is the event's own. */
function report(
  sent: SentAction,
  result: { type: 'control.applied'; undoable: boolean } | { type: 'control.failed'; reason: string },
): void {
  const { policy, run, ...details } = sent as SentAction & { policy?: string; run?: string };
  emit({ policy, run }, { ...result, ...details } as EventDetails, Date.now(), []);
}
