import { HostError } from '../../base/errors.js';
import { isObject, parseJson } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import { Secret } from '../../base/secret.js';
import type { CommandEnd } from '../../edge/processes/running-command.js';
import { FRAMING_HEADERS, isConnectionHeader } from '../../model/connection-headers.js';
import { textRedactor } from '../../model/redaction/redact-text.js';
import { gateLine, gateText } from '../../model/text/text-gate.js';
import type { HelperOptions } from './headers-helper.js';
import { signInFailure } from '../oauth-error.js';

export interface HelperOutputOptions extends Pick<HelperOptions, 'name' | 'isForeign'> {
  readonly timeoutMs: number;
  /** What to redact from the command's stderr. */
  readonly secrets: () => readonly Secret[];
}

/** The headers that a headersHelper printed, or an error; no error repeats any of its stdout. */
export function headersOf(
  end: Exclude<CommandEnd, { readonly kind: 'cancelled' }>,
  options: HelperOutputOptions,
): Readonly<Record<string, Secret>> | HostError {
  const { name, timeoutMs } = options;
  switch (end.kind) {
    case 'exited': {
      const headers = end.code === 0 ? parseHeaders(end.stdout, options.isForeign) : `exited with code ${end.code}`;
      if (typeof headers !== 'string') return headers;
      return failed(name, headers + lastWords(end.stderr, options.secrets()), { isTransient: end.code !== 0 });
    }
    case 'signalled':
      return failed(name, `was ended by ${end.signal}`, { isTransient: true });
    case 'timed-out':
      return failed(name, `did not end within ${timeoutMs} ms`, { isTransient: true });
    case 'too-much':
      return failed(name, `printed more than ${end.bytes} bytes`);
    case 'not-started':
      if (end.error instanceof HostError) return end.error; // names what the sandbox lacks
      return failed(name, `could not be started: ${gateLine(end.error.message, { limit: 200 }).text}`, {
        cause: end.error,
      });
    default:
      return unreachable(end);
  }
}

/** Returns the headers, or the fault as a text that continues "its headersHelper ...". */
function parseHeaders(stdout: string, isForeign: boolean): Readonly<Record<string, Secret>> | string {
  // The cheap check first: a string never has fewer bytes than characters.
  if (stdout.length > STDOUT_BYTES || Buffer.byteLength(stdout) > STDOUT_BYTES) {
    return `printed more than ${STDOUT_BYTES} bytes`;
  }
  if (stdout.trim() === '') return 'printed nothing';
  const said = parseJson(stdout.trim());
  // The parser's own message would quote the output.
  if (said === undefined) return 'printed something that is not JSON';
  if (!isObject(said)) return 'printed JSON that is not an object';
  const entries = Object.entries(said);
  if (entries.length > COUNT_LIMIT) return `printed ${entries.length} headers; ${COUNT_LIMIT} is the limit`;
  const seen = new Set<string>();
  for (const [header, value] of entries) {
    const isElsewhere = isForeign && isConnectionHeader(header);
    const fault =
      (isElsewhere ? 'which only an entry of yours may set: it says where a request goes' : faultOf(header, value)) ??
      (seen.has(header.toLowerCase()) ? 'twice, in different case' : undefined);
    if (fault !== undefined) return `printed the header ${shown(header)} ${fault}`;
    seen.add(header.toLowerCase());
  }
  return Object.fromEntries(entries.map(([header, value]) => [header, new Secret(String(value))]));
}

function faultOf(header: string, value: unknown): string | undefined {
  if (!HEADER_NAME.test(header)) return 'whose name is not valid HTTP';
  if (isReserved(header.toLowerCase())) return 'which only Plugboard itself may set';
  if (typeof value !== 'string') return 'whose value is not a string';
  if (/[\r\n]$/u.test(value)) return 'whose value ends in a line break';
  if (!HEADER_VALUE.test(value)) return 'whose value has characters that HTTP cannot carry';
  return undefined;
}

const STDOUT_BYTES = 65_536; // more than any server accepts
const COUNT_LIMIT = 100;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/u;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/u;

function isReserved(header: string): boolean {
  return RESERVED.has(header) || header.startsWith('mcp-') || header.startsWith('sec-websocket-');
}

/** Set by HTTP or by MCP itself; another value would be false. */
const RESERVED: ReadonlySet<string> = new Set([
  ...FRAMING_HEADERS,
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-type',
  'host',
  'last-event-id',
  'proxy-connection',
  'trailer',
]);

function shown(header: string): string {
  return JSON.stringify(gateLine(header, { limit: 80 }).text);
}

/** The end of stderr, redacted before it is cut: half a secret would not be recognised. */
function lastWords(stderr: string, secrets: readonly Secret[]): string {
  const clean = textRedactor({ secrets }).redact(gateText(stderr).text);
  const lines = clean.split('\n').filter((line) => line.trim() !== '');
  const { text } = gateText(lines.slice(-LAST_LINES).join('\n').slice(-LAST_LENGTH).trim());
  return text === '' ? '' : `: ${text}`;
}

const LAST_LINES = 5;
const LAST_LENGTH = 1_000;

function failed(name: string, what: string, options: { isTransient?: boolean; cause?: unknown } = {}): HostError {
  return signInFailure(`Server "${name}": its headersHelper ${what}`, {
    ...options,
    hint: 'Run the command yourself in the folder of the project: it must print one JSON object of header names and values, and nothing else',
  });
}
