import type { HostRequest } from './healthy.js';

/** One request from the host, with what every channel gives to its handler. */
export interface ServedRequest extends HostRequest {
  readonly hear: Hear;
  /** Adds to a count that only this mode has. */
  readonly count: (what: string) => void;
  /** Aborts when either side closes the connection. */
  readonly gone: AbortSignal;
}

/** A message from the host, of any kind. */
export interface ReceivedMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Waits for the next message from the host that fits; undefined when `gone` aborts first. */
export type Hear = (fits: (message: ReceivedMessage) => boolean) => Promise<ReceivedMessage | undefined>;

/** Lets a mode wait for the next messages from the host. */
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
