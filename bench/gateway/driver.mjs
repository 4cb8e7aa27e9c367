// A client of the bench: one bare socket of HTTP/1.1, on which one request follows the other. It knows as much of MCP as
// a call needs, in either era, so that it costs little beside what is measured.
import { connect } from 'node:net';

const VERSIONS = { legacy: '2025-11-25', modern: '2026-07-28' };
const info = { name: 'bench', version: '1.0.0' };
const ANSWER_MS = 20_000; // a gateway may have to start a process first
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n');

export class Driver {
  #url;
  #era;
  #socket;
  #buffer = Buffer.alloc(0);
  #waiting;
  #session = '';
  #ids = 0;

  constructor({ url, era }) {
    this.#url = new URL(url);
    this.#era = era;
  }

  async open() {
    await this.#connect();
    if (this.#era === 'modern') return;
    const { head } = await this.request('initialize', {
      protocolVersion: VERSIONS.legacy,
      capabilities: {},
      clientInfo: info,
    });
    const id = /^mcp-session-id: *([^\r\n]+)/imu.exec(head)?.[1];
    this.#session = id === undefined ? '' : `Mcp-Session-Id: ${id}\r\n`;
    await this.#post({ method: 'notifications/initialized' });
  }

  /** Servers close connections that were idle for some seconds, so a connection is opened when it is needed. */
  async #connect() {
    this.#buffer = Buffer.alloc(0);
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true });
    this.#socket = socket;
    await new Promise((done, failed) => socket.once('connect', done).once('error', failed));
    socket.removeAllListeners('error');
    const fail = (error) => {
      socket.destroy();
      if (this.#socket === socket) this.#waiting?.failed(error ?? new Error('the connection was closed'));
    };
    socket.setTimeout(ANSWER_MS, () => fail(new Error(`no answer within ${ANSWER_MS} ms`)));
    socket
      .on('data', (chunk) => this.#take(chunk))
      .on('error', fail)
      .on('end', () => fail());
  }

  /** Calls the tool, and throws unless the text comes back. */
  async call(tool, text) {
    const { body } = await this.request('tools/call', { name: tool, arguments: { text } }, tool);
    if (!body.includes(text) || body.includes('"isError":true')) throw new Error(`not an echo: ${body.slice(0, 300)}`);
  }

  request(method, params, name) {
    const id = ++this.#ids;
    return this.#post({ id, method, params: this.#enveloped(params) }, name);
  }

  /** The header that names the session, as it is written; empty where there is none. */
  get sessionHead() {
    return this.#session;
  }

  close() {
    this.#socket
      ?.removeAllListeners()
      .on('error', () => {})
      .destroy();
  }

  #enveloped(params) {
    if (this.#era === 'legacy') return params;
    const meta = {
      'io.modelcontextprotocol/protocolVersion': VERSIONS.modern,
      'io.modelcontextprotocol/clientInfo': info,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    return { ...params, _meta: meta };
  }

  #post(message, name) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const { method } = message;
    const own =
      this.#era === 'modern'
        ? `MCP-Protocol-Version: ${VERSIONS.modern}\r\nMcp-Method: ${method}\r\n${name ? `Mcp-Name: ${name}\r\n` : ''}`
        : `${this.#session}${method === 'initialize' ? '' : `MCP-Protocol-Version: ${VERSIONS.legacy}\r\n`}`;
    const head =
      `POST ${this.#url.pathname}${this.#url.search} HTTP/1.1\r\nHost: ${this.#url.host}\r\n` +
      'Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n' +
      `${own}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    return this.#socket.destroyed ? this.#connect().then(() => this.#send(head + body)) : this.#send(head + body);
  }

  #send(text) {
    return new Promise((done, failed) => {
      this.#waiting = { done, failed };
      this.#socket.write(text);
    });
  }

  #take(chunk) {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    const end = this.#buffer.indexOf(END_OF_HEAD);
    if (end === -1) return;
    const head = this.#buffer.latin1Slice(0, end);
    const start = end + END_OF_HEAD.length;
    const length = /^content-length: *(\d+)/imu.exec(head)?.[1];
    // An answer is the last thing on the socket, so the end of its chunks is the end of what has come.
    const isWhole =
      length === undefined
        ? !/^transfer-encoding: *chunked/imu.test(head) ||
          this.#buffer.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS)
        : this.#buffer.length >= start + Number(length);
    if (!isWhole) return;
    const body = this.#buffer.toString('utf8', start);
    this.#buffer = Buffer.alloc(0);
    const { done, failed } = this.#waiting;
    const status = Number(head.slice(9, 12));
    if (status >= 300) failed(new Error(`status ${status}: ${body.slice(0, 300)}`));
    else done({ head, body });
  }
}
