import type { JsonObject } from '../base/json.js';
import { type ErrorDetail, HostError } from '../base/errors.js';
import { onAbort } from '../base/on-abort.js';
import type { Secret } from '../base/secret.js';
import { toHostError } from '../base/to-host-error.js';
import type { OpenContext } from '../transports/kind.js';
import { transportKindOf, type ServerConfig } from '../transports/kinds.js';
import type { McpSession } from '../wire/eras/era.js';
import type { ResponderOptions } from '../wire/inbound.js';
import { deadline } from '../wire/deadline.js';
import { FRAMED, FRAMED_HINT, isFramed } from '../wire/framing.js';
import type { Peer } from '../wire/peer.js';
import type { CloseReason, Pipe, PipeWarning } from '../wire/pipe.js';
import type { CachedEra } from './era-cache.js';
import type { ToolTraits } from './catalog/tool-traits.js';
import { FailedAttempt, openWithCachedEra } from './open-connection.js';

export interface ConnectOptions extends ResponderOptions {
  readonly config: ServerConfig;
  readonly context: OpenContext;
  /** Milliseconds to start or reach the server and complete the handshake. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Capabilities to declare: those of the caller that the connection is opened for, or of this host. */
  readonly capabilities?: JsonObject;
  readonly onNotification?: (method: string, params: JsonObject) => void;
  readonly onWarning?: (warning: PipeWarning) => void;
  /** Called at the first response to `server/discover`, result or error: the server runs. */
  readonly onFirstResponse?: (() => void) | undefined;
  /** Whether to repeat the handshake on this connection after the server has lost the session; true by default. */
  readonly mayRenew?: (() => boolean) | undefined;
  /** Called after the server lost the session and the handshake was repeated. */
  readonly onRenewal?: (() => void) | undefined;
  /** Wraps the pipe, for instance to record its messages. */
  readonly wrapPipe?: ((pipe: Pipe) => Pipe) | undefined;
  /** Secrets that the server receives; the array may grow later. Those of the entry by default. */
  readonly secrets?: readonly Secret[] | undefined;
  /** The era that was detected at the last connect, cached. */
  readonly cachedEra?: CachedEra | undefined;
  /** Era of the previous connection. If the server exits now, `server/discover` is not the cause. */
  readonly previousEra?: McpSession['era'] | undefined;
}

/** A connected server. Disposing of it closes the MCP session and ends the processes that were started for it. */
export interface Connection extends AsyncDisposable {
  readonly name: string;
  readonly session: McpSession;
  readonly peer: Peer;
  readonly closed: Promise<CloseReason>;
  /** Removes from a text the secrets that the server received. */
  readonly redact: (text: string) => string;
  /** The only tools of the server to keep, when its transport kind restricts them. */
  readonly onlyTools: readonly string[] | undefined;
  /** What a call must know of a tool in advance, as of the last tools/list. */
  readonly traits: Map<string, ToolTraits>;
}

/** Opens a connection and detects its era. On failure or timeout everything that was opened is disposed of. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { context, timeoutMs = CONNECT_TIMEOUT, signal, config } = options;
  const abort = new AbortController();
  using _ = onAbort(signal, () => abort.abort());
  let isTimedOut = false;
  const timer = deadline(context.clock, timeoutMs, () => {
    isTimedOut = true;
    abort.abort();
  });
  const failure = { name: context.name, timeoutMs, hasOwnLimit: config.startTimeout !== undefined };
  let isFramedServer = false;
  const onWarning = (warning: PipeWarning): void => {
    if (warning.kind === 'noise' && isFramed(warning.text)) isFramedServer = true;
    options.onWarning?.(warning);
  };
  try {
    signal?.throwIfAborted();
    const circumstances = { signal: abort.signal, timeoutMs };
    const kind = transportKindOf(config);
    const isOpen = config.era === undefined || config.era === 'auto';
    const cachedEra = isOpen && (kind.probes || 'openFallback' in kind) ? options.cachedEra : undefined;
    const { connection, verdict } = await openWithCachedEra({ ...options, onWarning }, circumstances, cachedEra);
    if (verdict) void cachedEra?.set(verdict);
    return connection;
  } catch (cause) {
    const { error, stderr } = cause instanceof FailedAttempt ? cause : { error: cause, stderr: '' };
    const told = connectError(error, { ...failure, isTimedOut, isCancelled: signal?.aborted === true, stderr });
    throw isFramedServer ? framedError(told) : told;
  } finally {
    timer[Symbol.dispose]();
  }
}

export const CONNECT_TIMEOUT = 30_000;

/** Adds the cause: a server that frames its messages reads only framed ones, and waits for them for ever. */
function framedError({ code, message, detail, cause }: HostError): HostError {
  const text = message.includes(FRAMED) ? message : `${message}: ${FRAMED}`;
  return new HostError(code, text, { hint: FRAMED_HINT, ...(detail && { detail }), cause });
}

interface Failure {
  readonly name: string;
  readonly timeoutMs: number;
  /** The limit is the entry's `startTimeout`, which comes before all others. */
  readonly hasOwnLimit: boolean;
  readonly isTimedOut: boolean;
  readonly isCancelled: boolean;
  readonly stderr: string;
}

function connectError(cause: unknown, failure: Failure): HostError {
  const { name, timeoutMs, hasOwnLimit, isTimedOut, isCancelled, stderr } = failure;
  const detail: { detail?: ErrorDetail } = stderr.trim() === '' ? {} : { detail: { kind: 'stderr', stderr } };
  if (isCancelled)
    return new HostError('cancelled', `Connecting to server "${name}" was cancelled`, { ...detail, cause });
  if (isTimedOut || (cause instanceof HostError && cause.code === 'call-timeout')) {
    return new HostError('connect-timeout', `Server "${name}" did not finish the handshake within ${timeoutMs} ms`, {
      hint: hasOwnLimit
        ? 'Give it more time: raise "startTimeout" in its entry'
        : 'Give it more time with MCP_TIMEOUT=MS or --timeout MS, or with "startTimeout" in its entry',
      ...detail,
      cause,
    });
  }
  const hint = 'Run it again with --verbose and report what it prints';
  return toHostError(cause, `Connecting to server "${name}" failed inside Plugboard`, { hint, reason: '' });
}
