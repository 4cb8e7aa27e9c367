// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility
import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { allowListeners } from '../peer.js';
import type { Era, Line, OpenSessionOptions, Session } from './era.js';
import { legacy } from './legacy.js';
import { modern } from './modern.js';
import { hasLegacyVersion, isUnsupportedVersion, noVersion, offeredVersions, versionInCommon } from './versions.js';

/** Which era to speak: one for certain, or whichever the server speaks, in the order in which it is cheaper to find out. */
export type Preference = 'legacy' | 'modern' | 'modern-first' | 'legacy-first';

/**
 * Opens the conversation in the era that the server speaks, over the one line there is: nothing is started twice to find
 * out. Rejects with a HostError; when the line ended because of the question, a new one has to be opened `legacy`.
 */
export function negotiate(line: Line, options: OpenSessionOptions, preference: Preference): Promise<Session> {
  switch (preference) {
    case 'legacy':
      return legacy.open(line, options);
    case 'modern':
      return modern.open(line, options).catch((error: unknown) => Promise.reject(notModern(error, line)));
    case 'modern-first':
      return askFirst(line, options);
    case 'legacy-first':
      return greetFirst(line, options);
    default:
      return unreachable(preference);
  }
}

/** The question of the new era first. Whatever is no clear answer to it means a server that does not know it. */
async function askFirst(line: Line, options: OpenSessionOptions): Promise<Session> {
  const { clock } = line.peer;
  const asking = start(modern, line, options);
  const silence = new Promise<'silent'>((resolve) => {
    const timer = clock.after(SILENCE_MS, () => resolve('silent'));
    void asking.settled.then(() => timer[Symbol.dispose]());
  });
  const first = await Promise.race([asking.settled, silence]);
  if (first === 'silent') return raceBoth(line, options, asking);
  if (first.ok) return first.session;
  const { error } = first;
  if (line.peer.isClosed || FINAL.has(error.code)) throw error;
  const offered = offeredVersions(error);
  // Newer versions only: a greeting in an older one would be refused as well.
  if (offered.length > 0 && !hasLegacyVersion(offered)) {
    throw versionInCommon(offered) === undefined ? noVersion(line.peer.name, offered) : error;
  }
  return greet(line, options, error);
}

/** A server that says nothing may be slow, or ignore what it does not know: it is greeted as well, and its first yes counts. */
async function raceBoth(line: Line, options: OpenSessionOptions, asking: Opening): Promise<Session> {
  const greeting = start(legacy, line, options);
  const winner = await Promise.race([greeting.settled, asking.settled]);
  const other = winner.era === 'legacy' ? asking : greeting;
  if (winner.ok) {
    other.abort();
    return winner.session;
  }
  // One of the two said no; a server that speaks only the other era says yes to that one.
  const second = await other.settled;
  if (second.ok) return second.session;
  throw winner.era === 'legacy' ? winner.error : second.error;
}

/** Known to be of the older kind. If it no longer is, it may have been updated since. */
async function greetFirst(line: Line, options: OpenSessionOptions): Promise<Session> {
  try {
    return await legacy.open(line, options);
  } catch (error) {
    const isRefusal = error instanceof HostError && error.code === 'server-error';
    if (!isRefusal || line.peer.isClosed) throw error;
    return modern.open(line, options).catch(() => Promise.reject(error));
  }
}

async function greet(line: Line, options: OpenSessionOptions, before: HostError): Promise<Session> {
  try {
    return await legacy.open(line, options);
  } catch (error) {
    // One that knows the new era well enough to complain in its terms means that complaint.
    throw isModernComplaint(before) || isModernOnly(error) ? before : error;
  }
}

type Outcome =
  | { readonly era: Era['name']; readonly ok: true; readonly session: Session }
  | { readonly era: Era['name']; readonly ok: false; readonly error: HostError };

interface Opening {
  /** Never rejects. */
  readonly settled: Promise<Outcome>;
  abort(): void;
}

function start(era: Era, line: Line, options: OpenSessionOptions): Opening {
  const abort = new AbortController();
  const { signal } = options;
  const giveUp = (): void => abort.abort();
  if (signal) allowListeners(signal);
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted === true) giveUp();
  const settled = era
    .open(line, { ...options, signal: abort.signal })
    .then(
      (session): Outcome => ({ era: era.name, ok: true, session }),
      (error: unknown): Outcome => ({ era: era.name, ok: false, error: toHostError(error) }),
    )
    .finally(() => signal?.removeEventListener('abort', giveUp));
  return { settled, abort: giveUp };
}

/** Nothing would change by a greeting: it was not reached, it wants a sign-in, it is gone, or nobody waits any more. */
const FINAL: ReadonlySet<string> = new Set(['unauthorized', 'connect-failed', 'connection-closed', 'cancelled']);

function isModernComplaint({ detail }: HostError): boolean {
  return detail?.kind === 'rpc' && (detail.code === HEADER_MISMATCH || detail.code === MISSING_CAPABILITY);
}

/** The greeting was refused because there is nothing to greet: what it said before is what counts. */
export function isModernOnly(error: unknown): boolean {
  return isUnsupportedVersion(error) && versionInCommon(offeredVersions(error)) !== undefined;
}

const HEADER_MISMATCH = -32020;
const MISSING_CAPABILITY = -32021;
const SILENCE_MS = 5_000;

function notModern(error: unknown, { peer }: Line): unknown {
  if (!(error instanceof HostError) || FINAL.has(error.code)) return error;
  const text = `Server "${peer.name}" is to be spoken to as of 2026-07-28, and does not answer to that: ${error.message}`;
  return new HostError('unsupported', text, {
    hint: 'Write "era": "auto" in its entry, or leave "era" out',
    ...(error.detail && { detail: error.detail }),
    cause: error,
  });
}

function toHostError(error: unknown): HostError {
  if (error instanceof HostError) return error;
  return new HostError('internal', 'Opening the conversation failed inside Plugboard', { cause: error });
}
