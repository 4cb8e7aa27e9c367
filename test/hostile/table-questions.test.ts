import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Host } from '../../src/host/host.js';
import { hiddenKind } from '../../src/model/text/hidden-characters.js';
import type { Elicitation, ElicitationReply } from '../../src/model/hooks/hook-call.js';
import { readServerLog } from '../../src/connection/logs/server-log.js';
import type { Eager } from '../../src/testing/expectation.js';
import { modes } from '../../src/testing/modes.js';
import { type Bundle, bundleStdioServer } from './bundle.js';
import { NEXT_TEXT, SERVER } from './figures.js';

let folder: string;
let server: Bundle;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-questions-')));
  server = await bundleStdioServer();
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

const SECRET = 'the-secret-of-the-entry-4711';
const MESSAGE_LIMIT = 2000;

/** A host over this mode, whose user accepts every elicitation by default. */
async function open(
  mode: string,
  asked: Elicitation[],
  answer: (question: Elicitation, signal: AbortSignal | undefined) => Promise<ElicitationReply> = async (question) =>
    fillIn(question),
): Promise<{ host: Host; home: string }> {
  const home = mkdtempSync(join(folder, `${mode}-`));
  const entry = { command: process.execPath, args: [server.script, mode], env: { SOME_TOKEN: SECRET } };
  const host = await Host.open({
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, PLUGBOARD_KEYCHAIN: 'off' },
    managedDirectories: [],
    mcpConfig: [JSON.stringify({ mcpServers: { [SERVER]: entry } })],
    strict: true,
    watch: false,
    permissions: { mode: 'bypass' },
    ports: {
      elicit: (question, signal) => {
        asked.push(question);
        return answer(question, signal);
      },
      // Records every URL that the host would open.
      openUrl: (url) => {
        asked.push({ server: SERVER, mode: 'url', message: 'opened', url });
        return Promise.resolve(true);
      },
    },
  });
  await host.settled();
  return { host, home };
}

function fillIn({ mode, requestedSchema }: Elicitation): ElicitationReply {
  if (mode === 'url') return { action: 'accept' };
  const { properties = {} } = requestedSchema as { properties?: Record<string, { type?: unknown; default?: unknown }> };
  const content = Object.fromEntries(
    Object.entries(properties).map(([name, { type, default: given }]) => [name, given ?? (type === 'boolean' || 'x')]),
  );
  return { action: 'accept', content };
}

async function say(host: Host, tool: string, input: Record<string, unknown> = {}): Promise<string> {
  const { content, error } = await host.call({ name: `mcp__${SERVER}__${tool}`, input, timeoutMs: 10_000 });
  return error ? `failed: ${error.message}` : content.map(({ text }) => String(text)).join('');
}

const eager = modes.flatMap(({ name, summary, expect: expected }) => {
  const known = expected.connect === 'ok' ? expected.eager : undefined;
  return known ? [[name, summary, known] as const] : [];
});

test.concurrent.each(eager)('%s: a user who says yes to everything is safe when a server %s', async (name, _, rule) => {
  const asked: Elicitation[] = [];
  const { host } = await open(name, asked);
  const received = await say(host, 'attack');
  expect(await say(host, 'echo', { text: NEXT_TEXT })).toBe(NEXT_TEXT);
  await host[Symbol.asyncDispose]();
  expect(faultsOf(received, asked, rule)).toEqual([]);
});

function faultsOf(received: string, asked: readonly Elicitation[], rule: Eager): string[] {
  const texts = asked.flatMap(({ server: from, message, warnings = [], url = '' }) => [
    from,
    message,
    url,
    ...warnings,
  ]);
  return [
    ...(rule.heard.test(received) ? [] : [`the server heard ${received.slice(0, 300)}`]),
    ...(asked.length >= rule.asked.least && asked.length <= rule.asked.most ? [] : [`asked ${asked.length} times`]),
    ...asked.filter(({ server: from }) => from !== SERVER).map(() => 'the question does not say whose it is'),
    ...texts.filter(isHidden).map((text) => `shown: ${JSON.stringify(text.slice(0, 100))}`),
    ...asked.filter(({ message }) => message.length > MESSAGE_LIMIT).map(() => 'the message is too long'),
    ...asked
      .filter(({ url }) => url !== undefined && !/^https?:\/\/[\w.-]+(?::\d+)?\/[^\s"'`|<>\\^{}$();]*$/u.test(url))
      .map(({ url }) => `the page is ${url}`),
  ];
}

function isHidden(text: string): boolean {
  return Array.from(text).some(
    (character) => character !== '\n' && hiddenKind(character.codePointAt(0)!) !== undefined,
  );
}

test('a form that asks for secrets is not shown by a host that has not said it warns of them', async () => {
  const asked: Elicitation[] = [];
  const { host } = await open('elicit-secret', asked);
  const received = await say(host, 'attack');
  await host[Symbol.asyncDispose]();
  expect([received, asked]).toEqual([expect.stringMatching(/decline|error/u), []]);
});

test('a user who is asked 5,000 questions at once gets to see few of them', async () => {
  const asked: Elicitation[] = [];
  const { host } = await open('elicit-flood', asked, think);
  expect(await say(host, 'attack')).toBe('survived');
  expect(await say(host, 'echo', { text: NEXT_TEXT })).toBe(NEXT_TEXT);
  await host[Symbol.asyncDispose]();
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThanOrEqual(20);
});

test('a server that says that its page was visited, while the user still thinks, does not have its call made again', async () => {
  const { host } = await open('elicit-complete-own', [], async () => {
    // By the time it answers this call the server has sent its claim that the page was visited.
    expect(await say(host, 'echo', { text: NEXT_TEXT })).toBe(NEXT_TEXT);
    return { action: 'decline' };
  });
  expect(await say(host, 'attack')).toMatch(/^failed: .* visit a page first, and that was declined$/u);
  expect(JSON.parse(await say(host, 'report'))).toMatchObject({ 'tools/call attack': 1 });
  await host[Symbol.asyncDispose]();
});

/** A user who does not answer until the question is withdrawn. */
function think(_: Elicitation, signal: AbortSignal | undefined): Promise<ElicitationReply> {
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true });
  });
}

test('what a server logs is shown without its secrets and without what a terminal obeys', async () => {
  const { host, home } = await open('notify-log-secret', []);
  expect(await say(host, 'attack')).toBe('survived');
  await host[Symbol.asyncDispose]();
  const state = join(home, '.local/state/plugboard');
  const configs = [{ env: { SOME_TOKEN: SECRET } }];
  const { lines } = readServerLog({ state, name: SERVER, configs, reveal: false }, { lines: 50, isFollowed: false });
  expect(lines.join('\n')).toMatch(/SOME_TOKEN/u);
  expect(lines.join('\n')).not.toMatch(/4711|ghp_a1/u);
  expect(lines.filter(isHidden)).toEqual([]);
  // No ledger contains the secret either.
  const files = readdirSync(state, { recursive: true, encoding: 'utf8', withFileTypes: true });
  const ledgers = files.filter((file) => file.isFile() && file.name.endsWith('.jsonl'));
  for (const { parentPath, name } of ledgers)
    expect(readFileSync(join(parentPath, name), 'utf8')).not.toContain('4711');
});
