import { HostError } from '../base/errors.js';
import { accountFor } from '../config/account.js';
import { configHash } from '../config/identity.js';
import type { LoadedConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/server.js';
import { CONNECT_TIMEOUT, type Link } from '../connection/connect.js';
import type { ControlChannel } from '../connection/control.js';
import { Dock, type DockOptions } from '../connection/dock.js';
import type { Recording } from '../connection/recording.js';
import type { Invocation } from './arguments.js';
import type { Io } from './io.js';
import { toMs } from './milliseconds.js';
import { openRunControl } from './run-control.js';
import { showLine } from './show.js';

/** The servers of one run, as far as it opens any: closed when it ends, however it ends. */
export interface ServerRun {
  readonly dock: Dock;
  /** Aborts at Ctrl-C, and when --timeout is over. */
  readonly signal: AbortSignal;
  /** What to tell on stderr afterwards. */
  readonly notes: string[];
  connect(server: ConfiguredServer): Promise<Link>;
  /** What --timeout ended, told as what it is. */
  explain(cause: unknown): unknown;
}

export interface ServerRunOptions {
  readonly invocation: Invocation;
  readonly io: Io;
  readonly loaded: LoadedConfig;
}

/** Runs with servers open, and closes them. What --timeout ends is told as what it is. */
export async function withServers<Result>(
  { invocation, io, loaded }: ServerRunOptions,
  use: (run: ServerRun) => Promise<Result>,
): Promise<Result> {
  const timeoutMs = toMs(invocation.value('timeout'));
  const late = new AbortController();
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => late.abort(), Math.min(timeoutMs, LONGEST_TIMER));
  const signal = io.interrupted ? AbortSignal.any([io.interrupted, late.signal]) : late.signal;
  const notes: string[] = [];
  const explain = (cause: unknown): unknown => {
    if (!late.signal.aborted || !(cause instanceof HostError) || cause.code !== 'cancelled') return cause;
    return new HostError(
      'call-timeout',
      `${invocation.verb.name} took longer than --timeout ${timeoutMs} ms: ${cause.message}`,
      {
        hint: 'Give it more time, or leave --timeout away',
        ...(cause.detail && { detail: cause.detail }),
        cause,
      },
    );
  };
  try {
    const recording = await io.openRecording?.();
    await using control = openRunControl(invocation, io, notes);
    await using dock = openDock(loaded, { recording, control: control.channel });
    const result = await use({ dock, signal, notes, explain, connect: (server) => connectServer(dock, server) });
    control.check();
    return result;
  } catch (cause) {
    throw explain(cause);
  } finally {
    clearTimeout(timer);
  }

  async function connectServer(dock: Dock, server: ConfiguredServer): Promise<Link> {
    const noted = new Set<string>();
    const isTold = io.stderr.isTerminal && !invocation.has('quiet') && !invocation.has('json');
    const silence = setTimeout(() => {
      if (isTold) io.stderr.write(showLine(`Waiting for server "${server.name}" to answer (Ctrl-C stops)`) + '\n');
    }, SILENCE_MS);
    const connecting = dock.connect(
      {
        name: server.name,
        config: server.config!,
        commandPath: server.approval?.commandPath,
        hash: configHash(server.config!),
        account: accountFor(server, loaded),
      },
      {
        timeoutMs: Math.min(timeoutMs ?? Infinity, toMs(io.env['MCP_TIMEOUT']) ?? CONNECT_TIMEOUT),
        signal,
        onNote({ kind, text }) {
          const told =
            kind === 'noise' ? `prints what is no message; the first: ${text}` : `does something odd: ${text}`;
          if ((kind !== 'noise' && kind !== 'oddity') || noted.has(kind)) return;
          noted.add(kind);
          notes.push(showLine(`warning "${server.name}" ${told}`));
        },
      },
    );
    return connecting.finally(() => clearTimeout(silence));
  }
}

interface Surroundings {
  readonly recording: Recording | undefined;
  readonly control: ControlChannel | undefined;
}

function openDock({ context }: LoadedConfig, { recording, control }: Surroundings): Dock {
  const { env, platform, cwd, places } = context;
  const tap: DockOptions['tap'] = recording && ((server, pipe) => recording.tap(server, pipe));
  return new Dock({ env, platform, cwd, state: places.state, cache: places.cache, control, tap });
}

const SILENCE_MS = 2_000;
const LONGEST_TIMER = 2 ** 31 - 1; // beyond it node fires at once
