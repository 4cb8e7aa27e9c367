import type { FullScreen, FullView, Key, Screen } from '../terminal/screen.js';
import { pickerRows, type PickerSize } from './picker-rows.js';
import { firstPicks, type PickerOffer, type Picked, type PickerState, pressInPicker } from './picker-state.js';

export interface PickerOptions extends Pick<PickerSize, 'heading' | 'pathOf'> {
  readonly screen: Screen;
  readonly signal?: AbortSignal | undefined;
}

/** Has the user pick on the whole screen. Never rejects: a terminal that is gone means later. */
export async function pick(offer: PickerOffer, options: PickerOptions): Promise<Picked> {
  if (options.signal?.aborted === true) return { kind: 'later' };
  using picker = new Picker(offer, options);
  return await picker.picked;
}

class Picker implements FullView, Disposable {
  readonly picked: Promise<Picked>;
  readonly #offer: PickerOffer;
  readonly #options: PickerOptions;
  readonly #full: FullScreen;
  #resolve!: (picked: Picked) => void;
  #state: PickerState;
  #isDrawn = false;
  /** The user could see the rows. */
  #isSeen = false;
  /** Time of the last key that came too early. */
  #earlyAt = -Infinity;

  constructor(offer: PickerOffer, options: PickerOptions) {
    this.#offer = offer;
    this.#options = options;
    this.#state = firstPicks(offer);
    this.picked = new Promise((resolve) => (this.#resolve = resolve));
    options.signal?.addEventListener('abort', () => this.#resolve({ kind: 'later' }), { once: true });
    this.#full = options.screen.openFull(this);
  }

  draw(size: { readonly columns: number; readonly rows: number }): readonly string[] {
    const { screen, heading, pathOf } = this.#options;
    const { rows, top } = pickerRows(this.#state, this.#offer, { ...size, style: screen.style, heading, pathOf });
    this.#state = { ...this.#state, top };
    // After two turns of the event loop all keys pressed before are read.
    if (!this.#isDrawn) setImmediate(() => setImmediate(() => void (this.#isSeen = true)));
    this.#isDrawn = true;
    return rows;
  }

  key(key: Key): void {
    const isLeaving = key.name === 'escape' || key.ctrl;
    if (!isLeaving && this.#isEarly()) return;
    const { state, picked } = pressInPicker(this.#state, key, this.#offer);
    this.#state = state;
    if (picked) this.#resolve(picked);
    else this.#full.changed();
  }

  [Symbol.dispose](): void {
    this.#full[Symbol.dispose]();
  }

  /** A key that was pressed before the rows could be seen, or that continues such a word, must not choose. */
  #isEarly(): boolean {
    const now = performance.now();
    const isEarly = !this.#isSeen || now - this.#earlyAt <= WORD_MS;
    if (isEarly) this.#earlyAt = now;
    return isEarly;
  }
}

const WORD_MS = 400; // longer than a pause within a word
