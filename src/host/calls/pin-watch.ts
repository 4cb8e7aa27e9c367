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
 * Has what pinned servers offer looked at whenever it, or the lock, has changed. Servers that a fork brings along are nobody's that a
 * lock could mean, whatever they are called; those that it shares are looked at once, for all.
 */
export class PinWatch implements Pick<Pins, 'isPinned' | 'judgeTool' | 'judgePrompt'> {
  readonly #options: PinWatchOptions;
  readonly #pins: Pins;
  readonly #checks = new Set<Promise<void>>();
  /** What was said last of each server that differs from its lock. */
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

  /** Resolves when there is a verdict on all that has come. Never rejects. */
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

  /** Whether a tool has come since its server was pinned. */
  isUnpinned(server: string, tool: string): boolean {
    return this.isPinned(server) && this.#pins.isUnpinned(server, tool);
  }

  /** Why a tool may not be used as it is now; undefined where nothing is against it. */
  asideReason(server: string, tool: string): string | undefined {
    if (!this.isPinned(server)) return undefined;
    const verdict = this.#pins.verdict(server);
    return verdict ? verdict.tools.get(tool) : UNCHECKED;
  }

  /** Instructions that are not what they were are withheld. */
  isWithheld(server: string): boolean {
    if (!this.isPinned(server)) return false;
    const verdict = this.#pins.verdict(server);
    return !verdict || verdict.instructions !== undefined;
  }

  /** How what a server has differs from its lock, as far as it has told; undefined where it does not. */
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
      // One that starts in a folder of its own runs nothing of this one.
      ...(entry.isApart !== true && {
        installed: () => installedPackage(entry, context.cwd),
        files: () => programPins(entry, context),
      }),
    });
    servers.toolsChanged();
    // What was remembered of it may be long out of date.
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
