import { isObject } from '../../../src/base/json.js';
import type { JsonObject } from '../../../src/wire/message.js';

/** Everything that one connection's server has been sent, and a way to wait for more of it. */
export class Diary {
  readonly #messages: JsonObject[] = [];
  readonly #waiting = new Set<() => void>();

  take(message: unknown): void {
    if (isObject(message)) this.#messages.push(message);
    for (const look of this.#waiting) look();
  }

  /** What came under a method, oldest first. */
  all(method: string): readonly JsonObject[] {
    return this.#messages.filter((message) => message['method'] === method);
  }

  /** Resolves as soon as `find` finds something. */
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
}

/** Writes down what arrives before the SDK sees it. */
export function watch(transport: { onmessage?: unknown }, diary: Diary): void {
  const inner = transport.onmessage as (...all: unknown[]) => void;
  const onmessage = (...all: unknown[]): void => {
    diary.take(all[0]);
    inner(...all);
  };
  Object.assign(transport, { onmessage });
}
