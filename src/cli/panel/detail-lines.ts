import { markedFailureLines } from '../../actions/servers/server-status.js';
import { errorDetails, UNCOLOURED } from '../output/error-lines.js';
import { toldErrorOf } from '../fail.js';
import { statusText } from '../output/server-view.js';
import { quotedRows } from '../session/display/quoted-rows.js';
import { ownCommands } from '../session/own-commands.js';
import { showLine } from '../../model/show.js';
import { wrapText } from '../terminal/text/text-width.js';
import type { DetailData, ToolEntry } from './detail-data.js';
import type { PanelServer } from './panel-data.js';
import { reconnectText } from './state-words.js';
import { tokenText } from './tokens/token-text.js';
import type { ToolSort } from './panel-state.js';

export const sections = ['tools', 'resources', 'prompts', 'skills', 'set-aside', 'warnings'] as const;
export type Section = (typeof sections)[number];

/** One row of a server's details. */
export interface DetailLine {
  /** Stays the same for the same thing. */
  readonly id: string;
  /** Safe to show, not yet cut to the screen. */
  readonly text: string;
  readonly isHeading?: true;
  /** The tool whose permission is shown at the end of the row. */
  readonly tool?: ToolEntry;
  /** What Enter opens. */
  readonly target?: DetailTarget;
}

export type DetailTarget =
  | { readonly kind: 'section'; readonly section: Section }
  | { readonly kind: 'item'; readonly item: ItemRef };

/** One thing that a server offers, by the server's own name or URI. */
export type ItemRef =
  | { readonly kind: 'tool' | 'prompt' | 'set-aside'; readonly name: string }
  | { readonly kind: 'resource' | 'template' | 'skill'; readonly uri: string };

/** The details of a server: its state and why, its entry, what it says about itself, what it offers. */
export function detailLines(
  data: DetailData,
  { columns, closed, filter = '', sort = 'listed' }: DetailLook,
): readonly DetailLine[] {
  const words = filter.toLowerCase().split(/\s+/u).filter(Boolean);
  // With a filter only what matches is shown, so that it is on the screen.
  const facts = words.length > 0 ? [] : factRows(data, columns).map((text, at) => ({ id: `fact ${at}`, text }));
  return [
    ...facts,
    ...sections.flatMap((section) => sectionLines(section, data, { isClosed: closed.has(section), words, sort })),
  ];
}

export interface DetailLook {
  readonly columns: number;
  readonly closed: ReadonlySet<Section>;
  /** Only items with all of these words. */
  readonly filter?: string;
  readonly sort?: ToolSort;
}

function factRows(data: DetailData, columns: number): string[] {
  const { server, offer, others, texts } = data;
  const { state, definition, tokens } = server;
  const own = (text: string): string[] => wrapText(`  ${text}`, columns, 4);
  const sandbox = texts.sandbox(definition);
  return [
    ...own(`Status: ${statusText(definition, state)}`),
    ...(state.status === 'reconnecting' ? own(`Next: ${reconnectText(server)}; r tries now`) : []),
    ...failureRows(server, columns),
    ...(definition.standing.kind !== 'ready' && state.error ? own(`  ${ownCommands(showLine(state.error.hint))}`) : []),
    ...own(`Scope: ${texts.place(definition)}`),
    ...own(`Transport: ${showLine(state.transport ?? 'unknown')}`),
    ...own(`Target: ${texts.target(definition)}`),
    ...(sandbox === undefined ? [] : own(`Sandbox: ${sandbox}`)),
    ...(state.protocol === null ? [] : own(`Protocol: ${showLine(state.protocol)}`)),
    ...(tokens
      ? own(
          `Tokens: about ${tokenText(tokens.loaded)} loaded, ${tokenText(tokens.deferred)} deferred, ${tokenText(tokens.instructions)} of instructions`,
        )
      : []),
    ...others.flatMap((other) =>
      own(`Also in ${texts.label(other.definition.scope)}: ${statusText(other.definition, other.state)}`),
    ),
    ...(offer ? offerRows(data, columns) : []),
  ];
}

/** In the words of `doctor` as soon as they are known. */
function failureRows({ state, definition, failure }: PanelServer, columns: number): string[] {
  const lines = failure
    ? errorDetails(toldErrorOf(failure), { style: UNCOLOURED, columns: Infinity }).map((line) => line.slice(2))
    : markedFailureLines(definition, state);
  return lines.flatMap((line) => wrapText(`    ${ownCommands(line)}`, columns, 6));
}

function offerRows({ offer, server }: DetailData, columns: number): string[] {
  const { server: name, capabilities, instructions = '' } = offer!;
  const isOld = server.state.status !== 'connected';
  return [
    ...(isOld ? ['  As of the last answer of the server:'] : []),
    ...(name === undefined || name === '' ? [] : wrapText(`  Server: ${showLine(name)}`, columns, 4)),
    ...wrapText(`  Capabilities: ${showLine(Object.keys(capabilities ?? {}).join(', ')) || 'none'}`, columns, 4),
    ...(instructions.trim() === '' ? [] : ['  Instructions of the server:', ...quoted(instructions, columns)]),
  ];
}

function quoted(text: string, columns: number): string[] {
  const rows = quotedRows(text.trim(), columns - 2).map((row) => `  ${row}`);
  if (rows.length <= INSTRUCTION_ROWS) return rows;
  return [
    ...rows.slice(0, INSTRUCTION_ROWS),
    `  … and ${rows.length - INSTRUCTION_ROWS} more rows: plugboard get --json`,
  ];
}

const INSTRUCTION_ROWS = 40; // one screen, so that the lists below stay within reach
const ITEMS = 10_000; // of each kind, as many as a host accepts

function sectionLines(
  section: Section,
  data: DetailData,
  { isClosed, words, sort }: { readonly isClosed: boolean; readonly words: readonly string[]; readonly sort: ToolSort },
): DetailLine[] {
  const { title, items: all, count } = contentOf(section, data, sort);
  const items = all.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const isEmpty = items.length === 0;
  if (isEmpty && (words.length > 0 || section === 'set-aside' || section === 'warnings')) return [];
  const counted = items.length < all.length ? `${items.length} of ${all.length}` : (count ?? items.length);
  const mark = isEmpty ? ' ' : isClosed ? '▸' : '▾';
  const heading: DetailLine = {
    id: `section ${section}`,
    text: `  ${mark} ${title} (${counted})${section === 'tools' && sort !== 'listed' ? ` by ${sort}` : ''}`,
    isHeading: true,
    target: { kind: 'section', section },
  };
  return isClosed ? [heading] : [heading, ...items.slice(0, ITEMS)];
}

interface Content {
  readonly title: string;
  readonly items: readonly DetailLine[];
  /** Shown in place of the number of items. */
  readonly count?: string;
}

function contentOf(section: Section, data: DetailData, sort: ToolSort): Content {
  switch (section) {
    case 'tools':
      return { title: 'Tools', items: toolsInOrder(data, sort).map((tool) => toolLine(tool, data, sort)) };
    case 'resources':
      return {
        title: 'Resources',
        items: [
          ...data.resources.map(({ uri, name }) => itemLine({ kind: 'resource', uri }, uri, name)),
          ...data.templates.map(({ uri, name }) => itemLine({ kind: 'template', uri }, `${uri} (template)`, name)),
        ],
      };
    case 'prompts':
      return {
        title: 'Prompts',
        items: data.prompts.map(({ name, title }) => itemLine({ kind: 'prompt', name }, name, title)),
      };
    case 'skills':
      return {
        title: 'Skills',
        items: (data.skills ?? []).map(({ uri, name, description }) =>
          itemLine({ kind: 'skill', uri }, name, description.split('\n')[0]),
        ),
        ...(data.skills ? {} : { count: 'asking …' }),
      };
    case 'set-aside':
      return {
        title: 'Set aside',
        items: data.setAside.map(({ tool, reason }) =>
          itemLine({ kind: 'set-aside', name: tool }, tool === '' ? 'some' : tool, reason),
        ),
      };
    case 'warnings':
    default:
      return {
        title: 'Warnings',
        items: data.warnings.map((warning, at) => ({ id: `warning ${at}`, text: `      ${showLine(warning)}` })),
      };
  }
}

function toolsInOrder({ tools, server }: DetailData, sort: ToolSort): readonly ToolEntry[] {
  if (sort === 'listed') return tools;
  if (sort === 'name') return tools.toSorted((one, other) => one.tool.localeCompare(other.tool));
  const tokensOf = ({ name }: ToolEntry): number => server.tokens?.tools?.get(name) ?? 0;
  return tools.toSorted((one, other) => tokensOf(other) - tokensOf(one));
}

function toolLine(tool: ToolEntry, { server }: DetailData, sort: ToolSort): DetailLine {
  const { title } = tool;
  const tokens = sort === 'tokens' ? server.tokens?.tools?.get(tool.name) : undefined;
  const about = title === tool.tool ? undefined : title;
  const cost = tokens === undefined ? [] : [`${tokenText(tokens)} tokens`];
  const told = [...cost, ...(about === undefined ? [] : [about])].join('  ');
  const line = itemLine({ kind: 'tool', name: tool.name }, tool.tool, told);
  return { ...line, tool };
}

function itemLine(item: ItemRef, name: string, about: string | undefined): DetailLine {
  const told = about === undefined || about === '' || about === name ? '' : `  ${about}`;
  return {
    id: `${item.kind} ${'uri' in item ? item.uri : item.name}`,
    text: `      ${showLine(`${name}${told}`)}`,
    target: { kind: 'item', item },
  };
}
