import { countOf, showLine } from '../../model/show.js';
import type { Style } from '../output/style.js';
import { cutMiddle, cutToColumns, padText, textWidth, wrapText } from '../terminal/text/text-width.js';
import type { PanelData, PanelServer } from './panel-data.js';
import { hasNextStep, type ServerRemedy, nextStep, stateWord } from './state-words.js';
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
export function layTable({ nameWidth, scopeWidth }: PanelData, width: number): TableLayout {
  const wanted = Math.max(nameWidth, 'NAME'.length);
  const sized = columns.map((column) =>
    column.title === 'SCOPE' ? { ...column, width: Math.max(scopeWidth, column.width) } : column,
  );
  let name = width - MARK.length - STATE_WIDTH - 1;
  const chosen = new Set<string>();
  for (const title of WORTH) {
    const taken = sized.find((column) => column.title === title)!.width + GAP;
    if (name - taken < Math.min(wanted, chosen.size < FIRST ? NAME_LEAST : NAME_GOOD)) break;
    name -= taken;
    chosen.add(title);
  }
  return { name: Math.max(1, Math.min(wanted, name)), columns: sized.filter(({ title }) => chosen.has(title)) };
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
  const name = padText(cutMiddle(showLine(server.state.name), layout.name), layout.name);
  const state = padText(cutToColumns(`${glyph} ${word}`, STATE_WIDTH), STATE_WIDTH);
  const cells = layout.columns
    .map(({ cell, width: room, align }) => ' '.repeat(GAP) + padText(cutToColumns(cell(server), room), room, align))
    .join('');
  // Without colours the mark alone shows the selection.
  const row = isSelected
    ? style.inverse(padText(`${SELECTED}${name} ${state}${cells}`, width))
    : `${MARK}${name} ${style[colour](state)}${cells}`;
  if (!hasNextStep(server)) return [row.trimEnd()];
  return [row.trimEnd(), style.dim(`    ${fitStep(nextStep(server), width - 4)}`)];
}

/** Cuts the cause so that a short hint stays whole; a long one is on the page of the server. */
function fitStep({ cause, hint }: ServerRemedy, columns: number): string {
  const whole = [cause, hint].filter((part) => part !== '').join(ARROW);
  if (cause === '' || hint === '' || textWidth(whole) <= columns) return cutToColumns(whole, columns);
  const isOnPage = textWidth(hint) > columns * HINT_SHARE && !isKey(hint);
  const step = isOnPage ? (columns < NARROW ? 'enter' : 'enter says what to do') : hint;
  const room = columns - textWidth(step) - ARROW.length;
  return room < CAUSE_LEAST ? cutToColumns(hint, columns) : `${cutToColumns(cause, room)}${ARROW}${step}`;
}

/** A key works here, and the page would repeat it. */
function isKey(hint: string): boolean {
  return hint.startsWith('press ');
}

const ARROW = ' → ';
const NARROW = 60;
const HINT_SHARE = 0.6;
const CAUSE_LEAST = 8; // columns; fewer letters of a cause say nothing

/** `50 MCP servers: 45 connected, 3 failed, 2 to approve`, and their tokens where there is room. */
export function summaryRow({ servers, cost }: PanelData, width: number): string {
  const states = servers.map(stateWord).toSorted((one, other) => stateRank(one.word) - stateRank(other.word));
  const words = countTexts(states.map(({ word }) => word)).join(', ');
  const many = countOf(servers.length, 'MCP server');
  const tokens = cost
    ? ` · tokens: ${tokenText(cost.loaded)} loaded${cost.deferred > 0 ? `, ${tokenText(cost.deferred)} deferred` : ''}`
    : '';
  const told = words === '' ? many : `${many}: ${words}`;
  const signs = countTexts(states.map(({ glyph }) => glyph)).join(' ');
  const shortest = `${countOf(servers.length, 'server')}: ${signs}`;
  const fitting = [told + tokens, told, `${many}: ${signs}`].find((text) => textWidth(text) <= width);
  return fitting ?? cutToColumns(shortest, width);
}

/** `2 connected`, `1 failed`: each word once, in the order in which they come. */
function countTexts(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Array.from(counts, ([word, count]) => `${count} ${word}`);
}

/** Shown in place of an empty table. `count`: how many servers there are without the filter. */
export function emptyRows(count: number, width: number): string[] {
  const text =
    count === 0
      ? '  No server is configured: plugboard add adds one, plugboard import copies some.'
      : '  No server matches. Escape shows all.';
  return wrapText(text, width, 2);
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
const NAME_GOOD = 28; // columns of a long name that are worth more than any but the first columns
const FIRST = 2; // columns

const columns: readonly Column[] = [
  { title: 'SCOPE', width: 5, align: 'start', cell: ({ state }) => state.scope },
  { title: 'TRANSPORT', width: 9, align: 'start', cell: ({ state }) => showLine(state.transport ?? '?') },
  { title: 'PROTOCOL', width: 10, align: 'start', cell: ({ state }) => showLine(state.protocol ?? '–') },
  { title: 'TOOLS', width: 5, align: 'end', cell: ({ state }) => countText(state.tools) },
  { title: 'RESOURCES', width: 9, align: 'end', cell: ({ state }) => countText(state.resources) },
  { title: 'PROMPTS', width: 7, align: 'end', cell: ({ state }) => countText(state.prompts) },
  { title: 'TOKENS', width: 9, align: 'end', cell: ({ tokens }) => costText(tokens) },
  { title: 'MS', width: 6, align: 'end', cell: ({ state }) => countText(state.ms) },
];

const WORTH = ['TOOLS', 'SCOPE', 'TOKENS', 'MS', 'TRANSPORT', 'PROTOCOL', 'RESOURCES', 'PROMPTS'];

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
