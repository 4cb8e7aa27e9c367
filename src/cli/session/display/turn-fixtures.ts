import type { CallResult } from '../../../index.js';
import { NO_USAGE, type SendEnd, type SessionEvent } from '../../../session/index.js';
import { styleFor } from '../../output/style.js';
import { NO_IMAGES } from '../../terminal/images/terminal-images.js';
import type { Screen, Zone } from '../../terminal/screen.js';
import { TurnView } from './turn-view.js';

/** A screen that records what is written on it. */
export class PaperScreen implements Screen {
  readonly columns: number;
  readonly rows = 24;
  readonly style;
  readonly isPlain: boolean;
  readonly images = NO_IMAGES;
  readonly printed: string[] = [];
  readonly foot = new Map<Zone, readonly string[]>();
  shows = 0;
  draw: (() => void) | undefined;
  readonly prompt = nobody;
  readonly ask = nobody;
  readonly choose = nobody;
  readonly openBlock = nobody;
  readonly openFull = nobody;
  readonly onInterrupt = nobody;
  readonly onShortcut = nobody;

  constructor({ columns = 80, isPlain = false, noColor = true } = {}) {
    this.columns = columns;
    this.isPlain = isPlain;
    this.style = styleFor({ isTerminal: true, columns, write: () => {} }, { env: {}, noColor });
  }

  print(text: string): void {
    this.printed.push(...text.split('\n'));
  }

  printLater(): void {}

  copy(): void {}

  show(zone: Zone, rows: readonly string[] | undefined): void {
    this.shows++;
    if (rows === undefined || rows.length === 0) this.foot.delete(zone);
    else this.foot.set(zone, rows);
  }

  animate(draw: () => void): Disposable {
    this.draw = draw;
    return { [Symbol.dispose]: () => void (this.draw = undefined) };
  }

  get standing(): readonly string[] {
    return [...(this.foot.get('stream') ?? []), ...(this.foot.get('work') ?? [])];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

function nobody(): never {
  throw new Error('nobody is asked here');
}

export interface TurnFixture {
  readonly screen: PaperScreen;
  readonly view: TurnView;
  readonly play: (...events: readonly SessionEvent[]) => void;
  readonly wait: (ms: number) => readonly string[];
}

export function stage(
  options: ConstructorParameters<typeof PaperScreen>[0] & { readonly isVerbose?: boolean } = {},
): TurnFixture {
  let now = 0;
  const screen = new PaperScreen(options);
  const view = new TurnView({ screen, isVerbose: options.isVerbose === true, provider: 'Anthropic', now: () => now });
  return {
    screen,
    view,
    play: (...events) => {
      for (const event of events) view.event(event);
    },
    wait: (ms) => {
      now += ms;
      screen.draw?.();
      return screen.standing;
    },
  };
}

export const DONE: SendEnd = { kind: 'done', turns: 1, usage: NO_USAGE, text: '' };
export const message: SessionEvent = { kind: 'message', parts: [], usage: NO_USAGE };
export const text = (words: string): SessionEvent => ({ kind: 'text', text: words });
export const callEvent = (id: string, tool: string, input = {}): SessionEvent => ({
  kind: 'call',
  id,
  name: `mcp__github__${tool}`,
  input,
});

export function resultEvent(callId: string, tool: string, more: Partial<CallResult> = {}): SessionEvent {
  const name = `mcp__github__${tool}`;
  const plain = { outcome: 'ok', content: [], saved: [], notes: [], attempts: 1, ms: 312 } as const;
  return { kind: 'result', result: { name, calledAs: name, server: 'github', tool, callId, ...plain, ...more } };
}

export const said = (words: string): CallResult['content'] => [{ type: 'text', text: words }];
