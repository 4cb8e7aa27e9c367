import { HostError } from '../base/errors.js';
import { VERSION } from '../base/version.js';
import type { OpenContext, TransportKind } from '../transports/kind.js';
import { transportKindOf, type ServerConfig } from '../transports/kinds.js';
import type { McpSession } from '../wire/eras/era.js';
import { deadline } from '../wire/deadline.js';
import { isModernOnly, negotiate, type EraPreference } from '../wire/eras/negotiate.js';
import { Peer } from '../wire/peer.js';
import type { Pipe } from '../wire/pipe.js';
import type { Connection, ConnectOptions } from './connect.js';
import type { CachedEra, DetectedEra } from './era-cache.js';
import { redactorOf, entrySecrets } from './entry-secrets.js';

/** Opens as last time. If that was the fallback transport and it fails now, tries again as if nothing were cached. */
export async function openWithCachedEra(
  options: ConnectOptions,
  circumstances: Circumstances,
  cached: CachedEra | undefined,
): Promise<Opened> {
  const cachedEra = cached?.get() ?? eraOfLastConnection(options);
  if (!cachedEra) return openWithFallback(options, circumstances);
  try {
    return await openWithFallback(options, { ...circumstances, cachedEra });
  } catch (failure) {
    const error = failure instanceof FailedAttempt ? failure.error : failure;
    // Unreachable, in need of a sign-in, or cancelled: this says nothing about the server's era.
    const isInconclusive = error instanceof HostError && (INCONCLUSIVE.has(error.code) || isFailingEndpoint(error));
    const isBroken = options.previousEra !== undefined && failure instanceof FailedAttempt && failure.isEnded;
    if (isInconclusive || isBroken || options.signal?.aborted === true) throw failure;
    void cached?.delete();
    if (circumstances.signal.aborted || !cachedEra.isFallback) throw failure;
    // If the first transport has no endpoint at all, the fallback's failure is the one to report.
    return openWithFallback(options, { ...circumstances, hasFallenBack: true }).catch((first: unknown) => {
      throw isNoEndpoint(first) ? failure : first;
    });
  }
}

/** The era of the previous connection, when none is cached; only for kinds without a fallback transport. */
function eraOfLastConnection({ previousEra: lastEra, config }: ConnectOptions): DetectedEra | undefined {
  return lastEra && !transportKindOf(config).openFallback ? { era: lastEra, isFallback: false } : undefined;
}

interface Circumstances {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The era and transport of the last connect. */
  readonly cachedEra?: DetectedEra | undefined;
  /** The fallback transport has just failed, so it is not tried again. */
  readonly hasFallenBack?: boolean;
}

interface Opened {
  readonly connection: Connection;
  /** What to cache; undefined when the era is not certain. */
  readonly verdict: DetectedEra | undefined;
}

const INCONCLUSIVE: ReadonlySet<string> = new Set([
  'unauthorized',
  'connect-failed',
  'start-failed',
  'config-invalid',
  'url-refused',
]);

/** Opens by the cached transport, else by the first of its kind, else by the fallback. */
async function openWithFallback(options: ConnectOptions, circumstances: Circumstances): Promise<Opened> {
  const { config } = options;
  const { cachedEra, hasFallenBack, signal } = circumstances;
  const kind = transportKindOf(config);
  if (cachedEra?.isFallback === true && kind.openFallback) return openFallback(options, circumstances, kind);
  try {
    return await openFirst(options, circumstances, kind);
  } catch (failure) {
    const isOver = signal.aborted || config.era === 'modern' || hasFallenBack === true;
    if (!kind.openFallback || isOver || !isNoEndpoint(failure)) throw failure;
    return openFallback(options, circumstances, kind).catch((second: unknown) => {
      // Report the first failure, unless the fallback's endpoint exists: failing (5xx, 429) or behind a sign-in.
      const error = second instanceof FailedAttempt ? second.error : undefined;
      const isThere = error instanceof HostError && (error.code === 'unauthorized' || isFailingEndpoint(error));
      throw isThere ? second : bothFailedError(failure, error);
    });
  }
}

/** A server that exits because of `server/discover` is started once more, with `initialize`. */
async function openFirst(
  options: ConnectOptions,
  circumstances: Circumstances,
  kind: TransportKind<ServerConfig>,
): Promise<Opened> {
  const preference = preferenceOf(options.config, kind, circumstances.cachedEra);
  const open = (context: OpenContext): Promise<Pipe> => kind.open(options.config, context);
  try {
    return await attempt(options, circumstances, { open, preference, isFallback: false });
  } catch (failure) {
    const isEnded = failure instanceof FailedAttempt && failure.isEnded && !circumstances.signal.aborted;
    if (preference !== 'modern-first' || !isEnded || options.previousEra !== undefined) throw failure;
    const again = { open, preference: 'legacy', isFallback: false } as const;
    return attempt(options, circumstances, again).catch((second: unknown) => {
      // The server speaks only the modern era, so `server/discover` was not why it exited.
      throw second instanceof FailedAttempt && isModernOnly(second.error) ? failure : second;
    });
  }
}

async function openFallback(
  options: ConnectOptions,
  circumstances: Circumstances,
  kind: TransportKind<ServerConfig>,
): Promise<Opened> {
  // `FALLBACK_MS` bounds only the opening of the pipe, not the handshake.
  const open = (context: OpenContext): Promise<Pipe> => openInTime(options, context, kind);
  return attempt(options, circumstances, { open, preference: 'legacy', isFallback: true });
}

async function openInTime(
  { config, context: { name, clock } }: ConnectOptions,
  context: OpenContext,
  kind: TransportKind<ServerConfig>,
): Promise<Pipe> {
  const late = new AbortController();
  const timer = deadline(clock, FALLBACK_MS, () => late.abort());
  const { signal = late.signal } = context;
  try {
    return await kind.openFallback!(config, { ...context, signal: AbortSignal.any([signal, late.signal]) });
  } catch (cause) {
    if (signal.aborted || !late.signal.aborted) throw cause;
    throw new HostError('connect-timeout', `Server "${name}" did not open its event stream within ${FALLBACK_MS} ms`, {
      hint: 'Check its URL, and look at the log of the server',
      cause,
    });
  } finally {
    timer[Symbol.dispose]();
  }
}

const FALLBACK_MS = 10_000; // must fail well before the timeout for the whole connect

function preferenceOf(
  { era = 'auto' }: ServerConfig,
  { probes }: TransportKind<ServerConfig>,
  cachedEra: DetectedEra | undefined,
): EraPreference {
  if (era !== 'auto') return era;
  if (!probes) return 'legacy';
  return cachedEra?.era === 'legacy' ? 'legacy-first' : 'modern-first';
}

interface OpenAttempt {
  readonly open: (context: OpenContext) => Promise<Pipe>;
  readonly preference: EraPreference;
  readonly isFallback: boolean;
}

async function attempt(
  options: ConnectOptions,
  { signal, timeoutMs }: Circumstances,
  way: OpenAttempt,
): Promise<Opened> {
  const {
    config,
    context,
    capabilities = {},
    handlers,
    opener,
    declares,
    onUnmarkedQuestion,
    onNotification,
    onWarning,
    onFirstResponse,
  } = options;
  const { name, clock } = context;
  const redact = redactorOf(options.secrets ?? entrySecrets(config));
  const responding = { handlers, opener, declares, redact, onUnmarkedQuestion };
  let opened: Pipe | undefined;
  let peer: Peer | undefined;
  try {
    opened = await way.open({ ...context, signal });
    const pipe = options.wrapPipe?.(opened) ?? opened;
    peer = new Peer(pipe, {
      name,
      clock,
      ...responding,
      ...(onNotification && { onNotification }),
      ...(onWarning && { onWarning }),
    });
    const client = { name: 'plugboard', version: VERSION };
    const { mayRenew, onRenewal } = options;
    const receivedMessages = { onNotification, onFirstResponse, mayRenew, onRenewal };
    const telling = { client, capabilities, ...responding, timeoutMs, signal, ...receivedMessages };
    const { session, isCertain } = await negotiate({ pipe, peer }, telling, way.preference);
    const connection = toLink(peer, session, { redact, onlyTools: transportKindOf(config).onlyTools });
    return { connection, verdict: isCertain ? { era: session.era, isFallback: way.isFallback } : undefined };
  } catch (error) {
    const isEnded = peer?.isClosed === true;
    await opened?.[Symbol.asyncDispose]();
    throw new FailedAttempt(error, redact(await lastStderr(opened)), isEnded);
  }
}

/** Why one attempt led to no MCP session. */
export class FailedAttempt {
  readonly error: unknown;
  readonly stderr: string;
  /** The connection closed before there was an MCP session. */
  readonly isEnded: boolean;

  constructor(error: unknown, stderr: string, isEnded: boolean) {
    this.error = error;
    this.stderr = stderr;
    this.isEnded = isEnded;
  }
}

/** The endpoint exists, but fails at the moment (5xx, 429). */
function isFailingEndpoint({ detail }: HostError): boolean {
  return detail?.kind === 'http' && (detail.status >= 500 || detail.status === 429);
}

/** The error when both transports failed: its hint must not suggest the fallback, which was tried. */
function bothFailedError(failure: unknown, second: unknown): unknown {
  if (!(failure instanceof FailedAttempt) || !(failure.error instanceof HostError)) return failure;
  const { code, message, detail } = failure.error;
  const how = second instanceof HostError ? ` (${second.message})` : '';
  const error = new HostError(code, `${message}; it does not speak HTTP+SSE there either${how}`, {
    hint: 'There is no MCP endpoint there; check the path of its URL',
    ...(detail && { detail }),
    cause: failure.error,
  });
  return new FailedAttempt(error, failure.stderr, failure.isEnded);
}

/** The URL did not accept the handshake as MCP: it may be an HTTP+SSE endpoint. */
function isNoEndpoint(failure: unknown): boolean {
  const error = failure instanceof FailedAttempt ? failure.error : undefined;
  return error instanceof HostError && error.detail?.kind === 'http' && NO_ENDPOINT.has(error.detail.status);
}

const NO_ENDPOINT: ReadonlySet<number> = new Set([202, 204, 400, 404, 405, 406, 415]);

function toLink(peer: Peer, session: McpSession, more: Pick<Connection, 'redact' | 'onlyTools'>): Connection {
  return {
    name: peer.name,
    session,
    peer,
    closed: peer.closed,
    ...more,
    traits: new Map(),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

/** The server's last stderr, which may say why it does not respond. */
async function lastStderr(pipe: Pipe | undefined): Promise<string> {
  const reason = await pipe?.closed;
  return (reason && 'stderr' in reason ? reason.stderr : undefined) ?? '';
}
