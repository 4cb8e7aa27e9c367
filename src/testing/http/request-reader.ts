// Parses HTTP/1.1 requests, as far as MCP clients use the format: RFC 9112.
import type { Headers, IncomingRequest } from './http-turn.js';

const HEAD_LIMIT = 65_536; // bytes; no host under test sends a larger head
const HEAD_END = '\r\n\r\n';

type Body = { readonly kind: 'counted'; readonly length: number } | { readonly kind: 'chunked' };

/** Reads the requests of one socket. Drops what is not HTTP: the host is under test, not its HTTP client. */
export class RequestReader {
  readonly #take: (request: IncomingRequest) => void;
  #parts: Buffer[] = [];
  #length = 0;
  #head: { readonly request: Omit<IncomingRequest, 'body'>; readonly body: Body } | undefined;

  constructor(take: (request: IncomingRequest) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    while (this.#step());
  }

  /** Reads one head or one body; false when more bytes are needed first. */
  #step(): boolean {
    const body = this.#head?.body;
    if (this.#length === 0 && body?.kind !== 'counted') return false;
    if (body?.kind === 'counted' && this.#length < body.length) return false;
    const bytes = Buffer.concat(this.#parts);
    if (body === undefined) return this.#readHead(bytes);
    const read = body.kind === 'counted' ? { text: bytes.subarray(0, body.length), end: body.length } : unchunk(bytes);
    if (read === undefined) return false;
    const { request } = this.#head!;
    this.#head = undefined;
    this.#restart(bytes.subarray(read.end));
    this.#take({ ...request, body: read.text.toString('utf8') });
    return true;
  }

  #readHead(bytes: Buffer): boolean {
    const end = bytes.indexOf(HEAD_END);
    if (end === -1) {
      this.#restart(bytes.length > HEAD_LIMIT ? bytes.subarray(0, 0) : bytes);
      return false;
    }
    const [first = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
    const [method = '', path = ''] = first.split(' ');
    const headers = toHeaders(fields);
    const isChunked = headers['transfer-encoding']?.toLowerCase() === 'chunked';
    const length = Number(headers['content-length'] ?? 0) || 0;
    this.#head = {
      request: { method, path, headers },
      body: isChunked ? { kind: 'chunked' } : { kind: 'counted', length },
    };
    this.#restart(bytes.subarray(end + HEAD_END.length));
    return true;
  }

  #restart(rest: Buffer): void {
    this.#parts = [rest];
    this.#length = rest.length;
  }
}

function toHeaders(fields: readonly string[]): Headers {
  return Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
}

/** The chunked body at the start of these bytes; undefined until its last chunk has arrived. */
function unchunk(bytes: Buffer): { readonly text: Buffer; readonly end: number } | undefined {
  const parts: Buffer[] = [];
  let from = 0;
  for (;;) {
    const line = bytes.indexOf('\r\n', from);
    if (line === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', from, line), 16);
    const end = line + 2 + size;
    if (!Number.isSafeInteger(size) || bytes.length < end + 2) return undefined;
    if (size === 0) return { text: Buffer.concat(parts), end: end + 2 };
    parts.push(bytes.subarray(line + 2, end));
    from = end + 2;
  }
}
