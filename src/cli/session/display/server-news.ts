import type { CatalogChange, Host, Problem, ServerState, StatusWord } from '../../../index.js';
import { RECONNECT_LIMITS } from '../../../model/status.js';
import { retryInMs, retryLostServers } from '../../../actions/running-server.js';
import { noteText } from '../../output/note-text.js';
import { showLine } from '../../../model/show.js';
import { RedrawThrottle } from '../../terminal/redraw-throttle.js';
import type { Screen } from '../../terminal/screen.js';
import { ownRows } from './quoted-rows.js';
import { NewsThrottle } from './news-throttle.js';
import { newsLines, type ServerNewsItem } from './news-text.js';

export interface ServerNewsOptions {
  readonly host: Host;
  readonly screen: Screen;
  /** Whether a line may be written now, without splitting an answer or a dialog. */
  readonly mayWrite: () => boolean;
}

/**
 * Prints the news of servers above the prompt, grouped by moment and never in the middle of an answer. Servers that
 * connect or reconnect are shown at the foot.
 */
export class ServerNews implements Disposable {
  readonly #options: ServerNewsOptions;
  /** The status of each server in the last news. */
  readonly #known = new Map<string, StatusWord>();
  readonly #touched = new Map<string, Touched>();
  readonly #said = new Set<string>();
  /** A look at the states of all servers, which thousands of events in a row must not each ask for. */
  readonly #statusThrottle = new RedrawThrottle(() => this.#drawStatus());
  readonly #listThrottle = new NewsThrottle(() => performance.now());
  readonly #waiting: string[] = [];
  readonly #listening: Disposable[];
  #timer: NodeJS.Timeout | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #isStarting = true;
  #isOver = false;

  constructor(options: ServerNewsOptions) {
    this.#options = options;
    const { host } = options;
    for (const { name, status } of host.servers()) this.#known.set(name, status);
    // Problems from the start are in the banner.
    for (const problem of host.problems) this.#said.add(problemText(problem));
    this.#listening = [
      host.on('server', ({ name, reason }) => this.#touch(name, reason)),
      host.on('catalog', ({ server, ...change }) => this.#listed(server, change)),
      host.on('config', ({ problems, gone }) => {
        for (const name of gone) {
          this.#known.delete(name);
          this.#say(`${name} is gone from the configuration`);
        }
        for (const problem of problems.slice(0, PROBLEMS)) this.#sayOnce(problemText(problem));
        for (const { name } of host.servers()) if (!this.#known.has(name)) this.#touch(name, 'it is new');
      }),
      host.on('note', ({ server, ...note }) => {
        const told = noteText(note);
        if (told !== undefined) this.#sayOnce(`Server "${server}" ${told}`, `${note.kind} ${server}`);
      }),
      host.on('problem', ({ message }) => this.#sayOnce(message)),
      options.screen.onShortcut(RETRY_KEY, () => retryLostServers(host)),
    ];
    // The banner counts only errors, so this warning is printed here.
    for (const { code, message, hint } of host.problems) {
      if (code === 'odd-variable' || code === 'unused-mode') this.#sayOnce(`${message}. ${hint}`);
    }
    this.#ticking = setInterval(() => this.#drawStatus(), TICK_MS);
    this.#ticking.unref();
    this.#drawStatus();
    void host.settled({ signal: AbortSignal.timeout(START_MS) }).then(() => this.#started());
  }

  /** Prints the lines that had to wait, if they may be written now. */
  flush(): void {
    const { screen, mayWrite } = this.#options;
    if (this.#waiting.length === 0 || !mayWrite()) return;
    const { style, columns } = screen;
    const rows = this.#waiting.splice(0).flatMap((line) => ownRows(line, columns));
    screen.print(rows.map(style.dim).join('\n'));
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearInterval(this.#ticking);
    this.#statusThrottle[Symbol.dispose]();
    for (const listener of this.#listening) listener[Symbol.dispose]();
    this.#options.screen.show('status', undefined);
  }

  #touch(name: string, reason: string): void {
    this.#touchedOf(name).reason = reason;
    this.#statusThrottle.ask();
    this.#soon();
  }

  /** Lists that arrive while a server connects are part of the news that it is connected. */
  #listed(name: string, change: CatalogChange): void {
    if (this.#known.get(name) !== 'connected') {
      if (this.#touched.has(name)) this.#soon();
      return;
    }
    const { changes } = this.#touchedOf(name);
    if (changes.length < CHANGES) changes.push(change);
    this.#soon();
  }

  #touchedOf(name: string): Touched {
    const touched = this.#touched.get(name) ?? { reason: '', changes: [], at: performance.now() };
    this.#touched.set(name, touched);
    return touched;
  }

  #soon(): void {
    if (!this.#isStarting) this.#timer ??= setTimeout(() => this.#tell(), COALESCE_MS).unref();
  }

  /** Reports the first round: connected servers in one line, the others by name. */
  #started(): void {
    if (this.#isOver) return;
    this.#isStarting = false;
    const states = this.#options.host.servers();
    const connected = states.filter(({ status }) => status === 'connected');
    for (const { name } of connected) {
      this.#touched.delete(name);
      this.#known.set(name, 'connected');
    }
    const tools = connected.reduce((sum, server) => sum + (server.tools ?? 0), 0);
    if (connected.length > 0) {
      const [only] = connected;
      const who = connected.length === 1 ? `${only!.name} is` : `${connected.length} servers are`;
      this.#say(`${who} connected, ${tools === 1 ? '1 tool' : `${tools} tools`}`);
    }
    this.#tell();
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { host } = this.#options;
    const early = new Map<string, Touched>();
    const items = [...this.#touched].flatMap(([name, touched]): ServerNewsItem[] => {
      const state = host.server(name);
      if (!state) return [];
      const { reason, changes, at } = touched;
      const before = this.#known.get(name);
      // The tool list arrives a moment after the connection; the number of tools belongs into the same line.
      const isEarly = state.status === 'connected' && before !== 'connected' && state.tools === null;
      if (isEarly && performance.now() - at < LIST_MS) {
        early.set(name, touched);
        return [];
      }
      if (before === state.status && changes.length > 0 && !this.#mayTellLists(name)) return [];
      const { status: after, tools } = state;
      return [{ name, before, after, reason, tools, changes, retry: this.#retryOf(state) }];
    });
    for (const { name, after } of items) {
      // A server that is connecting keeps its old status: the news is whether it comes back.
      if (after !== 'pending') this.#known.set(name, after);
    }
    this.#touched.clear();
    for (const [name, touched] of early) this.#touched.set(name, touched);
    if (early.size > 0) this.#soon();
    for (const line of newsLines(items)) this.#say(line);
    this.#drawStatus();
  }

  #mayTellLists(name: string): boolean {
    const next = this.#listThrottle.next(name);
    if (next === 'last') this.#say(`${name} keeps changing what it offers: not told for a minute; /mcp shows it`);
    return next === 'tell';
  }

  #retryOf({ name, status, attempt = 1 }: ServerState): string | undefined {
    if (status !== 'reconnecting') return undefined;
    const ms = retryInMs(this.#options.host, name);
    if (ms === undefined) return undefined;
    const seconds = Math.ceil(ms / 1000);
    return `${attempt}/${RECONNECT_LIMITS.maxAttempts} ${seconds === 0 ? 'now' : `in ${seconds} s`}`;
  }

  /** One row for servers that are connecting or reconnecting. */
  #drawStatus(): void {
    const { host, screen } = this.#options;
    const states = host.servers();
    const pending = states.filter(({ status }) => status === 'pending');
    const lost = states.filter(({ status }) => status === 'reconnecting');
    const parts = [
      ...(pending.length === 0 ? [] : [`Connecting ${namesOf(pending)} …`]),
      ...lost.slice(0, 2).map((state) => `${showLine(state.name)} lost, retry ${this.#retryOf(state) ?? 'now'}`),
      ...(lost.length > 2 ? [`${lost.length - 2} more lost`] : []),
    ];
    const key = lost.length > 0 ? [`Ctrl-${RETRY_KEY.toUpperCase()} retries now`] : [];
    screen.show('status', parts.length === 0 ? undefined : [screen.style.dim([...key, ...parts].join('; '))]);
  }

  /** Prints each sentence once in a session. */
  #sayOnce(text: string, key = text): void {
    if (this.#said.has(key) || this.#said.size >= SAID) return;
    this.#said.add(key);
    this.#say(text);
  }

  #say(text: string): void {
    if (this.#waiting.length < WAITING) this.#waiting.push(showLine(text));
    this.flush();
  }
}

/** What happened to a server since `at`. */
interface Touched {
  reason: string;
  readonly changes: CatalogChange[];
  readonly at: number;
}

function problemText({ file, message }: Problem): string {
  return `${file}: ${message}`;
}

function namesOf(states: readonly ServerState[]): string {
  const names = states.slice(0, NAMES).map(({ name }) => showLine(name));
  return states.length > NAMES ? `${names.join(', ')} and ${states.length - NAMES} more` : names.join(', ');
}

const RETRY_KEY = 'g';
const COALESCE_MS = 400;
const LIST_MS = 3_000; // a list that takes longer is news of its own
const START_MS = 5_000; // slower servers are reported when they connect
const TICK_MS = 1_000;
const NAMES = 3;
const PROBLEMS = 20;
const CHANGES = 20;
const SAID = 500;
const WAITING = 50; // lines kept during a long turn
