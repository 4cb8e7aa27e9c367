import { countOf, showLine } from '../../model/show.js';
import type { Style } from '../output/style.js';
import { cutToColumns, padText, textWidth } from '../terminal/text/text-width.js';
import type { PanelData, PanelServer } from './panel-data.js';
import { hasNextStep, nextStep, stateWord } from './state-words.js';
import { tokenText } from './tokens/token-text.js';
import type { ServerTokens } from './tokens/context-cost.js';

export interface TableLayout {
  readonly name: number;
  readonly columns: readonly Column[];
}

interface Column {
  readonly title: string;
  readonly width: number;
  readonly align: 'start' | 'end';
  readonly cell: (server: PanelServer) => string;
}

/** Fits the table into a screen: names and states always, other columns by their worth. */
export function layTable({ nameWidth }: PanelData, width: number): TableLayout {
  const wanted = Math.min(Math.max(nameWidth, 'NAME'.length), NAME_MOST);
  let room = width - MARK.length - STATE_WIDTH - 1 - Math.min(wanted, NAME_LEAST);
  const chosen = new Set<Column>();
  for (const column of byWorth) {
    if (column.width + GAP > room) break;
    room -= column.width + GAP;
    chosen.add(column);
  }
  const name = Math.min(wanted, Math.max(Math.min(wanted, NAME_LEAST) + room, 1));
  return { name, columns: columns.filter((column) => chosen.has(column)) };
}

export function headingRow({ name, columns: shown }: TableLayout): string {
  const titles = shown.map(({ title, width, align }) => ' '.repeat(GAP) + padText(title, width, align));
  return `${MARK}${padText('NAME', name)} ${padText('STATE', STATE_WIDTH)}${titles.join('')}`.trimEnd();
}

export function rowsOf(server: PanelServer): number {
  return hasNextStep(server) ? 2 : 1;
}

export interface TableRowOptions {
  readonly layout: TableLayout;
  readonly width: number;
  readonly style: Style;
  readonly isSelected: boolean;
}

/** One row, and below it the next step for a server that needs one. */
export function serverRows(server: PanelServer, { layout, width, style, isSelected }: TableRowOptions): string[] {
  const { glyph, word, colour } = stateWord(server);
  const name = padText(cutToColumns(showLine(server.state.name), layout.name), layout.name);
  const state = padText(cutToColumns(`${glyph} ${word}`, STATE_WIDTH), STATE_WIDTH);
  const cells = layout.columns
    .map(({ cell, width: room, align }) => ' '.repeat(GAP) + padText(cutToColumns(cell(server), room), room, align))
    .join('');
  // Without colours the mark alone shows the selection.
  const row = isSelected
    ? style.inverse(padText(`${SELECTED}${name} ${state}${cells}`, width))
    : `${MARK}${name} ${style[colour](state)}${cells}`;
  if (!hasNextStep(server)) return [row.trimEnd()];
  return [row.trimEnd(), style.dim(cutToColumns(`    ${nextStep(server)}`, width))];
}

/** `50 MCP servers: 45 connected, 3 failed, 2 to approve`, and their tokens where there is room. */
export function summaryRow({ servers, cost }: PanelData, width: number): string {
  const counts = new Map<string, number>();
  for (const server of servers) {
    const { word } = stateWord(server);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const words = [...counts]
    .toSorted(([one], [other]) => stateRank(one) - stateRank(other))
    .map(([word, count]) => `${count} ${word}`)
    .join(', ');
  const many = countOf(servers.length, 'MCP server');
  const tokens = cost
    ? ` · tokens: ${tokenText(cost.loaded)} loaded${cost.deferred > 0 ? `, ${tokenText(cost.deferred)} deferred` : ''}`
    : '';
  const told = words === '' ? many : `${many}: ${words}`;
  return cutToColumns(textWidth(told + tokens) <= width ? told + tokens : told, width);
}

/** Shown in place of an empty table. `count`: how many servers there are without the filter. */
export function emptyText(count: number): string {
  return count === 0
    ? '  No server is configured: plugboard add adds one, plugboard import copies some.'
    : '  No server matches. Escape shows all.';
}

/** A fixed order, so that only numbers change. */
const RANKS = ['connected', 'idle', 'connecting', 'reconnecting', 'needs sign-in', 'failed', 'invalid', 'to approve'];

/** The place of a state in every list of states. */
export function stateRank(word: string): number {
  const rank = RANKS.indexOf(word);
  return rank === -1 ? RANKS.length : rank;
}

const MARK = '  ';
const SELECTED = '> ';
const GAP = 1;
const STATE_WIDTH = 15; // `! needs sign-in`
const NAME_LEAST = 18;
const NAME_MOST = 40;

const columns: readonly Column[] = [
  { title: 'SCOPE', width: 10, align: 'start', cell: ({ state }) => state.scope },
  { title: 'TRANSPORT', width: 9, align: 'start', cell: ({ state }) => showLine(state.transport ?? '?') },
  { title: 'PROTOCOL', width: 10, align: 'start', cell: ({ state }) => showLine(state.protocol ?? '–') },
  { title: 'TOOLS', width: 5, align: 'end', cell: ({ state }) => countText(state.tools) },
  { title: 'RESOURCES', width: 9, align: 'end', cell: ({ state }) => countText(state.resources) },
  { title: 'PROMPTS', width: 7, align: 'end', cell: ({ state }) => countText(state.prompts) },
  { title: 'TOKENS', width: 9, align: 'end', cell: ({ tokens }) => costText(tokens) },
  { title: 'MS', width: 6, align: 'end', cell: ({ state }) => countText(state.ms) },
];

const WORTH = ['TOOLS', 'SCOPE', 'TOKENS', 'MS', 'TRANSPORT', 'PROTOCOL', 'RESOURCES', 'PROMPTS'];
const byWorth = WORTH.map((title) => columns.find((column) => column.title === title)!);

function countText(count: number | null): string {
  return count === null ? '–' : String(count);
}

/** `1.2k+30k`: loaded at once, and deferred until the model searches for it. */
function costText(tokens: ServerTokens | undefined): string {
  if (!tokens) return '–';
  const { loaded, deferred } = tokens;
  if (deferred === 0) return tokenText(loaded);
  return `${loaded === 0 ? '' : tokenText(loaded)}+${tokenText(deferred)}`;
}
