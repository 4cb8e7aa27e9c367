import { nameWord } from '../../base/shell-word.js';
import type { ListeningGateway } from '../../gateway/index.js';
import type { Problem } from '../../index.js';
import { showLine } from '../../model/show.js';
import type { Invocation } from '../input/arguments.js';
import type { Io } from '../io.js';
import { safeJson } from '../output/envelope.js';
import { clientLines } from './client-lines.js';
import type { ServeFlags } from './serve-flags.js';

/** What is told on stderr while a gateway runs, a line each; never the content of a request. */
export class ServeLog {
  readonly #io: Io;
  readonly #flags: ServeFlags;
  readonly #isJson: boolean;
  readonly #isQuiet: boolean;

  constructor(io: Io, flags: ServeFlags, invocation: Invocation) {
    this.#io = io;
    this.#flags = flags;
    this.#isJson = invocation.has('json');
    this.#isQuiet = invocation.has('quiet');
  }

  get hasRequests(): boolean {
    return this.#flags.level === 'info';
  }

  warn(line: string): void {
    if (this.#flags.level !== 'error') this.#write(showLine(line));
  }

  note(line: string): void {
    if (!this.#isQuiet) this.warn(line);
  }

  /** A line that begins with what it is. */
  told(line: string): void {
    if (line.startsWith('warning: ')) this.warn(line);
    else this.note(line);
  }

  /** The configuration was read again. */
  edited(problems: readonly Problem[]): void {
    for (const { file, line, message, hint } of problems.slice(0, PROBLEMS)) {
      const where = line === undefined ? file : `${file}:${line}`;
      this.warn(`warning: ${where} ${message}. ${hint}`);
    }
    this.note(problems.length === 0 ? 'note: the configuration was read again' : KEPT);
  }

  /** A server that does not work any more, or never did. */
  server(name: string, status: string, reason: string): void {
    const step = STEPS.get(status);
    if (step !== undefined)
      this.warn(`warning: server "${name}" does not work: ${reason}. plugboard ${step} ${nameWord(name)}`);
  }

  request(handled: { method: string; path: string; status: number; ms: number; requestId: string }): void {
    const { method, path, status, ms, requestId } = handled;
    const took = Math.round(ms);
    if (this.#isJson) return this.#write(safeJson({ method, path, status, ms: took, requestId }));
    return this.#write(showLine(`${method} ${path} ${status} ${took} ms ${requestId}`));
  }

  /** Where clients find the gateway, and what they need. */
  ready({ url, key, keyFile }: ListeningGateway, publicUrl: string | undefined): void {
    if (this.#isJson) this.#io.stdout.write(`${safeJson({ url, ...(keyFile !== undefined && { keyFile }) })}\n`);
    if (this.#isQuiet) return;
    this.#write(`Serving on ${url}`);
    if (key === undefined) this.#write(OPEN);
    if (this.#isJson) return;
    if (keyFile !== undefined) this.#write(`Clients need the key in ${keyFile}`);
    for (const line of clientLines(toClientUrl(url, publicUrl), key)) this.#write(line);
  }

  #write(line: string): void {
    this.#io.stderr.write(`${line}\n`);
  }
}

const OPEN =
  'warning: every account of this machine, and every server that has network, can reach this port and use what your rules allow';
const KEPT = 'note: of what cannot be read, the last good configuration goes on';
const PROBLEMS = 20; // lines for one edit
const STEPS: ReadonlyMap<string, string> = new Map([
  ['failed', 'doctor'],
  ['needs-auth', 'login'],
]);

/** Through a proxy clients find the same paths below its address. */
function toClientUrl(url: string, publicUrl: string | undefined): string {
  if (publicUrl === undefined) return url;
  const { pathname } = new URL(url);
  const base = publicUrl.replace(/\/+$/u, '');
  return base.endsWith(pathname) ? base : `${base}${pathname}`;
}
