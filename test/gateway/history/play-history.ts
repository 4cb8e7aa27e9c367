import { isObject, type JsonObject } from '../../../src/base/json.js';
import { HistoryClient } from './history-client.js';

/** Clients of one kind: where they call, and whether a question may be refused because it could be anybody's. */
export interface ClientGroup {
  readonly path: string;
  readonly era: 'legacy' | 'modern';
  readonly count: number;
  /** Whether each client has a connection to the server of its own. */
  readonly isOwned: boolean;
}

export interface History {
  calls: number;
  questions: number;
  /** Results, or the answers in them, that belong to another call. */
  readonly crossed: string[];
  /** Questions about a call that is not this client's. */
  readonly misplaced: string[];
  /** Questions that were refused where they could not be anybody else's. */
  readonly refused: string[];
  readonly failed: string[];
  /** Refused where clients share a connection, which is allowed. */
  shared: number;
}

interface Play {
  readonly origin: string;
  readonly groups: readonly ClientGroup[];
  readonly calls: number;
  /** How many calls each client has open at once. */
  readonly atOnce: number;
}

/** Lets all clients call at once, and looks at everything that they are told. */
export async function playHistory({ origin, groups, calls, atOnce }: Play): Promise<History> {
  const history: History = { calls: 0, questions: 0, crossed: [], misplaced: [], refused: [], failed: [], shared: 0 };
  const players = groups.flatMap((group, at) =>
    Array.from({ length: group.count }, (_, index) => new Player(`g${at}c${index}`, { group, origin, history })),
  );
  try {
    await Promise.all(players.map((player) => player.open()));
    const turns = players.flatMap((player) => Array.from({ length: atOnce }, () => player));
    await Promise.all(
      turns.map(async (player) => {
        while (history.calls < calls) {
          history.calls++;
          await player.call();
        }
      }),
    );
  } finally {
    for (const player of players) player[Symbol.dispose]();
  }
  return history;
}

class Player implements Disposable {
  readonly #name: string;
  readonly #isOwned: boolean;
  readonly #client: HistoryClient;
  readonly #history: History;
  readonly #open = new Set<string>();
  #calls = 0;

  constructor(name: string, { group, origin, history }: { group: ClientGroup; origin: string; history: History }) {
    this.#name = name;
    this.#isOwned = group.isOwned;
    this.#history = history;
    this.#client = new HistoryClient({
      url: `${origin}${group.path}`,
      name,
      era: group.era,
      ...(group.era === 'modern' && group.isOwned && { session: name }),
      answer: (method, params) => this.#answer(method, params),
    });
  }

  open(): Promise<void> {
    return this.#client.open();
  }

  async call(): Promise<void> {
    const nonce = `${this.#name}/${++this.#calls}`;
    this.#open.add(nonce);
    try {
      this.#check(nonce, await this.#client.call('work', { nonce }));
    } catch (error) {
      this.#history.failed.push(`${nonce}: ${String(error)}`);
    } finally {
      this.#open.delete(nonce);
    }
  }

  #check(nonce: string, result: JsonObject): void {
    const text = textOf(result);
    if (result['isError'] === true || text === undefined) {
      this.#history.failed.push(`${nonce}: ${JSON.stringify(result)}`);
      return;
    }
    const { nonce: told, said } = JSON.parse(text) as { nonce: string; said: readonly string[] };
    if (told !== nonce) this.#history.crossed.push(`${nonce} got the result of ${told}`);
    for (const word of said) {
      if (word === toAnswer(nonce, this.#name)) continue;
      if (!word.startsWith('refused')) this.#history.crossed.push(`${nonce} got the answer ${word}`);
      else if (this.#isOwned) this.#history.refused.push(`${nonce}: ${word}`);
      else this.#history.shared++;
    }
  }

  #answer(method: string, params: JsonObject): JsonObject {
    this.#history.questions++;
    const nonce = method === 'elicitation/create' ? String(params['message']) : textOfMessage(params);
    if (!this.#open.has(nonce)) this.#history.misplaced.push(`${this.#name} was asked about ${nonce}`);
    const answer = toAnswer(nonce, this.#name);
    if (method === 'elicitation/create') return { action: 'accept', content: { answer } };
    return { role: 'assistant', model: 'a model', content: { type: 'text', text: answer } };
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}

function toAnswer(nonce: string, name: string): string {
  return `${nonce} by ${name}`;
}

function textOf({ content }: JsonObject): string | undefined {
  const [first] = Array.isArray(content) ? (content as readonly unknown[]) : [];
  return isObject(first) && typeof first['text'] === 'string' ? first['text'] : undefined;
}

function textOfMessage({ messages }: JsonObject): string {
  const [message] = messages as readonly [{ content: { text: string } }];
  return message.content.text;
}
