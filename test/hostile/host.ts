import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { HostError } from '../../src/base/errors.js';
import { Secret } from '../../src/base/secret.js';
import { callTool } from '../../src/connection/requests/call-tool.js';
import type { Connection } from '../../src/connection/connect.js';
import { ConnectionFactory } from '../../src/connection/connection-factory.js';
import { listTools } from '../../src/connection/catalog/tool-definition.js';
import type { ServerConfig } from '../../src/transports/kinds.js';
import {
  type Figures,
  type Job,
  type Listening,
  NEXT_TEXT,
  SERVER,
  type Started,
  type Step,
  TOKEN,
} from './figures.js';
import { MARK } from './processes.js';
import { show } from './shown.js';
import { NeighbourCalls } from './neighbour.js';
import { RESOLUTION_MS, watchMemory, watchStall } from './watch.js';
import { WatchedClock } from './watched-clock.js';

/**
 * The host under attack, as a separate process: `node host.mjs FOLDER SCRIPT [CHANNEL URL]`. Each line of JSON on stdin
 * is a `Job`; the line on stdout is its `Figures`. During each job the host keeps calling a healthy server.
 */
const [folder = '', script = '', channel = '', url = ''] = process.argv.slice(2);
/** How much garbage may be left when a mode begins. Collecting it later would hide that much of the mode's growth. */
const GARBAGE_BYTES = 4 * 1_048_576;
const TIMEOUT_MS = 300_000; // guards against a hang: healthy servers answer much sooner
const CONSENT_MS = 100; // a server may never acknowledge the subscription
/** A user who declines every elicitation. */
const FORMS = {
  capabilities: { elicitation: { form: {} } },
  handlers: { 'elicitation/create': () => ({ action: 'decline' }) },
};

const HEALTHY = { script, mode: 'good-stdio', isSandboxed: false };
const CONTROL = {
  setup: {},
  deadlines: { connect: TIMEOUT_MS, list: TIMEOUT_MS, call: TIMEOUT_MS, next: TIMEOUT_MS },
  padding: 0,
  isShown: true,
};

/** Bytes in use after the last garbage collection. */
const tidy = { bytes: 0 };
const calls = new NeighbourCalls((text) => say(neighbour, { tool: 'echo', input: { text } }, TIMEOUT_MS));
const clock = new WatchedClock(() => calls.nextAnswer());
const connectionFactory = new ConnectionFactory({
  clock,
  env: process.env,
  platform: process.platform,
  cwd: dirname(script),
  state: join(folder, 'state'),
});
const neighbour = await connectionFactory.connect({
  name: 'neighbour',
  config: stdioConfig({ ...HEALTHY, mark: '' }),
});
await warmUp();

for await (const line of createInterface({ input: process.stdin })) {
  const figures = await suffer(JSON.parse(line) as Job);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
await connectionFactory[Symbol.asyncDispose]();

/** Loads lazy code and grows the young generation, so that these are not counted as growth by the first server. */
async function warmUp(): Promise<void> {
  const text = 'x'.repeat(1_000_000);
  for (let round = 0; round < 20; round++) await say(neighbour, { tool: 'echo', input: { text } }, TIMEOUT_MS);
  if (url === '') {
    for (let round = 0; round < 3; round++) await showToModel({ ...CONTROL, server: { ...HEALTHY, mark: '' } });
    return;
  }
  await using good = await connectionFactory.connect({
    name: 'good',
    config: remoteConfig({ channel: channel as Listening['channel'], url }),
  });
  for (let round = 0; round < 20; round++) await say(good, { tool: 'echo', input: { text } }, TIMEOUT_MS);
}

async function suffer(job: Job): Promise<Figures> {
  tidyUp();
  await pause(2 * RESOLUTION_MS);
  const stall = watchStall();
  const memory = watchMemory();
  calls.start();
  const notes = { told: 0 };
  const { connection, connect } = await tryConnect(job, () => void notes.told++);
  const rest = connection ? await walk(connection, job) : {};
  const close = await step(async () => {
    await connection?.[Symbol.asyncDispose]();
    return '';
  });
  const shown = await showToModel(job);
  return {
    connect,
    ...rest,
    ...notes,
    ...(shown && { shown }),
    close: { ms: close.ms, waitedMs: close.waitedMs },
    neighbour: await calls.stop(),
    growthMb: memory.stop(),
    stallMs: stall.stop(),
    isPolluted: 'polluted' in {},
  };
}

/** Collects garbage only when there is much of it: a collection takes longer than most modes, and most leave little. */
function tidyUp(): void {
  if (usedBytes() - tidy.bytes < GARBAGE_BYTES) return;
  globalThis.gc?.();
  tidy.bytes = usedBytes();
}

function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function showToModel({ server, isShown, deadlines, setup }: Job): Promise<Figures['shown']> {
  if (isShown !== true || 'url' in server) return undefined;
  // The mode runs a second time here, so the garbage of the first run is collected before.
  globalThis.gc?.();
  return show(server, { folder, timeoutMs: deadlines.call, input: setup.input ?? {} });
}

async function tryConnect(
  { server, deadlines, setup }: Job,
  onNotification: () => void,
): Promise<{ connection?: Connection; connect: Step }> {
  const config = 'url' in server ? remoteConfig(server) : stdioConfig(server);
  const options = { timeoutMs: deadlines.connect, onNotification, ...(setup.forms && FORMS) };
  let connection: Connection | undefined;
  const connect = await step(async () => {
    connection = await connectionFactory.connect({ name: SERVER, config }, options);
    const { server: said, instructions = '' } = connection.session;
    return `${said.name} ${said.title ?? ''} ${said.version} ${instructions}`;
  });
  return { ...(connection && { connection }), connect };
}

async function walk(connection: Connection, { deadlines, padding, setup }: Job): Promise<Partial<Figures>> {
  let tools: Awaited<ReturnType<typeof listTools>>['tools'] = [];
  if (setup.watches) await Promise.race([connection.session.watch({ lists: ['tools'] }), pause(CONSENT_MS)]);
  const listed = await step(async () => {
    const list = await listTools(connection, { timeoutMs: deadlines.list });
    ({ tools } = list);
    return [...list.warnings, ...list.setAside.map(({ tool, reason }) => `${tool}: ${reason}`)].join('\n');
  });
  const call =
    padding === undefined
      ? undefined
      : await step(() => attack(connection, { padding, input: setup.input ?? {}, tools, timeoutMs: deadlines.call }));
  const next = await step(() => say(connection, { tool: 'echo', input: { text: NEXT_TEXT } }, deadlines.next));
  const report = next.error
    ? undefined
    : await step(() => say(connection, { tool: 'report', input: {} }, deadlines.next));
  return {
    list: { ...listed, tools: tools.map(({ name, description }) => ({ name, description })) },
    ...(call && { call }),
    next,
    ...(report && !report.error && { counts: JSON.parse(report.text) as Record<string, number> }),
  };
}

interface Attack {
  readonly padding: number;
  readonly input: Readonly<Record<string, unknown>>;
  readonly tools: Awaited<ReturnType<typeof listTools>>['tools'];
  readonly timeoutMs: number;
}

async function attack(connection: Connection, { padding, input, tools, timeoutMs }: Attack): Promise<string> {
  const schema = tools.find(({ name }) => name === 'attack')?.outputSchema;
  const { content } = await callTool(
    connection,
    { tool: 'attack', input: padding > 0 ? { ...input, padding: 'x'.repeat(padding) } : input },
    {
      timeoutMs,
      spill: connectionFactory.spill,
      ...(schema && { output: { schema, check: (one, value) => connectionFactory.check(one, value) } }),
    },
  );
  return textOf(content);
}

async function say(
  connection: Connection,
  call: { tool: string; input: Record<string, unknown> },
  timeoutMs: number,
): Promise<string> {
  return textOf((await callTool(connection, call, { timeoutMs })).content);
}

/** The first text, cut to 2000 characters; of a spilled text the preview. */
function textOf(content: readonly { readonly [key: string]: unknown }[]): string {
  const text = content.find(({ type }) => type === 'text')?.['text'];
  if (typeof text === 'string') return text.slice(0, 2000);
  return text !== null && typeof text === 'object' && 'preview' in text ? String(text.preview) : '';
}

async function step(run: () => Promise<string>): Promise<Step> {
  clock.takeLongest();
  const began = performance.now();
  const time = (): Pick<Step, 'ms' | 'waitedMs'> => ({
    ms: Math.round(performance.now() - began),
    waitedMs: clock.takeLongest(),
  });
  try {
    const text = await run();
    return { ...time(), text };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const { code, message, hint = '' } = error;
    return { ...time(), text: '', error: { code, message, hint } };
  }
}

function stdioConfig({ script: program, mode, mark, isSandboxed }: Started): ServerConfig {
  const env = { [MARK]: new Secret(mark) };
  const config = { type: 'stdio', command: process.execPath, args: [program, mode], env } as const;
  if (!isSandboxed) return config;
  // The sandbox has its own temporary folder, and the host's program and home lie in the real one.
  return { ...config, env: { ...env, HOME: new Secret(userInfo().homedir) }, sandbox: { write: [dirname(program)] } };
}

function remoteConfig({ channel: type, url: address }: Listening): ServerConfig {
  return { type, url: address, headers: { Authorization: new Secret(TOKEN) } };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
