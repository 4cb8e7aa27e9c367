import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { untilFound } from '../hang-guard.js';
import type { Late } from './late-clock.js';
import type { Run, Sandbox } from './sandbox.js';

type Entry = Readonly<Record<string, unknown>>;

/** An entry of the journal server: 5 tools, 2 resources, 1 prompt, protocol 2025-11-25. */
export function journaling(env: Readonly<Record<string, string>> = {}, more: Entry = {}): Entry {
  return { command: 'node', args: [resolve(import.meta.dirname, '../host/journal-server.mjs')], env, ...more };
}

/** An entry whose server is a line of JavaScript. */
export function scripted(script: string, more: Entry = {}): Entry {
  return { command: 'node', args: ['-e', script], ...more };
}

/** A server that never answers, and exits at the end of its stdin. */
export const silent = scripted('process.stdin.resume()');

/** Starts a server that answers 401 to everything, and returns its URL. */
export async function openGuarded(): Promise<string> {
  // Loads the sign-in code now: compiling it for the first time takes seconds, which must not count in a test.
  await Promise.all([import('../../src/auth/sign-ins.js'), import('../../src/auth/store/open-credential-store.js')]);
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

export interface GatedServer {
  /** One tool, `echo`, and one prompt, `p`; protocol 2025-11-25. */
  readonly entry: Entry;
  /** Resolves when the server has received this method; any message if none is named. */
  readonly received: (method?: string) => Promise<void>;
  /** For a shut gate: opens it when the server has started; deadlines run out when the server has received `method`. */
  readonly late: (method: string) => Late;
  /** Opens the gate: the server also answers the requests that it has held back. */
  readonly open: () => void;
}

export interface GateOptions {
  /** Methods that the server never answers, and methods that it answers with an error. */
  readonly silentAbout?: readonly string[];
  readonly failingAt?: readonly string[];
  /** The server answers nothing before `open`. */
  readonly isShut?: boolean;
}

/** A server that records what it receives, so that a test can wait for a message instead of a duration. */
export function openGate({ silentAbout = [], failingAt = [], isShut = false }: GateOptions = {}): GatedServer {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-gate-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [gate, received] = [join(folder, 'open'), join(folder, 'heard')];
  const open = (): void => writeFileSync(gate, '');
  if (!isShut) open();
  writeFileSync(received, '');
  const env = { GATE: gate, HEARD: received, SILENT: silentAbout.join(' '), FAILING: failingAt.join(' ') };
  const methods = (): readonly string[] => readFileSync(received, 'utf8').split('\n').slice(0, -1);
  const until = async (method?: string): Promise<void> => {
    await untilFound(() => methods().some((one) => method === undefined || one === method) || undefined);
  };
  return {
    entry: { command: 'node', args: [resolve(import.meta.dirname, 'gated-server.mjs')], env },
    received: until,
    late: (method) => ({ started: { at: () => until(), goOn: open }, at: () => until(method) }),
    open,
  };
}

/** Resolves when the file exists. */
export async function untilThere(file: string): Promise<void> {
  await untilFound(() => existsSync(file) || undefined);
}

/** Counts the starts of journal servers that have `STARTS: startsOf(sandbox).file`. */
export function startsOf({ root }: Sandbox): { readonly file: string; readonly count: () => number } {
  const file = join(root, 'starts.txt');
  if (!existsSync(file)) appendFileSync(file, '');
  return { file, count: () => readFileSync(file, 'utf8').split('\n').length - 1 };
}

/** Replaces what differs from run to run: durations and the path of the servers. */
export function steady({ stdout }: Pick<Run, 'stdout'>): string {
  return stdout.replaceAll(/\b\d+ ms\b/gu, 'N ms').replaceAll(resolve(import.meta.dirname, '../host'), 'SERVERS');
}
