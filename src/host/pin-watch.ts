import type { CheckedPins, Pins } from '../guard/pins.js';
import type { Connection } from '../connection/connection.js';
import { installedPackage } from '../config/installed-package.js';
import { programPins } from '../config/program-files.js';
import { driftSentence } from '../model/pins/drift-text.js';
import { type DriftDetail, driftOf } from './drift.js';
import type { Fleet } from './fleet.js';

/**
 * Has what pinned servers offer looked at whenever it, or the lock, has changed. Servers that a fork brings along are nobody's that a
 * lock could mean, whatever they are called; those that it shares are looked at once, for all.
 */
export class PinWatch implements Pick<Pins, 'isPinned' | 'judgeTool' | 'judgePrompt'> {
  readonly #fleet: Fleet;
  readonly #pins: Pins;
  readonly #onVerdict: () => void;
  readonly #checks = new Set<Promise<void>>();
  /** What was said last of each server that differs from its lock. */
  readonly #told = new Map<string, string>();
  #count = 0;

  constructor(fleet: Fleet, pins: Pins, onVerdict: () => void) {
    this.#fleet = fleet;
    this.#pins = pins;
    this.#onVerdict = onVerdict;
    if (fleet.isFork) return;
    fleet.on('catalog', ({ server }) => this.#look(server));
    fleet.on('config', () => this.#lookAtAll());
    this.#lookAtAll();
  }

  /** Resolves when there is a verdict on all that has come. Never rejects. */
  async settled(): Promise<void> {
    while (this.#checks.size > 0) await Promise.all(this.#checks);
  }

  isPinned(server: string): boolean {
    return this.#pins.isPinned(server) && !this.#fleet.brings(server);
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
    const connection = this.#fleet.connection(server);
    const verdict = this.verdict(server);
    const lock = this.#fleet.loaded.locks.get(server);
    return connection && verdict && lock?.kind === 'pinned'
      ? driftOf(connection, { file: lock.file, verdict })
      : undefined;
  }

  verdict(server: string): CheckedPins | undefined {
    return this.isPinned(server) ? this.#pins.verdict(server) : undefined;
  }

  #lookAtAll(): void {
    for (const { name } of this.#fleet.connections()) this.#look(name);
    this.#onVerdict();
  }

  #look(server: string): void {
    const connection = this.#fleet.connection(server);
    if (!connection || !this.isPinned(server)) return;
    const check = this.#check(connection).finally(() => this.#checks.delete(check));
    this.#checks.add(check);
  }

  async #check({ name, catalog }: Connection): Promise<void> {
    const definition = this.#fleet.definition(name);
    const { context } = this.#fleet.loaded;
    await this.#pins.check(name, {
      offer: catalog,
      revision: ++this.#count,
      // One that starts in a folder of its own runs nothing of this one.
      ...(definition &&
        definition.isApart !== true && {
          installed: () => installedPackage(definition, context.cwd),
          files: () => programPins(definition, context),
        }),
    });
    this.#onVerdict();
    // What was remembered of it may be long out of date.
    if (catalog.source === 'server') this.#tell(name);
  }

  #tell(server: string): void {
    const drift = this.drift(server);
    const message = drift && driftSentence(server, drift);
    if (message !== undefined && this.#told.get(server) !== message) this.#fleet.emit('problem', { message });
    if (message === undefined) this.#told.delete(server);
    else this.#told.set(server, message);
  }
}

const UNCHECKED = 'it has not been compared with mcp.lock yet';
