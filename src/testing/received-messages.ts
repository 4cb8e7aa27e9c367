import type { HostRequest } from './healthy.js';

/** One request of the host, and what every channel gives whoever answers it. */
export interface ServedRequest extends HostRequest {
  readonly hear: Hear;
  /** For what only this mode looks out for. */
  readonly count: (what: string) => void;
  /** Aborted when the connection is closed, from whichever side. */
  readonly gone: AbortSignal;
}

/** A message of the host, whatever it is. */
export interface ReceivedMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The next message of the host that fits; undefined when `gone` comes first. */
export type Hear = (fits: (message: ReceivedMessage) => boolean) => Promise<ReceivedMessage | undefined>;

/** Lets a mode wait for what the host says next. */
export class ReceivedMessages {
  readonly #waiting = new Set<(message: ReceivedMessage) => void>();

  tell(message: ReceivedMessage): void {
    for (const look of this.#waiting) look(message);
  }

  hear(fits: (message: ReceivedMessage) => boolean, gone: AbortSignal): Promise<ReceivedMessage | undefined> {
    return new Promise((resolve) => {
      const settle = (message: ReceivedMessage | undefined): void => {
        this.#waiting.delete(look);
        resolve(message);
      };
      const look = (message: ReceivedMessage): void => {
        if (fits(message)) settle(message);
      };
      this.#waiting.add(look);
      gone.addEventListener('abort', () => settle(undefined), { once: true });
      if (gone.aborted) settle(undefined);
    });
  }
}
