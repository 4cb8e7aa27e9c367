import type { GatewayPreset, GatewaySettings } from '../config/policy/gateway-fields.js';
import { HostError } from '../base/errors.js';
import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';
import { systemClock } from '../edge/clock.js';
import type { Clock } from '../model/clock.js';
import type { Endpoint } from '../serving/endpoint.js';
import { type Clean, toClean } from './clean.js';
import { type EndpointAddress, parseAddress } from './endpoint-address.js';
import { type GatewaySeals, HostEndpoint } from './host-endpoint.js';
import { Arrivals } from './lists/arrivals.js';
import { LiveTasks } from './tasks/live-tasks.js';
import { Offering } from './offering.js';

export interface GatewayOptions {
  /** Stays the caller's to close, after the gateway. */
  readonly host: Host;
  readonly seals: GatewaySeals;
  /** `plain`: tools keep their own names where these are unique. Default: `server__tool`. */
  readonly naming?: 'prefixed' | 'plain' | undefined;
  readonly clock?: Clock | undefined;
  /** Called when a preset cannot be served. Contract: must not throw. */
  readonly onProblem?: ((error: HostError) => void) | undefined;
}

/** A host served to clients: the endpoint of each address, for each principal. */
export class Gateway implements AsyncDisposable {
  readonly #options: GatewayOptions;
  readonly #clock: Clock;
  readonly #arrivals = new Arrivals();
  readonly #endpoints = new Map<string, HostEndpoint>();
  /** The endpoints of paths as clients write them: looked up with every request. */
  readonly #asked = new Map<string, HostEndpoint>();
  /** The hosts of presets, by what is written about them. */
  readonly #forks = new Map<string, Host>();
  readonly #listening: Disposable[];
  readonly #liveTasks: LiveTasks;
  #settings: GatewaySettings;
  #clean: Clean;

  constructor(options: GatewayOptions) {
    const { host, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#liveTasks = new LiveTasks(clock);
    this.#settings = this.#readSettings();
    this.#clean = toClean(this.#settings.results);
    this.#listening = [
      host.on('catalog', () => this.#changed()),
      host.on('config', () => {
        this.#settings = this.#readSettings();
        this.#clean = toClean(this.#settings.results);
        this.#dropOldPresets();
        this.#changed();
      }),
    ];
    host[inside].offers.onChange(() => this.#changed());
  }

  /** `settings.gateway` as it is now. */
  get settings(): GatewaySettings {
    return this.#settings;
  }

  /** The paths that there are now. */
  paths(): readonly string[] {
    const servers = this.#options.host[inside].offers.servers().map(({ name }) => encodeURIComponent(name));
    const presets = Object.keys(this.#settings.presets ?? {}).map((name) => `@${name}`);
    return ['/mcp', ...[...servers, ...presets].map((name) => `/mcp/${name}`)];
  }

  /** What an address gives to a principal: the same object each time. Undefined: there is no such address. */
  endpoint(path: string, principal: string, query = ''): Endpoint | undefined {
    const asked = `${path}?${query} ${principal}`;
    const known = this.#asked.get(asked);
    if (known) return known;
    const found = this.#find(path, principal, query);
    // Looked for again when servers or presets have changed.
    if (found && this.#asked.size < ASKED) this.#asked.set(asked, found);
    return found;
  }

  #find(path: string, principal: string, query: string): HostEndpoint | undefined {
    const address = parseAddress(path, query);
    const preset = address?.kind === 'preset' ? this.#preset(address.name) : undefined;
    const offering = address && this.#offering(address, preset);
    if (!address || !offering) return undefined;
    const key = JSON.stringify([address, preset, principal]);
    const known = this.#endpoints.get(key);
    if (known) return known;
    const { host, naming = 'prefixed', seals } = this.#options;
    const made = new HostEndpoint({
      offering,
      naming,
      tools: address.tools ?? preset?.list ?? 'all',
      arrivals: this.#arrivals,
      askSetting: () => this.#settings.ask ?? 'client',
      clock: this.#clock,
      clean: () => this.#clean,
      seals,
      attend: (owner) => host[inside].lanes.attend(owner),
      onLeft: (owner) => {
        this.#liveTasks.left(owner);
        void host[inside].lanes.close(owner); // never rejects
      },
      liveTasks: this.#liveTasks,
    });
    this.#endpoints.set(key, made);
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const listening of this.#listening) listening[Symbol.dispose]();
    this.#endpoints.clear();
    this.#liveTasks[Symbol.dispose]();
    await Promise.all(Array.from(this.#forks.values(), (fork) => fork.close()));
    this.#forks.clear();
  }

  #readSettings(): GatewaySettings {
    return this.#options.host[inside].loaded.settings.gateway ?? {};
  }

  #preset(name: string): GatewayPreset | undefined {
    const { presets = {} } = this.#settings;
    return Object.hasOwn(presets, name) ? presets[name] : undefined;
  }

  #offering({ kind, name }: EndpointAddress, preset: GatewayPreset | undefined): Offering | undefined {
    const { host } = this.#options;
    switch (kind) {
      case 'all':
        return new Offering(host);
      case 'server': {
        const isThere = host[inside].offers.servers().some((server) => server.name === name);
        return isThere ? new Offering(host, name) : undefined;
      }
      case 'preset': {
        const fork = preset && this.#fork(preset);
        return fork && new Offering(fork);
      }
      default:
        return undefined;
    }
  }

  #fork(preset: GatewayPreset): Host | undefined {
    const key = JSON.stringify(preset);
    const known = this.#forks.get(key);
    if (known) return known;
    const { servers, tools } = preset;
    try {
      const fork = this.#options.host.fork({ ...(servers && { servers }), ...(tools && { tools }), mayLack: true });
      this.#forks.set(key, fork);
      return fork;
    } catch (error) {
      // A rule that is none: the preset is not served, because without it there would be more.
      this.#options.onProblem?.(error instanceof HostError ? error : new HostError('internal', String(error)));
      return undefined;
    }
  }

  /** Presets that are written otherwise now: their clients come back to the new ones. */
  #dropOldPresets(): void {
    const written = new Set(Object.values(this.#settings.presets ?? {}).map((preset) => JSON.stringify(preset)));
    for (const [key, fork] of this.#forks) {
      if (written.has(key)) continue;
      this.#forks.delete(key);
      void fork.close(); // never rejects
    }
    for (const key of this.#endpoints.keys()) {
      const [, preset] = JSON.parse(key) as [unknown, GatewayPreset | null];
      if (preset && !written.has(JSON.stringify(preset))) this.#endpoints.delete(key);
    }
  }

  #changed(): void {
    this.#asked.clear();
    for (const endpoint of this.#endpoints.values()) endpoint.changed();
  }
}

const ASKED = 1_000; // more than a user writes: others are looked for each time
