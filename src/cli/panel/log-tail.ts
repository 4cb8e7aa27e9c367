import type { Host } from '../../index.js';
import { onlyServer, toArgs } from '../../actions/arguments.js';
import { logs } from '../../actions/servers/logs.js';
import { perform } from '../../actions/perform.js';
import type { ToldPart } from '../../actions/told.js';
import { HostError } from '../../base/errors.js';
import { showLine } from '../../model/show.js';
import type { LogContent } from './panel-body.js';

export interface FollowedLogOptions {
  readonly host: Host;
  readonly now: () => Date;
  readonly name: string;
  /** Contract: must not throw. */
  readonly onChange: () => void;
}

/** The last lines of a server's stderr and those that follow, with notes on its odd behaviour. Redacted. */
export class FollowedLog implements Disposable {
  readonly name: string;
  readonly #options: FollowedLogOptions;
  readonly #ending = new AbortController();
  readonly #listener: Disposable;
  #content: LogContent = { lines: [], about: '' };

  constructor(options: FollowedLogOptions) {
    const { host, name, now } = options;
    this.name = name;
    this.#options = options;
    this.#listener = host.on('note', ({ server, kind, text }) => {
      if (server === name) this.#add([`[${kind}] ${showLine(text)}`]);
    });
    const on = { kind: 'host', host, isTransient: false } as const;
    const args = { ...toArgs(logs.args, onlyServer(name)), follow: true, lines: FIRST_LINES };
    const { signal } = this.#ending;
    const onProgress = (part: ToldPart): boolean => this.#take(part);
    perform(logs, on, args, { now, signal, onProgress }).catch((cause: unknown) => this.#fail(cause));
  }

  get content(): LogContent {
    return this.#content;
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
    this.#listener[Symbol.dispose]();
  }

  #take(part: ToldPart): boolean {
    if (part.kind === 'sentence') this.#content = { ...this.#content, about: part.text };
    if (part.kind !== 'log') return this.#add([]);
    // The reason why there is no log stays until the first line arrives.
    if (part.lines.length > 0 || this.#content.about === '')
      this.#content = { ...this.#content, about: showLine(part.file) };
    return this.#add(part.lines);
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

const FIRST_LINES = '500';
const LINES = 2_000; // a bound; `plugboard logs` has all lines
