import type { JsonObject } from '../../../src/base/json.js';
import { type Era, WatchedClient } from './watched-client.js';

const PAUSE_MS = 20; // between two rounds; a neighbour is not to be the load itself
const LIST_EVERY = 5; // rounds

/** A client of the healthy server, which calls it and reads its list over and over, and keeps all that is not as ever. */
export class Neighbour implements Disposable {
  readonly times: number[] = [];
  readonly #client: WatchedClient;
  readonly #name: string;
  readonly #faults: string[] = [];
  readonly #over = new AbortController();
  readonly #waiting: (() => void)[] = [];
  #answered = 0;
  #list = '';
  #running: Promise<void> = Promise.resolve();

  constructor(url: string, era: Era) {
    this.#name = `neighbour-${era}`;
    this.#client = new WatchedClient({ url, era, name: this.#name });
  }

  /** Begins to call. What it is told outside of its requests counts as a fault from then on. */
  async begin(): Promise<void> {
    await this.#client.open();
    this.#list = await this.#readList();
    this.#client.listen();
    this.#running = this.#run();
  }

  /** How many calls have been answered. */
  get answered(): number {
    return this.#answered;
  }

  /** Resolves when so many calls have been answered. */
  async answers(count: number): Promise<void> {
    while (this.#answered < count) await new Promise<void>((heard) => this.#waiting.push(heard));
  }

  /** What was not right so far; each is told once. */
  faults(): string[] {
    const told = this.#client.notified.filter((method) => method !== 'notifications/subscriptions/acknowledged');
    return [
      ...this.#faults.splice(0),
      ...this.#client.faults.splice(0),
      ...told.map((method) => `${this.#name} was told ${method}`),
      ...this.#client.asked.map((method) => `${this.#name} was asked ${method}`),
    ];
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#running;
  }

  [Symbol.dispose](): void {
    this.#over.abort();
    this.#client[Symbol.dispose]();
  }

  async #run(): Promise<void> {
    for (let round = 0; !this.#over.signal.aborted; round++) {
      try {
        await this.#call(`${this.#name} ${round}`);
        if (round % LIST_EVERY === 0 && (await this.#readList()) !== this.#list)
          this.#faults.push(`the list of ${this.#name} is another one`);
      } catch (error) {
        this.#faults.push(`${this.#name}: ${String(error)}`);
      }
      await new Promise((resolve) => void setTimeout(resolve, PAUSE_MS));
    }
  }

  async #call(text: string): Promise<void> {
    const began = performance.now();
    const { result, error } = await this.#client.call('echo', { text });
    this.times.push(performance.now() - began);
    this.#answered++;
    for (const heard of this.#waiting.splice(0)) heard();
    const [first] = (result?.['content'] ?? []) as readonly JsonObject[];
    if (first?.['text'] === text && result?.['isError'] !== true) return;
    this.#faults.push(`${text} was answered ${JSON.stringify(error ?? result).slice(0, 300)}`);
  }

  /** The list as it came, without the id. */
  async #readList(): Promise<string> {
    const { bytes } = await this.#client.request('tools/list');
    return bytes.replace(/"id":\d+/u, '');
  }
}
