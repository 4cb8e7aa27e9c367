import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ServerRun } from './server-run.js';

export interface StageOptions {
  /** The root of the repository. */
  readonly root: string;
  /** The folder for what a run writes. */
  readonly scratch: string;
  readonly isDirect: boolean;
  /** `settings.gateway.streamAfterMs`; undefined: the default. */
  readonly streamAfterMs?: number;
}

/** The upstream of a run, and the gateway before it. */
export interface ServerStage extends AsyncDisposable {
  readonly url: string;
}

export async function openServerStage(run: ServerRun, options: StageOptions): Promise<ServerStage> {
  const home = mkdtempSync(join(options.scratch, 'home-'));
  const state = join(home, 'upstream.json');
  writeFileSync(state, '{}');
  const upstream = [join(options.root, 'test/gateway/upstream/upstream.mjs'), '--era', run.era, '--state', state];
  if (run.transport === 'stdio') {
    const entry = { type: 'stdio', command: process.execPath, args: [...upstream, '--stdio'] };
    return startGateway(entry, { ...options, home });
  }
  const server = await startProgram([...upstream, '--http', '0'], home);
  const url = `http://127.0.0.1:${server.line}/mcp`;
  if (options.isDirect) return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  try {
    const gateway = await startGateway({ type: 'http', url }, { ...options, home });
    const end = async (): Promise<void> => {
      await gateway[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    };
    return { url: gateway.url, [Symbol.asyncDispose]: end };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

async function startGateway(
  entry: object,
  { root, home, streamAfterMs }: StageOptions & { readonly home: string },
): Promise<ServerStage> {
  writeConfig(home, {
    mcpServers: { upstream: entry },
    ...(streamAfterMs !== undefined && { settings: { gateway: { streamAfterMs } } }),
  });
  const flags = ['serve', '--http', '0', '--json', '--auth', 'none', '--permission-mode', 'bypass'];
  const gateway = await startProgram([join(root, 'dist/plugboard.js'), ...flags], home);
  const { origin } = new URL((JSON.parse(gateway.line) as { url: string }).url);
  return { url: `${origin}/mcp/upstream`, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

function writeConfig(home: string, config: object): void {
  const folder = join(home, '.config/plugboard');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config, undefined, 2));
}

interface StartedProgram extends AsyncDisposable {
  /** The first line that it wrote. */
  readonly line: string;
}

/** Starts a program of node, and waits for its first line. It is in a home of its own. */
async function startProgram(args: readonly string[], home: string): Promise<StartedProgram> {
  const env = { PATH: process.env['PATH'], HOME: home, PLUGBOARD_KEYCHAIN: 'off' };
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-SAID_LIMIT)));
  const end = async (): Promise<void> => {
    child.kill();
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await ended.finally(() => clearTimeout(timer));
  };
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve);
    void ended.then(() => resolve(undefined));
  });
  if (line === undefined) throw new Error(`${args.join(' ')} ended before it listened:\n${said}`);
  return { line, [Symbol.asyncDispose]: end };
}

const SAID_LIMIT = 4_000;
const END_MS = 40_000; // a gateway drains for 30 s
