import { failureLines } from '../../actions/servers/server-status.js';
import { statusText } from '../output/server-view.js';
import { quotedRows } from '../session/display/quoted-rows.js';
import { ownCommands } from '../session/own-commands.js';
import { showLine } from '../../model/show.js';
import { wrapText } from '../terminal/text/text-width.js';
import type { DetailData, ToolEntry } from './detail-data.js';
import { reconnectText } from './state-words.js';
import { tokenText } from './token-text.js';

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
  { columns, closed }: { readonly columns: number; readonly closed: ReadonlySet<Section> },
): readonly DetailLine[] {
  const facts = factRows(data, columns).map((text, at) => ({ id: `fact ${at}`, text }));
  return [...facts, ...sections.flatMap((section) => sectionLines(section, data, closed.has(section)))];
}

function factRows(data: DetailData, columns: number): string[] {
  const { server, offer, others, texts } = data;
  const { state, definition, tokens } = server;
  const own = (text: string): string[] => wrapText(`  ${text}`, columns, 4);
  const sandbox = texts.sandbox(definition);
  return [
    ...own(`Status: ${statusText(definition, state)}`),
    ...(state.status === 'reconnecting' ? own(`Next: ${reconnectText(server)}; r tries now`) : []),
    ...failureLines(definition, state).flatMap((line) => own(`  ${ownCommands(line)}`)),
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

function sectionLines(section: Section, data: DetailData, isClosed: boolean): DetailLine[] {
  const { title, items, count } = contentOf(section, data);
  const isEmpty = items.length === 0;
  if (isEmpty && (section === 'set-aside' || section === 'warnings')) return [];
  const mark = isEmpty ? ' ' : isClosed ? '▸' : '▾';
  const heading: DetailLine = {
    id: `section ${section}`,
    text: `  ${mark} ${title} (${count ?? items.length})`,
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

function contentOf(section: Section, data: DetailData): Content {
  switch (section) {
    case 'tools':
      return { title: 'Tools', items: data.tools.map(toolLine) };
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
        items: data.setAside.map(({ tool, reason }) => itemLine({ kind: 'set-aside', name: tool }, tool, reason)),
      };
    case 'warnings':
    default:
      return {
        title: 'Warnings',
        items: data.warnings.map((warning, at) => ({ id: `warning ${at}`, text: `      ${showLine(warning)}` })),
      };
  }
}

function toolLine(tool: ToolEntry): DetailLine {
  const { title } = tool;
  const line = itemLine({ kind: 'tool', name: tool.name }, tool.tool, title === tool.tool ? undefined : title);
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
