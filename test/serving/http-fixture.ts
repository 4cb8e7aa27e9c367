import { randomBytes } from 'node:crypto';
import { afterEach, expect } from 'vitest';
import { systemClock } from '../../src/edge/clock.js';
import type { Clock } from '../../src/model/clock.js';
import { toAllowedPlaces } from '../../src/serving/http/gates.js';
import { type HandledRequest, HttpServing } from '../../src/serving/http/http-serving.js';
import { type HttpListener, openHttpListener } from '../../src/serving/http/http-listener.js';
import type { JsonObject } from '../../src/base/json.js';
import { Seals } from '../../src/serving/seal.js';
import { TestEndpoint } from './endpoint-fixture.js';
import type { Message } from './message.js';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one[Symbol.asyncDispose]();
});

export interface Setting {
  readonly endpoint: TestEndpoint;
  readonly listener: HttpListener;
  readonly serving: HttpServing;
  readonly url: string;
}

export async function serve(
  options: {
    streamAfterMs?: number;
    secret?: Buffer;
    endpoint?: TestEndpoint;
    sse?: boolean;
    unreadMs?: number;
    clock?: Clock;
    onRequest?: (request: HandledRequest) => void;
  } = {},
): Promise<Setting> {
  const endpoint = options.endpoint ?? new TestEndpoint();
  const serving = new HttpServing({
    clock: options.clock ?? systemClock,
    wall: Date.now,
    seals: new Seals([options.secret ?? randomBytes(32)]),
    places: toAllowedPlaces({}),
    authenticate: ({ headers }) => ({
      kind: 'principal',
      principal: (headers['x-user'] as string | undefined) ?? 'me',
    }),
    endpointOf: (path) => (path === '/mcp' ? endpoint : undefined),
    sse: options.sse ?? false,
    ...(options.unreadMs !== undefined && { unreadMs: options.unreadMs }),
    onRequest: options.onRequest,
    // Long: on a busy machine an answer would become a stream by itself.
    streamAfterMs: () => options.streamAfterMs ?? 600_000,
  });
  const listener = await openHttpListener({ host: '127.0.0.1', port: 0, handle: serving.handle });
  open.push(listener, serving);
  return { endpoint, listener, serving, url: `${listener.origin}/mcp` };
}

export const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { ...TYPES, ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

export function envelope(capabilities: object = {}): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

export function modern(
  url: string,
  id: unknown,
  name: string,
  more: JsonObject = {},
  signal?: AbortSignal,
): Promise<Response> {
  const { _meta, ...rest } = more;
  const params = {
    name,
    arguments: {},
    ...rest,
    _meta: { ...envelope({ elicitation: {}, roots: {} }), ...(_meta as JsonObject | undefined) },
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
  return post(url, { jsonrpc: '2.0', id, method: 'tools/call', params }, headers, signal);
}

export async function initialize(
  url: string,
  revision = '2025-11-25',
  capabilities: object = { elicitation: {}, roots: {} },
): Promise<string> {
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'old', version: '1' } };
  const answer = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  expect(answer.status).toBe(200);
  const [message] =
    answer.headers.get('content-type') === 'text/event-stream'
      ? await messagesOf(answer)
      : [(await answer.json()) as Message];
  expect(message!.result.protocolVersion).toBe(revision);
  return answer.headers.get('mcp-session-id')!;
}

/** The messages of an event stream, one by one. */
export async function* eventsOf(answer: Response): AsyncGenerator<{ id?: string; data?: Message }> {
  let rest = '';
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    const parts = rest.split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const id = /^id: (.*)$/mu.exec(part)?.[1];
      const data = /^data: (.+)$/mu.exec(part)?.[1];
      yield { ...(id !== undefined && { id }), ...(data !== undefined && { data: JSON.parse(data) as Message }) };
    }
  }
}

export async function messagesOf(answer: Response): Promise<Message[]> {
  const found: Message[] = [];
  for await (const { data } of eventsOf(answer)) if (data) found.push(data);
  return found;
}

/** The response in an answer, whether it came as JSON or, on a busy machine, as an event stream. */
export async function responseOf(answer: Response): Promise<Message> {
  if (answer.headers.get('content-type') !== 'text/event-stream') return (await answer.json()) as Message;
  return (await messagesOf(answer)).at(-1)!;
}
