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
export interface HeardMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The next message of the host that fits; undefined when `gone` comes first. */
export type Hear = (fits: (message: HeardMessage) => boolean) => Promise<HeardMessage | undefined>;

/** Lets a mode wait for what the host says next. */
export class ReceivedMessages {
  readonly #waiting = new Set<(message: HeardMessage) => void>();

  tell(message: HeardMessage): void {
    for (const look of this.#waiting) look(message);
  }

  hear(fits: (message: HeardMessage) => boolean, gone: AbortSignal): Promise<HeardMessage | undefined> {
    return new Promise((resolve) => {
      const settle = (message: HeardMessage | undefined): void => {
        this.#waiting.delete(look);
        resolve(message);
      };
      const look = (message: HeardMessage): void => {
        if (fits(message)) settle(message);
      };
      this.#waiting.add(look);
      gone.addEventListener('abort', () => settle(undefined), { once: true });
      if (gone.aborted) settle(undefined);
    });
  }
}
