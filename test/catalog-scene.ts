import type { HostError } from '../src/base/errors.js';
import type { Secret } from '../src/base/secret.js';
import { FakeClock, turn } from './fake-clock.js';
import { failing, type Received, meet, StandIn } from './eras/stand-in.js';
import { Catalog, type CatalogChange, type ListKind } from '../src/connection/catalog/catalog.js';
import type { CachedCatalogFile } from '../src/connection/catalog/catalog-files.js';
import type { Connection } from '../src/connection/connect.js';
import type { ToolFilter } from '../src/connection/catalog/tool-definition.js';

/** A server whose lists a test can change. */
export class Offering {
  tools: object[] = [];
  resources: object[] = [];
  templates: object[] = [];
  prompts: object[] = [];
  capabilities: object = {
    tools: { listChanged: true },
    resources: { listChanged: true },
    prompts: { listChanged: true },
  };
  version = '1';
  instructions: string | undefined = 'Be kind.';
  ttlMs = 0;
  perPage = 1_000;
  /** Error codes of methods that fail. */
  readonly failing = new Map<string, number>();
  /** Methods that never get a response. */
  readonly silent = new Set<string>();
  readonly server = new StandIn((message) => this.#answer(message));

  /** How often each list was requested, page by page, since the last call of `asked`. */
  asked(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const method of this.server.methods()) {
      if (method.endsWith('/list')) counts[method] = (counts[method] ?? 0) + 1;
    }
    this.server.received.length = 0;
    return counts;
  }

  #answer({ method, params }: Received): unknown {
    const facts = { capabilities: this.capabilities, instructions: this.instructions };
    const serverInfo = { name: 'offering', version: this.version };
    if (this.silent.has(method)) return undefined;
    const code = this.failing.get(method);
    if (code !== undefined) return failing(code);
    switch (method) {
      case 'server/discover':
        return { resultType: 'complete', supportedVersions: ['2026-07-28'], serverInfo, ...facts };
      case 'initialize':
        return { protocolVersion: '2025-11-25', serverInfo, ...facts };
      case 'tools/list':
        return this.#page('tools', this.tools, params['cursor']);
      case 'resources/list':
        return this.#page('resources', this.resources, params['cursor']);
      case 'resources/templates/list':
        return this.#page('resourceTemplates', this.templates, params['cursor']);
      case 'prompts/list':
        return this.#page('prompts', this.prompts, params['cursor']);
      default:
        return undefined;
    }
  }

  #page(key: string, items: object[], cursor: unknown): object {
    const from = Number(cursor ?? 0);
    const next = from + this.perPage;
    const nextCursor = next < items.length ? { nextCursor: String(next) } : {};
    return { resultType: 'complete', ttlMs: this.ttlMs, [key]: items.slice(from, next), ...nextCursor };
  }
}

export const tool = (name: string, more: object = {}): object => ({ name, inputSchema: { type: 'object' }, ...more });

/** A server with tools, resources, a template and a prompt. */
export function offerEverything(): Offering {
  const offering = new Offering();
  offering.tools = [tool('read', { title: 'Read', annotations: { readOnlyHint: true } }), tool('write')];
  offering.resources = [{ uri: 'file:///a', name: 'a', mimeType: 'text/plain', size: 3 }];
  offering.templates = [{ uriTemplate: 'file:///{path}', name: 'any file' }];
  offering.prompts = [{ name: 'greet', description: 'Says hello', arguments: [{ name: 'who', required: true }] }];
  return offering;
}

export const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);

export interface Scene {
  readonly catalog: Catalog;
  readonly clock: FakeClock;
  readonly changes: CatalogChange[];
  readonly problems: [ListKind, HostError][];
  /** Connects, and passes the server's notifications to the catalog. */
  readonly connect: (offering: Offering, options?: ConnectSceneOptions) => Promise<Connection>;
}

export interface ConnectSceneOptions {
  readonly era?: 'legacy' | 'modern';
  readonly secrets?: readonly Secret[];
}

export interface SceneOptions {
  readonly catalogFile?: CachedCatalogFile;
  readonly filter?: ToolFilter;
  readonly wall?: () => number;
  readonly clock?: FakeClock;
}

export function openScene({ catalogFile, filter, wall, clock = new FakeClock() }: SceneOptions = {}): Scene {
  const changes: CatalogChange[] = [];
  const problems: [ListKind, HostError][] = [];
  const catalog = new Catalog({
    name: 'offering',
    filter,
    clock,
    catalogFile,
    ...(wall && { wall }),
    onChange: (change) => void changes.push(change),
    onProblem: (list, error) => void problems.push([list, error]),
  });
  const connect: Scene['connect'] = (offering, { era = 'legacy', secrets } = {}) =>
    meet(
      { server: offering.server, clock, era },
      { onNotification: (method) => catalog.onNotification(method), ...(secrets && { secrets }) },
    );
  return { catalog, clock, changes, problems, connect };
}

/** A clock that advances 10 ms with each reading: work in time slices stops after every step. */
export class FlyingClock extends FakeClock {
  #passed = 0;

  override monotonic(): number {
    return super.monotonic() + (this.#passed += 10);
  }
}

/** Waits ten turns of the event loop: an in-process request and its response take a few. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 10; round++) await turn();
}
