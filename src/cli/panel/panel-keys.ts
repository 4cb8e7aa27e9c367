import { unreachable } from '../../base/never.js';
import { NARROWEST } from '../session/display/quoted-rows.js';
import type { Key } from '../terminal/screen.js';
import type { DetailLine, Section } from './detail-lines.js';
import { windowTop } from './list-window.js';
import { keyWord, moveIn, moveTargetOf } from './move-keys.js';
import {
  type ApproveView,
  type BudgetView,
  currentServer,
  type DetailView,
  type HelpView,
  type ItemView,
  detailLineIndex,
  type LogsView,
  type ResultView,
  toolSorts,
  type TableView,
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
import { openCall, pressCall, pressPicture, pressResult } from './call/call-keys.js';
import { nextSort } from './table-sort.js';
import { rowsOf } from './table-rows.js';

/** The state after a key, and what is to be done. Pure. */
export function press(state: PanelState, key: Key, stage: PanelContext): Pressed {
  const { view } = state;
  const word = keyWord(key);
  switch (view.kind) {
    case 'table':
      return state.table.isTyping ? pressFilter(state, key, stage) : pressTable(state, word, stage);
    case 'detail':
      return view.isTyping ? pressDetailFilter(state, view, { key, stage }) : pressDetail(state, view, { word, stage });
    case 'approve':
      return pressApproval(state, view, { word, stage });
    case 'item':
      if ((word === 'c' || word === 'return') && view.item.kind === 'tool') return openCall(state, view, view.item);
      return pressText(state, view, { word, stage });
    case 'call':
      return pressCall(state, view, { key, stage }) ?? openHelp(state, view);
    case 'result':
      return pressResult(state, view, { word, stage }) ?? pressText(state, view, { word, stage });
    case 'picture':
      return pressPicture(state, view, { word, stage }) ?? openHelp(state, view);
    case 'help':
    case 'logs':
    case 'budget':
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
    case 't':
      return { state: { ...state, message: undefined, view: { kind: 'budget', top: 0, back: { kind: 'table' } } } };
    case 's':
    case 'S': {
      const { sort } = table;
      const changed = word === 's' ? nextSort(sort) : { ...sort, isReversed: !sort.isReversed };
      // The selected server stays selected, wherever it goes.
      const kept = selecting(state, stage);
      return { state: { ...kept, table: { ...kept.table, sort: changed, top: 0 } } };
    }
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
  if (keyWord(key) === 'f1') return openHelp(state, state.view as TableView);
  const typed = typeFilter(table, key);
  if (typed) return { state: { ...state, table: { ...table, ...typed, top: 0 } } };
  const isMove = ['up', 'down', 'pageup', 'pagedown'].includes(keyWord(key));
  return { state: isMove ? { ...state, table: moveSelection(table, key.name, stage) ?? table } : state };
}

/** The filter after a key; undefined for a key that does not edit it. */
function typeFilter({ filter }: FilterState, key: Key): FilterState | undefined {
  switch (keyWord(key)) {
    case 'return':
      return { isTyping: false, filter };
    case 'escape':
    case 'ctrl-c':
      return { isTyping: false, filter: '' };
    case 'backspace':
      if (filter === '') return { isTyping: false, filter };
      return { isTyping: true, filter: Array.from(filter).slice(0, -1).join('') };
    case 'ctrl-u':
      return { isTyping: true, filter: '' };
    default: {
      if (key.ctrl || key.meta || key.text === '') return undefined;
      // A pasted text may have several lines.
      const text = filter + key.text.slice(0, FILTER_LIMIT).replaceAll(/\s+/gu, ' ');
      return { isTyping: true, filter: text.slice(0, FILTER_LIMIT) };
    }
  }
}

type FilterState = Pick<TableState, 'filter' | 'isTyping'>;

const FILTER_LIMIT = 100; // characters; server names are shorter

function pressDetailFilter(
  state: PanelState,
  view: DetailView,
  { key, stage }: { readonly key: Key; readonly stage: PanelContext },
): Pressed {
  if (keyWord(key) === 'f1') return openHelp(state, view);
  const typed = typeFilter(view, key);
  if (typed) return { state: { ...state, view: { ...view, ...typed, line: '', at: 0, top: 0 } } };
  const { lines, height } = stage;
  const isMove = ['up', 'down', 'pageup', 'pagedown'].includes(keyWord(key));
  const to = isMove ? moveIn(key.name, detailLineIndex(lines, view), { count: lines.length, height }) : undefined;
  if (to === undefined) return { state };
  const top = windowTop({ count: lines.length, height, top: view.top, at: to });
  return { state: { ...state, view: { ...view, at: to, line: lines[to]?.id ?? '', top } } };
}

function pressDetail(state: PanelState, view: DetailView, { word, stage }: Press): Pressed {
  const { lines, height } = stage;
  if (word === 'escape' && view.filter !== '') return { state: { ...state, view: { ...view, filter: '', top: 0 } } };
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
    case '/':
      return { state: { ...state, view: { ...view, isTyping: true } } };
    case 's': {
      const sort = toolSorts[(toolSorts.indexOf(view.sort) + 1) % toolSorts.length]!;
      return { state: { ...state, view: { ...view, sort } } };
    }
    case 'c':
      if (target?.kind !== 'item' || target.item.kind !== 'tool') {
        return { state: { ...state, message: { kind: 'note', lines: ['Select a tool to call it'] } } };
      }
      return openCall(state, view, target.item);
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
  if (isHelp(word)) return openHelp(state, back);
  const found = panelKeys.find(({ keys }) => (keys as readonly string[]).includes(word));
  return found ? pressAction(state, found.name, { back, stage }) : { state };
}

function isHelp(word: string): boolean {
  return word === '?' || word === 'f1';
}

function openHelp(state: PanelState, back: HelpView['back']): Pressed {
  return { state: { ...state, message: undefined, view: { kind: 'help', top: 0, back } } };
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
  view: ItemView | HelpView | LogsView | ApproveView | ResultView | BudgetView,
  { word, stage }: Press,
): Pressed {
  if (isHelp(word) && view.kind !== 'help') return openHelp(state, view);
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
