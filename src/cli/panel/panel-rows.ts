import { unreachable } from '../../base/never.js';
import type { Decision } from '../../model/permissions/decision.js';
import { showExact, showLine } from '../../model/show.js';
import type { Style } from '../output/style.js';
import { cutMiddle, cutToColumns, padText, textWidth, wrapText } from '../terminal/text/text-width.js';
import type { ToolEntry } from './detail-data.js';
import type { DetailLine, ItemRef } from './detail-lines.js';
import { hintWord, verdictWord } from './item-rows.js';
import { keysRow } from './keys-row.js';
import { toolText } from '../session/display/call-lines.js';
import { windowTop } from './list-window.js';
import type { PanelBody, PanelContent } from './panel-body.js';
import { findServer, type PanelServer } from './panel-data.js';
import {
  type DetailView,
  detailLineIndex,
  type PanelMessage,
  type PanelState,
  selectedAt,
  shownServers,
  textTop,
  type View,
} from './panel-state.js';
import { budgetRow } from './tokens/budget-rows.js';
import { stateWord } from './state-words.js';
import { sortText } from './table-sort.js';
import { emptyRows, headingRow, layTable, rowsOf, serverRows, summaryRow } from './table-rows.js';

export interface PanelScreen {
  readonly columns: number;
  readonly rows: number;
  readonly style: Style;
  /** The decision about a tool, by the name that the model uses. */
  readonly permissionOf: (tool: string) => Decision | undefined;
}

export interface Drawn {
  readonly rows: readonly string[];
  /** Rows of the body that are on the screen; 0 on a very low one. */
  readonly height: number;
  /** Of a text: the index of the first row shown. */
  readonly top: number;
}

/** The whole screen, from top to bottom. Pure. */
export function drawPanel(state: PanelState, { content, body }: Scene, screen: PanelScreen): Drawn {
  const { rows, columns } = screen;
  const height = bodyHeight(state, content, screen);
  const { shown, top, span } = drawBody(state, { content, body }, { ...screen, rows: height });
  const head = headRows(state, content, { ...screen, titleColumns: span === '' ? columns : columns - span.length - 1 });
  const [title = '', ...others] = head;
  const told = span === '' ? title : spread(title, screen.style.dim(span), columns);
  const filled = [...shown, ...Array.from({ length: Math.max(0, height - shown.length) }, () => '')];
  const drawn = [told, ...others, ...filled, ...footRows(state, content, { screen, body })];
  const visible = Math.max(0, Math.min(height, rows - head.length));
  return { rows: drawn.slice(0, rows).map((row) => cutToColumns(row, columns)), height: visible, top };
}

export interface Scene {
  readonly content: PanelContent;
  readonly body: PanelBody;
}

/** Rows left for the body; at least one, however low the screen. */
export function bodyHeight(state: PanelState, content: PanelContent, screen: PanelScreen): number {
  const taken = headRows(state, content, screen).length + messageRows(state.message, screen).length + 1;
  return Math.max(1, screen.rows - taken);
}

function headRows(
  { view, table }: PanelState,
  { data, log }: PanelContent,
  { columns, rows, style, titleColumns = columns }: PanelScreen & { readonly titleColumns?: number },
): string[] {
  if (view.kind !== 'table') {
    const title = titleOf(view, 'key' in view ? findServer(data, view.key) : undefined, titleColumns);
    const about = view.kind === 'logs' && log.about !== '' ? [style.dim(cutToColumns(log.about, columns))] : [];
    const isFiltered = view.kind === 'detail' && (view.isTyping || view.filter !== '');
    const filter = isFiltered ? [filterText(view)] : [];
    return [style.bold(cutToColumns(title, titleColumns)), ...about, ...filter];
  }
  const sort = sortText(table.sort);
  const isFiltered = table.isTyping || table.filter !== '' || table.onlyTrouble;
  const isLow = rows < LOW;
  const servers = shownServers(data, table);
  const found = isFiltered ? `${servers.length} of ${data.servers.length}` : '';
  const words = table.isTyping || table.filter !== '' ? `${filterText(table)}  ` : '';
  const matching = `${words}${table.onlyTrouble ? 'with a problem: ' : ''}${found}`;
  const told = [matching, sort].filter((part) => part !== '').join(', ');
  return [
    style.bold(summaryRow(data, titleColumns)),
    ...(data.cost && rows >= TALL ? [budgetRow(data.cost, columns)] : []),
    ...(data.problems.count > 0 && !isLow ? [style.yellow(problemRow(data.problems))] : []),
    ...(told === '' ? [] : [told]),
    ...(isLow ? [] : [style.dim(cutToColumns(headingRow(layTable(data, columns)), columns))]),
  ];
}

function filterText({ filter, isTyping }: Pick<DetailView, 'filter' | 'isTyping'>): string {
  return `/${showLine(filter)}${isTyping ? '▏' : ''}`;
}

function problemRow({ count, first }: PanelContent['data']['problems']): string {
  return count === 1 ? `! ${first}` : `! ${count} problems (plugboard doctor): ${first}`;
}

const TALL = 16; // rows; with fewer, the bar of tokens is left out
const LOW = 8; // rows; with fewer, the column titles are left out

function titleOf(view: View, server: PanelServer | undefined, columns: number): string {
  const name = server ? showExact(server.state.name) : '';
  switch (view.kind) {
    case 'table':
      return '';
    case 'detail': {
      const { glyph = '', word = '' } = server ? stateWord(server) : {};
      const status = `  ${glyph} ${word}`;
      return `Server ${cutMiddle(name, columns - textWidth(`Server ${status}`))}${status}`;
    }
    case 'item':
      return showLine(`${ITEM_WORDS[view.item.kind]} ${nameOf(view.item)} of ${name}`);
    case 'call':
      return `Call ${toolText(nameOf(view.item))}`;
    case 'result':
      return `Result of ${toolText(nameOf(view.item))}`;
    case 'budget':
      return 'Tokens of the context by server';
    case 'picture':
      return `Image ${view.at + 1} of the result of ${toolText(nameOf(view.item))}`;
    case 'approve':
      return `Let ${name} run? This is its whole entry:`;
    case 'logs':
      return `What ${name} has said on stderr${view.top === undefined ? ', live' : ''}`;
    case 'help':
      return `Help: ${HELP_WORDS[view.back.kind]}`;
    default:
      return unreachable(view);
  }
}

const HELP_WORDS: Readonly<Record<Exclude<View['kind'], 'help'>, string>> = {
  table: 'the server panel',
  detail: 'a server',
  item: 'what a server offers',
  call: 'the form of a call',
  result: 'the result of a call',
  picture: 'an image',
  budget: 'tokens',
  approve: 'an approval',
  logs: 'the log of a server',
};

const ITEM_WORDS: Readonly<Record<ItemRef['kind'], string>> = {
  tool: 'Tool',
  prompt: 'Prompt',
  'set-aside': 'Set aside:',
  resource: 'Resource',
  template: 'Resource template',
  skill: 'Skill',
};

function nameOf(item: ItemRef): string {
  return 'uri' in item ? item.uri : item.name;
}

interface BodyRows {
  readonly shown: readonly string[];
  readonly top: number;
  /** `12-40 of 300`; empty when all rows are shown. */
  readonly span: string;
}

function drawBody(state: PanelState, { content, body }: Scene, screen: PanelScreen): BodyRows {
  const { view } = state;
  const { rows: height } = screen;
  if (view.kind === 'table') return tableBody(state, content, screen);
  if (view.kind === 'detail') return detailBody(view, body.lines, screen);
  if (view.kind === 'picture') return { shown: [], top: 0, span: '' };
  const top = view.kind === 'call' ? focusTop(body, height) : textTop(view, { rowCount: body.rows.length, height });
  return { shown: body.rows.slice(top, top + height), top, span: spanOf(top, height, body.rows.length) };
}

/** Keeps what has the focus on the screen, with some rows above it. */
function focusTop({ rows, focus = { from: 0, to: 0 } }: PanelBody, height: number): number {
  const last = Math.max(0, rows.length - height);
  const wanted = Math.max(focus.from - Math.floor(height / 3), focus.to - height);
  return Math.max(0, Math.min(focus.from, wanted, last));
}

function tableBody({ table }: PanelState, { data }: PanelContent, screen: PanelScreen): BodyRows {
  const { columns, rows: height, style } = screen;
  const servers = shownServers(data, table);
  if (servers.length === 0) return { shown: emptyRows(data.servers.length, columns), top: 0, span: '' };
  const at = selectedAt(servers, table);
  const list = { count: servers.length, height, rowsOf: (index: number) => rowsOf(servers[index]!) };
  const top = windowTop({ ...list, top: table.top, at });
  const layout = layTable(data, columns);
  const shown: string[] = [];
  let index = top;
  for (; index < servers.length && shown.length < height; index++) {
    shown.push(...serverRows(servers[index]!, { layout, width: columns, style, isSelected: index === at }));
  }
  return { shown: shown.slice(0, height), top, span: spanOf(top, index - top, servers.length) };
}

function detailBody(view: DetailView, lines: readonly DetailLine[], screen: PanelScreen): BodyRows {
  const { rows: height, columns, style } = screen;
  const at = detailLineIndex(lines, view);
  const top = windowTop({ count: lines.length, height, top: view.top, at });
  const shown = lines.slice(top, top + height).map((line, index) => {
    const isSelected = top + index === at;
    const text = `${isSelected ? '>' : ' '}${line.text.slice(1)}`;
    const row = line.tool ? spread(text, verdictOf(line.tool, screen), columns) : cutToColumns(text, columns);
    if (isSelected) return style.inverse(padText(row, columns)).trimEnd();
    return line.isHeading ? style.bold(row) : row.trimEnd();
  });
  return { shown, top, span: spanOf(top, height, lines.length) };
}

/** The tool's hint and its permission, like `may destroy  allowed`; the permission alone on a narrow screen. */
function verdictOf(tool: ToolEntry, { permissionOf, columns }: PanelScreen): string {
  const verdict = padText(verdictWord(permissionOf(tool.name)), 'allowed'.length);
  return columns < NARROW ? verdict : `${padText(hintWord(tool), 'may destroy'.length)}  ${verdict}`;
}

const NARROW = 60;

function footRows(
  state: PanelState,
  content: PanelContent,
  { screen, body }: { readonly screen: PanelScreen; readonly body: PanelBody },
): string[] {
  return [...messageRows(state.message, screen), screen.style.dim(keysRow(state, { content, body }, screen.columns))];
}

/** The message at the foot, cut to at most a third of the screen. */
function messageRows(message: PanelMessage | undefined, { columns, rows, style }: PanelScreen): string[] {
  if (!message) return [];
  const most = Math.max(1, Math.min(MESSAGE_ROWS, Math.floor(rows / 3)));
  const told = message.lines
    .flatMap((line, at) => wrapText(at === 0 ? line : `  ${line}`, columns - 1, 2))
    .slice(0, most);
  const paint = message.kind === 'failed' ? style.red : message.kind === 'done' ? style.green : style.yellow;
  return told.map((row, at) => (at === 0 ? paint(row) : row));
}

const MESSAGE_ROWS = 6;

function spanOf(top: number, count: number, all: number): string {
  return count >= all && top === 0 ? '' : `${top + 1}-${Math.min(top + count, all)} of ${all}`;
}

/** Puts one text at the beginning of a row and one at its end. */
function spread(left: string, right: string, columns: number): string {
  const room = columns - textWidth(right) - 1;
  return room < 1 ? left : `${padText(cutToColumns(left, room), room)} ${right}`;
}
