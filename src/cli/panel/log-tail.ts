import { HostError } from '../../base/errors.js';
import { followServerLog, readServerLog } from '../../connection/server-log.js';
import type { Host } from '../../host/host.js';
import { showLine } from '../../model/show.js';
import type { LogContent } from './panel-body.js';

export interface LogTailOptions {
  readonly host: Host;
  /** The folder in which logs are kept; undefined: nobody knows where that is. */
  readonly state: string | undefined;
  readonly name: string;
  /** Contract: must not throw. */
  readonly onChange: () => void;
}

/** The last that a server has said on stderr, and what it says from now on; with what is odd about it. Redacted. */
export class LogTail implements Disposable {
  readonly name: string;
  readonly #options: LogTailOptions;
  readonly #ending = new AbortController();
  #listener: Disposable | undefined;
  #content: LogContent = { lines: [], about: '' };

  constructor(options: LogTailOptions) {
    this.name = options.name;
    this.#options = options;
    try {
      this.#open();
    } catch (cause) {
      this.#fail(cause);
    }
  }

  get content(): LogContent {
    return this.#content;
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
    this.#listener?.[Symbol.dispose]();
  }

  #open(): void {
    const { host, state, name } = this.#options;
    if (state === undefined) {
      this.#content = { lines: [], about: 'There is no log: no home folder is known. Set HOME to a folder of yours' };
      return;
    }
    const configs = host
      .definitions()
      .filter((server) => server.name === name)
      .map(({ config }) => config);
    const log = { state, name, configs, reveal: false };
    const { file, lines, position } = readServerLog(log, { lines: FIRST_LINES, isFollowed: true });
    const about = showLine(position ? file : `${file}, as soon as it says something on stderr`);
    this.#content = { lines, about };
    this.#listener = host.on('note', ({ server, kind, text }) => {
      if (server === name) this.#add([`[${kind}] ${showLine(text)}`]);
    });
    const { signal } = this.#ending;
    const onLines = (more: readonly string[]): boolean => this.#add(more);
    void followServerLog(log, { signal, from: position, onLines }).catch((cause: unknown) => this.#fail(cause));
  }

  #add(more: readonly string[]): boolean {
    if (this.#ending.signal.aborted) return false;
    this.#content = { ...this.#content, lines: [...this.#content.lines, ...more].slice(-LINES) };
    this.#options.onChange();
    return true;
  }

  #fail(cause: unknown): void {
    if (this.#ending.signal.aborted) return;
    const said = cause instanceof HostError ? cause.message : String(cause);
    this.#content = { ...this.#content, about: showLine(`The log cannot be read: ${said}`) };
    this.#options.onChange();
  }
}

const FIRST_LINES = 500;
const LINES = 2_000; // `plugboard logs` has all of them
