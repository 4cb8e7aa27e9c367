import { Watched } from '../../../base/watched.js';
import type { SamplingEvent, SendEnd, SessionEvent } from '../../../session/index.js';
import type { Screen, Zone } from '../../terminal/screen.js';
import { samplingRows } from './notice-lines.js';

/** Shows one turn. */
export interface TurnShow {
  event(event: SessionEvent): void;
  /** Prints what is finished, before a dialog opens. */
  flush(): void;
  end(end: SendEnd): void;
}

/** Shows a turn, and holds it while a dialog is open. */
export class TurnDisplay {
  /** The screen that a turn is drawn on: its foot is hidden while a dialog is open and restored afterwards. */
  readonly screen: Screen;
  readonly #real: Screen;
  readonly #foot = new Map<Zone, readonly string[] | undefined>();
  readonly #onQuiet: () => void;
  #show: TurnShow | undefined;
  #held: SessionEvent[] = [];
  readonly #isPaused = new Watched(false);
  #isMidAnswer = false;

  /** `onQuiet`: called when other lines may be written. */
  constructor(screen: Screen, onQuiet: () => void) {
    this.#real = screen;
    this.screen = withShow(screen, (zone, rows) => {
      this.#foot.set(zone, rows);
      if (!this.#isPaused.value) screen.show(zone, rows);
    });
    this.#onQuiet = onQuiet;
  }

  /** Another line would now split an answer or a dialog. */
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

  /** `end`: undefined when no turn began. Resolves when the end is shown, which waits for an open dialog. */
  async end(end: SendEnd | undefined): Promise<void> {
    await this.#isPaused.until((isPaused) => !isPaused);
    if (end) this.#show?.end(end);
    this.#show = undefined;
    if (!this.isBusy) this.#onQuiet();
  }

  #perform(event: SessionEvent): void {
    this.#show?.event(event);
    if (!this.#show && event.kind === 'sampling') this.#tellSampling(event);
    if (event.kind === 'text' || event.kind === 'reasoning') this.#isMidAnswer = true;
    else if (event.kind === 'message' || event.kind === 'result') {
      this.#isMidAnswer = false;
      this.#onQuiet();
    }
  }

  /** Between turns, too, the user sees who uses the model. */
  #tellSampling(event: SamplingEvent): void {
    const rows = samplingRows(event, this.#real);
    if (rows.length > 0) this.#real.print(rows.join('\n'));
  }

  /** Of progress events only the last of each call is kept. */
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

/** The screen with another `show`. A Proxy, because Object.create would lose the private fields. */
function withShow(screen: Screen, show: Screen['show']): Screen {
  return new Proxy(screen, {
    get(target, key) {
      if (key === 'show') return show;
      const value: unknown = Reflect.get(target, key, target);
      // Private fields need the screen itself as `this`.
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
