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
  /** The folder of journals, by which the next host cleans up after a host that was killed together with its reaper. */
  readonly journal?: string | undefined;
}

/**
 * The running servers of one host, with all that they started. They are killed here when the host's process exits by
 * itself, by `process.exit` or an uncaught error, and by the reaper when it is killed. Signals are up to the program.
 */
export class ProcessRegistry implements AsyncDisposable {
  readonly #journalFolder: string | undefined;
  readonly #running = new Map<number, StartedGroup & WatchedServer>();
  /** Marks of started servers that may have left processes. */
  readonly #marks = new Set<string>();
  readonly #sweeper = new ProcessSweeper();
  readonly #escaped = new EscapedProcesses({
    servers: () => [...this.#running.values()],
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
   * Must be awaited before a start: cleans up after killed hosts, and writes the journal of this one. Never rejects.
   * Takes time only at the first call, 1.5 s at most.
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

  /** Returns the mark for the next server. */
  nextMark(): ServerMark {
    return this.#mark.nextServer();
  }

  /** Adds a server, which must lead its group. */
  add(pid: number, mark?: string): void {
    if (!this.#isWatching) addExitTask(this.#killAll);
    const group = { pid, started: readStat(pid)?.started ?? '0', mark: mark ?? '', since: systemClock.monotonic() };
    this.#running.set(pid, group);
    if (mark !== undefined) this.#marks.add(mark);
    this.#reaper ??= new Reaper({
      host: this.#mark.host,
      journal: this.#journal?.path ?? '',
      stray: () => this.strayDescriptors,
    });
    this.#reaper.add(group, this.#groups);
    this.#escaped.watch();
  }

  /** Removes a server whose group is gone: its pid may be reused from now on. */
  delete(pid: number): void {
    if (!this.#running.delete(pid)) return;
    this.#reaper?.delete(pid);
    this.#rest();
  }

  /** Must be awaited before a server is ended: its descendants can be found only while it runs. Never rejects. */
  look(): Promise<void> {
    return this.#escaped.look();
  }

  /** Kills what a server has started outside its group. Never rejects. */
  async sweep(mark: string): Promise<void> {
    await this.#escaped.end(mark);
    if (await this.#sweeper.sweep(mark)) this.#marks.delete(mark);
    this.#rest();
  }

  /** Descriptors above 2 that a server would inherit. Read once: those that Node opens are not inherited. */
  get strayDescriptors(): readonly number[] {
    return (this.#stray ??= findStrayDescriptors());
  }

  /** Kills all processes that are left. Idempotent, never rejects. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#ready;
    if (this.#running.size > 0) this.#escaped.endAllNow();
    for (const pid of this.#running.keys()) {
      killGroupNow(pid);
      this.delete(pid);
    }
    // Servers that were closed in order have been swept already.
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
    return this.#running.size > 0 || this.#marks.size > 0;
  }

  #rest(): void {
    if (this.#running.size === 0) this.#escaped.rest();
    if (!this.#isWatching) deleteExitTask(this.#killAll);
  }

  get #groups(): readonly StartedGroup[] {
    return [...this.#running.values(), ...this.#escaped.groups];
  }

  readonly #killAll = (): void => {
    this.#escaped.endAllNow();
    for (const pid of this.#running.keys()) killGroupNow(pid);
    sweepNow(this.#mark.host.id);
  };
}

const FIRST_START_MS = 1500; // ms; a process of a dead host that does not die must not delay a start longer
const FILE_MS = 500; // ms; neither must a disk that hangs delay a close
