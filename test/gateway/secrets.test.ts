import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import type { CallProgress } from '../../src/model/tool.js';
import { ask, type GatewayScene, openGatewayScene, testClient } from './gateway-scene.js';

const TOKEN = 'tok-5fK20dkWq9-secret';
const MASKED = '••••';
const ASKED = `Server "telling" asks: ${MASKED}`;

const open = (): Promise<GatewayScene> => {
  const args = [join(import.meta.dirname, 'telling-server.mjs')];
  return openGatewayScene({ telling: { command: process.execPath, args, env: { API_TOKEN: TOKEN } } });
};

/** Calls the tool, and returns all that the client was told and asked on the way. */
async function hearing(opened: GatewayScene, input: JsonObject = {}): Promise<JsonObject> {
  const progress: CallProgress[] = [];
  const logs: object[] = [];
  const capabilities = { elicitation: { form: {}, url: {} } };
  const client = testClient({
    era: 'legacy',
    revision: '2025-11-25',
    capabilities,
    answers: () => ({ action: 'decline' }),
  });
  const request = {
    client,
    logLevel: 'debug',
    log: (message: object) => void logs.push(message),
    onProgress: (told: CallProgress) => void progress.push(told),
  };
  await ask(opened.endpoint(), 'tools/call', { name: 'telling__tell', arguments: input }, request);
  return { progress, logs, asked: client.asked.map(({ params }) => params) };
}

test('progress, logs and questions reach a client without the secrets of the entry and without hidden characters', async () => {
  await using opened = await open();
  expect(await hearing(opened)).toEqual({
    progress: [{ progress: 1, message: MASKED }],
    logs: [{ level: 'error', logger: MASKED, data: { said: MASKED } }],
    asked: [
      {
        mode: 'form',
        message: ASKED,
        requestedSchema: { type: 'object', properties: { why: { type: 'string', description: MASKED } } },
      },
    ],
  });
});

test('a page that a user is sent to keeps its address', async () => {
  await using opened = await open();
  const { asked } = await hearing(opened, { page: true });
  expect(asked).toMatchObject([{ message: ASKED, url: `https://example.org/?client=${TOKEN}` }]);
});

test.each(['/mcp', '/mcp/telling'])('what is declared at %s has no secrets and no hidden characters', async (path) => {
  await using opened = await open();
  const { capabilities } = await opened.endpoint(path).describe(testClient());
  expect(capabilities).toMatchObject({ completions: {}, extensions: { 'example.org/plain': { why: MASKED } } });
  expect(JSON.stringify(capabilities)).not.toMatch(/hidden|secret|\u{e0041}/u);
});
