// `halfopen/langgraph` in graphs of LangGraph: each severity goes its own way, and nodes run as often as they should.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { AgentError, type AgentErrorCode, createPolicy, degrade, toolResult } from 'halfopen';
import { errorNode, recoverable, recoveryNode, recoveryState } from 'halfopen/langgraph';
import { createLedger, memoryStore } from 'halfopen/once';
import { GOOD, given, provider, requests } from './provider.js';

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  ...recoveryState(),
  answer: Annotation<string>,
  trail: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});
type S = typeof State.State;

const quick = { maxAttempts: 3, delaySeconds: 0.001, backoffFactor: 1 };

/** A graph whose step `search` fails with these codes first. */
function graph(...codes: AgentErrorCode[]) {
  let runs = 0;
  const search = recoverable(
    'search',
    async (_state: S) => {
      const code = codes[runs++];
      if (code !== undefined) throw new AgentError(code, 'it failed');
      return { answer: 'found', trail: ['search'] };
    },
    { next: END, retryPolicy: quick },
  );
  const compiled = new StateGraph(State)
    .addNode('search', search, { ends: ['recover'] })
    .addNode('plan', () => new Command({ goto: 'search', update: { trail: ['plan'] } }), { ends: ['search'] })
    .addNode('recover', recoveryNode({ orchestrator: 'plan' }), { ends: ['search', 'plan', 'error'] })
    .addNode('error', errorNode())
    .addEdge(START, 'search')
    .addEdge('error', END)
    .compile();
  return { run: () => compiled.invoke({}), runs: () => runs };
}

describe('recoverable and recoveryNode', () => {
  test('what may succeed later is tried again, and leaves nothing behind', async () => {
    const { run, runs } = graph('RATE_LIMITED', 'NETWORK_ERROR');
    const state = await run();
    assert.deepEqual([state.answer, runs()], ['found', 3]);
    assert.deepEqual([state.retryCount, state.errorInfo], [0, undefined]);
  });

  test('after maxAttempts it is the error step', async () => {
    const { run, runs } = graph(...Array<AgentErrorCode>(9).fill('SERVER_ERROR'));
    const { messages, answer } = await run();
    assert.deepEqual([answer, runs()], [undefined, 4]);
    assert.ok(String(messages.at(-1)?.content).length > 0);
  });

  test('an error that needs another plan leads to the orchestrator', async () => {
    const { run, runs } = graph('CONTEXT_LENGTH_EXCEEDED');
    const { answer, trail } = await run();
    assert.deepEqual([answer, trail, runs()], ['found', ['plan', 'search'], 2]);
  });

  test('a critical error leads to the error step at once', async () => {
    const { run, runs } = graph('AUTHENTICATION_ERROR');
    const { messages } = await run();
    assert.deepEqual([messages.length, runs()], [1, 1]);
  });

  test('a fatal error ends the run', async () => {
    const error = await graph('INITIALIZATION_ERROR')
      .run()
      .catch((thrown) => thrown);
    assert.ok(AgentError.is(error));
    assert.equal(error.code, 'INITIALIZATION_ERROR');
  });

  test('an interrupt passes', async () => {
    const compiled = new StateGraph(State)
      .addNode(
        'ask',
        recoverable('ask', async (_state: S) => ({ answer: interrupt('sure?') as string }), { next: END }),
        { ends: ['recover'] },
      )
      .addNode('recover', recoveryNode({ error: 'ask' }), { ends: ['ask'] })
      .addEdge(START, 'ask')
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: '1' } };
    await compiled.invoke({}, config);
    const { answer } = await compiled.invoke(new Command({ resume: 'yes' }), config);
    assert.equal(answer, 'yes');
  });

  /** search → approve, which asks a human → end. `runs` says how often each node ran. */
  function approval(...failures: unknown[]) {
    const runs = { search: 0, approve: 0 };
    const search = recoverable(
      'search',
      async (_state: S) => {
        const failure = failures[runs.search++];
        if (failure !== undefined) throw failure;
        return { answer: 'Bern' };
      },
      { retryPolicy: quick, next: 'approve' },
    );
    const approve = recoverable(
      'approve',
      async ({ answer }: S) => {
        runs.approve++;
        return new Command({ update: { trail: [String(interrupt(`Send "${answer}"?`))] } });
      },
      { next: END },
    );
    const compiled = new StateGraph(State)
      .addNode('search', search, { ends: ['approve', 'recover'] })
      .addNode('approve', approve, { ends: [END, 'recover'] })
      .addNode('recover', recoveryNode(), { ends: ['search', 'approve', 'error'] })
      .addNode('error', errorNode())
      .addEdge(START, 'search')
      .addEdge('error', END)
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: '1' } };
    const asked = async (input: Parameters<typeof compiled.invoke>[0]) => {
      const state = await compiled.invoke(input, config);
      const interrupts = (state as { __interrupt__?: { value?: unknown }[] }).__interrupt__ ?? [];
      return { state, questions: interrupts.map(({ value }) => value) };
    };
    return { asked, runs };
  }

  const busy = () => Object.assign(new Error('busy'), { status: 503 });
  for (const [name, failures] of [
    ['no failure', []],
    ['a busy provider', [busy(), busy()]],
    ['a broken connection', [Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })]],
  ] as const) {
    test(`search, approve, end: with ${name} the human is asked once, about what was found`, async () => {
      const { asked, runs } = approval(...failures);
      const first = await asked({});
      assert.deepEqual(first.questions, ['Send "Bern"?']);
      assert.deepEqual([first.state.errorInfo, first.state.retryCount ?? 0], [undefined, 0]);
      const { state, questions } = await asked(new Command({ resume: 'yes' }));
      assert.deepEqual([questions, state.trail, runs.search], [[], ['yes'], failures.length + 1]);
    });
  }

  for (const [name, failure] of [
    ['a rejected key', Object.assign(new Error('bad key'), { status: 401 })],
    ['a programming error', new TypeError("Cannot read properties of undefined (reading 'x')")],
    ['a provider that stays down', undefined],
  ] as const) {
    test(`search, approve, end: with ${name} the human is not asked, and the run ends with the error step`, async () => {
      const { asked, runs } = approval(
        ...(failure === undefined ? Array.from({ length: 9 }, busy) : [failure]),
      );
      const { state, questions } = await asked({});
      assert.deepEqual([questions, runs.approve, state.answer], [[], 0, undefined]);
      assert.equal(state.messages.length, 1);
    });
  }

  test('a command of the node keeps its own way, and forgets the failure too', async () => {
    let runs = 0;
    const search = recoverable(
      'search',
      async (_state: S) => {
        if (++runs === 1) throw busy();
        return new Command({ goto: 'plan', update: { answer: 'found' } });
      },
      { retryPolicy: quick, next: 'error' },
    );
    const compiled = new StateGraph(State)
      .addNode('search', search, { ends: ['plan', 'recover', 'error'] })
      .addNode('plan', () => ({ trail: ['plan'] }))
      .addNode('recover', recoveryNode(), { ends: ['search', 'error'] })
      .addNode('error', errorNode())
      .addEdge(START, 'search')
      .compile();
    const { answer, trail, messages, errorInfo, retryCount } = await compiled.invoke({});
    assert.deepEqual([answer, trail, messages], ['found', ['plan'], []]);
    assert.deepEqual([errorInfo, retryCount], [undefined, 0]);
  });

  test('a node that streams from a provider: the graph repeats it, one request each time, and its tokens arrive', async () => {
    given({ kind: 'overloaded' }, { kind: 'server-error' });
    const model = new ChatOpenAI({
      apiKey: 'sk-test',
      model: 'gpt-5-mini',
      maxRetries: 0,
      streaming: true,
      configuration: { baseURL: provider.openaiUrl },
    });
    const once = createPolicy({ retry: false });
    const ask = recoverable(
      'ask',
      async (_state: S) => {
        const { content } = await once.execute(({ signal }) => model.invoke('hi', { signal }));
        return { answer: String(content) };
      },
      { next: END, retryPolicy: quick },
    );
    const compiled = new StateGraph(State)
      .addNode('ask', ask, { ends: ['recover'] })
      .addNode('recover', recoveryNode(), { ends: ['ask', 'error'] })
      .addNode('error', errorNode())
      .addEdge(START, 'ask')
      .addEdge('error', END)
      .compile();
    let tokens = '';
    for await (const [chunk] of await compiled.stream({}, { streamMode: 'messages' }))
      tokens += chunk.content;
    assert.deepEqual([tokens, requests()], [GOOD, 3]);
  });

  test('who ends the run does not wait for the retry', async () => {
    const end = new AbortController();
    let runs = 0;
    const search = recoverable(
      'search',
      async (_state: S) => {
        runs += 1;
        throw new AgentError('SERVER_ERROR', 'it failed');
      },
      { retryPolicy: { maxAttempts: 3, delaySeconds: 3600, backoffFactor: 1 } },
    );
    const recover = recoveryNode();
    const compiled = new StateGraph(State)
      .addNode('search', search, { ends: ['recover'] })
      .addNode(
        'recover',
        (state: S, config) => {
          // It waits from here on.
          setImmediate(() => end.abort(new Error('enough')));
          return recover(state, config);
        },
        { ends: ['search', 'error'] },
      )
      .addNode('error', errorNode())
      .addEdge(START, 'search')
      .addEdge('error', END)
      .compile();
    await assert.rejects(compiled.invoke({}, { signal: end.signal }), /enough|abort/i);
    assert.equal(runs, 1);
  });

  /** search → approve (by a human) → send; the first errors of `search`, and how often each node ran. */
  function mail(failures: readonly unknown[], retryPolicy = quick) {
    const runs = { search: 0, approve: 0, send: 0 };
    const search = async () => {
      const failure = failures[runs.search++];
      if (failure !== undefined) throw failure;
      return { answer: 'the draft' };
    };
    const compiled = new StateGraph(State)
      .addNode('search', recoverable('search', search, { next: 'approve', retryPolicy }), {
        ends: ['approve', 'recover'],
      })
      .addNode(
        'approve',
        recoverable(
          'approve',
          async (state: S) => {
            runs.approve++;
            return { trail: [interrupt(`Send "${state.answer}"?`) as string] };
          },
          { next: ({ trail }) => (trail[0] === 'yes' ? 'send' : END) },
        ),
        { ends: ['send', END, 'recover'] },
      )
      .addNode('send', () => {
        runs.send++;
        return {};
      })
      .addNode('recover', recoveryNode(), { ends: ['search', 'approve', 'error'] })
      .addNode('error', errorNode())
      .addEdge(START, 'search')
      .addEdge('send', END)
      .addEdge('error', END)
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: '1' } };
    const asked = async () =>
      (await compiled.getState(config)).tasks.flatMap(({ interrupts }) =>
        interrupts.map(({ value }) => value),
      );
    return { compiled, config, runs, asked };
  }

  for (const [name, failures] of [
    ['none', []],
    ['an overloaded provider, twice', [new AgentError('PROVIDER_OVERLOADED', 'busy'), { status: 503 }]],
    ['a broken connection', [Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })]],
  ] as const) {
    test(`search, then a human, then the end; failures of search: ${name}`, async () => {
      const { compiled, config, runs, asked } = mail(failures);
      await compiled.invoke({}, config);
      assert.deepEqual(await asked(), ['Send "the draft"?']);
      const state = await compiled.invoke(new Command({ resume: 'yes' }), config);
      assert.deepEqual(runs, { search: failures.length + 1, approve: 2, send: 1 });
      assert.deepEqual([state.errorInfo, state.retryCount], [undefined, 0]);
    });
  }

  for (const [name, failure, searches] of [
    ['a wrong key', { status: 401 }, 1],
    ['a fault of the program', new TypeError('x is not a function'), 1],
    ['a provider that is down', { status: 503 }, 4],
  ] as const) {
    test(`no human is asked when search fails for good: ${name}`, async () => {
      const { compiled, config, runs, asked } = mail(Array(9).fill(failure));
      const { messages } = await compiled.invoke({}, config);
      assert.deepEqual([await asked(), messages.length], [[], 1]);
      assert.deepEqual(runs, { search: searches, approve: 0, send: 0 });
    });
  }

  test('the human says no: the graph ends where next says', async () => {
    const { compiled, config, runs } = mail([]);
    await compiled.invoke({}, config);
    await compiled.invoke(new Command({ resume: 'no' }), config);
    assert.deepEqual(runs, { search: 1, approve: 2, send: 0 });
  });

  test('a node that returns a Command of its own leaves nothing of a failure behind either', async () => {
    for (const update of [{ answer: 'found' }, [['answer', 'found']]] as const) {
      let runs = 0;
      const compiled = new StateGraph(State)
        .addNode(
          'search',
          recoverable(
            'search',
            async () => {
              if (++runs === 1) throw new AgentError('SERVER_ERROR', 'it failed');
              return new Command({ goto: 'last', update: update as never });
            },
            { retryPolicy: quick },
          ),
          { ends: ['last', 'recover'] },
        )
        .addNode('last', () => ({ trail: ['last'] }))
        .addNode('recover', recoveryNode(), { ends: ['search', 'error'] })
        .addNode('error', errorNode())
        .addEdge(START, 'search')
        .compile();
      const { answer, trail, errorInfo, retryCount } = await compiled.invoke({});
      assert.deepEqual([answer, trail, errorInfo, retryCount], ['found', ['last'], undefined, 0]);
    }
  });

  /** A graph whose node `search` fails once, then returns a value; `left` and `right` follow where it leads there. */
  async function returning(value: () => unknown, options: { next?: string } = {}) {
    let runs = 0;
    const search = recoverable(
      'search',
      async (_state: S) => {
        if (++runs === 1) throw new AgentError('SERVER_ERROR', 'it failed');
        return value() as { answer: string };
      },
      { retryPolicy: quick, ...options },
    );
    const state = await new StateGraph(State)
      .addNode('search', search, { ends: ['left', 'right', 'recover'] })
      .addNode('left', ({ answer }: S) => ({ trail: [`left ${answer}`] }))
      .addNode('right', ({ answer }: S) => ({ trail: [`right ${answer}`] }))
      .addNode('recover', recoveryNode(), { ends: ['search', 'error'] })
      .addNode('error', errorNode())
      .addEdge(START, 'search')
      .compile()
      .invoke({});
    const { answer, trail, messages, errorInfo, retryCount } = state;
    return { answer, trail: [...trail].sort(), errors: messages.length, errorInfo, retryCount };
  }
  const forgotten = { errors: 0, errorInfo: undefined, retryCount: 0 };

  test('a list of commands leads to all of their nodes with all of their updates, and forgets the failure', async () => {
    const both = () => [
      new Command({ goto: 'left', update: { answer: 'found' } }),
      { trail: ['beside'] },
      new Command({ goto: new Send('right', { answer: 'sent' }) }),
    ];
    for (const options of [{}, { next: 'left' }])
      assert.deepEqual(await returning(both, options), {
        ...{ answer: 'found', trail: ['beside', 'left found', 'right sent'] },
        ...forgotten,
      });
  });

  test('a Send leads to its node, and forgets the failure', async () => {
    const sent = await returning(() => new Send('right', { answer: 'sent' }), { next: 'left' });
    assert.deepEqual(sent, { answer: undefined, trail: ['right sent'], ...forgotten });
  });

  test('a list without a command is what LangGraph says of it', async () => {
    const sends = () => [new Send('left', {}), new Send('right', {})];
    await assert.rejects(returning(sends, { next: 'left' }), /at least one Command object, received array/);
  });

  test('a node that succeeds and does not say what follows is a TypeError: an edge would lead on after a failure', async () => {
    const compiled = new StateGraph(State)
      .addNode(
        'search',
        recoverable('search', async () => ({ answer: 'found' })),
        { ends: ['recover'] },
      )
      .addNode('recover', recoveryNode(), { ends: ['search', 'error'] })
      .addNode('error', errorNode())
      .addEdge(START, 'search')
      .addEdge('search', END)
      .compile();
    await assert.rejects(compiled.invoke({}), {
      name: 'TypeError',
      message: /recoverable\('search'\) does not know what follows: give it the option next/,
    });
  });

  test('an interrupt within a guarded call, a tool and a fallback passes, and the breaker hears nothing of it', async () => {
    const policy = createPolicy({ breaker: { failureThreshold: 1 } });
    const ask = policy.wrap(async (question: string) => interrupt(question) as string);
    const tool = toolResult(ask);
    const node = async () => {
      const { output } = await tool('sure?');
      const again = await degrade(() => ask('really?'), { name: 'ask', fallback: 'no' });
      return { trail: [output, again] };
    };
    const compiled = new StateGraph(State)
      .addNode('node', node)
      .addEdge(START, 'node')
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: '1' } };
    await compiled.invoke({}, config);
    await compiled.invoke(new Command({ resume: 'yes' }), config);
    const { trail } = await compiled.invoke(new Command({ resume: 'indeed' }), config);
    assert.deepEqual(trail, ['yes', 'indeed']);
    assert.deepEqual([policy.breaker?.state, policy.stats().failed], ['closed', 0]);
  });

  test('a recovery node that no wrapped node has led to says what to wrap', async () => {
    const compiled = new StateGraph(State)
      .addNode('recover', recoveryNode({ error: 'recover' }), { ends: ['recover'] })
      .addEdge(START, 'recover')
      .compile();
    await assert.rejects(compiled.invoke({}), /without errorInfo: wrap the nodes by recoverable\(\)/);
  });

  test('wrong arguments are TypeErrors', () => {
    assert.throws(() => recoverable('a', {} as never), /function/);
    assert.throws(() => recoveryNode({ planner: 'a' } as never), /planner/);
  });
});

describe('an act that happens once', () => {
  const Refund = Annotation.Root({
    ...MessagesAnnotation.spec,
    ...recoveryState(),
    charge: Annotation<string>,
    receipt: Annotation<string>,
  });
  const lost = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

  /** A graph whose act fails like this first; `start` makes it again, as another process does. */
  function billing(failures: unknown[], asksHuman: boolean) {
    let acts = 0;
    const store = memoryStore();
    const checkpointer = new MemorySaver();
    const start = () => {
      const ledger = createLedger({ store, secret: 's' });
      const refund = ledger.once(
        'refund',
        async (charge: string) => {
          acts++;
          const failure = failures.shift();
          if (failure !== undefined) throw failure;
          return `refund of ${charge}`;
        },
        { key: (charge) => charge },
      );
      const pay = async ({ charge }: typeof Refund.State) => {
        try {
          return { receipt: await refund(charge) };
        } catch (error) {
          if (!asksHuman || !AgentError.is(error) || error.metadata.effectKey === undefined) throw error;
          const found: string = interrupt(`Was ${charge} refunded?`);
          const outcome =
            found === 'none' ? { happened: false as const } : { happened: true as const, result: found };
          await ledger.settle('refund', String(error.metadata.effectKey), outcome);
          return { receipt: await refund(charge) };
        }
      };
      return new StateGraph(Refund)
        .addNode('pay', recoverable('pay', pay, { next: END, retryPolicy: quick }), {
          ends: ['recover', END],
        })
        .addNode('recover', recoveryNode(), { ends: ['pay', 'error'] })
        .addNode('error', errorNode())
        .addEdge(START, 'pay')
        .addEdge('error', END)
        .compile({ checkpointer });
    };
    return { start, acts: () => acts };
  }

  for (const [found, acts, receipt] of [
    ['re_1', 1, 're_1'],
    ['none', 2, 'refund of ch_1'],
  ] as const) {
    test(`a person settles it in an interrupt, which outlives the process: found ${found}`, async () => {
      const { start, acts: count } = billing([lost()], true);
      const config = { configurable: { thread_id: '1' } };
      await start().invoke({ charge: 'ch_1' }, config);
      const { tasks } = await start().getState(config);
      assert.deepEqual(
        tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value)),
        ['Was ch_1 refunded?'],
      );
      assert.equal(count(), 1);
      const state = await start().invoke(new Command({ resume: found }), config);
      assert.deepEqual([state.receipt, count()], [receipt, acts]);
    });
  }

  test('without a person it is the error step at once, and a later run does not act either', async () => {
    const { start, acts } = billing([lost()], false);
    for (const thread_id of ['1', '2']) {
      const state = await start().invoke({ charge: 'ch_1' }, { configurable: { thread_id } });
      assert.equal(state.receipt, undefined);
      assert.match(String(state.messages.at(-1)?.content), /not known whether 'refund' was carried out/);
    }
    assert.equal(acts(), 1);
  });

  test('an act that surely did not happen is tried again', async () => {
    const { start, acts } = billing([Object.assign(new Error('no'), { code: 'ECONNREFUSED' })], false);
    const state = await start().invoke({ charge: 'ch_1' }, { configurable: { thread_id: '1' } });
    assert.deepEqual([state.receipt, acts()], ['refund of ch_1', 2]);
  });
});
