import type { Clock } from '../model/clock.js';

/**
 * How much one server may say unasked before others get their turn: so many messages per turn of the event loop, and
 * fewer when it keeps that up. Answers are never held back for their own sake, only with the stream they come on.
 */
export class HttpRation {
  readonly #clock: Clock;
  #spent = 0;
  #isCounting = false;
  #fullTurns = 0;
  #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** One more. True: that was the last for now, and whoever reads on waits. */
  spend(): boolean {
    if (!this.#isCounting) {
      this.#isCounting = true;
      this.#clock.soon(() => this.#endTurn());
    }
    return ++this.#spent >= MESSAGES_PER_TURN;
  }

  /** Called once, when there is room again. */
  wait(goOn: () => void): void {
    this.#waiting.push(goOn);
  }

  #endTurn(): void {
    this.#fullTurns = this.#spent >= MESSAGES_PER_TURN ? this.#fullTurns + 1 : 0;
    if (this.#fullTurns <= FULL_TURNS) this.#startTurn();
    else this.#clock.after(FLOOD_PAUSE, () => this.#startTurn());
  }

  #startTurn(): void {
    this.#isCounting = false;
    this.#spent = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) goOn();
  }
}

const MESSAGES_PER_TURN = 200; // about a millisecond of work
const FULL_TURNS = 5; // a burst, such as the log of a start, passes at full speed
const FLOOD_PAUSE = 10;
