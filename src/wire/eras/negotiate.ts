// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility
import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { onAbort } from '../../base/on-abort.js';
import { toHostError } from '../../base/to-host-error.js';
import { within } from '../../base/within.js';
import { deadlineIn } from '../deadline.js';
import type { Era, OpenPipe, OpenMcpSessionOptions, McpSession } from './era.js';
import { HEADER_MISMATCH, MISSING_CAPABILITY } from '../rpc-codes.js';
import { legacy } from './legacy.js';
import { modern } from './modern.js';
import { hasLegacyVersion, isUnsupportedVersion, noVersion, offeredVersions, versionInCommon } from './versions.js';

/** Which era to speak: a fixed one, or the server's, with the one to try first. */
export type EraPreference = 'legacy' | 'modern' | 'modern-first' | 'legacy-first';

export interface Negotiated {
  readonly session: McpSession;
  /** The server has proved its era; otherwise it has only failed, perhaps by accident, when asked for the other. */
  readonly isCertain: boolean;
}

/**
 * Opens the MCP session in the server's era, over this one connection: no second process is started to find out.
 * Rejects with a HostError. If `server/discover` ended the connection, open a new one as `legacy`.
 */
export async function negotiate(
  line: OpenPipe,
  options: OpenMcpSessionOptions,
  preference: EraPreference,
): Promise<Negotiated> {
  switch (preference) {
    case 'legacy':
      return { session: await legacy.open(line, options), isCertain: true };
    case 'modern':
      try {
        return { session: await modern.open(line, options), isCertain: true };
      } catch (error) {
        throw notModern(error, line);
      }
    case 'modern-first':
      return askFirst(line, options);
    case 'legacy-first':
      return handshakeFirst(line, options);
    default:
      return unreachable(preference);
  }
}

/** Sends `server/discover` first. Anything but a clear result means a legacy server. */
async function askFirst(line: OpenPipe, options: OpenMcpSessionOptions): Promise<Negotiated> {
  const asking = start(modern, line, options);
  const first = await withinSilenceLimit(asking.settled, line);
  if (first === 'silent') return raceBoth(line, asking, start(legacy, line, options));
  options.onFirstResponse?.();
  if (first.ok) return { session: first.session, isCertain: true };
  const { error } = first;
  if (line.peer.isClosed || FINAL.has(error.code)) throw error;
  const offered = offeredVersions(error);
  // The server offers only newer versions, so initialize would fail too.
  if (offered.length > 0 && !hasLegacyVersion(offered)) {
    throw versionInCommon(offered) === undefined ? noVersion(line.peer.name, offered) : error;
  }
  return { session: await fallBackToHandshake(line, options, error), isCertain: isClearNo(error) };
}

/** Sends initialize first, for a server known as legacy. If that fails, the server may have been updated. */
async function handshakeFirst(line: OpenPipe, options: OpenMcpSessionOptions): Promise<Negotiated> {
  const handshake = start(legacy, line, options);
  const first = await withinSilenceLimit(handshake.settled, line);
  if (first === 'silent') return raceBoth(line, handshake, start(modern, line, options));
  if (first.ok) return { session: first.session, isCertain: true };
  const { error } = first;
  if (line.peer.isClosed || FINAL.has(error.code)) throw error;
  return { session: await modern.open(line, options).catch(() => Promise.reject(error)), isCertain: true };
}

/**
 * A silent server may be slow, or ignore unknown methods. It gets the other opening too, and the first success counts.
 * After a refused initialize, the response to `server/discover` is awaited only briefly: the server is not slow.
 */
async function raceBoth(line: OpenPipe, early: Opening, late: Opening): Promise<Negotiated> {
  const winner = await Promise.race([early.settled, late.settled]);
  const other = winner.era === early.era ? late : early;
  if (winner.ok) {
    other.abort();
    return { session: winner.session, isCertain: true };
  }
  const second = winner.era === 'legacy' ? await withinSilenceLimit(other.settled, line) : await other.settled;
  if (second === 'silent') {
    other.abort();
    throw winner.error;
  }
  if (second.ok) return { session: second.session, isCertain: true };
  throw winner.era === 'legacy' ? winner.error : second.error;
}

async function fallBackToHandshake(
  line: OpenPipe,
  options: OpenMcpSessionOptions,
  before: HostError,
): Promise<McpSession> {
  try {
    return await legacy.open(line, options);
  } catch (error) {
    // An error that only a modern server sends is the one to report.
    throw isModernComplaint(before) || isModernOnly(error) ? before : error;
  }
}

/** The outcome, or `silent` after `SILENCE_MS`. */
function withinSilenceLimit(settled: Promise<Outcome>, { peer }: OpenPipe): Promise<Outcome | 'silent'> {
  return within(settled, { deadline: deadlineIn(peer.clock, SILENCE_MS), instead: () => 'silent' as const });
}

type Outcome =
  | { readonly era: Era['name']; readonly ok: true; readonly session: McpSession }
  | { readonly era: Era['name']; readonly ok: false; readonly error: HostError };

interface Opening {
  readonly era: Era['name'];
  /** Never rejects. */
  readonly settled: Promise<Outcome>;
  abort(): void;
}

function start(era: Era, line: OpenPipe, options: OpenMcpSessionOptions): Opening {
  const abort = new AbortController();
  const { signal } = options;
  const giveUp = (): void => abort.abort();
  const listening = onAbort(signal, giveUp);
  if (signal?.aborted === true) giveUp();
  const settled = era
    .open(line, { ...options, signal: abort.signal })
    .then(
      (session): Outcome => ({ era: era.name, ok: true, session }),
      (error: unknown): Outcome => ({ era: era.name, ok: false, error: toHostError(error, FAILED, { reason: '' }) }),
    )
    .finally(() => listening?.[Symbol.dispose]());
  return { era: era.name, settled, abort: giveUp };
}

/** Errors that initialize would not change: unreachable, sign-in needed, connection closed, cancelled. */
const FINAL: ReadonlySet<string> = new Set(['unauthorized', 'connect-failed', 'connection-closed', 'cancelled']);

/** Whether the request was read and refused: by a JSON-RPC error, or by an HTTP status below 500 other than 429. */
function isClearNo({ code, detail }: HostError): boolean {
  if (detail?.kind === 'http') return detail.status < 500 && detail.status !== 429;
  return code === 'server-error' || code === 'bad-answer' || code === 'unsupported';
}

function isModernComplaint({ detail }: HostError): boolean {
  return detail?.kind === 'rpc' && (detail.code === HEADER_MISMATCH || detail.code === MISSING_CAPABILITY);
}

/** Whether the server refused initialize because it is modern: then the error of `server/discover` counts. */
export function isModernOnly(error: unknown): boolean {
  return isUnsupportedVersion(error) && versionInCommon(offeredVersions(error)) !== undefined;
}

const SILENCE_MS = 5_000;

function notModern(error: unknown, { peer }: OpenPipe): unknown {
  if (!(error instanceof HostError) || FINAL.has(error.code)) return error;
  const text = `Server "${peer.name}" does not answer in protocol 2026-07-28, which its entry demands: ${error.message}`;
  return new HostError('unsupported', text, {
    hint: 'Write "era": "auto" in its entry, or leave "era" out',
    ...(error.detail && { detail: error.detail }),
    cause: error,
  });
}

const FAILED = 'The handshake failed inside Plugboard';
