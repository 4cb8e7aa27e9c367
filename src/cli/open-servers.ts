import { HostError } from '../base/errors.js';
import { unreachable } from '../base/never.js';
import type { LoadedConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/server.js';
import type { Connection } from '../connection/connect.js';
import { Dock, type DockOptions } from '../connection/dock.js';
import type { Recording } from '../connection/recording.js';
import type { Invocation } from './arguments.js';
import type { Io } from './io.js';
import { showLine, showName } from './show.js';

/** The servers of one run, as far as it opens any: closed when it ends, however it ends. */
export interface ServerRun {
  readonly dock: Dock;
  /** Aborts at Ctrl-C, and when --timeout is over. */
  readonly signal: AbortSignal;
  /** What to tell on stderr afterwards. */
  readonly notes: string[];
  connect(server: ConfiguredServer): Promise<Connection>;
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
    await using dock = openDock(loaded, recording);
    return await use({ dock, signal, notes, explain, connect: (server) => connectServer(dock, server) });
  } catch (cause) {
    throw explain(cause);
  } finally {
    clearTimeout(timer);
  }

  async function connectServer(dock: Dock, server: ConfiguredServer): Promise<Connection> {
    let isNoisy = false;
    const isTold = io.stderr.isTerminal && !invocation.has('quiet') && !invocation.has('json');
    const silence = setTimeout(() => {
      if (isTold) io.stderr.write(showLine(`Waiting for server "${server.name}" to answer (Ctrl-C stops)`) + '\n');
    }, SILENCE_MS);
    const connecting = dock.connect(
      { name: server.name, config: server.config!, commandPath: server.approval?.commandPath },
      {
        timeoutMs: Math.min(timeoutMs ?? Infinity, toMs(io.env['MCP_TIMEOUT']) ?? CONNECT_TIMEOUT),
        signal,
        onNote({ kind, text }) {
          if (kind !== 'noise' || isNoisy) return;
          isNoisy = true;
          notes.push(showLine(`warning "${server.name}" prints on stdout what is no message; the first: ${text}`));
        },
      },
    );
    return connecting.finally(() => clearTimeout(silence));
  }
}

function openDock({ context }: LoadedConfig, recording: Recording | undefined): Dock {
  const { env, platform, cwd, places } = context;
  const tap: DockOptions['tap'] = recording && ((server, pipe) => recording.tap(server, pipe));
  return new Dock({ env, platform, cwd, state: places.state, tap });
}

const CONNECT_TIMEOUT = 30_000;
const SILENCE_MS = 2_000;
const LONGEST_TIMER = 2 ** 31 - 1; // beyond it node fires at once

/** A number of milliseconds, as a flag or a variable says it; anything else is as if it were not there. */
export function toMs(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/u.test(text) ? Number(text) : undefined;
}

/** The servers that may be opened: all, or the one of that name. Throws when that one may not. */
export function chooseServers({ servers }: LoadedConfig, name: string | undefined): readonly ConfiguredServer[] {
  if (name === undefined) return servers.filter(({ standing }) => standing.kind === 'ready');
  const found = servers.filter((server) => server.name === name);
  const ready = found.find(({ standing }) => standing.kind === 'ready');
  if (ready) return [ready];
  const [first] = found;
  if (!first) return [];
  throw whyNot(first);
}

/** Why a server that is configured is not opened. */
function whyNot({ name, standing }: ConfiguredServer): HostError {
  const says = (
    code: 'not-approved' | 'disabled' | 'policy-denied' | 'config-invalid',
    why: string,
    hint: string,
  ): HostError => new HostError(code, `Server "${name}" ${why}`, { hint });
  switch (standing.kind) {
    case 'unapproved':
      return says('not-approved', 'comes from this project and is not approved', `plugboard approve ${showName(name)}`);
    case 'disabled':
      return says('disabled', 'is disabled', `plugboard enable ${showName(name)}`);
    case 'denied':
      return says('policy-denied', `may not run: ${standing.reason}`, 'Ask whoever keeps the policy');
    case 'invalid':
      return says('config-invalid', `cannot be used: ${standing.reason}`, `plugboard get ${showName(name)}`);
    case 'suppressed':
      return says('disabled', `gives way to "${standing.by.name}"`, `plugboard get ${showName(standing.by.name)}`);
    case 'ready':
      return says('config-invalid', 'cannot be used', `plugboard get ${showName(name)}`);
    default:
      return unreachable(standing);
  }
}
