import { watchFiles } from '../edge/files/watch-files.js';
import { canonicalJson } from '../model/text/canonical-json.js';
import { type ConfigOptions, openContext } from './context.js';
import { catalogueFile } from './scopes/connectors.js';
import { configHash } from './entries/config-hash.js';
import { type HostConfig, loadHostConfig } from './load.js';

/** What a change of any file means for the running servers. */
export interface HostConfigChange {
  readonly loaded: HostConfig;
  readonly started: readonly string[];
  readonly stopped: readonly string[];
  /** Servers with the same name but another definition, so that their connections are stale. */
  readonly changed: readonly string[];
}

export interface HostConfigWatch extends Disposable {
  /** The configuration after the last change. */
  readonly loaded: HostConfig;
}

/** Options of `watchConfig`. */
export interface WatchConfigOptions {
  /** Ends the watching, like disposing of the result. */
  readonly signal: AbortSignal;
  /** Milliseconds without another change before files are read again. Default: 50. */
  readonly debounceMs?: number;
}

interface WatchOptions extends WatchConfigOptions {
  /** The configuration as just loaded: changes since then are reported. */
  readonly loaded?: HostConfig;
}

/**
 * Loads the configuration and reports every later change. Servers that an edit does not affect are not named. Contract
 * of `onChange`: must not throw; if it does, the process emits a warning, and watching continues.
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
  // A change between loading and watching raised no event, so everything is loaded again.
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
      // A listener that throws must not end the watching, nor fail silently.
      process.emitWarning(`a listener of watchConfig threw: ${String(error)}`, 'PlugboardWarning');
    }
  }
}

/** The difference; undefined when nothing visible has changed. */
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
 * What counts as a change besides running servers: standings, problems and pins (a lost approval of a server that never
 * ran; a new entry that still waits for approval, because the user must judge that one), all call settings, because a
 * new rule applies to the next call, the identity provider, and what a gateway serves.
 */
function viewOf({ context, servers, problems, locks, permissions, hooks, settings }: HostConfig): string {
  const { rules, modes, doubts } = permissions;
  const { connectors, xaaIdp, toolSearch, toolBytes, gateway } = settings;
  return JSON.stringify([
    servers.map(({ name, scope, origin, standing, approval, written }) => [
      [name, scope, origin, standing, approval?.hash, approval?.sees],
      standing.kind === 'ready' ? undefined : written, // a running server is compared by its config
    ]),
    problems,
    [rules, modes, doubts, hooks, toolSearch, toolBytes],
    // Another token means another catalogue; the name of its file does not reveal the token.
    [connectors && [connectors.url, catalogueFile(context, connectors)], canonicalJson(xaaIdp ?? null)],
    canonicalJson(gateway ?? null),
    [...locks].map(([name, { kind, stamp }]) => [name, kind, stamp]),
  ]);
}
