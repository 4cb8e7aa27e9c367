import { HostError } from '../../../base/errors.js';
import type { StoredSession } from '../../../session/index.js';
import type { FullScreen, FullView, Key, Screen } from '../../terminal/screen.js';
import { sessionLine, type SessionListState, sessionRows } from './session-rows.js';

export interface PickSessionOptions {
  readonly screen: Screen;
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
}

/** Has the user pick a session, newest first. Resolves to its id; undefined when the user leaves. Never rejects. */
export async function pickSession(
  sessions: readonly StoredSession[],
  options: PickSessionOptions,
): Promise<string | undefined> {
  const { screen, signal } = options;
  if (signal?.aborted === true || sessions.length === 0) return undefined;
  if (screen.isPlain) return pickByNumber(sessions, options);
  using picker = new SessionPicker(sessions, options);
  return await picker.picked;
}

/** On a screen that cannot be redrawn: a numbered list, and the number is typed. */
async function pickByNumber(
  sessions: readonly StoredSession[],
  { screen, now, signal }: PickSessionOptions,
): Promise<string | undefined> {
  const shown = sessions.slice(0, NUMBERED);
  const lines = shown.map(
    (session, index) => `${index + 1}  ${sessionLine(session, { now, columns: screen.columns })}`,
  );
  screen.print(['Sessions of this folder, newest first:', ...lines].join('\n'));
  try {
    for (;;) {
      const answer = (await screen.ask('Number of the session to resume, Enter leaves: ', { signal })).trim();
      if (answer === '') return undefined;
      const chosen = /^\d{1,3}$/u.test(answer) ? shown[Number(answer) - 1] : undefined;
      if (chosen) return chosen.id;
      screen.print(`Write a number from 1 to ${shown.length}.`);
    }
  } catch (cause) {
    if (cause instanceof HostError && cause.code === 'cancelled') return undefined;
    throw cause;
  }
}

class SessionPicker implements FullView, Disposable {
  readonly picked: Promise<string | undefined>;
  readonly #sessions: readonly StoredSession[];
  readonly #options: PickSessionOptions;
  readonly #full: FullScreen;
  #resolve!: (picked: string | undefined) => void;
  #state: SessionListState = { at: 0, top: 0 };
  /** The user could see the rows. */
  #isSeen = false;

  constructor(sessions: readonly StoredSession[], options: PickSessionOptions) {
    this.#sessions = sessions;
    this.#options = options;
    this.picked = new Promise((resolve) => (this.#resolve = resolve));
    options.signal?.addEventListener('abort', () => this.#resolve(undefined), { once: true });
    this.#full = options.screen.openFull(this);
  }

  draw(size: { readonly columns: number; readonly rows: number }): readonly string[] {
    const { screen, now } = this.#options;
    const { rows, top } = sessionRows(this.#state, this.#sessions, { ...size, style: screen.style, now });
    this.#state = { ...this.#state, top };
    // After two turns of the event loop all keys pressed before are read: they must not choose.
    setImmediate(() => setImmediate(() => void (this.#isSeen = true)));
    return rows;
  }

  key(key: Key): void {
    const pressed = pressInSessions(this.#state, key, this.#sessions);
    if (pressed.kind === 'left') return this.#resolve(undefined);
    if (!this.#isSeen) return;
    if (pressed.kind === 'picked') return this.#resolve(pressed.id);
    this.#state = pressed.state;
    this.#full.changed();
  }

  [Symbol.dispose](): void {
    this.#full[Symbol.dispose]();
  }
}

/** What a key means in the list of sessions. */
export type PressedInSessions =
  | { readonly kind: 'picked'; readonly id: string }
  | { readonly kind: 'left' }
  | { readonly kind: 'moved'; readonly state: SessionListState };

/** The effect of a key. Pure. */
export function pressInSessions(
  state: SessionListState,
  key: Pick<Key, 'name' | 'ctrl' | 'meta'>,
  sessions: readonly StoredSession[],
): PressedInSessions {
  const last = sessions.length - 1;
  const moved = (at: number): PressedInSessions => ({
    kind: 'moved',
    state: { ...state, at: Math.max(0, Math.min(last, at)) },
  });
  if (key.ctrl) return key.name === 'c' || key.name === 'd' ? { kind: 'left' } : moved(state.at);
  if (key.meta) return moved(state.at);
  switch (key.name) {
    case 'up':
    case 'k':
      return moved(state.at - 1);
    case 'down':
    case 'j':
    case 'tab':
      return moved(state.at + 1);
    case 'pageup':
      return moved(state.at - PAGE);
    case 'pagedown':
      return moved(state.at + PAGE);
    case 'home':
      return moved(0);
    case 'end':
      return moved(last);
    case 'return':
      return { kind: 'picked', id: sessions[state.at]!.id };
    case 'escape':
    case 'q':
      return { kind: 'left' };
    default:
      return moved(state.at);
  }
}

const NUMBERED = 30; // more would scroll the newest off the screen
const PAGE = 10;
