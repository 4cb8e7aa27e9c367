// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import { HostError } from '../../base/errors.js';
import { SseParser, type SseSink } from '../../edge/network/sse-parser.js';
import { gateUrl } from '../../model/urls/url-gate.js';
import { decode } from '../../wire/json/decode.js';
import type { HttpContext } from '../http/http-context.js';

/** The first event of a stream: it says where messages are to be sent. */
export class SseEndpoint implements SseSink {
  /** What it says; undefined until it has come. */
  text: string | undefined;
  /** Why it will not come. */
  fault: string | undefined;
  readonly #parser = new SseParser(this, { eventLimit: ENDPOINT_LIMIT });
  #data: Buffer[] = [];
  #bytes = 0;

  /** How many of the bytes it needed: the rest are messages. */
  take(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.text === undefined && this.fault === undefined) {
      // Line by line, because an event ends with one, and nothing behind it is this parser's.
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
    // Nobody has asked for anything yet, so that nothing is lost with another one.
    if (name === 'endpoint') this.text = decode(data).text.trim();
  }

  retry(): void {}

  overflow(): void {
    this.fault = `sent an event of more than ${ENDPOINT_LIMIT} bytes where its endpoint was expected`;
  }
}

/** Where messages go, as a path of the server's own origin; an error when that is anywhere else. `from`: where the stream came from. */
export function toEndpointPath(text: string, { label, session }: HttpContext, from: string): string | HostError {
  const refuse = (why: string, hint: string): HostError =>
    new HostError('url-refused', `${label} wants messages to be sent ${why}`, { hint });
  if (text === '') return refuse('nowhere: its endpoint event is empty', 'Look at the log of the server');
  const origin = new URL(session.origin);
  const target = gateUrl(text, { from: 'server', purpose: 'fetch', origin, base: new URL(from, origin) });
  if (!target.ok) return refuse(`to an address that is not used: ${target.reason}`, 'Ask whoever runs the server');
  if (target.url.origin !== session.origin) {
    return refuse(
      `to another origin, ${target.url.origin}, where nothing is sent`,
      'If the server lives there, write that address into its entry',
    );
  }
  return target.url.pathname + target.url.search;
}

const ENDPOINT_LIMIT = 8_192; // the longest URL that the gate lets through
const ENDPOINT_BYTES_LIMIT = 65_536; // some servers pad the start of a stream with a few KB of comments
const FEED = 0x0a;
const RETURN = 0x0d;

function nextLine(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== FEED && bytes[at] !== RETURN) at++;
  return Math.min(at + 1, bytes.length);
}
