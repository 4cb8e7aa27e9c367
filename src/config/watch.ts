import { watchFiles } from '../edge/files/watch-files.js';
import { canonicalJson } from '../model/text/canonical-json.js';
import { type ConfigOptions, openContext } from './context.js';
import { catalogueFile } from './scopes/connectors.js';
import { configHash } from './entries/config-hash.js';
import { type HostConfig, loadHostConfig } from './load.js';

/** What an edit of any file meant for the servers that run. */
export interface HostConfigChange {
  readonly loaded: HostConfig;
  readonly started: readonly string[];
  readonly stopped: readonly string[];
  /** The same name with another definition: its connection is stale. */
  readonly changed: readonly string[];
}

export interface HostConfigWatch extends Disposable {
  /** As of the last change. */
  readonly loaded: HostConfig;
}

export interface WatchConfigOptions {
  readonly signal: AbortSignal;
  readonly debounceMs?: number;
}

interface WatchOptions extends WatchConfigOptions {
  /** As it was read a moment ago: changes since then are told. */
  readonly loaded?: HostConfig;
}

/**
 * Loads the configuration and tells of every later change of it. Servers that an edit does not touch are not named.
 * Contract of `onChange`: must not throw; if it does, that is a warning of the process, and watching goes on.
 */
export async function watchHostConfig(
  options: ConfigOptions,
  onChange: (change: HostConfigChange) => void,
  { signal, debounceMs, loaded: known }: WatchOptions,
): Promise<HostConfigWatch> {
  const context = known?.context ?? openContext(options);
  let loaded = known ?? (await loadHostConfig(context));
  let running = Promise.resolve();
  const files = watchFiles(loaded.watched, reload, {
    signal,
    ...(debounceMs !== undefined && { debounceMs }),
  });
  // What changed between reading and watching has told nobody: the second reading sees it.
  await refresh();
  return {
    get loaded() {
      return loaded;
    },
    [Symbol.dispose]: () => files[Symbol.dispose](),
  };

  function reload(): void {
    running = running.then(refresh);
  }

  async function refresh(): Promise<void> {
    if (signal.aborted) return;
    const next = await loadHostConfig(context);
    if (signal.aborted) return;
    const change = compare(loaded, next);
    loaded = next;
    files.update(next.watched);
    if (change) tell(change);
  }

  function tell(change: HostConfigChange): void {
    try {
      onChange(change);
    } catch (error) {
      // One listener's mistake must not end the watching, nor pass in silence.
      process.emitWarning(`a listener of watchConfig threw: ${String(error)}`, 'PlugboardWarning');
    }
  }
}

/** What differs, or nothing when everything that anyone can see is as it was. */
function compare(before: HostConfig, after: HostConfig): HostConfigChange | undefined {
  const old = runningOf(before);
  const now = runningOf(after);
  const started = [...now.keys()].filter((name) => !old.has(name));
  const stopped = [...old.keys()].filter((name) => !now.has(name));
  const changed = [...now]
    .filter(([name, identity]) => old.has(name) && old.get(name) !== identity)
    .map(([name]) => name);
  const isSame = started.length + stopped.length + changed.length === 0 && viewOf(before) === viewOf(after);
  return isSame ? undefined : { loaded: after, started, stopped, changed };
}

function runningOf({ servers }: HostConfig): Map<string, string> {
  const ready = servers.filter(({ standing }) => standing.kind === 'ready');
  return new Map(ready.map(({ name, config }) => [name, config ? configHash(config) : '']));
}

/**
 * Standings, problems and pins count as well: a server that lost its approval is news even if it never ran, and so is another entry of
 * one that still waits for it, because nobody is to judge the one before. So does all that calls obey: a rule that is written now holds
 * for the next call; and whose word servers take.
 */
function viewOf({ context, servers, problems, locks, permissions, hooks, settings }: HostConfig): string {
  const { rules, modes, doubts } = permissions;
  const { connectors, xaaIdp, toolSearch } = settings;
  return JSON.stringify([
    servers.map(({ name, scope, origin, standing, approval, written }) => [
      [name, scope, origin, standing, approval?.hash, approval?.sees],
      standing.kind === 'ready' ? undefined : written, // of one that runs, what it was started with counts
    ]),
    problems,
    [rules, modes, doubts, hooks, toolSearch],
    // With another token there is another catalogue to ask for; its file does not tell the token.
    [connectors && [connectors.url, catalogueFile(context, connectors)], canonicalJson(xaaIdp ?? null)],
    [...locks].map(([name, { kind, stamp }]) => [name, kind, stamp]),
  ]);
}
