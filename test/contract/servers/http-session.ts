// Streamable HTTP (legacy): https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';
import type { Reply } from './fixture-replies.js';
import { Fixture, type FixtureLine } from './fixture.js';
import type { FixtureOptions } from './fixture-options.js';
import { HttpAnswers, type HttpStyle, isAnswer, writeEvent } from './http-answers.js';

/** The sessions of an endpoint that enforces what clients must send. */
export class HttpSessions {
  readonly all = new Map<string, HttpSession>();
  readonly #options: FixtureOptions;
  readonly #style: HttpStyle;
  readonly #breakOff: () => void;

  constructor(options: FixtureOptions, style: HttpStyle, breakOff: () => void) {
    this.#options = options;
    this.#style = style;
    this.#breakOff = breakOff;
  }

  /** `message`: the body of a POST. */
  take(request: IncomingMessage, response: ServerResponse, message: unknown): void {
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? this.all.get(id) : undefined;
    if (request.method === 'POST' && isObject(message) && message['method'] === 'initialize') {
      const opened = new HttpSession(this.#style, this.#options, this.#breakOff);
      this.all.set(opened.id, opened);
      opened.post(message, response);
    } else if (!session || (this.#options.memory === 'none' && isCall(message)))
      refuse(response, id === undefined ? 400 : 404, 'Session not found');
    else if (request.method === 'POST') {
      if (isPolite(request, session)) session.post(message, response);
      else refuse(response, 406, 'Not Acceptable');
    } else if (request.method === 'GET' && this.#options.stream === 'none') response.writeHead(405).end();
    else if (request.method === 'GET') session.listen(response, request.headers['last-event-id']);
    else {
      this.all.delete(session.id);
      response.writeHead(200).end();
    }
  }
}

/** Whether a POST has the headers that the specification requires; the version only after the handshake. */
function isPolite({ headers }: IncomingMessage, { isInitialized }: HttpSession): boolean {
  return (
    headers.accept?.includes('application/json') === true &&
    headers.accept.includes('text/event-stream') &&
    headers['content-type'] === 'application/json' &&
    (headers['mcp-protocol-version'] !== undefined || !isInitialized)
  );
}

function isCall(message: unknown): boolean {
  return isObject(message) && message['method'] === 'tools/call';
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message } }));
}

class HttpSession implements FixtureLine {
  readonly id = randomUUID();
  /** Whether the handshake has been answered. */
  isInitialized = false;
  readonly #fixture: Fixture;
  readonly #answers: HttpAnswers;
  /** Messages that belong to no request, until a client opens a stream. */
  readonly #unsent: unknown[] = [];
  /** The rest of a stream that broke off, by the id of its last event. */
  readonly #more = new Map<unknown, string>();
  #stream: ServerResponse | undefined;

  constructor(style: HttpStyle, options: FixtureOptions, breakOff: () => void) {
    this.#answers = new HttpAnswers(style, { 'Mcp-Session-Id': this.id }, breakOff);
    this.#fixture = new Fixture(this, options);
  }

  post(message: unknown, response: ServerResponse): void {
    if (isObject(message) && message['method'] !== undefined && message['id'] !== undefined) {
      this.#answers.add(message['id'], response);
    } else response.writeHead(202).end();
    this.#fixture.take(message);
  }

  listen(response: ServerResponse, lastEventId: unknown): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('retry: 10\n\n');
    const more = this.#more.get(lastEventId);
    if (more !== undefined) {
      response.end(more);
      return;
    }
    this.#stream = response;
    response.once('close', () => (this.#stream = this.#stream === response ? undefined : this.#stream));
    for (const message of this.#unsent.splice(0)) writeEvent(response, message);
  }

  send(message: unknown, about?: RequestId): void {
    this.isInitialized ||= isAnswer(message);
    if (this.#answers.send(message, about)) return;
    if (this.#stream) writeEvent(this.#stream, message);
    else this.#unsent.push(message);
  }

  respond(about: RequestId, reply: Reply): void {
    const { more } = reply;
    if (more) this.#more.set(more.lastEventId, more.body);
    this.#answers.respond(about, reply);
  }

  die(): void {
    this.#answers.die();
  }
}
