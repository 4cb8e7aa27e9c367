import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Not for a bundle, which is elsewhere. */
const repository = resolve(import.meta.dirname, '../..');

/** Whether this source has the gateway. */
export const isServing = existsSync(join(repository, 'src/cli/verbs/serve.ts'));

/** The built program. */
export function builtProgram(root = repository): string {
  return join(root, 'dist/plugboard.js');
}

/** The upstream of the official suite, as arguments of node. */
export function suiteUpstream(era: 'legacy' | 'modern', root = repository): readonly string[] {
  return [join(root, 'test/gateway/upstream/upstream.mjs'), '--era', era];
}

export interface StartedProgram extends AsyncDisposable {
  readonly pid: number;
  /** The first line that it wrote. */
  readonly line: string;
  /** What it has written to stderr, the end of it. */
  said(): string;
}

/** Starts a program of node in a home of its own, and waits for its first line. */
export async function startProgram(args: readonly string[], home: string): Promise<StartedProgram> {
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: homeEnvironment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-SAID_LIMIT)));
  const line = await firstLine(child, ended);
  if (line === undefined) throw new Error(`${args.join(' ')} ended before it said anything:\n${said}`);
  return {
    pid: child.pid!,
    line,
    said: () => said,
    async [Symbol.asyncDispose]() {
      child.kill();
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await ended.finally(() => clearTimeout(timer));
    },
  };
}

/** For a program that is to find no configuration, key or keychain of this machine's user. */
export function homeEnvironment(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, PLUGBOARD_KEYCHAIN: 'off' };
}

/** Whatever `line` is, the output is read to its end, so that the child never waits for us. */
function firstLine(
  child: ChildProcessByStdio<null, Readable, Readable>,
  ended: Promise<void>,
): Promise<string | undefined> {
  const lines = createInterface({ input: child.stdout });
  return new Promise((settle) => {
    lines.once('line', settle);
    void ended.then(() => settle(undefined));
  });
}

const SAID_LIMIT = 1_000_000;
const END_MS = 40_000; // a gateway drains for 30 s

export interface GatewayOptions {
  /** Its home, which gets the configuration. */
  readonly home: string;
  readonly servers: Readonly<Record<string, object>>;
  /** `settings.gateway`. */
  readonly settings?: object;
  readonly flags?: readonly string[];
  readonly root?: string;
}

export interface Gateway extends StartedProgram {
  /** Where it listens, without a path. */
  readonly origin: string;
}

/** Writes the configuration of a gateway, and returns the arguments of node that start it without `--http`. */
export function prepareGateway({ home, servers, settings, flags = [], root }: GatewayOptions): readonly string[] {
  const folder = join(home, '.config/plugboard');
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  const config = { mcpServers: servers, ...(settings !== undefined && { settings: { gateway: settings } }) };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config, undefined, 2));
  return [builtProgram(root), 'serve', '--permission-mode', 'bypass', ...flags];
}

/** A gateway over HTTP that lets everybody in and allows every call. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const args = [...prepareGateway(options), '--http', '0', '--json', '--auth', 'none'];
  const program = await startProgram(args, options.home);
  const { url } = JSON.parse(program.line) as { url: string };
  return { ...program, origin: new URL(url).origin };
}
