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
  /** For starting, reaching and greeting the server, all together. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** What the caller that the connection is opened for, or this host, can do for the server. */
  readonly capabilities?: JsonObject;
  readonly onNotification?: (method: string, params: JsonObject) => void;
  readonly onNote?: (warning: PipeWarning) => void;
  /** The server has said something, whatever it was: it runs. */
  readonly onHeard?: (() => void) | undefined;
  /** Whether a server that has forgotten us is to be greeted again over this line; it is unless said otherwise. */
  readonly mayRenew?: (() => boolean) | undefined;
  /** The server had forgotten us, and was greeted again. */
  readonly onRenewal?: (() => void) | undefined;
  /** Puts something between the pipe and whoever speaks through it: a recorder. */
  readonly wrapPipe?: ((pipe: Pipe) => Pipe) | undefined;
  /** What the server is told in confidence; there may be more of it by and by. Those of its entry by default. */
  readonly secrets?: readonly Secret[] | undefined;
  /** How this server spoke the last time. */
  readonly memory?: CachedEra | undefined;
  /** How it spoke a moment ago: should it end now, that is not because of the question. */
  readonly spoke?: McpSession['era'] | undefined;
}

/** A server that answers. Disposing of it closes the session and ends whatever was started for it. */
export interface Connection extends AsyncDisposable {
  readonly name: string;
  readonly session: McpSession;
  readonly peer: Peer;
  readonly closed: Promise<CloseReason>;
  /** Takes out of a text what the server was told in confidence. */
  readonly redact: (text: string) => string;
  /** The only tools of it that are kept, where its kind says so. */
  readonly onlyTools: readonly string[] | undefined;
  /** What a call has to know of a tool beforehand, as of the last time they were listed. */
  readonly traits: Map<string, ToolTraits>;
}

/** Opens a server and finds out how it speaks. When that fails or takes too long, nothing of it is left. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { context, timeoutMs = CONNECT_TIMEOUT, signal, memory, config } = options;
  const abort = new AbortController();
  using _ = onAbort(signal, () => abort.abort());
  let isTimedOut = false;
  const timer = deadline(context.clock, timeoutMs, () => {
    isTimedOut = true;
    abort.abort();
  });
  const failure = { name: context.name, timeoutMs };
  let isFramedServer = false;
  const onWarning = (warning: PipeWarning): void => {
    if (warning.kind === 'noise' && isFramed(warning.text)) isFramedServer = true;
    options.onNote?.(warning);
  };
  try {
    signal?.throwIfAborted();
    const circumstances = { signal: abort.signal, timeoutMs };
    const kind = transportKindOf(config);
    const isOpen = config.era === undefined || config.era === 'auto';
    const cachedEra = isOpen && (kind.probes || 'openFallback' in kind) ? memory : undefined;
    const { link, verdict } = await openWithCachedEra({ ...options, onNote: onWarning }, circumstances, cachedEra);
    if (verdict) void cachedEra?.set(verdict);
    return link;
  } catch (cause) {
    const { error, stderr } = cause instanceof FailedAttempt ? cause : { error: cause, stderr: '' };
    const told = connectError(error, { ...failure, isTimedOut, isCancelled: signal?.aborted === true, stderr });
    throw isFramedServer ? framedError(told) : told;
  } finally {
    timer[Symbol.dispose]();
  }
}

export const CONNECT_TIMEOUT = 30_000;

/** The same, with what is behind it: whoever frames its messages reads no others either, and waits for ever. */
function framedError({ code, message, detail, cause }: HostError): HostError {
  const text = message.includes(FRAMED) ? message : `${message}: ${FRAMED}`;
  return new HostError(code, text, { hint: FRAMED_HINT, ...(detail && { detail }), cause });
}

interface Failure {
  readonly name: string;
  readonly timeoutMs: number;
  readonly isTimedOut: boolean;
  readonly isCancelled: boolean;
  readonly stderr: string;
}

function connectError(cause: unknown, { name, timeoutMs, isTimedOut, isCancelled, stderr }: Failure): HostError {
  const detail: { detail?: ErrorDetail } = stderr.trim() === '' ? {} : { detail: { kind: 'stderr', stderr } };
  if (isCancelled)
    return new HostError('cancelled', `Connecting to server "${name}" was cancelled`, { ...detail, cause });
  if (isTimedOut || (cause instanceof HostError && cause.code === 'call-timeout')) {
    return new HostError('connect-timeout', `Server "${name}" did not finish the handshake within ${timeoutMs} ms`, {
      hint: 'Give it more time with MCP_TIMEOUT=MS or --timeout MS',
      ...detail,
      cause,
    });
  }
  const hint = 'Run it again with --verbose and report what it prints';
  return toHostError(cause, `Connecting to server "${name}" failed inside Plugboard`, { hint, reason: '' });
}
