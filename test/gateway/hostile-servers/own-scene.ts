import { openGateway } from '../../../src/gateway/serve/open-gateway.js';
import type { ServedMode } from '../../../src/testing/loopback.js';
import { findMode } from '../../../src/testing/modes.js';
import type { Mode, StdioMode } from '../../../src/testing/mode.js';
import { serveMode } from '../../../src/testing/serve-mode.js';
import { openScene } from '../../host/scene.js';
import { listing } from '../list-servers.js';
import { Neighbour } from './neighbour.js';
import { type Era, WatchedClient, type WatchedClientOptions } from './watched-client.js';

/** A row of the table: a server that only a gateway has to fear. */
export interface OwnAttack {
  /** The server, which goes by the name of its mode. */
  readonly mode: Exclude<Mode, StdioMode>;
  /** What clients of the server see. */
  readonly attack: (scene: AttackScene) => Promise<unknown>;
  readonly sees: unknown;
}

export interface AttackScene {
  /** Connects a client, to the address of the hostile server unless it is to another one. */
  readonly client: (
    era: Era,
    options?: Partial<WatchedClientOptions> & { readonly path?: string },
  ) => Promise<WatchedClient>;
  /** What the hostile server has seen. */
  readonly counts: () => Record<string, number>;
}

/** What the server `library` has, which hostile servers claim. */
export const NOTE = 'note://a';
export const PAGE = 'ui://page';

/** A gateway through the public door, over hostile servers, a healthy one with neighbours, and a library. */
export class OwnScene implements AsyncDisposable {
  readonly #open: AsyncDisposable[] = [];
  readonly #served = new Map<string, ServedMode>();
  #neighbours: readonly Neighbour[] = [];
  #origin = '';

  static async open(attacks: readonly OwnAttack[]): Promise<OwnScene> {
    const opened = new OwnScene();
    const modes = [...attacks.map(({ mode }) => mode), findMode('good-ws') as Exclude<Mode, StdioMode>];
    for (const mode of modes) opened.#served.set(mode.name, await serveMode(mode));
    opened.#open.push(...opened.#served.values());
    const remote = modes.map(({ name, channel }) => {
      return [name === 'good-ws' ? 'healthy' : name, { type: channel, url: opened.#served.get(name)!.url }];
    });
    const resources = [NOTE, PAGE].map((uri) => ({ uri, name: uri }));
    const scene = openScene();
    opened.#open.push(scene);
    scene.configure({ ...Object.fromEntries(remote), ...listing('library', { tools: ['read'], resources }) });
    const { host } = await scene.open({ serves: true });
    const gateway = await openGateway({ host });
    const listening = await gateway.listen({ key: 'none' });
    opened.#open.push(gateway, listening);
    opened.#origin = new URL(listening.url).origin;
    const url = `${opened.#origin}/mcp/healthy`;
    opened.#neighbours = [new Neighbour(url, 'legacy'), new Neighbour(url, 'modern')];
    for (const neighbour of opened.#neighbours) await neighbour.begin();
    return opened;
  }

  /** Has a server attack, and returns what its clients saw and what its neighbours did not like. */
  async suffer({ mode, attack }: OwnAttack): Promise<{ seen: unknown; faults: readonly string[] }> {
    const clients: WatchedClient[] = [];
    const before = this.#neighbours.map(({ answered }) => answered);
    const seen = await attack({
      client: async (era, { path = `/mcp/${mode.name}`, ...options } = {}) => {
        const name = `${era}-${clients.length}-of-${mode.name}`;
        const client = new WatchedClient({ name, era, url: `${this.#origin}${path}`, ...options });
        clients.push(client);
        await client.open();
        return client;
      },
      counts: () => this.#served.get(mode.name)!.counts(),
    });
    // Whatever the server has done: one more answer for each.
    for (const [at, neighbour] of this.#neighbours.entries()) await neighbour.answers(before[at]! + 1);
    const faults = [...clients, ...this.#neighbours].flatMap((one) =>
      one instanceof Neighbour ? one.faults() : one.faults,
    );
    for (const client of clients) client[Symbol.dispose]();
    return { seen, faults };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#neighbours.map((neighbour) => neighbour.end()));
    for (const neighbour of this.#neighbours) neighbour[Symbol.dispose]();
    for (const one of this.#open.splice(0).toReversed()) await one[Symbol.asyncDispose]();
  }
}
