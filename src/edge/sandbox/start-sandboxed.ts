import { constants } from 'node:os';
import { HostError } from '../../base/errors.js';
import { readCgroupTexts } from './cgroup-place.js';
import { type LimitGroup, openLimitGroup } from './limit-group.js';
import {
  type ProcessExit,
  type ServerProcess,
  type StartProcessOptions,
  startProcess,
} from '../processes/process-tree.js';
import type {
  SandboxedProcess,
  SandboxedWords,
  SandboxVerdict,
  SandboxSettings,
  SandboxCommandOptions,
} from './sandbox.js';
import { splitEnvironment, toSandboxArguments } from './sandbox-arguments.js';
import { planSandbox } from './sandbox-plan.js';
import { FILTER_ARGUMENTS, RESET_SIGNALS, type SandboxAbility } from './sandbox-probe.js';
import { socketFilter } from './socket-filter.js';
import { toStartError } from '../processes/start-error.js';

export interface SandboxedStart {
  readonly settings: SandboxSettings;
  readonly ability: Extract<SandboxAbility, { kind: 'able' }>;
  readonly secret: readonly string[];
  /** The host's own environment: shows where the user keeps keys. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}

/** Starts a server under bubblewrap, within its limits. */
export async function startSandboxed(options: StartProcessOptions, start: SandboxedStart): Promise<SandboxedProcess> {
  const { name, clock } = options;
  const { settings } = start;
  let group: LimitGroup | undefined;
  try {
    group = openLimitGroup(settings, { name, texts: readCgroupTexts(), clock });
    const words = await enterSandbox(options, start, group.entrances);
    const isFiltered = words.handed !== undefined && settings.sockets !== true;
    return toServer(await startProcess({ ...options, ...words }), { group, settings, isFiltered });
  } catch (error) {
    await group?.[Symbol.asyncDispose]();
    throw error instanceof HostError ? error : await toStartError(options, error);
  }
}

/** Returns the command that runs a program under bubblewrap, in these control groups. */
export async function enterSandbox(
  { name, command, args, cwd, ownsCwd, env }: SandboxCommandOptions,
  { settings, ability, secret, hostEnv }: SandboxedStart,
  entrances: readonly string[] = [],
): Promise<SandboxedWords> {
  const { outer, inner } = splitEnvironment(env);
  const plan = await planSandbox({ name, command, cwd, ownsCwd, settings, env: hostEnv, secret, variables: inner });
  const handed = ability.filters
    ? socketFilter(process.arch, { unix: plan.unixSockets, network: plan.network })
    : undefined;
  const server = [...(ability.resetsSignals ? resetting(command) : []), command, ...args];
  const filter = handed === undefined ? [] : FILTER_ARGUMENTS;
  const words = [ability.program, ...toSandboxArguments(plan), ...filter, '--', ...server];
  const how = ability.resetsSignals ? 'deaf' : 'plain';
  return { command: '/bin/sh', args: ['-c', ENTER, 'sh', how, ...entrances, '--', ...words], env: outer, handed };
}

/**
 * Joins the control groups and execs bubblewrap, which ignores SIGINT and SIGTERM: it would exit at once and take the
 * whole sandbox with it, while the server is still cleaning up.
 */
const ENTER = `
if [ "$1" = deaf ]; then trap '' INT TERM; fi
shift
while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done
shift
exec "$@"`;

/** Restores the signals for the server. `env` would take a path with a `=` for a variable. */
function resetting(command: string): readonly string[] {
  return command.includes('=') ? [...RESET_SIGNALS, '/bin/sh', '-c', 'exec "$@"', 'sh'] : RESET_SIGNALS;
}

interface Confinement {
  readonly group: LimitGroup;
  readonly settings: SandboxSettings;
  /** Whether a seccomp filter blocks Unix sockets. */
  readonly isFiltered: boolean;
}

/** The error of the seccomp filter, by name and in words. */
const REFUSED_SOCKET = /EAFNOSUPPORT|address family not supported/iu;
const NO_SOCKETS: SandboxVerdict = {
  reason: 'it may have needed a Unix socket, and its sandbox allows none',
  hint: 'Write "sandbox": { "sockets": true } if it needs them: it can then reach programs of this machine that listen on one',
};

/** Turns the process of bubblewrap into that of the server in it. */
function toServer(process: ServerProcess, { group, settings, isFiltered }: Confinement): SandboxedProcess {
  const { pid, stdin, stdout, drained } = process;
  let ranOut = false;
  /** It failed, perhaps for lack of Unix sockets. */
  let isRefused = false;
  const exited = process.exited.then((exit) => {
    const told = toServerExit(exit);
    // Also when a child of it was killed, as with npx: then its exit code is not 0.
    ranOut = told.code !== 0 && group.ranOutOfMemory();
    isRefused = told.code !== 0 && isFiltered;
    void group[Symbol.asyncDispose]();
    return told;
  });
  const lastStderr = (): string => process.lastStderr();
  return {
    pid,
    stdin,
    stdout,
    drained,
    exited,
    lastStderr,
    verdict() {
      if (!ranOut) return isRefused && REFUSED_SOCKET.test(lastStderr()) ? NO_SOCKETS : undefined;
      return {
        reason: `it passed its limit of ${settings.memoryMb} MB of memory`,
        hint: 'Raise "memoryMb" of its sandbox, if the server needs more',
      };
    },
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      await group[Symbol.asyncDispose]();
    },
  };
}

/** bubblewrap reports a signal as shells do, by an exit code above 128. */
function toServerExit({ code, signal }: ProcessExit): ProcessExit {
  const number = code === null ? 0 : code - 128;
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return name === undefined ? { code, signal } : { code: null, signal: name as NodeJS.Signals };
}
