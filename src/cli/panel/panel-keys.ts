import { unreachable } from '../../base/never.js';
import { NARROWEST } from '../session/display/quoted-rows.js';
import type { Key } from '../terminal/screen.js';
import type { DetailLine, Section } from './detail-lines.js';
import { windowTop } from './list-window.js';
import { keyWord, moveIn, moveTargetOf } from './move-keys.js';
import {
  type ApproveView,
  currentServer,
  type DetailView,
  type HelpView,
  type ItemView,
  detailLineIndex,
  type LogsView,
  openApproval,
  openDetail,
  type PanelState,
  type Pressed,
  selectedAt,
  shownServers,
  type PanelContext,
  type TableState,
  textTop,
} from './panel-state.js';
import { barrierTo, type KeyedAction, panelKeys } from './action-keys.js';
import { rowsOf } from './table-rows.js';

/** The state after a key, and what is to be done. Pure. */
export function press(state: PanelState, key: Key, stage: PanelContext): Pressed {
  const { view } = state;
  const word = keyWord(key);
  switch (view.kind) {
    case 'table':
      return state.table.isTyping ? pressFilter(state, key, stage) : pressTable(state, word, stage);
    case 'detail':
      return pressDetail(state, view, { word, stage });
    case 'approve':
      return pressApproval(state, view, { word, stage });
    case 'item':
    case 'help':
    case 'logs':
      return pressText(state, view, { word, stage });
    default:
      return unreachable(view);
  }
}

interface Press {
  readonly word: string;
  readonly stage: PanelContext;
}

const BACK: ReadonlySet<string> = new Set(['q', 'escape', 'ctrl-c', 'ctrl-d']);

function pressTable(state: PanelState, word: string, stage: PanelContext): Pressed {
  const { table } = state;
  if (word === 'escape' && (table.filter !== '' || table.onlyTrouble)) {
    return { state: { ...state, table: { ...table, filter: '', onlyTrouble: false } } };
  }
  if (BACK.has(word)) return { state, effect: { kind: 'leave' } };
  const moved = moveSelection(table, word, stage);
  if (moved) return { state: { ...state, table: moved } };
  switch (word) {
    case '/':
      return { state: { ...state, table: { ...table, isTyping: true } } };
    case 'f':
      return { state: { ...state, table: { ...table, onlyTrouble: !table.onlyTrouble } } };
    case 'return':
    case 'right': {
      const server = currentServer(state, stage.data);
      return { state: server ? { ...selecting(state, stage), view: openDetail(server), message: undefined } : state };
    }
    default:
      return pressCommon(selecting(state, stage), { kind: 'table' }, { word, stage });
  }
}

/** Selects the current server by its key from now on, no longer by its index. */
function selecting(state: PanelState, { data }: PanelContext): PanelState {
  const shown = shownServers(data, state.table);
  const at = selectedAt(shown, state.table);
  return { ...state, table: { ...state.table, at: Math.max(at, 0), selected: shown[at]?.key } };
}

function moveSelection(table: TableState, word: string, { data, height }: PanelContext): TableState | undefined {
  const shown = shownServers(data, table);
  const at = selectedAt(shown, table);
  const list = { count: shown.length, height, rowsOf: (index: number) => rowsOf(shown[index]!) };
  const to = moveIn(word, at, list);
  if (to === undefined) return undefined;
  return { ...table, at: to, selected: shown[to]?.key, top: windowTop({ ...list, top: table.top, at: to }) };
}

function pressFilter(state: PanelState, key: Key, stage: PanelContext): Pressed {
  const { table } = state;
  const to = (changed: Partial<TableState>): Pressed => ({ state: { ...state, table: { ...table, ...changed } } });
  const filtered = (filter: string): Pressed => to({ filter: filter.slice(0, FILTER_LIMIT), top: 0 });
  switch (keyWord(key)) {
    case 'return':
      return to({ isTyping: false });
    case 'escape':
    case 'ctrl-c':
      return to({ isTyping: false, filter: '' });
    case 'backspace':
      return table.filter === '' ? to({ isTyping: false }) : filtered(Array.from(table.filter).slice(0, -1).join(''));
    case 'ctrl-u':
      return filtered('');
    case 'up':
    case 'down':
    case 'pageup':
    case 'pagedown':
      return { state: { ...state, table: moveSelection(table, key.name, stage) ?? table } };
    default:
      if (key.ctrl || key.meta) return { state };
      // A pasted text may have several lines.
      return filtered(table.filter + key.text.slice(0, FILTER_LIMIT).replaceAll(/\s+/gu, ' '));
  }
}

const FILTER_LIMIT = 100; // characters; server names are shorter

function pressDetail(state: PanelState, view: DetailView, { word, stage }: Press): Pressed {
  const { lines, height } = stage;
  if (BACK.has(word) || word === 'backspace')
    return { state: { ...state, view: { kind: 'table' }, message: undefined } };
  const at = detailLineIndex(lines, view);
  const list = { count: lines.length, height };
  const go = (to: number, changed: Partial<DetailView> = {}): Pressed => {
    const moved = {
      ...view,
      ...changed,
      at: to,
      line: lines[to]?.id ?? '',
      top: windowTop({ ...list, top: view.top, at: to }),
    };
    return { state: { ...state, view: moved } };
  };
  const to = moveIn(word, at, list);
  if (to !== undefined) return go(to);
  const target = lines[at]?.target;
  const section = lines.slice(0, at + 1).findLast(isSection);
  const closed = (change: (set: Set<Section>) => void): ReadonlySet<Section> => {
    const set = new Set(view.closed);
    change(set);
    return set;
  };
  switch (word) {
    case 'tab': {
      const next = lines.findIndex((line, index) => index > at && isSection(line));
      return go(next === -1 ? Math.max(0, lines.findIndex(isSection)) : next);
    }
    case 'left': {
      if (section?.target?.kind !== 'section') return { state };
      const name = section.target.section;
      return go(lines.indexOf(section), { closed: closed((set) => set.add(name)) });
    }
    case 'return':
    case 'right': {
      if (target?.kind === 'item') {
        return {
          state: {
            ...state,
            message: undefined,
            view: { kind: 'item', key: view.key, item: target.item, top: 0, back: view },
          },
        };
      }
      if (target?.kind !== 'section') return { state };
      const { section: name } = target;
      const isClosed = view.closed.has(name);
      if (word === 'right' && !isClosed) return { state };
      return go(at, { closed: closed((set) => (isClosed ? set.delete(name) : set.add(name))) });
    }
    default:
      return pressCommon(state, view, { word, stage });
  }
}

function isSection({ target }: DetailLine): boolean {
  return target?.kind === 'section';
}

/** Keys that every view of a server shares: actions and help. */
function pressCommon(
  state: PanelState,
  back: DetailView | { readonly kind: 'table' },
  { word, stage }: Press,
): Pressed {
  if (word === '?') return { state: { ...state, message: undefined, view: { kind: 'help', top: 0, back } } };
  const found = panelKeys.find(({ keys }) => (keys as readonly string[]).includes(word));
  return found ? pressAction(state, found.name, { back, stage }) : { state };
}

function pressAction(
  state: PanelState,
  action: KeyedAction,
  { back, stage }: { readonly back: DetailView | { readonly kind: 'table' }; readonly stage: PanelContext },
): Pressed {
  const server = currentServer(state, stage.data);
  if (!server) return { state };
  const { key } = server;
  const barrier = barrierTo(action, server);
  if (barrier !== undefined) return { state: { ...state, message: { kind: 'note', lines: [barrier] } } };
  const clear = { ...state, message: undefined };
  if (action === 'approve') return { state: { ...clear, view: openApproval(server, back) } };
  if (action === 'logs') return { state: { ...clear, view: { kind: 'logs', key, top: undefined, back } } };
  return { state: clear, effect: { kind: 'do', action, key } };
}

/** A yes counts only after every row has been on the screen; a no at any time. */
function pressApproval(state: PanelState, view: ApproveView, { word, stage }: Press): Pressed {
  const { key, hash, back } = view;
  const decide = (reject: boolean): Pressed => ({
    state: { ...state, view: back, message: undefined },
    effect: { kind: 'do', action: 'approve', key, decided: { definition: hash, reject } },
  });
  switch (word) {
    case 'y': {
      const seen = view.seen.columns === stage.columns ? view.seen.rows : 0;
      const isNarrow = stage.columns < NARROWEST;
      if (seen < stage.rowCount || isNarrow) {
        const left = stage.rowCount - seen;
        const count = left === 1 ? 'one more row' : `${left} more rows`;
        // After a change of the screen's width all rows must be seen again.
        const where = textTop(view, stage) > seen ? 'further up (home)' : 'below (space pages)';
        const lines = [isNarrow ? TOO_NARROW : `Read the whole entry first: ${count} ${where}`];
        return { state: { ...state, message: { kind: 'note', lines } } };
      }
      return decide(false);
    }
    case 'n':
      return decide(true);
    default:
      return pressText(state, view, { word, stage });
  }
}

const TOO_NARROW = 'Rows are cut here: make the screen wider to read the whole entry';

function pressText(
  state: PanelState,
  view: ItemView | HelpView | LogsView | ApproveView,
  { word, stage }: Press,
): Pressed {
  if (BACK.has(word) || word === 'backspace' || word === 'left') {
    return { state: { ...state, view: view.back, message: undefined } };
  }
  const { rowCount, height } = stage;
  const last = Math.max(0, rowCount - height);
  const top = moveTargetOf(word, textTop(view, stage), { last, page: () => Math.max(1, height - 1) });
  if (top === undefined) return { state };
  // At its end, a log keeps following new lines.
  if (view.kind === 'logs') return { state: { ...state, view: { ...view, top: top >= last ? undefined : top } } };
  return { state: { ...state, view: { ...view, top } } };
}
