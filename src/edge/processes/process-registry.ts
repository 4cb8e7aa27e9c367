import { within } from '../../base/within.js';
import { systemClock } from '../clock.js';
import { EscapedProcesses, type WatchedServer } from './escaped-processes.js';
import { addExitTask, deleteExitTask } from './exit-tasks.js';
import { killGroupNow } from './process-group.js';
import { ProcessJournal } from './process-journal.js';
import { clearLeftovers } from './process-leftovers.js';
import { HostMark, MARK_VARIABLE, type ServerMark } from './process-mark.js';
import { readStat } from './process-stat.js';
import { ProcessSweeper, sweepNow } from './process-sweep.js';
import { Reaper, type StartedGroup } from './reaper.js';
import { findStrayDescriptors } from './stray-descriptors.js';

export interface ProcessRegistryOptions {
  /** The folder in which a host that is killed together with its reaper leaves word for the next one. */
  readonly journal?: string | undefined;
}

/**
 * The servers that one host has running, with all that they started. Should the host's process end, by itself, by
 * process.exit or by an error that nobody caught, they are killed here; should it be killed, by its reaper. Signals are
 * the program's own business.
 */
export class ProcessRegistry implements AsyncDisposable {
  readonly #journalFolder: string | undefined;
  readonly #living = new Map<number, StartedGroup & WatchedServer>();
  /** Of servers that were started and of which something may be left. */
  readonly #marks = new Set<string>();
  readonly #sweeper = new ProcessSweeper();
  readonly #escaped = new EscapedProcesses({
    servers: () => [...this.#living.values()],
    onFound: (group) => this.#reaper?.add(group, this.#groups),
    onGone: (pid) => this.#reaper?.delete(pid),
  });
  #stray: readonly number[] | undefined;
  #host: HostMark | undefined;
  #reaper: Reaper | undefined;
  #journal: ProcessJournal | undefined;
  #ready: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor({ journal }: ProcessRegistryOptions = {}) {
    this.#journalFolder = journal;
  }

  /**
   * To be waited for before a start: what a killed host left might stand in the way, and what is started is to be found
   * should this host be killed. Never rejects, and takes a moment only before the first one.
   */
  ready(): Promise<void> {
    return (this.#ready ??= within(this.#prepare(), {
      deadline: (expire) => systemClock.after(FIRST_START_MS, expire),
      instead: () => {},
    }));
  }

  async #prepare(): Promise<void> {
    const folder = this.#journalFolder;
    if (folder === undefined) return;
    const { host } = this.#mark;
    this.#journal = new ProcessJournal(folder, host);
    await Promise.all([this.#journal.written, clearLeftovers(folder, { self: host, sweeper: this.#sweeper })]);
  }

  /** For a server that is about to start. */
  nextMark(): ServerMark {
    return this.#mark.nextServer();
  }

  /** A server that leads its group. */
  add(pid: number, mark?: string): void {
    if (!this.#isWatching) addExitTask(this.#killAll);
    const group = { pid, started: readStat(pid)?.started ?? '0', mark: mark ?? '', since: performance.now() };
    this.#living.set(pid, group);
    if (mark !== undefined) this.#marks.add(mark);
    this.#reaper ??= new Reaper({
      host: this.#mark.host,
      journal: this.#journal?.path ?? '',
      stray: () => this.strayDescriptors,
    });
    this.#reaper.add(group, this.#groups);
    this.#escaped.watch();
  }

  /** Its group is gone. From now on the number may be somebody else's. */
  delete(pid: number): void {
    if (!this.#living.delete(pid)) return;
    this.#reaper?.delete(pid);
    this.#rest();
  }

  /** To be waited for before a server is told to end: what it has started is its own only as long as it runs. Never rejects. */
  look(): Promise<void> {
    return this.#escaped.look();
  }

  /** Kills what a server has started outside of its group. Never rejects. */
  async sweep(mark: string): Promise<void> {
    await this.#escaped.end(mark);
    if (await this.#sweeper.sweep(mark)) this.#marks.delete(mark);
    this.#rest();
  }

  /** Descriptors above 2 that a server would inherit. Looked for once: all that node opens itself is not inherited. */
  get strayDescriptors(): readonly number[] {
    return (this.#stray ??= findStrayDescriptors());
  }

  /** Ends what is left, whoever should have closed it. Idempotent, never rejects. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#ready;
    if (this.#living.size > 0) this.#escaped.endAllNow();
    for (const pid of this.#living.keys()) {
      killGroupNow(pid);
      this.delete(pid);
    }
    // Whoever was closed in order has been swept already.
    if (this.#marks.size > 0 && (await this.#sweeper.sweep(this.#mark.host.id))) this.#marks.clear();
    this.#rest();
    if (this.#journal) {
      const work = this.#journal[Symbol.asyncDispose]();
      await within(work, { deadline: (expire) => systemClock.after(FILE_MS, expire), instead: () => {} });
    }
    this.#reaper?.[Symbol.dispose]();
  }

  get #mark(): HostMark {
    return (this.#host ??= new HostMark(process.env[MARK_VARIABLE]));
  }

  get #isWatching(): boolean {
    return this.#living.size > 0 || this.#marks.size > 0;
  }

  #rest(): void {
    if (this.#living.size === 0) this.#escaped.rest();
    if (!this.#isWatching) deleteExitTask(this.#killAll);
  }

  get #groups(): readonly StartedGroup[] {
    return [...this.#living.values(), ...this.#escaped.groups];
  }

  readonly #killAll = (): void => {
    this.#escaped.endAllNow();
    for (const pid of this.#living.keys()) killGroupNow(pid);
    sweepNow(this.#mark.host.id);
  };
}

const FIRST_START_MS = 1500; // something of a dead host that will not die does not hold up a living one
const FILE_MS = 500; // nor does a disk that hangs
