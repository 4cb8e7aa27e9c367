import { killNow } from './process-group.js';
import { readStat } from './process-stat.js';
import { descendantsIn, lastPid, type ProcessTable, readProcessTable, readTableNow } from './process-table.js';
import type { StartedGroup } from './reaper.js';

export interface EscapedOptions {
  /** The servers that run. */
  readonly servers: () => readonly WatchedServer[];
  /** Something leads a group of its own, or did. Contract: must not throw. */
  readonly onFound: (group: StartedGroup) => void;
  readonly onGone: (pid: number) => void;
}

export interface WatchedServer {
  readonly pid: number;
  readonly mark: string;
  /** When it was started, by the clock of performance.now(). */
  readonly since: number;
}

/**
 * What servers have started and what has left their groups. Mostly its mark tells whose it is; who has cleared its environment besides is known only by
 * its parents, and only while they run. So the tree of processes is looked at a second after a start, then less and less often, and before
 * a server is closed. Nothing here throws.
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

  /** Those that lead a group. */
  get groups(): readonly StartedGroup[] {
    return [...this.#known.values()].filter(({ pid, group }) => pid === group);
  }

  /** Something was started. */
  watch(): void {
    if (process.platform !== 'linux') return;
    clearTimeout(this.#timer);
    this.#pauseMs = FIRST_LOOK_MS;
    this.#schedule();
  }

  /** Nothing runs any more. */
  rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Who asks while a look is under way shares it. Never rejects. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look());
  }

  /** Kills what the server with this mark has left outside of its group. Never rejects. */
  async end(mark: string): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS && this.#of(mark).length > 0; round++)
      this.#kill(mark, await readProcessTable());
  }

  /** The same for all servers, at once. */
  endAllNow(): void {
    const table = readTableNow();
    this.#note(table);
    for (const mark of new Set([...this.#known.values()].map((known) => known.mark))) this.#kill(mark, table);
  }

  async #look(): Promise<void> {
    this.#note(await readProcessTable(this.#lowest()));
    this.#looking = undefined;
  }

  /** Numbers grow until they begin anew, which takes a while: what was started by something young has a higher one. */
  #lowest(): number {
    const servers = this.#options.servers();
    const pids = servers.map(({ pid }) => pid);
    const isYoung = servers.every(({ since }) => performance.now() - since < YOUNG_MS);
    return isYoung && lastPid() >= Math.max(...pids) ? Math.min(...pids) : 1;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#lookAndGoOn(), this.#pauseMs);
    this.#timer.unref();
  }

  async #lookAndGoOn(): Promise<void> {
    const timer = this.#timer;
    await this.look();
    if (this.#timer !== timer || timer === undefined) return; // something was started meanwhile, or nothing runs any more
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    this.#schedule();
  }

  #note(table: ProcessTable): void {
    for (const known of this.#known.values()) {
      if (readStat(known.pid)?.started !== known.started) this.#forget(known.pid);
    }
    for (const { pid: server, mark } of this.#options.servers()) {
      for (const pid of descendantsIn(table, [server])) {
        const { group, started } = table.get(pid)!;
        if (group === server || this.#known.has(pid)) continue;
        this.#known.set(pid, { pid, group, started, mark });
        if (pid === group) this.#options.onFound({ pid, started });
      }
    }
  }

  /** With what they have started meanwhile. */
  #kill(mark: string, table: ProcessTable): void {
    const known = this.#of(mark).filter(({ pid, started }) => table.get(pid)?.started === started);
    const pids = known.map(({ pid }) => pid);
    for (const pid of [...pids, ...descendantsIn(table, pids)]) {
      // By its start time: the number may be somebody else's by now.
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
const LONGEST_PAUSE_MS = 64_000; // a look costs some 10 microseconds for each process of the machine
const MOST_ROUNDS = 3;
const YOUNG_MS = 10_000;
