import { systemClock } from '../clock.js';
import { killNow } from './process-group.js';
import { readStat } from './process-stat.js';
import {
  descendantsIn,
  lastPid,
  type ProcessTable,
  readProcessTable,
  readTableNow,
  toProcessTree,
} from './process-table.js';
import type { StartedGroup } from './reaper.js';

export interface EscapedOptions {
  readonly servers: () => readonly WatchedServer[];
  /** A process leads a group of its own, or did. Contract: must not throw. */
  readonly onFound: (group: StartedGroup) => void;
  readonly onGone: (pid: number) => void;
}

export interface WatchedServer {
  readonly pid: number;
  readonly mark: string;
  /** When it was started, by the system clock's `monotonic`. */
  readonly since: number;
}

/**
 * Processes that servers have started and that have left the servers' groups. Most are found by their mark; one that
 * has cleared its environment is known only by its ancestors, and only while these run. So the process tree is read a
 * second after a start, then less and less often, and before a server is closed. Never throws.
 */
export class EscapedProcesses {
  readonly #options: EscapedOptions;
  readonly #known = new Map<number, Escaped>();
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_LOOK_MS;

  constructor(options: EscapedOptions) {
    this.#options = options;
  }

  /** The processes that lead a group. */
  get groups(): readonly StartedGroup[] {
    return [...this.#known.values()].filter(({ pid, group }) => pid === group);
  }

  /** To be called after each start: begins to read the process tree again, in a second. */
  watch(): void {
    if (process.platform !== 'linux') return;
    clearTimeout(this.#timer);
    this.#pauseMs = FIRST_LOOK_MS;
    this.#schedule();
  }

  /** Stops reading the process tree: no server is running. */
  rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Reads the process tree; concurrent calls share one read. Never rejects. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look());
  }

  /** Kills what the server with this mark has started outside its group. Never rejects. */
  async end(mark: string): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS && this.#of(mark).length > 0; round++)
      this.#kill(mark, await readProcessTable());
  }

  /** Like `end`, synchronously and for all servers. */
  endAllNow(): void {
    const table = readTableNow();
    this.#note(table);
    for (const mark of new Set([...this.#known.values()].map((known) => known.mark))) this.#kill(mark, table);
  }

  async #look(): Promise<void> {
    this.#note(await readProcessTable(this.#lowest()));
    this.#looking = undefined;
  }

  /** Lowest pid to read. Pids grow until they wrap around, so a young server's descendants have higher ones. */
  #lowest(): number {
    const servers = this.#options.servers();
    const pids = servers.map(({ pid }) => pid);
    const isYoung = servers.every(({ since }) => systemClock.monotonic() - since < YOUNG_MS);
    return isYoung && lastPid() >= Math.max(...pids) ? Math.min(...pids) : 1;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#lookAndGoOn(), this.#pauseMs);
    this.#timer.unref();
  }

  async #lookAndGoOn(): Promise<void> {
    const timer = this.#timer;
    await this.look();
    if (this.#timer !== timer || timer === undefined) return; // a start has set a new timer, or no server is running
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    this.#schedule();
  }

  #note(table: ProcessTable): void {
    for (const known of this.#known.values()) {
      if (readStat(known.pid)?.started !== known.started) this.#forget(known.pid);
    }
    const tree = toProcessTree(table);
    for (const { pid: server, mark } of this.#options.servers()) {
      for (const pid of descendantsIn(tree, [server])) {
        const { group, started } = table.get(pid)!;
        if (group === server || this.#known.has(pid)) continue;
        this.#known.set(pid, { pid, group, started, mark });
        if (pid === group) this.#options.onFound({ pid, started });
      }
    }
  }

  /** Kills the known processes of a server, and what they have started meanwhile. */
  #kill(mark: string, table: ProcessTable): void {
    const known = this.#of(mark).filter(({ pid, started }) => table.get(pid)?.started === started);
    const pids = known.map(({ pid }) => pid);
    for (const pid of [...pids, ...descendantsIn(toProcessTree(table), pids)]) {
      // Compares the start time: the pid may have been reused.
      if (readStat(pid)?.started === table.get(pid)?.started) killNow(pid);
    }
    for (const { pid } of this.#of(mark)) this.#forget(pid);
  }

  #of(mark: string): readonly Escaped[] {
    return [...this.#known.values()].filter((known) => known.mark === mark);
  }

  #forget(pid: number): void {
    if (this.#known.delete(pid)) this.#options.onGone(pid);
  }
}

interface Escaped extends StartedGroup {
  readonly group: number;
  readonly mark: string;
}

const FIRST_LOOK_MS = 1000;
const LONGEST_PAUSE_MS = 64_000; // one read costs some 10 microseconds for each process of the machine
const MOST_ROUNDS = 3;
const YOUNG_MS = 10_000;
