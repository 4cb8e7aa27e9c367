import { Watched } from '../../base/watched.js';
import { type HostConfig, loadHostConfig } from '../../config/load.js';
import type { ConfigOptions } from '../../config/context.js';
import { watchHostConfig } from '../../config/watch.js';
import type { HostOptions } from '../host-options.js';
import type { Ports } from '../ports.js';
import { toolTimeout } from '../configuration/environment-variables.js';
import { ConnectorRefresh } from './connector-refresh.js';
import { keepConnectors } from '../configuration/keep-connectors.js';
import { keepLastGood } from '../configuration/keep-last-good.js';
import { NO_OVERLAY, type RunOverlay, withOverlay } from './run-overlay.js';

export interface ConfigurationOptions {
  readonly loaded: HostConfig;
  readonly ports: Pick<Ports, 'clock' | 'wall'>;
  /** Contract: must not throw. */
  readonly onProblem: (message: string) => void;
  /** Reloads edited files while the host runs; undefined: the configuration stays as first read. */
  readonly watch?: HostOptions | undefined;
  /** Fetches the list of the account's connectors. */
  readonly asksForConnectors?: boolean;
  /** A fork's own servers, read first. */
  readonly own?: { readonly config: string; readonly options: ConfigOptions } | undefined;
}

interface ConfigurationState {
  readonly loaded: HostConfig;
  /** The files as last read; where they cannot be read, `loaded` keeps the last good configuration. */
  readonly read: HostConfig;
  /** Why the configuration changed. */
  readonly change: 'opened' | 'edited' | 'connectors' | 'own' | 'overlay';
}

/** The current configuration of a host, kept up to date. */
export class Configuration implements AsyncDisposable {
  readonly #closing = new AbortController();
  readonly #connectors: ConnectorRefresh | undefined;
  readonly #own: Promise<void> | undefined;
  readonly #state: Watched<ConfigurationState>;
  #loaded: HostConfig;
  /** The configuration of the files, without the overlay. */
  #files: HostConfig;
  #overlay: RunOverlay = NO_OVERLAY;
  /** Cached, because reading `process.env` takes as long as all steps of a call together. */
  #timeout: { readonly env: object; readonly ms: number } | undefined;

  constructor({ loaded, ports, watch, asksForConnectors, own, onProblem }: ConfigurationOptions) {
    this.#files = this.#loaded = loaded;
    this.#state = new Watched<ConfigurationState>({ loaded, read: loaded, change: 'opened' });
    const { signal } = this.#closing;
    if (asksForConnectors === true) {
      const onAnswer = (read: HostConfig): void => this.#take(read, 'connectors');
      this.#connectors = new ConnectorRefresh({ ...ports, signal, onAnswer, onProblem });
      this.#connectors.look(loaded);
    }
    if (watch) ports.clock.soon(() => void this.#watch(watch));
    if (own) this.#own = this.#add(own);
  }

  /** The configuration now. Cached beside the state, because a call reads it many times. */
  get loaded(): HostConfig {
    return this.#loaded;
  }

  /** Milliseconds for a call to a server whose entry sets no timeout. */
  get toolTimeoutMs(): number {
    const { env } = this.loaded.context;
    if (this.#timeout?.env !== env) this.#timeout = { env, ms: toolTimeout(env) };
    return this.#timeout.ms;
  }

  /** Contract: the listener must not throw. */
  watch(listener: (state: ConfigurationState) => void): Disposable {
    return this.#state.watch(listener);
  }

  /** Resolves when a fork's own servers and the account's connectors are known. Undefined: they are already. */
  get settled(): Promise<void> | undefined {
    return this.#own ?? this.#connectors?.settled();
  }

  /** What a program has changed while the host runs. */
  get overlay(): RunOverlay {
    return this.#overlay;
  }

  /** Changes what lies over the files; the rest of the overlay stays. */
  setOverlay(change: Partial<RunOverlay>): void {
    this.#overlay = { ...this.#overlay, ...change };
    this.#publish(this.#state.value.read, 'overlay');
  }

  /** Reads servers that a program brings while the host runs, under the policies that apply to all servers. */
  async readServers(config: string): Promise<HostConfig> {
    const { cwd, env, platform, options } = this.#files.context;
    return loadHostConfig({ ...options, cwd, env, platform, mcpConfig: [config], mcpServers: [], strict: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#own;
  }

  async #watch(options: HostOptions): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const onChange = ({ loaded }: { readonly loaded: HostConfig }): void => this.#take(loaded, 'edited');
    await watchHostConfig(options, onChange, { signal, loaded: this.#files });
  }

  #take(read: HostConfig, change: ConfigurationState['change']): void {
    this.#files = keepConnectors(this.#files, keepLastGood(this.#files, read));
    this.#publish(read, change);
    this.#connectors?.look(read);
  }

  #publish(read: HostConfig, change: ConfigurationState['change']): void {
    this.#loaded = withOverlay(this.#files, this.#overlay);
    this.#state.set({ loaded: this.#loaded, read, change });
  }

  /** Reads a fork's own servers, under the policies that apply to all servers. */
  async #add({ config, options }: NonNullable<ConfigurationOptions['own']>): Promise<void> {
    const { cwd, env, platform } = this.loaded.context;
    const read = await loadHostConfig({
      ...options,
      cwd,
      env,
      platform,
      mcpConfig: [config],
      mcpServers: [],
      strict: true,
    });
    if (this.#closing.signal.aborted) return;
    // An administrator's exclusive list replaces the given servers; those of the list belong to the parent.
    const servers = read.servers.filter(({ scope }) => scope === 'dynamic');
    this.#files = { ...read, servers };
    this.#publish(read, 'own');
  }
}
