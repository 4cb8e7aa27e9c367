import { showExact } from '../../model/show.js';
import type { Decided } from './act-in-panel.js';
import type { DetailLine, ItemRef, Section } from './detail-lines.js';
import { findServer, type PanelData, type PanelServer } from './panel-data.js';
import type { KeyedAction } from './action-keys.js';
import { isTrouble } from './state-words.js';

/** All that a key can change. Nothing in it comes from a server: what is shown is looked up when it is drawn. */
export interface PanelState {
  readonly table: TableState;
  readonly view: View;
  readonly message: PanelMessage | undefined;
}

export interface TableState {
  /** By its key, so that it stays selected wherever it goes. */
  readonly selected: string | undefined;
  /** Where it was: who is gone leaves the next one selected. */
  readonly at: number;
  readonly top: number;
  readonly filter: string;
  /** What is typed goes into the filter. */
  readonly isTyping: boolean;
  readonly onlyTrouble: boolean;
}

export type View = TableView | DetailView | ItemView | ApproveView | LogsView | HelpView;

export interface TableView {
  readonly kind: 'table';
}

export interface DetailView {
  readonly kind: 'detail';
  readonly key: string;
  /** The line that keys are about: by its id, and where it was. */
  readonly line: string;
  readonly at: number;
  readonly top: number;
  readonly closed: ReadonlySet<Section>;
}

export interface ItemView {
  readonly kind: 'item';
  readonly key: string;
  readonly item: ItemRef;
  readonly top: number;
  readonly back: DetailView;
}

export interface ApproveView {
  readonly kind: 'approve';
  readonly key: string;
  /** Of the definition that is shown: an answer is about that one only. */
  readonly hash: string;
  readonly top: number;
  /** How many rows, from the first on, have been on the screen; in a screen of so many columns. */
  readonly seen: { readonly rows: number; readonly columns: number };
  readonly back: TableView | DetailView;
}

export interface LogsView {
  readonly kind: 'logs';
  readonly key: string;
  /** Undefined: the end, whatever comes. */
  readonly top: number | undefined;
  readonly back: TableView | DetailView;
}

export interface HelpView {
  readonly kind: 'help';
  readonly top: number;
  readonly back: TableView | DetailView;
}

export interface PanelMessage {
  readonly kind: 'done' | 'failed' | 'note';
  /** What, why, what to do; fit to be shown. */
  readonly lines: readonly string[];
}

/** What has to be done besides; everything else about a key is the next state. */
export type Effect =
  | { readonly kind: 'leave' }
  | {
      readonly kind: 'do';
      readonly action: Exclude<KeyedAction, 'logs'>;
      readonly key: string;
      /** What was decided by looking at it. */
      readonly decided?: Decided;
    };

/** What a key is judged by besides the state: what is on the screen. */
export interface PanelContext {
  readonly data: PanelData;
  /** Rows that the body has. */
  readonly height: number;
  readonly columns: number;
  /** Of the detail. */
  readonly lines: readonly DetailLine[];
  /** Of a text: how many rows it has in all. */
  readonly rowCount: number;
}

export interface Pressed {
  readonly state: PanelState;
  readonly effect?: Effect;
}

export const firstState: PanelState = {
  table: { selected: undefined, at: 0, top: 0, filter: '', isTyping: false, onlyTrouble: false },
  view: { kind: 'table' },
  message: undefined,
};

/** The servers that the table shows: by words of the filter, and without the healthy ones where nobody wants to see them. */
export function shownServers({ servers }: PanelData, { filter, onlyTrouble }: TableState): readonly PanelServer[] {
  const words = filter.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0 && !onlyTrouble) return servers;
  return servers.filter((server) => {
    if (onlyTrouble && !isTrouble(server)) return false;
    const { name, scope, transport, status } = server.state;
    const text = `${name} ${scope} ${transport} ${status}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Where the selection is in what is shown; -1 where nothing is. */
export function selectedAt(shown: readonly PanelServer[], { selected, at }: TableState): number {
  const found = shown.findIndex(({ key }) => key === selected);
  return found === -1 ? Math.min(at, shown.length - 1) : found;
}

/** The server that keys are about. */
export function currentServer({ view, table }: PanelState, data: PanelData): PanelServer | undefined {
  if ('key' in view) return findServer(data, view.key);
  const shown = shownServers(data, table);
  return shown[selectedAt(shown, table)];
}

/** What is shown may be gone, or have another definition. */
export function settle(state: PanelState, data: PanelData): PanelState {
  const { view } = state;
  if (!('key' in view)) return state;
  const server = findServer(data, view.key);
  if (!server) {
    const [name] = JSON.parse(view.key) as [string];
    const lines = [`${showExact(name)} is no longer configured there`];
    return { ...state, view: { kind: 'table' }, message: { kind: 'note', lines } };
  }
  const hash = server.definition.approval?.hash;
  if (view.kind !== 'approve' || hash === view.hash) return state;
  // Not shown in its place: a key that was meant for the one before would be about this one.
  const next = hash === undefined ? '' : ': a shows what it says now';
  const lines = [`The entry of ${showExact(server.state.name)} was changed meanwhile${next}`];
  return { ...state, view: view.back, message: { kind: 'note', lines } };
}

/** So many rows of what is to be approved are on the screen, from `top` on. Who jumps over some has not seen them. */
export function sawRows(
  state: PanelState,
  { top, height, columns }: { top: number; height: number; columns: number },
): PanelState {
  const { view } = state;
  if (view.kind !== 'approve') return state;
  const rows = view.seen.columns === columns ? view.seen.rows : 0;
  if (top > rows) return state;
  return { ...state, view: { ...view, seen: { rows: Math.max(rows, top + height), columns } } };
}

export function openDetail({ key }: PanelServer): DetailView {
  return { kind: 'detail', key, line: '', at: 0, top: 0, closed: new Set() };
}

/** Contract: only of a server that may be approved. */
export function openApproval({ key, definition }: PanelServer, back: TableView | DetailView): ApproveView {
  return { kind: 'approve', key, hash: definition.approval!.hash, top: 0, seen: { rows: 0, columns: 0 }, back };
}

/** Where the line that keys are about is in what is shown now. */
export function detailLineIndex(lines: readonly DetailLine[], { line, at }: DetailView): number {
  const found = line === '' ? -1 : lines.findIndex(({ id }) => id === line);
  return found === -1 ? Math.max(0, Math.min(at, lines.length - 1)) : found;
}

/** Of a text: the first row that is shown. */
export function textTop(
  { top }: { readonly top: number | undefined },
  { rowCount, height }: Pick<PanelContext, 'rowCount' | 'height'>,
): number {
  const last = Math.max(0, rowCount - height);
  return top === undefined ? last : Math.max(0, Math.min(top, last));
}
