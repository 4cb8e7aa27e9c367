import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect } from 'vitest';
import { firstLine } from '../../src/edge/processes/process-fixtures.js';
import type { Host } from '../../src/host/host.js';

/** HTTP servers in another process, one for each path. */
export interface Crowd extends AsyncDisposable {
  /** The entry of a working server. */
  entry(path: string): Entry;
  /** The entry of a server that accepts connections and never responds. */
  readonly silent: Entry;
  readonly refused: Entry;
  figures(): Promise<CrowdFigures>;
}

interface Entry {
  readonly type: 'http';
  readonly url: string;
  readonly [more: string]: unknown;
}

export interface CrowdFigures {
  readonly sessions: number;
  readonly handshakes: number;
  readonly deleted: number;
  readonly streams: number;
  readonly sockets: number;
}

export async function openCrowd(): Promise<Crowd> {
  const script = resolve(import.meta.dirname, 'crowd-server.mjs');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ports = JSON.parse(await firstLine(child.stdout)) as Record<'open' | 'silent' | 'refused', number>;
  return {
    entry: (path) => entryAt(ports.open, path),
    silent: entryAt(ports.silent, 'mcp'),
    refused: entryAt(ports.refused, 'mcp'),
    figures: async () => (await (await fetch(`http://127.0.0.1:${ports.open}/figures`)).json()) as CrowdFigures,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

function entryAt(port: number, path: string): Entry {
  return { type: 'http', url: `http://127.0.0.1:${port}/${path}` };
}

/** The entry of a tally server on stdio. */
export function tallyOnStdio(): Record<string, unknown> {
  return { command: process.execPath, args: [resolve(import.meta.dirname, 'tally-stdio.mjs')] };
}

export interface ServerTally {
  /** How many different keys the server ran. */
  readonly ran: number;
  readonly twice: number;
}

/** The server's own counts, from its tool `tally`. */
export async function tallyOf(host: Host, server: string): Promise<ServerTally> {
  const result = await host.call({ name: `mcp__${server}__tally` });
  expect(result).toMatchObject({ outcome: 'ok' });
  return JSON.parse(String(result.content[0]!['text'])) as ServerTally;
}
