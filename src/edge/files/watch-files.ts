import { attempt } from '../../base/attempt.js';
import { onAbort } from '../../base/on-abort.js';
import { type FSWatcher, lstatSync, readlinkSync, statSync, type Stats, watch } from 'node:fs';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';
import { errorCodeOf } from './write-error.js';

export interface FileWatch extends Disposable {
  /**
   * Replaces the watched paths. Paths that stay keep their last state; a new path is not reported before it changes.
   */
  update(paths: readonly string[]): void;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** An editor saves in several steps; they are reported as one change. 50 ms by default. */
  readonly debounceMs?: number;
  /** Poll interval where the system has no watches left; 2000 ms by default. */
  readonly pollMs?: number;
}

/**
 * Reports which of these files appeared, changed or vanished since the last report. Their folders need not exist yet.
 * Watch first, then read: a change between the two is reported. Does not keep the process alive.
 */
export function watchFiles(
  paths: readonly string[],
  onChange: (changed: readonly string[]) => void,
  options: WatchOptions,
): FileWatch {
  return new Watch(paths, onChange, options);
}

const DEBOUNCE_MS = 50;
const POLL_MS = 2000;
const LONGEST_DEBOUNCE = 10; // times the debounce: a file that is written without a pause is still reported
const ROUNDS = 10; // when folders keep changing for longer than this, polling takes over
const LINK_LIMIT = 40; // the limit of Linux

interface Watched {
  readonly watcher: FSWatcher;
  /** Device and inode of the folder: another folder may have its path by now. */
  readonly identity: string;
  names: ReadonlySet<string>;
}

class Watch implements FileWatch {
  readonly #onChange: (changed: readonly string[]) => void;
  readonly #debounceMs: number;
  readonly #pollMs: number;
  /** The last reported state of each file. */
  #stamps = new Map<string, string>();
  readonly #folders = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #waitingSince: number | undefined;
  #poll: NodeJS.Timeout | undefined;
  #listening: Disposable | undefined;
  #closed = false;

  constructor(paths: readonly string[], onChange: (changed: readonly string[]) => void, options: WatchOptions) {
    this.#onChange = onChange;
    this.#debounceMs = options.debounceMs ?? DEBOUNCE_MS;
    this.#pollMs = options.pollMs ?? POLL_MS;
    if (options.signal.aborted) {
      this.#closed = true;
      return;
    }
    this.#listening = onAbort(options.signal, this.#close);
    this.update(paths);
  }

  update(paths: readonly string[]): void {
    if (this.#closed) return;
    const known = this.#stamps;
    this.#stamps = new Map(paths.map((path) => [resolve(path), '']));
    this.#arm();
    // After the watches are in place, so that no change goes unseen.
    for (const path of this.#stamps.keys()) this.#stamps.set(path, known.get(path) ?? stampOf(path));
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  readonly #close = (): void => {
    this.#closed = true;
    this.#listening?.[Symbol.dispose]();
    clearTimeout(this.#timer);
    clearInterval(this.#poll);
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  };

  #check(): void {
    this.#waitingSince = undefined;
    if (this.#closed) return;
    this.#arm();
    const changed: string[] = [];
    for (const [path, before] of this.#stamps) {
      const now = stampOf(path);
      if (now === before) continue;
      this.#stamps.set(path, now);
      changed.push(path);
    }
    if (changed.length > 0) this.#onChange(changed);
  }

  #checkSoon(): void {
    if (this.#closed) return;
    const now = performance.now();
    this.#waitingSince ??= now;
    const latest = this.#waitingSince + LONGEST_DEBOUNCE * this.#debounceMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), Math.max(0, Math.min(this.#debounceMs, latest - now))).unref();
  }

  /** Brings the watches in line with the existing folders; repeated, because these may change meanwhile. */
  #arm(): void {
    let failed = false;
    for (let round = 0; round < ROUNDS; round++) {
      const wanted = foldersOf(this.#stamps.keys());
      let opened = false;
      for (const [folder, { identity }] of this.#folders) {
        if (!wanted.has(folder) || identityOf(folder) !== identity) this.#drop(folder);
      }
      failed = false;
      for (const [folder, names] of wanted) {
        const present = this.#folders.get(folder);
        if (present) present.names = names;
        else if (this.#open(folder, names)) opened = true;
        else failed = true;
      }
      if (!opened) break;
      if (round === ROUNDS - 1) failed = true;
    }
    this.#setPolling(failed);
  }

  #open(folder: string, names: ReadonlySet<string>): boolean {
    try {
      const identity = identityOf(folder);
      const watcher = watch(folder, { persistent: false }, (_event, name) => this.#onEvent(folder, name));
      watcher.on('error', () => {
        this.#drop(folder);
        this.#checkSoon();
      });
      this.#folders.set(folder, { watcher, identity, names });
      return true;
    } catch (error) {
      // A folder that vanished meanwhile: the next round finds its parent. Any other error (no inotify watches or
      // descriptors left, no permission) leads to polling.
      return errorCodeOf(error) === 'ENOENT';
    }
  }

  #onEvent(folder: string, name: string | null): void {
    const watched = this.#folders.get(folder);
    if (this.#closed || !watched) return;
    if (name === basename(folder)) this.#drop(folder); // the folder itself was moved or removed: this watch may be dead
    // On systems other than Linux a name may come in another case or normal form, so every name counts.
    else if (name !== null && process.platform === 'linux' && !watched.names.has(name)) return;
    this.#checkSoon();
  }

  #drop(folder: string): void {
    this.#folders.get(folder)?.watcher.close();
    this.#folders.delete(folder);
  }

  #setPolling(wanted: boolean): void {
    if (!wanted) {
      clearInterval(this.#poll);
      this.#poll = undefined;
    } else this.#poll ??= setInterval(() => this.#check(), this.#pollMs).unref();
  }
}

/** The existing folders to watch, each with the names in it whose change may concern one of the files. */
function foldersOf(paths: Iterable<string>): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  const add = (folder: string, name: string): void => {
    const names = folders.get(folder);
    if (names) names.add(name);
    else folders.set(folder, new Set([name]));
  };
  for (const path of paths) followPath(path, add);
  return folders;
}

/**
 * Resolves a path as the system does, and adds every name whose change may concern the file: each symbolic link on the
 * way, the first missing part, the file itself, and its folder.
 */
function followPath(path: string, add: (folder: string, name: string) => void): void {
  let folder = parse(path).root;
  let pending = partsOf(path.slice(folder.length));
  for (let links = 0; ;) {
    const [name, ...rest] = pending;
    if (name === undefined) return;
    pending = rest;
    if (name === '..') {
      folder = dirname(folder);
      continue;
    }
    const next = join(folder, name);
    const stats = look(next);
    if (stats?.isSymbolicLink() && ++links <= LINK_LIMIT) {
      add(folder, name);
      const target = readLink(next);
      if (target.startsWith(sep)) folder = parse(next).root;
      pending = [...partsOf(target), ...rest];
    } else if (stats?.isDirectory() && rest.length > 0) {
      folder = next;
    } else {
      add(folder, name);
      if (dirname(folder) !== folder) add(dirname(folder), basename(folder));
      return;
    }
  }
}

function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}

function readLink(path: string): string {
  return attempt(() => readlinkSync(path), ''); // replaced meanwhile: the next round sees the new state
}

function look(path: string): Stats | undefined {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false })); // no permission: as if absent; polling notices a change
}

function identityOf(folder: string): string {
  const stats = look(folder);
  return stats ? `${stats.dev}:${stats.ino}` : 'absent';
}

/** Includes the mode: a file that becomes readable counts as changed. */
function stampOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.mode}` : 'absent';
  } catch (error) {
    return `unreadable:${errorCodeOf(error)}`;
  }
}
