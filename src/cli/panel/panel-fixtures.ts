import { Watched } from '../../base/watched.js';
import { within } from '../../base/within.js';
import type { ConfiguredServer } from '../../actions/action-place.js';
import type { ServerState } from '../../index.js';
import type { CostReport } from '../../model/view/tool-cost.js';
import type { Style } from '../output/style.js';
import { type ImageDrawer, NO_IMAGES } from '../terminal/images/terminal-images.js';
import type { FullScreen, FullView, Key, Screen } from '../terminal/screen.js';
import type { PanelContent } from './panel-body.js';
import { toBody } from './panel-body.js';
import { type PanelServer, widestOf } from './panel-data.js';
import { press } from './panel-keys.js';
import { bodyHeight, drawPanel } from './panel-rows.js';
import { type Effect, type PanelState, sawRows } from './panel-state.js';

export const plain: Style = {
  bold: String,
  dim: String,
  italic: String,
  underline: String,
  inverse: String,
  cyan: String,
  red: String,
  green: String,
  yellow: String,
};

export interface ServerParts extends Partial<Omit<PanelServer, 'state' | 'definition'>> {
  readonly state?: Partial<ServerState>;
  readonly standing?: ConfiguredServer['standing'];
  readonly definition?: Partial<ConfiguredServer>;
}

/** A server of the user's scope, connected by default. */
export function panelServerOf(
  name: string,
  { state, standing = { kind: 'ready' }, definition, ...more }: ServerParts = {},
): PanelServer {
  const scope = definition?.scope ?? 'user';
  const origin = '/home/u/config.json';
  return {
    key: JSON.stringify([name, scope, origin]),
    state: {
      name,
      scope,
      origin,
      transport: 'stdio',
      status: 'connected',
      protocol: '2025-11-25',
      tools: 5,
      resources: 2,
      prompts: 1,
      ms: 120,
      ...state,
    },
    definition: {
      name,
      scope,
      origin,
      author: 'user',
      standing,
      written: { command: 'npx', args: ['-y', name] },
      config: undefined,
      ...definition,
    },
    retryInMs: undefined,
    tokens: { loaded: 850, deferred: 0, instructions: 4 },
    canSignIn: false,
    doing: undefined,
    ...more,
  };
}

export function contentOf(servers: readonly PanelServer[], more: Partial<PanelContent> = {}): PanelContent {
  return {
    data: { servers, cost: costOf(servers), ...widestOf(servers), problems: { count: 0, first: '' } },
    detail: undefined,
    item: undefined,
    call: undefined,
    request: undefined,
    log: { lines: [], about: '' },
    ...more,
  };
}

/** What these servers cost a model with a context of 200,000 tokens. */
export function costOf(servers: readonly PanelServer[]): CostReport {
  const counted = servers.flatMap(({ state, tokens }) => (tokens ? [{ name: state.name, tools: [], ...tokens }] : []));
  const sum = (of: (one: (typeof counted)[number]) => number): number => counted.reduce((all, one) => all + of(one), 0);
  return {
    contextTokens: 200_000,
    loaded: 1_000 + sum(({ loaded }) => loaded),
    deferred: sum(({ deferred }) => deferred),
    system: 500,
    instructions: sum(({ instructions }) => instructions),
    builtIns: [{ name: 'ToolSearch', tokens: 1_000, load: 'always' }],
    servers: counted.map(({ tools: _tools, ...one }) => ({ ...one, tools: [] })),
    changes: [],
    changed: { count: 0, tokens: 0 },
  };
}

/** The key for a word such as `j`, `G`, `up` or `ctrl-c`. */
export function panelKeyOf(word: string): Key {
  const [, held, name = word] = /^(?:(ctrl)-)?(.+)$/u.exec(word) ?? [];
  const isNamed = name.length > 1;
  const text = isNamed ? (name === 'space' ? ' ' : '') : name;
  return {
    name: name.toLowerCase(),
    text: held === undefined ? text : '',
    ctrl: held !== undefined,
    meta: false,
    shift: !isNamed && name !== name.toLowerCase(),
  };
}

/** Presses keys one after the other, and draws the screen before each. */
export function play(
  state: PanelState,
  words: readonly string[],
  {
    content,
    columns = 80,
    rows = 24,
  }: { readonly content: PanelContent; readonly columns?: number; readonly rows?: number },
): { readonly state: PanelState; readonly effects: readonly Effect[] } {
  const effects: Effect[] = [];
  let current = state;
  const screen = { columns, rows, style: plain, permissionOf: () => undefined };
  for (const word of words) {
    const body = toBody(current.view, content, { columns, style: plain });
    const { top, height } = drawPanel(current, { content, body }, screen);
    current = sawRows(current, { top, height, columns });
    const stage = {
      data: content.data,
      height: bodyHeight(current, content, screen),
      columns,
      lines: body.lines,
      rowCount: body.rows.length,
      item: content.item,
      call: content.call,
    };
    const { state: next, effect } = press(current, panelKeyOf(word), stage);
    current = next;
    if (effect) effects.push(effect);
  }
  return { state: current, effects };
}

/** The text of the screen. */
export function paint(
  state: PanelState,
  content: PanelContent,
  { columns = 80, rows = 24 }: { readonly columns?: number; readonly rows?: number } = {},
): string {
  const body = toBody(state.view, content, { columns, style: plain });
  const screen = { columns, rows, style: plain, permissionOf: () => undefined };
  return drawPanel(state, { content, body }, screen)
    .rows.map((row) => row.trimEnd())
    .join('\n');
}

/** A screen for full-screen views whose text a test can read. */
export class FullScene implements Pick<Screen, 'openFull' | 'style' | 'columns' | 'rows' | 'images' | 'copy'> {
  readonly style = plain;
  columns: number;
  rows: number;
  draws = 0;
  images: ImageDrawer = NO_IMAGES;
  /** What was copied last. */
  copied = '';
  #view: FullView | undefined;
  #isDue = false;
  readonly #shown = new Watched('');

  constructor(columns = 100, rows = 30) {
    this.columns = columns;
    this.rows = rows;
  }

  get isOpen(): boolean {
    return this.#view !== undefined;
  }

  get text(): string {
    return this.#shown.value;
  }

  openFull(view: FullView): FullScreen {
    this.#view = view;
    this.#soon();
    return {
      changed: () => this.#soon(),
      [Symbol.dispose]: () => {
        this.#view = undefined;
      },
    };
  }

  copy(text: string): void {
    this.copied = text;
  }

  /** The image on the screen. */
  get picture(): string | undefined {
    return this.#view?.picture?.()?.drawing;
  }

  press(...words: readonly string[]): void {
    for (const word of words) {
      this.#draw();
      this.#view?.key(panelKeyOf(word));
    }
  }

  /** Resolves when all of these words and patterns are on the screen at once. */
  until(...words: readonly (string | RegExp)[]): Promise<string> {
    const missingOn = (text: string): string[] => words.filter((word) => !isOn(text, word)).map(String);
    return within(
      this.#shown.until((text) => missingOn(text).length === 0),
      {
        signal: AbortSignal.timeout(DEADLINE_MS),
        instead: () => {
          throw new Error(`${JSON.stringify(missingOn(this.text))} did not appear on:\n${this.text}`);
        },
      },
    );
  }

  /** This object as a `Screen`, for code that wants all of one. */
  get screen(): Screen {
    return this as unknown as Screen;
  }

  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#draw());
  }

  #draw(): void {
    this.#isDue = false;
    if (!this.#view) return;
    this.draws++;
    const { columns, rows } = this;
    const drawn = this.#view.draw({ columns, rows });
    this.#shown.set(drawn.map((row) => row.trimEnd()).join('\n'));
  }
}

function isOn(text: string, word: string | RegExp): boolean {
  return typeof word === 'string' ? text.includes(word) : word.test(text);
}

const DEADLINE_MS = 120_000; // only a hang takes this long, even on a busy machine
