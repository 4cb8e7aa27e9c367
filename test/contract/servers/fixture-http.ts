// Streamable HTTP, from the server's side: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';
import type { Reply } from './fixture-replies.js';
import { Fixture, type FixtureLine, type FixtureOptions } from './fixture.js';
import { listen, type Listening, readJson } from './listening.js';

export interface ServedOverHttp extends Listening {
  /** The sessions that no client has ended. */
  readonly sessions: Map<string, unknown>;
}

export interface HttpStyle {
  /** How answers come. */
  readonly answers: 'json' | 'events';
}

/** The fixture behind an endpoint, with sessions, that insists on what clients must send. */
export async function serveFixture(options: FixtureOptions, style: HttpStyle): Promise<ServedOverHttp> {
  const sessions = new Map<string, HttpSession>();
  const served = await listen((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    if (request.method === 'POST') {
      const message = await readJson(request);
      if (isObject(message) && message['method'] === 'initialize') {
        const opened = new HttpSession(style, options, () => served.breakOff());
        sessions.set(opened.id, opened);
        opened.post(message, response);
      } else if (!session || (options.memory === 'none' && isCall(message)))
        refuse(response, id === undefined ? 400 : 404, 'Session not found');
      else if (!isPolite(request, session)) refuse(response, 406, 'Not Acceptable');
      else session.post(message, response);
    } else if (!session) refuse(response, id === undefined ? 400 : 404, 'Session not found');
    else if (request.method === 'GET' && options.stream === 'none') response.writeHead(405).end();
    else if (request.method === 'GET') session.listen(response, request.headers['last-event-id']);
    else {
      sessions.delete(session.id);
      response.writeHead(200).end();
    }
  };
  return Object.assign(served, { sessions });
}

/** What the specification asks of every POST, and of every one after the handshake. */
function isPolite({ headers }: IncomingMessage, { isGreeted }: HttpSession): boolean {
  return (
    headers.accept?.includes('application/json') === true &&
    headers.accept.includes('text/event-stream') &&
    headers['content-type'] === 'application/json' &&
    (headers['mcp-protocol-version'] !== undefined || !isGreeted)
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
  /** The handshake is answered. */
  isGreeted = false;
  readonly #style: HttpStyle;
  readonly #fixture: Fixture;
  readonly #breakOff: () => void;
  readonly #answering = new Map<unknown, ServerResponse>();
  /** What belongs to no request waits here until there is a stream for it. */
  readonly #unsent: unknown[] = [];
  /** What goes on where a stream broke off, by the id of its last event. */
  readonly #more = new Map<unknown, string>();
  #stream: ServerResponse | undefined;

  constructor(style: HttpStyle, options: FixtureOptions, breakOff: () => void) {
    this.#style = style;
    this.#fixture = new Fixture(this, options);
    this.#breakOff = breakOff;
  }

  post(message: unknown, response: ServerResponse): void {
    if (isObject(message) && message['method'] !== undefined && message['id'] !== undefined) {
      this.#answering.set(message['id'], response);
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
    const isAnswer = !isObject(message) || message['method'] === undefined;
    this.isGreeted ||= isAnswer;
    const response = this.#answering.get(about);
    if (!response || (this.#style.answers === 'json' && !isAnswer)) this.#announce(message);
    else if (this.#style.answers === 'json') {
      this.#begin(response, 'application/json');
      response.end(JSON.stringify(message));
      this.#answering.delete(about);
    } else {
      this.#begin(response, 'text/event-stream');
      writeEvent(response, message);
      // What comes right behind the answer still belongs to it.
      if (isAnswer) setImmediate(() => this.#answering.delete(about) && response.end());
    }
  }

  respond(about: RequestId, { status, type, body = '', more }: Reply): void {
    if (more) this.#more.set(more.lastEventId, more.body);
    this.#answering
      .get(about)
      ?.writeHead(status, type === undefined ? {} : { 'Content-Type': type })
      .end(body);
    this.#answering.delete(about);
  }

  die(): void {
    // In the middle of what it says, where it would say it in events.
    for (const response of this.#style.answers === 'events' ? this.#answering.values() : []) {
      this.#begin(response, 'text/event-stream');
      response.flushHeaders();
    }
    this.#breakOff();
  }

  #begin(response: ServerResponse, type: string): void {
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': type, 'Mcp-Session-Id': this.id });
  }

  #announce(message: unknown): void {
    if (this.#stream) writeEvent(this.#stream, message);
    else this.#unsent.push(message);
  }
}

function writeEvent(response: ServerResponse, message: unknown): void {
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}
