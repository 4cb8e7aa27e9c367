// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import { HostError } from '../../base/errors.js';
import { SseParser, type SseSink } from '../../edge/network/sse-parser.js';
import { gateUrl } from '../../model/urls/url-gate.js';
import { decode } from '../../wire/json/decode.js';
import type { HttpContext } from '../http/http-context.js';

/** Reads the first event of the stream, which names the URL for messages. */
export class SseEndpoint implements SseSink {
  /** The event's data; undefined until it has arrived. */
  text: string | undefined;
  /** Why no endpoint event will arrive. */
  fault: string | undefined;
  readonly #parser = new SseParser(this, { eventLimit: ENDPOINT_LIMIT });
  #data: Buffer[] = [];
  #bytes = 0;

  /** Returns how many of the bytes were used; the rest are messages. */
  take(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.text === undefined && this.fault === undefined) {
      // Line by line: an event ends with a line, and what follows is not for this parser.
      const end = nextLine(bytes, at);
      this.#bytes += end - at;
      if (this.#bytes > ENDPOINT_BYTES_LIMIT) this.fault = `sent ${ENDPOINT_BYTES_LIMIT} bytes and no endpoint event`;
      else this.#parser.push(bytes.subarray(at, end));
      at = end;
    }
    return at;
  }

  data(bytes: Buffer): void {
    this.#data.push(bytes);
  }

  event(name: string): void {
    const data = Buffer.concat(this.#data);
    this.#data = [];
    // No request has been sent yet, so other events can be dropped.
    if (name === 'endpoint') this.text = decode(data).text.trim();
  }

  retry(): void {}

  overflow(): void {
    this.fault = `sent an event of more than ${ENDPOINT_LIMIT} bytes where its endpoint was expected`;
  }
}

/** The path for messages, within the server's origin; an error for another origin. `from`: the stream's path. */
export function toEndpointPath(text: string, { label, session }: HttpContext, from: string): string | HostError {
  const refuse = (why: string, hint: string): HostError =>
    new HostError('url-refused', `${label} wants messages to be sent ${why}`, { hint });
  if (text === '') return refuse('nowhere: its endpoint event is empty', 'Look at the log of the server');
  const origin = new URL(session.origin);
  const target = gateUrl(text, { from: 'server', purpose: 'fetch', origin, base: new URL(from, origin) });
  if (!target.ok)
    return refuse(`to an address that Plugboard refuses: ${target.reason}`, 'Ask the operator of the server');
  if (target.url.origin !== session.origin) {
    return refuse(
      `to another origin, ${target.url.origin}, where Plugboard sends nothing`,
      'If the server lives there, write that address into its entry',
    );
  }
  return target.url.pathname + target.url.search;
}

const ENDPOINT_LIMIT = 8_192; // bytes; the longest URL that the URL gate accepts
const ENDPOINT_BYTES_LIMIT = 65_536; // bytes; some servers start a stream with a few KB of comments
const FEED = 0x0a;
const RETURN = 0x0d;

function nextLine(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== FEED && bytes[at] !== RETURN) at++;
  return Math.min(at + 1, bytes.length);
}
