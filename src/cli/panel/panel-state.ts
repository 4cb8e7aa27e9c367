import type { JsonObject } from '../../base/json.js';
import { showExact } from '../../model/show.js';
import type { Decided } from './act-in-panel.js';
import type { DetailLine, ItemRef, Section } from './detail-lines.js';
import { findServer, type PanelData, type PanelServer } from './panel-data.js';
import type { KeyedAction } from './action-keys.js';
import type { FormState } from './call/call-form.js';
import type { CallContent } from './call/panel-call.js';
import type { ItemData } from './item-data.js';
import { sortServers, type TableSort } from './table-sort.js';
import { isTrouble } from './state-words.js';

/** Everything that a key can change. It holds nothing from a server: what is shown is looked up when it is drawn. */
export interface PanelState {
  readonly table: TableState;
  readonly view: View;
  readonly message: PanelMessage | undefined;
}

export interface TableState {
  /** By its key, so that the server stays selected when it moves. */
  readonly selected: string | undefined;
  /** Its index: when the selected server is gone, the one that takes its place is selected. */
  readonly at: number;
  readonly top: number;
  readonly filter: string;
  /** Whether typed text goes into the filter. */
  readonly isTyping: boolean;
  readonly onlyTrouble: boolean;
  readonly sort: TableSort;
}

export type View =
  | TableView
  | DetailView
  | ItemView
  | CallView
  | ResultView
  | PictureView
  | BudgetView
  | ApproveView
  | LogsView
  | HelpView;

export interface TableView {
  readonly kind: 'table';
}

export interface DetailView {
  readonly kind: 'detail';
  readonly key: string;
  /** The selected line, by its id; `at` is its last index. */
  readonly line: string;
  readonly at: number;
  readonly top: number;
  readonly closed: ReadonlySet<Section>;
  readonly filter: string;
  /** Whether typed text goes into the filter. */
  readonly isTyping: boolean;
  readonly sort: ToolSort;
}

export const toolSorts = ['listed', 'name', 'tokens'] as const;
export type ToolSort = (typeof toolSorts)[number];

export interface ItemView {
  readonly kind: 'item';
  readonly key: string;
  readonly item: ItemRef;
  readonly top: number;
  readonly back: DetailView;
}

/** The form of a call. */
export interface CallView {
  readonly kind: 'call';
  readonly key: string;
  readonly item: ItemRef;
  readonly form: FormState;
  readonly back: DetailView | ItemView;
}

/** A call under way, or its result. */
export interface ResultView {
  readonly kind: 'result';
  readonly key: string;
  readonly item: ItemRef;
  readonly top: number;
  /** What was sent. */
  readonly input: JsonObject;
  readonly back: CallView;
}

/** An image of a result. */
export interface PictureView {
  readonly kind: 'picture';
  readonly key: string;
  readonly item: ItemRef;
  readonly at: number;
  readonly back: ResultView;
}

/** What each server costs of the model's context. */
export interface BudgetView {
  readonly kind: 'budget';
  readonly top: number;
  readonly back: TableView;
}

export interface ApproveView {
  readonly kind: 'approve';
  readonly key: string;
  /** The hash of the entry that is shown: the decision is about this entry only. */
  readonly hash: string;
  readonly top: number;
  /** How many rows, counted from the first, have been on the screen, and the width that the screen had. */
  readonly seen: { readonly rows: number; readonly columns: number };
  readonly back: TableView | DetailView;
}

export interface LogsView {
  readonly kind: 'logs';
  readonly key: string;
  /** Undefined: follows the end of the log. */
  readonly top: number | undefined;
  readonly back: TableView | DetailView;
}

/** The keys of the view that it goes back to. */
export interface HelpView {
  readonly kind: 'help';
  readonly top: number;
  readonly back: Exclude<View, HelpView>;
}

export interface PanelMessage {
  readonly kind: 'done' | 'failed' | 'note';
  /** What, why, what to do; safe to show. */
  readonly lines: readonly string[];
}

/** What has to be done besides changing the state. */
export type Effect =
  | { readonly kind: 'leave' }
  | { readonly kind: 'call'; readonly tool: string; readonly input: JsonObject; readonly isForced: boolean }
  | { readonly kind: 'stop' }
  | { readonly kind: 'copy'; readonly text: string }
  | {
      readonly kind: 'do';
      readonly action: Exclude<KeyedAction, 'logs'>;
      readonly key: string;
      /** The user's decision. */
      readonly decided?: Decided;
    };

/** What is on the screen, which a key is interpreted by together with the state. */
export interface PanelContext {
  readonly data: PanelData;
  /** Rows of the body on the screen. */
  readonly height: number;
  readonly columns: number;
  /** The lines of the detail view. */
  readonly lines: readonly DetailLine[];
  /** Of a text: the number of all its rows. */
  readonly rowCount: number;
  readonly item: ItemData | undefined;
  readonly call: CallContent | undefined;
}

export interface Pressed {
  readonly state: PanelState;
  readonly effect?: Effect;
}

export const firstState: PanelState = {
  table: {
    selected: undefined,
    at: 0,
    top: 0,
    filter: '',
    isTyping: false,
    onlyTrouble: false,
    sort: { by: 'listed', isReversed: false },
  },
  view: { kind: 'table' },
  message: undefined,
};

/** The servers that the table shows: those that match the filter, and with `onlyTrouble` only the unhealthy ones. */
export function shownServers(
  { servers }: PanelData,
  { filter, onlyTrouble, sort }: TableState,
): readonly PanelServer[] {
  const words = filter.toLowerCase().split(/\s+/u).filter(Boolean);
  const isAll = words.length === 0 && !onlyTrouble;
  const shown = servers.filter((server) => {
    if (isAll) return true;
    if (onlyTrouble && !isTrouble(server)) return false;
    const { name, scope, transport, status } = server.state;
    const text = `${name} ${scope} ${transport} ${status}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return sortServers(shown, sort);
}

/** The index of the selection among the servers shown; -1 when none is. */
export function selectedAt(shown: readonly PanelServer[], { selected, at }: TableState): number {
  const found = shown.findIndex(({ key }) => key === selected);
  return found === -1 ? Math.min(at, shown.length - 1) : found;
}

/** The server that an action key applies to. */
export function currentServer({ view, table }: PanelState, data: PanelData): PanelServer | undefined {
  if ('key' in view) return findServer(data, view.key);
  const shown = shownServers(data, table);
  return shown[selectedAt(shown, table)];
}

/** Leaves the view of a server that is gone or whose entry has changed. */
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
  // The new entry is not shown in place of the old one: a key meant for the old one would decide about the new.
  const next = hash === undefined ? '' : ': press a to see the new entry';
  const lines = [`The entry of ${showExact(server.state.name)} was changed meanwhile${next}`];
  return { ...state, view: view.back, message: { kind: 'note', lines } };
}

/** Notes that these rows of an approval request are on the screen. Rows that were jumped over do not count as seen. */
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
  return {
    kind: 'detail',
    key,
    line: '',
    at: 0,
    top: 0,
    closed: new Set(),
    filter: '',
    isTyping: false,
    sort: 'listed',
  };
}

/** Contract: only for a server that can be approved. */
export function openApproval({ key, definition }: PanelServer, back: TableView | DetailView): ApproveView {
  return { kind: 'approve', key, hash: definition.approval!.hash, top: 0, seen: { rows: 0, columns: 0 }, back };
}

/** The index of the selected line among the lines shown now. */
export function detailLineIndex(lines: readonly DetailLine[], { line, at }: DetailView): number {
  const found = line === '' ? -1 : lines.findIndex(({ id }) => id === line);
  return found === -1 ? Math.max(0, Math.min(at, lines.length - 1)) : found;
}

/** Of a text: the index of the first row shown. */
export function textTop(
  { top }: { readonly top: number | undefined },
  { rowCount, height }: Pick<PanelContext, 'rowCount' | 'height'>,
): number {
  const last = Math.max(0, rowCount - height);
  return top === undefined ? last : Math.max(0, Math.min(top, last));
}
