// The missing functions of `halfopen/devtools` in a page, and their errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDevtoolsServer, findDevtoolsServers, startDevtoolsServer } from '../../src/devtools/browser.js';
import { AgentError } from '../../src/error/agent-error.js';

test('a page starts no server, and its error says where to start one; it finds none either', async () => {
  await assert.rejects(startDevtoolsServer(), (error: Error) => {
    assert.ok(AgentError.is(error));
    assert.equal(error.code, 'INITIALIZATION_ERROR');
    assert.match(error.message, /needs Node, Bun or Deno\. Run `npx halfopen devtools` there/);
    return true;
  });
  assert.deepEqual([await findDevtoolsServer(4319), await findDevtoolsServers()], [undefined, []]);
});
