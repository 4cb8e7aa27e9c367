// Streamable HTTP (modern): https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject, type JsonObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';
import type { Reply } from './fixture-replies.js';
import { Fixture, type FixtureLine } from './fixture.js';
import type { FixtureOptions } from './fixture-options.js';
import { HttpAnswers, type HttpStyle } from './http-answers.js';
import { toMeta, VERSION_KEY } from './modern-manners.js';
import { mirrored } from './tools.js';

/** An endpoint without sessions that requires headers and body to agree. */
export class ModernEndpoint implements FixtureLine {
  readonly #fixture: Fixture;
  readonly #answers: HttpAnswers;
  readonly #methods = new Map<unknown, unknown>();

  constructor(options: FixtureOptions, style: HttpStyle, breakOff: () => void) {
    const headers = options.session === 'offered' ? { 'Mcp-Session-Id': 'an-old-habit' } : {};
    this.#answers = new HttpAnswers(style, headers, breakOff);
    this.#fixture = new Fixture(this, options);
  }

  take(request: IncomingMessage, response: ServerResponse, message: unknown): void {
    if (request.method !== 'POST') {
      response.writeHead(405, { Allow: 'POST' }).end();
      return;
    }
    if (!isObject(message) || message['id'] === undefined) {
      response.writeHead(202).end();
      this.#fixture.take(message);
      return;
    }
    const id = message['id'] as RequestId;
    const fault = disagreement(request.headers, message);
    if (fault !== undefined) {
      this.#fixture.diary.take(message);
      fail(response, 400, { jsonrpc: '2.0', id, error: { code: -32020, message: fault } });
      return;
    }
    this.#answers.add(id, response);
    this.#methods.set(id, message['method']);
    response.once('close', () => {
      if (!response.writableFinished) this.#fixture.left(id);
    });
    this.#fixture.take(message);
  }

  send(message: unknown, about?: RequestId): void {
    const method = this.#methods.get(about);
    const status = statusOf(message, method);
    if (status === undefined) this.#answers.send(message, about, method === 'subscriptions/listen');
    else this.respond(about!, { status, type: 'application/json', body: JSON.stringify(message) });
  }

  respond(about: RequestId, reply: Reply): void {
    this.#answers.respond(about, reply);
  }

  die(): void {
    this.#answers.die();
  }
}

/** The HTTP status of an error; undefined for 200 (tools, parameters). All errors of server/discover have one. */
function statusOf(message: unknown, method: unknown): number | undefined {
  const error = isObject(message) && isObject(message['error']) ? message['error'] : {};
  const { code, message: text } = error;
  if (code === -32601) return 404;
  if (code === -32021 || code === -32022 || String(text).startsWith('Invalid _meta')) return 400;
  if (code === undefined || method !== 'server/discover') return undefined;
  return code === -32603 ? 500 : 400;
}

function fail(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

const NAMED_BY: Readonly<Record<string, string>> = { 'tools/call': 'name', 'resources/read': 'uri' };

/** The header that disagrees with the body; undefined when all agree. */
function disagreement(headers: IncomingMessage['headers'], { method, params }: JsonObject): string | undefined {
  const { name, arguments: input } = (params ?? {}) as JsonObject;
  const field = NAMED_BY[String(method)];
  // A request without any version gets its error from the fixture.
  if (toMeta(params)[VERSION_KEY] === undefined && headers['mcp-protocol-version'] === undefined) return undefined;
  const wanted: [string, unknown][] = [
    ['mcp-protocol-version', toMeta(params)[VERSION_KEY]],
    ['mcp-method', method],
    ['mcp-name', field === undefined ? undefined : (params as JsonObject)[field]],
    ...Object.entries(method === 'tools/call' ? (mirrored[String(name)] ?? {}) : {}).map(
      ([key, { header }]): [string, unknown] => [`mcp-param-${header.toLowerCase()}`, (input as JsonObject)[key]],
    ),
  ];
  const wrong = wanted.find(([header, value]) => decode(headers[header]) !== toText(value));
  if (wrong) return `Header mismatch: ${wrong[0]}`;
  const known = new Set(wanted.map(([header]) => header));
  const more = Object.keys(headers).find((header) => header.startsWith('mcp-') && !known.has(header));
  return more === undefined ? undefined : `Header mismatch: ${more} is not expected`;
}

function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function decode(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const coded = /^=\?base64\?(.*)\?=$/u.exec(header)?.[1];
  return coded === undefined ? header : Buffer.from(coded, 'base64').toString('utf8');
}
