// A server on stdio without a library, as strict as the specification allows. A habit is a deviation from that.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * @typedef {object} Habit
 * @property {string} [revision] The protocol version in the response to initialize.
 * @property {boolean} [modern] The server speaks only 2026-07-28.
 * @property {(server: Server) => void | Promise<void>} [begin] Runs before the server reads anything.
 * @property {(line: string, server: Server) => void | Promise<void>} [hear] Runs for each line before it is parsed.
 * @property {Record<string, (message: object, server: Server) => void>} [on] Handlers by method, instead of the usual
 * ones.
 * @property {(message: object, server: Server) => void} [unknown] Handles an unknown method.
 * @property {object} [welcome] Fields that replace or extend the result of initialize.
 * @property {(message: object) => unknown} [shape] Changes a message before it is written.
 * @property {(message: unknown) => string} [write] Serializes a message, line end included.
 * @property {(text: string, server: Server) => void} [send] Writes the serialized message.
 */

export const tools = [{ name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }];
export const NEW = '2026-07-28';

const META = '_meta';
const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
const META_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** Serves until stdin ends. Writes the methods that it receives to the journal. */
export async function serve(/** @type {Habit} */ habit, /** @type {string} */ journal) {
  const server = new Server(habit, journal);
  server.note('start');
  await habit.begin?.(server);
  const hear = async (/** @type {string} */ line) => {
    await habit.hear?.(line, server);
    server.take(JSON.parse(line));
  };
  createInterface({ input: process.stdin, terminal: false }).on('line', (line) => void hear(line));
}

class Server {
  state = 'new';
  #habit;
  #journal;

  constructor(habit, journal) {
    this.#habit = habit;
    this.#journal = journal;
  }

  note(what) {
    appendFileSync(this.#journal, `${process.pid} ${what}\n`);
  }

  take(message) {
    const { method } = message;
    this.note(method ?? 'answer');
    const own = this.#habit.on?.[method ?? 'answer'];
    if (own) own(message, this);
    else this.usual(message);
  }

  /** Handles a message as a server without habits does. */
  usual(message) {
    const { id, method, params } = message;
    if (this.#habit.modern) this.#usualModern(message);
    else if (method === 'initialize') this.welcome(message);
    else if (method === 'notifications/initialized') this.state = 'ready';
    else if (id === undefined) return;
    else if (method === 'ping') this.answer(id, {});
    else if (method !== 'tools/list' && method !== 'tools/call') this.unknown(message);
    else if (this.state !== 'ready') this.refuse(id, -32_002, 'Server not initialized');
    else this.#serve(id, method, params);
  }

  unknown(message) {
    if (this.#habit.unknown) this.#habit.unknown(message, this);
    else this.refuse(message.id, -32_601, 'Method not found');
  }

  welcome({ id }) {
    this.state = 'greeted';
    const { revision = '2024-11-05', welcome } = this.#habit;
    this.answer(id, {
      protocolVersion: revision,
      capabilities: { tools: {} },
      serverInfo: { name: 'raw', version: '1' },
      ...welcome,
    });
  }

  answer(id, result) {
    this.say({ jsonrpc: '2.0', id, result });
  }

  refuse(id, code, message, data) {
    this.say({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
  }

  notify(method, params) {
    this.say({ jsonrpc: '2.0', method, params });
  }

  ask(id, method, params) {
    this.say({ jsonrpc: '2.0', id, method, params });
  }

  say(message) {
    const { shape, write } = this.#habit;
    const shaped = shape ? shape(message) : message;
    this.print(write ? write(shaped) : `${JSON.stringify(shaped)}\n`);
  }

  print(text) {
    if (this.#habit.send) this.#habit.send(text, this);
    else process.stdout.write(text);
  }

  #usualModern({ id, method, params }) {
    const { [META]: meta = {} } = params ?? {};
    if (id === undefined) return;
    if (method === 'initialize') {
      this.refuse(id, -32_022, 'Unsupported protocol version: 2025-11-25', {
        supported: [NEW],
        requested: '2025-11-25',
      });
    } else if (meta[META_VERSION] !== NEW || meta[META_CAPABILITIES] === undefined) {
      this.refuse(id, -32_602, 'Invalid _meta envelope');
    } else if (method === 'server/discover') this.discovered(id, [NEW]);
    else if (method === 'tools/list' || method === 'tools/call') this.#serve(id, method, params);
    else this.refuse(id, -32_601, 'Method not found');
  }

  discovered(id, supportedVersions) {
    this.answer(id, { resultType: 'complete', supportedVersions, capabilities: { tools: {} }, ttlMs: 0 });
  }

  #serve(id, method, params) {
    if (method === 'tools/list') this.answer(id, { tools });
    else this.answer(id, { content: [{ type: 'text', text: params.arguments.text }] });
  }
}
