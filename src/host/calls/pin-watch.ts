import type { CheckedPins, Pins } from '../../guard/pins.js';
import { installedPackage } from '../../config/approval/installed-package.js';
import { programPins } from '../../config/approval/program-files.js';
import { driftSentence } from '../../model/pins/drift-text.js';
import { type DriftDetail, driftOf } from './drift.js';
import type { Configuration } from '../servers/configuration.js';
import type { HostEmitter } from '../servers/host-emitter.js';
import type { Server } from '../servers/server.js';
import type { Servers } from '../servers/servers.js';

export interface PinWatchOptions {
  readonly servers: Servers;
  readonly configuration: Configuration;
  readonly events: HostEmitter;
  readonly pins: Pins;
}

/**
 * Compares pinned servers with `mcp.lock` whenever their catalog or the configuration changes. A fork's own servers are
 * never pinned, whatever their names; servers that it shares with its parent are compared once, by the parent.
 */
export class PinWatch implements Pick<Pins, 'isPinned' | 'judgeTool' | 'judgePrompt'> {
  readonly #options: PinWatchOptions;
  readonly #pins: Pins;
  readonly #checks = new Set<Promise<void>>();
  /** The last message about each server that differs from its lock, so that none is repeated. */
  readonly #told = new Map<string, string>();
  #count = 0;

  constructor(options: PinWatchOptions) {
    this.#options = options;
    this.#pins = options.pins;
    if (options.servers.isFork) return;
    options.events.on('catalog', ({ server }) => this.#look(server));
    options.events.on('config', () => this.#lookAtAll());
    this.#lookAtAll();
  }

  /** Resolves when every catalog received so far has been compared. Never rejects. */
  async settled(): Promise<void> {
    while (this.#checks.size > 0) await Promise.all(this.#checks);
  }

  isPinned(server: string): boolean {
    return this.#pins.isPinned(server) && !this.#options.servers.hasOwnServer(server);
  }

  judgeTool(...about: Parameters<Pins['judgeTool']>): string | undefined {
    return this.isPinned(about[0]) ? this.#pins.judgeTool(...about) : undefined;
  }

  judgePrompt(...about: Parameters<Pins['judgePrompt']>): string | undefined {
    return this.isPinned(about[0]) ? this.#pins.judgePrompt(...about) : undefined;
  }

  /** Whether a tool is missing from the lock of its pinned server. */
  isUnpinned(server: string, tool: string): boolean {
    return this.isPinned(server) && this.#pins.isUnpinned(server, tool);
  }

  /** Why a tool may not be used as it is now; undefined where it may. */
  asideReason(server: string, tool: string): string | undefined {
    if (!this.isPinned(server)) return undefined;
    const verdict = this.#pins.verdict(server);
    return verdict ? verdict.tools.get(tool) : UNCHECKED;
  }

  /** Whether the server's instructions are withheld: they differ from the lock, or have not been compared yet. */
  isWithheld(server: string): boolean {
    if (!this.isPinned(server)) return false;
    const verdict = this.#pins.verdict(server);
    return !verdict || verdict.instructions !== undefined;
  }

  /** How the server's catalog differs from its lock; undefined where it does not, or where that is not known yet. */
  drift(server: string): DriftDetail | undefined {
    const { servers, configuration } = this.#options;
    const found = servers.get(server);
    const verdict = this.verdict(server);
    const lock = configuration.loaded.locks.get(server);
    return found && verdict && lock?.kind === 'pinned' ? driftOf(found, { file: lock.file, verdict }) : undefined;
  }

  verdict(server: string): CheckedPins | undefined {
    return this.isPinned(server) ? this.#pins.verdict(server) : undefined;
  }

  #lookAtAll(): void {
    const { servers } = this.#options;
    for (const { name } of servers.all()) this.#look(name);
    servers.toolsChanged();
  }

  #look(server: string): void {
    const found = this.#options.servers.get(server);
    if (!found || !this.isPinned(server)) return;
    const check = this.#check(found).finally(() => this.#checks.delete(check));
    this.#checks.add(check);
  }

  async #check({ name, catalog, entry }: Server): Promise<void> {
    const { servers, configuration } = this.#options;
    const { context } = configuration.loaded;
    await this.#pins.check(name, {
      offer: catalog,
      revision: ++this.#count,
      // A server that starts in a private folder runs no program of the project folder.
      ...(entry.startsInPrivateFolder !== true && {
        installed: () => installedPackage(entry, context.cwd),
        files: () => programPins(entry, context),
      }),
    });
    servers.toolsChanged();
    // A cached catalog may be out of date, so its differences are not reported.
    if (catalog.source === 'server') this.#tell(name);
  }

  #tell(server: string): void {
    const drift = this.drift(server);
    const message = drift && driftSentence(server, drift);
    if (message !== undefined && this.#told.get(server) !== message) this.#options.events.problem(message);
    if (message === undefined) this.#told.delete(server);
    else this.#told.set(server, message);
  }
}

const UNCHECKED = 'it has not been compared with mcp.lock yet';
