import type { ServerAsOf, ToldPart } from '../../actions/told.js';
import type { StatusWord } from '../../index.js';
import { serverStatusLines, type ViewOptions } from './server-view.js';
import { wrapLine } from './wrap.js';

/** Servers grouped by the file of their entry. Only servers that were asked get colours, wrapping and a summary. */
export function serverListLines(
  { servers, isAsked }: Extract<ToldPart, { readonly kind: 'servers' }>,
  options: Required<ViewOptions>,
): string[] {
  const groups = new Map<string, ServerAsOf[]>();
  for (const one of servers) {
    const group = groups.get(one.place) ?? [];
    group.push(one);
    groups.set(one.place, group);
  }
  const sections = [...groups].map(([heading, group]) => [
    heading,
    ...group.flatMap((one) => serverStatusLines(one, isAsked ? options : {})),
  ]);
  const summary = isAsked ? summaryOf(servers).flatMap((line) => wrapLine(line, options.columns, 2)) : [];
  return [...sections, ...(summary.length > 0 ? [summary] : [])].flatMap((lines, at) =>
    at === 0 ? lines : ['', ...lines],
  );
}

/** Counts by status, for lists that are too long to count. */
function summaryOf(servers: readonly ServerAsOf[]): string[] {
  if (servers.length < MANY) return [];
  const counts = new Map<StatusWord, number>();
  for (const { state } of servers) counts.set(state.status, (counts.get(state.status) ?? 0) + 1);
  const words = [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([status, count]) => `${count} ${status === 'needs-auth' ? 'waiting for sign-in' : status}`);
  const more = (counts.get('failed') ?? 0) > 0 ? '; plugboard doctor shows why and what to do' : '';
  return [`${servers.length} servers: ${words.join(', ')}${more}`];
}

const MANY = 10;
