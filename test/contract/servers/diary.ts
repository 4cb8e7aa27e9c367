import { isObject, type JsonObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';

/** All messages that a server received on one connection, and a way to wait for more. */
export class Diary {
  readonly #messages: JsonObject[] = [];
  readonly #waiting = new Set<() => void>();

  take(message: unknown): void {
    if (isObject(message)) this.#messages.push(message);
    for (const look of this.#waiting) look();
  }

  /** Records that the client has closed the stream of this request, which cancels a request over HTTP. */
  left(id: RequestId): void {
    this.take({ method: LEFT, params: { requestId: id } });
  }

  /** Messages with this method, oldest first. */
  all(method: string): readonly JsonObject[] {
    return this.#messages.filter((message) => message['method'] === method);
  }

  get requests(): readonly JsonObject[] {
    return this.#messages.filter(({ id, method }) => id !== undefined && method !== undefined);
  }

  /** The client's responses. */
  get replies(): readonly JsonObject[] {
    return this.#messages.filter(({ method }) => method === undefined);
  }

  /** Subscriptions opened and closed, in order, each by its number. */
  get subscriptions(): readonly string[] {
    const ids = this.all('subscriptions/listen').map(({ id }) => id);
    return this.#messages.flatMap(({ id, method, params }) => {
      if (method === 'subscriptions/listen') return `opened ${ids.indexOf(id) + 1}`;
      const number = WITHDRAWALS.has(method) ? ids.indexOf((params as JsonObject)['requestId']) : -1;
      return number < 0 ? [] : `closed ${number + 1}`;
    });
  }

  /** Resolves as soon as `find` returns a value. */
  until<Found>(find: (diary: Diary) => Found | undefined): Promise<Found> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = find(this);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** The call of the tool `wait` with this key. */
  waitCall(key: unknown): JsonObject | undefined {
    return this.all('tools/call').find(({ params }) => {
      const { name, arguments: input } = params as JsonObject;
      return name === 'wait' && (input as JsonObject)['key'] === key;
    });
  }

  /** The message by which the client cancelled a request. */
  withdrawal(id: unknown): JsonObject | undefined {
    return this.#messages.find(
      ({ method, params }) => WITHDRAWALS.has(method) && (params as JsonObject)['requestId'] === id,
    );
  }
}

const LEFT = '(stream closed)';
const WITHDRAWALS: ReadonlySet<unknown> = new Set(['notifications/cancelled', LEFT]);

/** Records messages before the SDK's handler gets them. */
export function watch(transport: { onmessage?: unknown }, diary: Diary): void {
  const inner = transport.onmessage as (...all: unknown[]) => void;
  const onmessage = (...all: unknown[]): void => {
    diary.take(all[0]);
    inner(...all);
  };
  Object.assign(transport, { onmessage });
}
