import type { SessionEvent } from '../../session/session-event.js';
import type { SendEnd } from '../../session/conversation.js';
import type { Screen } from '../terminal/screen.js';
import { type QuietScreen, quietScreen } from './quiet-screen.js';

/** Whoever shows a turn. */
export interface TurnShow {
  event(event: SessionEvent): void;
  /** Prints what is finished, before somebody is asked something: it must not stand in the middle of that. */
  flush(): void;
  end(end: SendEnd): void;
}

/** What is shown of a turn, and when: nothing moves while somebody is asked. */
export class Stage {
  /** What a turn is shown on. */
  readonly screen: Screen;
  readonly #quiet: QuietScreen;
  readonly #onQuiet: () => void;
  #show: TurnShow | undefined;
  #held: SessionEvent[] = [];
  #isPaused = false;
  /** Those who go on when nobody is asked any more. */
  #waiting: (() => void)[] = [];
  #isMidAnswer = false;

  /** `onQuiet`: other lines may be written now. */
  constructor(screen: Screen, onQuiet: () => void) {
    this.#quiet = quietScreen(screen);
    this.screen = this.#quiet.screen;
    this.#onQuiet = onQuiet;
  }

  /** A line of somebody else would stand in the middle of an answer, or of a question. */
  get isBusy(): boolean {
    return this.#isPaused || (this.#show !== undefined && this.#isMidAnswer);
  }

  begin(show: TurnShow): void {
    this.#show = show;
    this.#isMidAnswer = false;
  }

  event(event: SessionEvent): void {
    if (this.#isPaused) this.#hold(event);
    else this.#perform(event);
  }

  pause(): void {
    this.#show?.flush();
    this.#isPaused = true;
    this.#quiet.hush(true);
  }

  resume(): void {
    this.#isPaused = false;
    this.#quiet.hush(false);
    const held = this.#held;
    this.#held = [];
    for (const event of held) this.#perform(event);
    if (!this.isBusy) this.#onQuiet();
    for (const goOn of this.#waiting.splice(0)) goOn();
  }

  /** `end`: undefined for what came to no turn. Resolves when it is shown, which is not before whoever is asked something has answered. */
  async end(end: SendEnd | undefined): Promise<void> {
    while (this.#isPaused) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (end) this.#show?.end(end);
    this.#show = undefined;
    if (!this.isBusy) this.#onQuiet();
  }

  #perform(event: SessionEvent): void {
    this.#show?.event(event);
    if (event.kind === 'text' || event.kind === 'reasoning') this.#isMidAnswer = true;
    else if (event.kind === 'message' || event.kind === 'result') {
      this.#isMidAnswer = false;
      this.#onQuiet();
    }
  }

  /** How far something was while nobody looked is not worth keeping. */
  #hold(event: SessionEvent): void {
    const last = this.#held.at(-1);
    if (event.kind === 'progress' && this.#held.length > 0) {
      const { id } = event;
      this.#held = this.#held.filter((one) => one.kind !== 'progress' || one.id !== id);
    }
    if (event.kind === 'text' && last?.kind === 'text') {
      this.#held[this.#held.length - 1] = { kind: 'text', text: last.text + event.text };
      return;
    }
    this.#held.push(event);
  }
}
