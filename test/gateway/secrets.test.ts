import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import type { CallProgress } from '../../src/model/tool.js';
import { ask, type GatewayScene, openGatewayScene, testClient } from './gateway-scene.js';

const TOKEN = 'tok-5fK20dkWq9-secret';
const MASKED = '••••';
const ASKED = `Server "telling" asks: ${MASKED}`;

const open = (env: Readonly<Record<string, string>> = { API_TOKEN: TOKEN }): Promise<GatewayScene> => {
  const args = [join(import.meta.dirname, 'telling-server.mjs')];
  return openGatewayScene({ telling: { command: process.execPath, args, env } });
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

test('a tool that returns its environment as JSON shows the folders in it, and no secret with quotes, backslashes or line breaks', async () => {
  const secrets = {
    PRIVATE_KEY: ['-----BEGIN PRIVATE KEY-----', TOKEN.repeat(3), 'Qx4=', '-----END PRIVATE KEY-----'].join('\n'),
    X_TOKEN: 'abc"9f8e7d6c5b',
    Z_TOKEN: String.raw`back\slash9f8e7d`,
    FEED: '/srv/feeds/0123456789abcdef0123456789abcdef/private.ics',
    OTP_SEED: '/opt/notes',
  };
  const OUTPUT_DIR = '/tmp/notes-Xy12Ab';
  await using opened = await open({ ...secrets, OUTPUT_DIR });
  const input = { name: 'telling__tell', arguments: { environment: true } };
  const { content, structuredContent } = await ask(opened.endpoint(), 'tools/call', input);
  const [{ text }] = content as [{ text: string }];
  const shown = { ...Object.fromEntries(Object.keys(secrets).map((name) => [name, MASKED])), OUTPUT_DIR };
  expect(JSON.parse(text)).toMatchObject({ env: shown });
  expect(structuredContent).toMatchObject({ env: shown });
});
