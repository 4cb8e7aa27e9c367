import { gateLine } from '../model/text/text-gate.js';
import type { RawEntry } from '../transports/kind.js';
import { checkConfigOptions } from './check-config-options.js';
import type { ConfigOptions } from './context.js';
import { type HostConfig, loadHostConfig } from './load.js';
import { maskEntry } from './edit/mask.js';
import type { Problem } from './problem.js';
import type { ScopeName } from './scope.js';
import type { ConfiguredServer, Standing } from './entries/server.js';
import { transportOf } from './entries/target.js';
import { watchHostConfig, type WatchConfigOptions } from './watch.js';

/** Why a definition runs or does not. */
export type StandingView =
  | { readonly kind: 'ready' }
  | { readonly kind: 'disabled'; readonly by: 'entry' | 'user' }
  | { readonly kind: 'unapproved'; readonly rejected: boolean }
  /** The server needs the working directory, which is not trusted; `reason` says what for. */
  | { readonly kind: 'untrusted'; readonly folder: string; readonly isRefused: boolean; readonly reason: string }
  | { readonly kind: 'denied'; readonly by: 'deny-list' | 'allow-list' | 'closed-policy'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** A stronger definition has the same name, or the same server is configured under another name. */
  | {
      readonly kind: 'suppressed';
      readonly how: 'shadowed' | 'duplicate';
      readonly by: { readonly name: string; readonly scope: ScopeName };
    };

/** One definition of a server, safe to print, log and send: without secrets. */
export interface ServerView {
  /** The key of the entry in its file. Definitions of several scopes may share it. */
  readonly name: string;
  /** Which kind of file or option the definition is from. */
  readonly scope: ScopeName;
  /** The path of the file, or the flag or option that brought the definition. */
  readonly origin: string;
  /** The entry's `type`, also where it is only implied; undefined for an entry that cannot be read. */
  readonly transport: string | undefined;
  /** Whether the definition runs, and if not, why. */
  readonly standing: StandingView;
  /** The entry as written, masked. */
  readonly entry: RawEntry | undefined;
}

/** The servers of a configuration, and the problems in its files. */
export interface LoadedConfig {
  /** Strongest first, those included that do not run. */
  readonly servers: readonly ServerView[];
  /** Empty when nothing is wrong. A broken file is a problem here, never an exception. */
  readonly problems: readonly Problem[];
}

/**
 * Loads all servers with their standings, and the problems in the files. Rejects with `usage` for a wrong option, and
 * for nothing else.
 */
export async function loadConfig(options: ConfigOptions = {}): Promise<LoadedConfig> {
  checkConfigOptions(options);
  return toView(await loadHostConfig(options));
}

/** The configuration after an edit, and the names of the servers that it affects. */
export interface ConfigChange extends LoadedConfig {
  /** Names of servers that did not run before and run now. */
  readonly started: readonly string[];
  /** Names of servers that ran before and do not run now. */
  readonly stopped: readonly string[];
  /** Servers with the same name but another definition, so that their connections are stale. */
  readonly changed: readonly string[];
}

/** A configuration that is being watched, until it is disposed of. */
export interface ConfigWatch extends Disposable {
  /** The configuration after the last change. */
  readonly loaded: LoadedConfig;
}

/**
 * Loads the configuration and reports every later change; servers that an edit does not affect are not named. Contract
 * of `onChange`: must not throw; if it does, the process emits a warning, and watching continues. Rejects with `usage`
 * for a wrong option.
 */
export async function watchConfig(
  options: ConfigOptions,
  onChange: (change: ConfigChange) => void,
  watchOptions: WatchConfigOptions,
): Promise<ConfigWatch> {
  checkConfigOptions(options);
  const watching = await watchHostConfig(
    options,
    ({ loaded, started, stopped, changed }) => onChange({ ...toView(loaded), started, stopped, changed }),
    watchOptions,
  );
  return {
    get loaded() {
      return toView(watching.loaded);
    },
    [Symbol.dispose]: () => watching[Symbol.dispose](),
  };
}

export function toView({ servers, problems }: HostConfig): LoadedConfig {
  return { servers: servers.map(toServerView), problems: problems.map(gateProblem) };
}

function toServerView(server: ConfiguredServer): ServerView {
  const { name, scope, origin, written } = server;
  const transport = transportOf(server);
  return {
    name,
    scope,
    origin: show(origin),
    transport: transport === undefined ? undefined : show(transport),
    standing: toStandingView(server.standing),
    entry: written && maskEntry(written),
  };
}

/** The standing without the previous decision, which holds marks of secrets. */
function toStandingView(standing: Standing): StandingView {
  if (standing.kind === 'unapproved') return { kind: 'unapproved', rejected: standing.rejected };
  return 'reason' in standing ? { ...standing, reason: show(standing.reason) } : standing;
}

/** Gates the texts of a problem, because they quote untrusted files and are printed. */
function gateProblem(problem: Problem): Problem {
  return {
    ...problem,
    message: show(problem.message),
    hint: show(problem.hint),
    ...(problem.server !== undefined && { server: show(problem.server) }),
    ...(problem.field !== undefined && { field: show(problem.field) }),
  };
}

function show(text: string): string {
  return gateLine(text).text;
}
