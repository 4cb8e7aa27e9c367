import { type ErrorDetail, HostError } from '../base/errors.js';
import { VERSION } from '../base/version.js';
import type { OpenContext } from '../transports/kind.js';
import { kindOf, type ServerConfig } from '../transports/kinds.js';
import type { Session } from '../wire/eras/era.js';
import { legacy } from '../wire/eras/legacy.js';
import type { RequestHandler } from '../wire/inbound.js';
import type { JsonObject } from '../wire/message.js';
import { allowListeners, Peer } from '../wire/peer.js';
import type { CloseReason, Pipe, PipeNote } from '../wire/pipe.js';

export interface ConnectOptions {
  readonly config: ServerConfig;
  readonly context: OpenContext;
  /** For starting, reaching and greeting the server, all together. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** What this host answers when the server asks. Without any it declares no capability. */
  readonly handlers?: Readonly<Record<string, RequestHandler>>;
  readonly capabilities?: JsonObject;
  readonly onNotification?: (method: string, params: JsonObject) => void;
  readonly onNote?: (note: PipeNote) => void;
  /** Puts something between the pipe and whoever speaks through it: a recorder. */
  readonly wrapPipe?: ((pipe: Pipe) => Pipe) | undefined;
}

/** A server that answers. Disposing of it closes the session and ends whatever was started for it. */
export interface Connection extends AsyncDisposable {
  readonly name: string;
  readonly session: Session;
  readonly peer: Peer;
  readonly closed: Promise<CloseReason>;
}

/** Opens a server and shakes hands with it. When that fails or takes too long, nothing of it is left. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { config, context, timeoutMs = CONNECT_TIMEOUT, signal } = options;
  const { name, clock } = context;
  const abort = new AbortController();
  const giveUp = (): void => abort.abort();
  if (signal) allowListeners(signal);
  signal?.addEventListener('abort', giveUp);
  let isLate = false;
  const timer = clock.after(timeoutMs, () => {
    isLate = true;
    abort.abort();
  });
  let opened: Pipe | undefined;
  try {
    if (config.era === 'modern') throw modernOnly(name);
    signal?.throwIfAborted();
    opened = await kindOf(config).open(config, { ...context, signal: abort.signal });
    const pipe = options.wrapPipe?.(opened) ?? opened;
    const peer = new Peer(pipe, { name, clock, ...pick(options) });
    const client = { name: 'plugboard', version: VERSION };
    const capabilities = options.capabilities ?? {};
    const session = await legacy.open({ pipe, peer }, { client, capabilities, timeoutMs, signal: abort.signal });
    return toConnection(peer, session);
  } catch (cause) {
    await opened?.[Symbol.asyncDispose]();
    const stderr = await lastStderr(opened);
    throw connectError(cause, { name, timeoutMs, isLate, isCancelled: signal?.aborted === true, stderr });
  } finally {
    signal?.removeEventListener('abort', giveUp);
    timer[Symbol.dispose]();
  }
}

function modernOnly(name: string): HostError {
  return new HostError(
    'unsupported',
    `Server "${name}" is to be spoken to as of 2026-07-28, which Plugboard cannot yet`,
    {
      hint: 'Write "era": "auto" in its entry, or leave it out',
    },
  );
}

export const CONNECT_TIMEOUT = 30_000;

function pick({
  handlers,
  onNotification,
  onNote,
}: ConnectOptions): Pick<ConnectOptions, 'handlers' | 'onNotification' | 'onNote'> {
  return { ...(handlers && { handlers }), ...(onNotification && { onNotification }), ...(onNote && { onNote }) };
}

function toConnection(peer: Peer, session: Session): Connection {
  return {
    name: peer.name,
    session,
    peer,
    closed: peer.closed,
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

/** What it said on stderr may be why it does not answer. */
async function lastStderr(pipe: Pipe | undefined): Promise<string> {
  const reason = await pipe?.closed;
  return (reason && 'stderr' in reason ? reason.stderr : undefined) ?? '';
}

interface Failure {
  readonly name: string;
  readonly timeoutMs: number;
  readonly isLate: boolean;
  readonly isCancelled: boolean;
  readonly stderr: string;
}

function connectError(cause: unknown, { name, timeoutMs, isLate, isCancelled, stderr }: Failure): HostError {
  const detail: { detail?: ErrorDetail } = stderr.trim() === '' ? {} : { detail: { kind: 'stderr', stderr } };
  if (isCancelled)
    return new HostError('cancelled', `Connecting to server "${name}" was cancelled`, { ...detail, cause });
  if (isLate || (cause instanceof HostError && cause.code === 'call-timeout')) {
    return new HostError('connect-timeout', `Server "${name}" did not finish the handshake within ${timeoutMs} ms`, {
      hint: 'Give it more time with MCP_TIMEOUT=MS or --timeout MS',
      ...detail,
      cause,
    });
  }
  if (!(cause instanceof HostError)) {
    return new HostError('internal', `Connecting to server "${name}" failed inside Plugboard`, {
      hint: 'Run it again with --verbose and report what it prints',
      cause,
    });
  }
  return cause;
}
