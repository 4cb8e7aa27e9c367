import { Watched } from '../../../base/watched.js';
import type { SendEnd, SessionEvent } from '../../../session/index.js';
import type { Screen, Zone } from '../../terminal/screen.js';

/** Whoever shows a turn. */
export interface TurnShow {
  event(event: SessionEvent): void;
  /** Prints what is finished, before somebody is asked something: it must not stand in the middle of that. */
  flush(): void;
  end(end: SendEnd): void;
}

/** What is shown of a turn, and when: nothing moves while somebody is asked. */
export class TurnDisplay {
  /** What a turn is shown on: nothing moves at its foot while somebody is asked, and what stands there comes back afterwards. */
  readonly screen: Screen;
  readonly #real: Screen;
  readonly #foot = new Map<Zone, readonly string[] | undefined>();
  readonly #onQuiet: () => void;
  #show: TurnShow | undefined;
  #held: SessionEvent[] = [];
  readonly #isPaused = new Watched(false);
  #isMidAnswer = false;

  /** `onQuiet`: other lines may be written now. */
  constructor(screen: Screen, onQuiet: () => void) {
    this.#real = screen;
    this.screen = withShow(screen, (zone, rows) => {
      this.#foot.set(zone, rows);
      if (!this.#isPaused.value) screen.show(zone, rows);
    });
    this.#onQuiet = onQuiet;
  }

  /** A line of somebody else would stand in the middle of an answer, or of a question. */
  get isBusy(): boolean {
    return this.#isPaused.value || (this.#show !== undefined && this.#isMidAnswer);
  }

  begin(show: TurnShow): void {
    this.#show = show;
    this.#isMidAnswer = false;
  }

  event(event: SessionEvent): void {
    if (this.#isPaused.value) this.#hold(event);
    else this.#perform(event);
  }

  pause(): void {
    this.#show?.flush();
    this.#isPaused.set(true);
    for (const zone of this.#foot.keys()) this.#real.show(zone, undefined);
  }

  resume(): void {
    this.#isPaused.set(false);
    for (const [zone, rows] of this.#foot) this.#real.show(zone, rows);
    const held = this.#held;
    this.#held = [];
    for (const event of held) this.#perform(event);
    if (!this.isBusy) this.#onQuiet();
  }

  /** `end`: undefined for what came to no turn. Resolves when it is shown, which is not before whoever is asked something has answered. */
  async end(end: SendEnd | undefined): Promise<void> {
    await this.#isPaused.until((isPaused) => !isPaused);
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

/** The same screen, but for what shows rows at its foot. Object.create would not do: a screen has private fields. */
function withShow(screen: Screen, show: Screen['show']): Screen {
  return new Proxy(screen, {
    get(target, key) {
      if (key === 'show') return show;
      const value: unknown = Reflect.get(target, key, target);
      // Its methods have to be called on the screen itself.
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
