import { nextStepOf } from '../../actions/health/next-step.js';
import { lookOf } from '../../actions/servers/server-status.js';
import type { ToldPart } from '../../actions/told.js';
import type { StatusWord } from '../../index.js';
import { showLine } from '../../model/show.js';
import { findingLines } from './finding-lines.js';
import { type ServerRow, serverTable } from './server-table.js';
import type { Style } from './style.js';
import { wrapLine } from './wrap.js';

type ServersPart = Extract<ToldPart, { readonly kind: 'servers' }>;
type ListedServer = ServersPart['servers'][number];

interface ListLooks {
  readonly style: Style;
  readonly columns: number;
}

/** The table of all servers; below it why some of them do not run as they should, and a summary of a long list. */
export function serverListLines({ servers, causes }: ServersPart, looks: ListLooks): string[] {
  const rest = causes.length - CAUSES_SHOWN;
  const told = [
    ...causes.slice(0, CAUSES_SHOWN).flatMap((finding) => findingLines(finding, looks)),
    ...(rest > 0 ? [`and ${rest} more: plugboard doctor`] : []),
  ];
  const summary = summaryOf(servers).flatMap((line) => wrapLine(line, looks.columns, 2));
  return [serverTable(servers.map(toRow), looks), told, summary]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
}

function toRow({ server, state }: ListedServer): ServerRow {
  const { glyph, word, tone } = lookOf(server, state);
  // A server that works in part is neither well nor failed.
  const isPartial = state.status === 'connected' && (state.error !== undefined || state.drift !== undefined);
  return {
    glyph: isPartial ? '!' : glyph,
    tone: isPartial ? 'waiting' : tone,
    name: showLine(server.name),
    state: word,
    transport: showLine(state.transport ?? UNKNOWN),
    scope: state.scope,
    protocol: showLine(state.protocol ?? UNKNOWN),
    tools: countText(state.tools),
    prompts: countText(state.prompts),
    resources: countText(state.resources),
    ms: countText(state.ms),
    next: nextStepOf(server, state),
  };
}

function countText(count: number | null): string {
  return count === null ? UNKNOWN : String(count);
}

/** Counts by status, for lists that are too long to count. */
function summaryOf(servers: readonly ListedServer[]): string[] {
  if (servers.length < MANY) return [];
  const counts = new Map<StatusWord, number>();
  for (const { state } of servers) counts.set(state.status, (counts.get(state.status) ?? 0) + 1);
  const words = [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([status, count]) => `${count} ${status === 'needs-auth' ? 'waiting for sign-in' : status}`);
  return [`${servers.length} servers: ${words.join(', ')}`];
}

const UNKNOWN = '–';
const MANY = 10;
const CAUSES_SHOWN = 20; // a screen or two; `plugboard doctor` shows all
