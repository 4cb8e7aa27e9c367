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

/** An entry of the journal server: 5 tools, 2 resources, 1 prompt, 2025-11-25. */
export function journaling(env: Readonly<Record<string, string>> = {}, more: Entry = {}): Entry {
  return { command: 'node', args: [resolve(import.meta.dirname, '../host/journal-server.mjs')], env, ...more };
}

/** A server that is a line of JavaScript. */
export function scripted(script: string, more: Entry = {}): Entry {
  return { command: 'node', args: ['-e', script], ...more };
}

/** Ends when its input does, and says nothing. */
export const silent = scripted('process.stdin.resume()');

/** A server that wants a sign-in. Tells its URL. */
export async function openGuarded(): Promise<string> {
  // What a refusal needs takes seconds to be compiled here, the first time, and nobody is to be measured by that.
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
  /** One tool, `echo`, and one prompt, `p`; 2025-11-25. */
  readonly entry: Entry;
  /** Resolves as soon as it has heard that method; any, if none is named. */
  readonly received: (method?: string) => Promise<void>;
  /** Where it is shut: it opens when it has started, and deadlines are over when it has heard that method. */
  readonly late: (method: string) => Late;
  /** From now on it answers what it has held back, too. */
  readonly open: () => void;
}

export interface GateOptions {
  /** What it never answers, or answers with an error. */
  readonly silentAbout?: readonly string[];
  readonly failingAt?: readonly string[];
  /** It answers nothing before `open`. */
  readonly isShut?: boolean;
}

/** A server that says what it has heard, so that a test waits for that and not for some time to pass. */
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

/** Resolves as soon as somebody has written that file. */
export async function untilThere(file: string): Promise<void> {
  await untilFound(() => existsSync(file) || undefined);
}

/** How often a journal server was started that has `STARTS: startsOf(sandbox).file`. */
export function startsOf({ root }: Sandbox): { readonly file: string; readonly count: () => number } {
  const file = join(root, 'starts.txt');
  if (!existsSync(file)) appendFileSync(file, '');
  return { file, count: () => readFileSync(file, 'utf8').split('\n').length - 1 };
}

/** The same in every run: how long something took, and where node and the servers are. */
export function steady({ stdout }: Pick<Run, 'stdout'>): string {
  return stdout.replaceAll(/\b\d+ ms\b/gu, 'N ms').replaceAll(resolve(import.meta.dirname, '../host'), 'SERVERS');
}
