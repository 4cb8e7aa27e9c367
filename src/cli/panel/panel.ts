import type { Host } from '../../index.js';
import { unreachable } from '../../base/never.js';
import type { CostReport } from '../../model/view/tool-cost.js';
import type { ScreenImage } from '../../model/screen-image.js';
import { requestOf } from '../../actions/servers/approve.js';
import type { Aside } from '../session/asking.js';
import type { Io } from '../io.js';
import { showLine } from '../../model/show.js';
import type { FullScreen, FullView, Key, Picture, Screen } from '../terminal/screen.js';
import { ActionRunner } from './action-runner.js';
import { PanelCall } from './call/panel-call.js';
import { type Skill, toDetailData } from './detail-data.js';
import type { ItemRef } from './detail-lines.js';
import { readItem } from './item-data.js';
import { FollowedLog } from './log-tail.js';
import { bodyKeys, type PanelBody, type PanelContent, toBody } from './panel-body.js';
import { ToldFailures } from './told-failures.js';
import { findServer, type PanelServer, toPanelData } from './panel-data.js';
import { press } from './panel-keys.js';
import { bodyHeight, drawPanel, type PanelScreen } from './panel-rows.js';
import {
  type Effect,
  firstState,
  type PanelMessage,
  type PanelState,
  type PictureView,
  sawRows,
  settle,
} from './panel-state.js';
import { RedrawThrottle } from '../terminal/redraw-throttle.js';
import { ContextCost } from './tokens/context-cost.js';

export interface PanelOptions {
  readonly screen: Screen;
  readonly host: Host;
  readonly io: Pick<Io, 'now'>;
  readonly actions: PanelActions;
  /** What `/cost` shows; default: the cost for a conversation that began now. */
  readonly cost?: (() => CostReport) | undefined;
  /**
   * Called once, with what leaves the screen to a dialog until that is done: a call in the panel may make its server
   * ask something.
   */
  readonly lend?: ((aside: Aside) => void) | undefined;
  /** Aborting closes the panel. */
  readonly signal?: AbortSignal | undefined;
}

export interface PanelActions {
  /**
   * Signs in on the screen, which the panel leaves meanwhile. Rejects with a HostError when the sign-in does not
   * succeed. Contract: does not wait for anything that waits for the panel.
   */
  readonly signIn: (name: string) => Promise<void>;
}

/**
 * Shows the servers of a host on the whole screen, live: their state, what they offer, and the actions on them.
 * Resolves when the user leaves; never rejects. For a screen that cannot be drawn on there is `panelTable`.
 */
export async function openPanel(options: PanelOptions): Promise<void> {
  if (options.signal?.aborted === true) return;
  using panel = new Panel(options);
  await panel.left;
}

/** The open panel: one state and one content, drawn by pure functions. */
class Panel implements Disposable, FullView {
  /** Resolves when the user leaves. */
  readonly left: Promise<void>;
  readonly #options: PanelOptions;
  readonly #tokens: ContextCost;
  readonly #runner: ActionRunner;
  readonly #failures: ToldFailures;
  readonly #throttle = new RedrawThrottle(() => this.#refresh());
  readonly #listening: Disposable[];
  readonly #leaving = new AbortController();
  #state: PanelState = firstState;
  #content: PanelContent;
  #body: { readonly keys: readonly unknown[]; readonly body: PanelBody } | undefined;
  #size = { columns: 80, rows: 24 };
  #full: FullScreen | undefined;
  #tick: NodeJS.Timeout | undefined;
  #log: FollowedLog | undefined;
  /** The server and its status for which skills were requested last. */
  #skillsOf = '';
  #skills: readonly Skill[] | undefined;
  /** The skills may have changed: the known ones stay until the server answers. */
  #areSkillsOld = false;
  #item: ItemRef | undefined;
  #call: PanelCall | undefined;
  #picture: { readonly image: ScreenImage; readonly shown: Picture | undefined } | undefined;
  #isClosed = false;

  constructor(options: PanelOptions) {
    this.#options = options;
    const { host, io, actions, screen, signal } = options;
    this.left = new Promise((resolve) => this.#leaving.signal.addEventListener('abort', () => resolve()));
    this.#tokens = new ContextCost({ host, cost: options.cost, onCounted: () => this.#throttle.ask() });
    this.#failures = new ToldFailures(host, () => this.#throttle.ask());
    this.#runner = new ActionRunner({
      host,
      now: io.now,
      signIn: (name) => this.#aside(() => actions.signIn(name)),
      onMessage: (message) => this.#tell(message),
      onChange: () => this.#throttle.ask(),
    });
    const data = toPanelData({ host, tokens: this.#tokens, failures: this.#failures, doing: this.#runner.doing });
    this.#content = { data, detail: undefined, item: undefined, request: undefined, log: NO_LOG, call: undefined };
    this.#listening = [
      host.on('server', () => this.#throttle.ask()),
      host.on('config', () => this.#throttle.ask()),
      host.on('catalog', ({ list }) => {
        this.#item = undefined; // the item may have changed
        if (list === 'resources' || list === 'skills') this.#areSkillsOld = true;
        this.#throttle.ask();
      }),
    ];
    const listening = { once: true, signal: this.#leaving.signal } as const;
    signal?.addEventListener('abort', () => this.#leaving.abort(), listening);
    this.#full = screen.openFull(this);
    options.lend?.((run) => this.#aside(run));
    this.#refresh();
  }

  draw(size: { readonly columns: number; readonly rows: number }): readonly string[] {
    this.#size = size;
    try {
      return this.#rows();
    } catch (cause) {
      return ['The panel failed, which is a bug in Plugboard. Press q to leave.', showLine(String(cause))];
    }
  }

  key(key: Key): void {
    try {
      this.#take(key);
    } catch {
      this.#leaving.abort(); // after a failure the user must be able to leave
    }
  }

  picture(): Picture | undefined {
    return this.#state.view.kind === 'picture' ? this.#picture?.shown : undefined;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#call?.[Symbol.dispose]();
    this.#leaving.abort();
    for (const listener of this.#listening) listener[Symbol.dispose]();
    clearTimeout(this.#tick);
    this.#throttle[Symbol.dispose]();
    this.#tokens[Symbol.dispose]();
    this.#failures[Symbol.dispose]();
    this.#log?.[Symbol.dispose]();
    this.#full?.[Symbol.dispose]();
    this.#full = undefined;
  }

  #rows(): readonly string[] {
    const screen = this.#screen;
    const drawn = drawPanel(this.#state, { content: this.#content, body: this.#bodyNow() }, screen);
    this.#state = sawRows(this.#state, { top: drawn.top, height: drawn.height, columns: this.#size.columns });
    return drawn.rows;
  }

  #take(key: Key): void {
    const { data, item, call } = this.#content;
    const { lines, rows } = this.#bodyNow();
    const height = bodyHeight(this.#state, this.#content, this.#screen);
    const stage = { data, height, columns: this.#size.columns, lines, rowCount: rows.length, item, call };
    const { state, effect } = press(this.#state, key, stage);
    this.#state = state;
    if (effect) this.#run(effect);
    this.#follow();
    this.#full?.changed();
  }

  get #screen(): PanelScreen {
    const { screen, host } = this.#options;
    return { ...this.#size, style: screen.style, permissionOf: (tool) => host.permission(tool) };
  }

  /** The body, computed again only when its inputs change. */
  #bodyNow(): PanelBody {
    const keys = bodyKeys(this.#state.view, this.#content, this.#size.columns);
    if (!this.#body || keys.some((key, at) => key !== this.#body!.keys[at])) {
      this.#body = { keys, body: toBody(this.#state.view, this.#content, this.#screen) };
    }
    return this.#body.body;
  }

  /** Reads everything again from the host. */
  #refresh(): void {
    if (this.#isClosed) return;
    const { host } = this.#options;
    this.#tokens.look();
    const data = toPanelData({ host, tokens: this.#tokens, failures: this.#failures, doing: this.#runner.doing });
    this.#failures.look(data.servers.flatMap(({ state }) => (state.error ? [state.name] : [])));
    this.#content = { ...this.#content, data };
    this.#state = settle(this.#state, data);
    this.#follow();
    this.#full?.changed();
    clearTimeout(this.#tick);
    // A reconnecting server shows a countdown to its next attempt, a call its duration.
    if (this.#call?.isRunning === true || data.servers.some(({ retryInMs }) => retryInMs !== undefined)) {
      this.#tick = setTimeout(() => this.#throttle.ask(), TICK_MS);
    }
  }

  /** Loads what the current view shows, and nothing else. */
  #follow(): void {
    const { view } = this.#state;
    const { host, io } = this.#options;
    const { data } = this.#content;
    const server = 'key' in view ? findServer(data, view.key) : undefined;
    const isOpen = view.kind === 'detail' || 'item' in view;
    if (server && isOpen) this.#askSkills(server);
    else if (view.kind === 'table') this.#areSkillsOld = true;
    const known = this.#content.detail;
    const isSame = known?.server === server && known?.skills === this.#skills;
    const detail =
      server && isOpen ? (isSame ? known : toDetailData(server, { host, data, skills: this.#skills })) : undefined;
    const request = server && view.kind === 'approve' ? this.#requestOf(server) : undefined;
    if (view.kind !== 'logs' || this.#log?.name !== server?.state.name) {
      this.#log?.[Symbol.dispose]();
      this.#log = undefined;
    }
    if (server && view.kind === 'logs') {
      const { name } = server.state;
      this.#log ??= new FollowedLog({ host, now: io.now, name, onChange: () => this.#throttle.ask() });
    }
    const item = 'item' in view ? (this.#content.item ?? { kind: 'reading' as const }) : undefined;
    const call = view.kind === 'result' || view.kind === 'picture' ? this.#call?.content : undefined;
    this.#content = { data, detail, request, item, call, log: this.#log?.content ?? NO_LOG };
    if ('item' in view) this.#readItem(view.item);
    else this.#item = undefined;
    if (view.kind === 'picture') void this.#drawPicture(view);
    else this.#picture = undefined;
  }

  #requestOf({ definition }: PanelServer): PanelContent['request'] {
    const known = this.#content.request;
    if (known !== undefined && known.hash === definition.approval?.hash) return known;
    return requestOf(this.#options.host, definition);
  }

  /** Looks the skills up: once for each time that the server connects, is opened or changes its skills. */
  #askSkills({ key, state }: PanelServer): void {
    const asked = `${state.status} ${key}`;
    if (this.#skillsOf === asked && !this.#areSkillsOld) return;
    if (this.#skillsOf !== asked) this.#skills = undefined;
    this.#skillsOf = asked;
    this.#areSkillsOld = false;
    const show = (skills: readonly Skill[]): void => {
      if (this.#skillsOf !== asked) return;
      this.#skills = skills;
      this.#throttle.ask();
    };
    void this.#options.host.skills({ server: state.name, timeoutMs: SKILLS_MS }).then(({ skills }) => show(skills));
  }

  #readItem(item: ItemRef): void {
    const { detail } = this.#content;
    if (this.#item === item || !detail) return;
    this.#item = item;
    const show = (data: PanelContent['item']): void => {
      if (this.#item !== item || this.#isClosed) return;
      this.#content = { ...this.#content, item: data };
      this.#full?.changed();
    };
    void readItem(this.#options.host, item, detail).then(show, () => show({ kind: 'gone' }));
  }

  #run(effect: Effect): void {
    switch (effect.kind) {
      case 'leave':
        this.#leaving.abort();
        return;
      case 'call':
        this.#startCall(effect);
        return;
      case 'stop':
        this.#call?.[Symbol.dispose]();
        return;
      case 'copy':
        this.#options.screen.copy(effect.text);
        return;
      case 'do':
        this.#act(effect);
        return;
      default:
        unreachable(effect);
    }
  }

  #startCall({ tool, input, isForced }: Extract<Effect, { readonly kind: 'call' }>): void {
    const { host, io } = this.#options;
    this.#call?.[Symbol.dispose]();
    this.#call = new PanelCall({ host, now: io.now, tool, input, isForced, onChange: () => this.#throttle.ask() });
    this.#throttle.ask();
  }

  /** Draws an image of the result over the rows, or says that this terminal cannot. */
  async #drawPicture({ at, back }: PictureView): Promise<void> {
    const { call } = this.#content;
    const image = call?.kind === 'done' ? call.images[at] : undefined;
    if (!image || this.#picture?.image === image) return;
    const drawn = { image, shown: undefined };
    this.#picture = drawn;
    const { columns, rows } = this.#size;
    const drawing = await this.#options.screen.images.encode(image, { columns, rows: Math.max(1, rows - 3) });
    if (this.#picture !== drawn) return; // the user has gone on
    if (drawing !== undefined) this.#picture = { image, shown: { row: 1, drawing } };
    else {
      const lines = ['This terminal draws no images, or not this one: the result names its file'];
      this.#state = { ...this.#state, view: back, message: { kind: 'note', lines } };
      this.#follow();
    }
    this.#full?.changed();
  }

  #act(effect: Extract<Effect, { readonly kind: 'do' }>): void {
    const { data, request } = this.#content;
    const server = findServer(data, effect.key);
    // A request that did not show the sign-in does not approve sending it.
    const decided = effect.decided && { ...effect.decided, hidesSignIn: request?.signIn === undefined };
    if (server) void this.#runner.start({ ...effect, ...(decided && { decided }) }, server); // `start` never rejects
  }

  #tell(message: PanelMessage): void {
    this.#state = { ...this.#state, message: { ...message, lines: message.lines.map((line) => showLine(line)) } };
    this.#throttle.now(); // so that the server's row agrees with the message
  }

  /** Leaves the screen to `run` until that is done. */
  async #aside<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#full?.[Symbol.dispose]();
    this.#full = undefined;
    try {
      return await run();
    } finally {
      if (!this.#isClosed) this.#full = this.#options.screen.openFull(this);
    }
  }
}

const NO_LOG = { lines: [], about: '' } as const;
const TICK_MS = 500;
const SKILLS_MS = 10_000; // then the server is shown without skills
