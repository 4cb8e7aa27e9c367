import { type LoadedConfig, loadConfig } from '../../config/load.js';
import type { ConfigOptions } from '../../config/context.js';
import { watchConfig } from '../../config/watch.js';
import type { HostOptions } from '../host-options.js';
import type { Ports } from '../ports.js';
import { toolTimeout } from '../variables.js';
import { ConnectorRefresh } from './connector-refresh.js';
import { keepConnectors } from './keep-connectors.js';
import { keepLastGood } from './keep-last-good.js';

export interface ConfigurationOptions {
  readonly loaded: LoadedConfig;
  readonly ports: Pick<Ports, 'clock' | 'wall'>;
  /** Contract: must not throw. */
  readonly onProblem: (message: string) => void;
  /** Reads edits of the files while the host runs; undefined: the configuration stays as it was read. */
  readonly watch?: HostOptions | undefined;
  /** Asks the catalogue of the account's connectors. */
  readonly asksForConnectors?: boolean;
  /** Servers that a fork brings along: read first. */
  readonly own?: { readonly config: string; readonly options: ConfigOptions } | undefined;
}

/** How a configuration came to be another one. */
export type ConfigurationChange = 'edited' | 'connectors' | 'own';

/** The configuration of a host as it was read last, kept up to date. */
export class Configuration implements AsyncDisposable {
  readonly #closing = new AbortController();
  readonly #listeners = new Set<(change: ConfigurationChange, read: LoadedConfig) => void>();
  readonly #connectors: ConnectorRefresh | undefined;
  readonly #own: Promise<void> | undefined;
  #loaded: LoadedConfig;
  /** Reading the environment of a process takes as long as all the steps of a call together. */
  #timeout: { readonly env: object; readonly ms: number } | undefined;

  constructor({ loaded, ports, watch, asksForConnectors, own, onProblem }: ConfigurationOptions) {
    this.#loaded = loaded;
    const { signal } = this.#closing;
    if (asksForConnectors === true) {
      const onAnswer = (read: LoadedConfig): void => this.#take(read, 'connectors');
      this.#connectors = new ConnectorRefresh({ ...ports, signal, onAnswer, onProblem });
      this.#connectors.look(this.#loaded);
    }
    if (watch) ports.clock.soon(() => void this.#watch(watch));
    if (own) this.#own = this.#add(own);
  }

  get loaded(): LoadedConfig {
    return this.#loaded;
  }

  /** How long a call may take whose server's entry does not say. */
  get toolTimeoutMs(): number {
    const { env } = this.#loaded.context;
    if (this.#timeout?.env !== env) this.#timeout = { env, ms: toolTimeout(env) };
    return this.#timeout.ms;
  }

  /** Called after each change, in the order of registration. Contract: must not throw. */
  onChange(listener: (change: ConfigurationChange, read: LoadedConfig) => void): void {
    this.#listeners.add(listener);
  }

  /** Resolves when it is known which servers there are: a fork's own ones, the account's connectors. Undefined: it is. */
  get settled(): Promise<void> | undefined {
    return this.#own ?? this.#connectors?.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#own;
  }

  async #watch(options: HostOptions): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const onChange = ({ loaded }: { readonly loaded: LoadedConfig }): void => this.#take(loaded, 'edited');
    await watchConfig(options, onChange, { signal, loaded: this.#loaded });
  }

  #take(loaded: LoadedConfig, change: ConfigurationChange): void {
    this.#loaded = keepConnectors(this.#loaded, keepLastGood(this.#loaded, loaded));
    this.#tell(change, loaded);
  }

  #tell(change: ConfigurationChange, read: LoadedConfig): void {
    for (const listener of this.#listeners) listener(change, read);
    this.#connectors?.look(read);
  }

  /** Servers of a fork's own, under the policies that hold for everybody. */
  async #add({ config, options }: NonNullable<ConfigurationOptions['own']>): Promise<void> {
    const { cwd, env, platform } = this.#loaded.context;
    const loaded = await loadConfig({
      ...options,
      cwd,
      env,
      platform,
      mcpConfig: [config],
      mcpServers: [],
      strict: true,
    });
    // Where an administrator has said which there are, those come instead: they are the parent's.
    this.#loaded = { ...loaded, servers: loaded.servers.filter(({ scope }) => scope === 'dynamic') };
    if (!this.#closing.signal.aborted) this.#tell('own', loaded);
  }
}
