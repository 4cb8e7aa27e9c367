import type { JsonObject } from '../../src/base/json.js';
import { callTool, type ToolAnswer } from '../../src/connection/requests/call-tool.js';
import { connect, type Connection, type ConnectOptions } from '../../src/connection/connect.js';
import { systemClock } from '../../src/edge/clock.js';
import { ProcessRegistry } from '../../src/edge/processes/process-registry.js';
import type { Clock } from '../../src/model/clock.js';
import type { EmbeddedServer } from '../../src/transports/kind.js';
import type { LinkedEnd } from '../../src/transports/in-process/in-process-pipe.js';

/** One message as a server receives it. */
export interface Received {
  readonly id?: number;
  readonly method: string;
  readonly params: JsonObject;
}

type Said = Omit<Received, 'params'> & { readonly params?: JsonObject };

/** An in-process server that responds as a test says: with a result, with an error under `error`, or not at all. */
export class StandIn implements EmbeddedServer {
  readonly received: Received[] = [];
  starts = 0;
  #end: LinkedEnd | undefined;
  readonly #answer: (message: Received, server: StandIn) => unknown;

  constructor(answer: (message: Received, server: StandIn) => unknown) {
    this.#answer = answer;
  }

  connect(end: LinkedEnd): void {
    this.starts++;
    this.#end = end;
    Object.assign(end, { onmessage: (message: Said) => void this.#take(message, end) });
  }

  /** Sends a notification. */
  say(method: string, params: object): void {
    void this.#end?.send({ jsonrpc: '2.0', method, params });
  }

  /** Sends a request, as a legacy server does. */
  ask(id: number, method: string): void {
    void this.#end?.send({ jsonrpc: '2.0', id, method, params: {} });
  }

  answer(id: number | undefined, result: object): void {
    void this.#end?.send({ jsonrpc: '2.0', id: id!, result });
  }

  close(): void {
    void this.#end?.close();
  }

  methods(): string[] {
    return this.received.map(({ method }) => method);
  }

  async #take({ id, method, params = {} }: Said, end: LinkedEnd): Promise<void> {
    const message = { ...(id !== undefined && { id }), method, params };
    this.received.push(message);
    const answer = await this.#answer(message, this);
    if (id === undefined || answer === undefined) return;
    const said = 'error' in (answer as object) ? (answer as { error: never }) : { result: answer as object };
    await end.send({ jsonrpc: '2.0', id, ...said });
  }
}

export interface Meeting {
  readonly server: StandIn;
  readonly clock?: Clock;
  readonly era?: 'auto' | 'legacy' | 'modern';
}

/** Connects to a stand-in as the host does. */
export function meet(
  { server, clock = systemClock, era }: Meeting,
  options: Omit<ConnectOptions, 'config' | 'context'> = {},
): Promise<Connection> {
  return connect({
    config: { type: 'in-process', name: 'stand-in', ...(era && { era }) },
    context: {
      name: 'stand-in',
      clock,
      env: {},
      platform: process.platform,
      cwd: '/',
      processes: new ProcessRegistry(),
      embedded: new Map([['stand-in', server]]),
    },
    ...options,
  });
}

/** Connects to a server at a URL as the host does. */
export function meetOverHttp(
  url: string,
  options: Omit<ConnectOptions, 'config' | 'context'> = {},
): Promise<Connection> {
  const context = { name: 'x', clock: systemClock, env: {}, platform: process.platform, cwd: '/' };
  return connect({
    config: { type: 'http', url, headers: {} },
    context: { ...context, processes: new ProcessRegistry() },
    ...options,
  });
}

/** The result of server/discover. */
export const discovered = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
};

/** The result of initialize. */
export const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {}, resources: { subscribe: true } },
  serverInfo: { name: 'old', version: '1' },
};

/** A modern server: `answer` responds to all methods but server/discover. */
export function modernServer(answer: (message: Received, server: StandIn) => unknown): StandIn {
  return new StandIn((message, server) =>
    message.method === 'server/discover' ? discovered : answer(message, server),
  );
}

export function failing(code: number, message = 'no', data?: unknown): object {
  return { error: { code, message, ...(data !== undefined && { data }) } };
}

export async function callText(connection: Connection, tool = 'x'): Promise<string> {
  return textOf(await callTool(connection, { tool, input: {} }, { timeoutMs: 5_000 }));
}

export function textOf({ content }: ToolAnswer): string {
  return String(content[0]?.['text']);
}

export const saying = (text: string): object => ({ resultType: 'complete', content: [{ type: 'text', text }] });
