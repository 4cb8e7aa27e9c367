import type { CatalogChange, StatusWord } from '../../../index.js';
import { lookOfStatus, withoutName } from '../../../actions/servers/server-status.js';
import { unreachable } from '../../../base/never.js';
import { groupByKeys } from '../../../model/grouped.js';
import { UNTRUSTED } from '../../../model/text/untrusted-text.js';
import { shorten } from '../../../base/shorten.js';
import { showLine, showName } from '../../../model/show.js';

/** The change of one server since the last news. */
export interface ServerNewsItem {
  readonly name: string;
  /** The status in the last news. */
  readonly before: StatusWord | undefined;
  readonly after: StatusWord;
  /** Why, in a sentence. */
  readonly reason: string;
  readonly tools: number | null;
  /** Of a reconnecting server: `1/5 in 2 s`. */
  readonly retry?: string | undefined;
  /** Changes of its lists while it stayed connected. */
  readonly changes: readonly CatalogChange[];
}

/** One line for each server, or for each kind of news when there are many. */
export function newsLines(items: readonly ServerNewsItem[]): readonly string[] {
  const told = items.flatMap((item) => {
    const line = lineOf(item);
    const kind = item.before === item.after ? ('lists' as const) : item.after;
    return line === undefined ? [] : [{ kind, name: item.name, line }];
  });
  if (told.length <= LINES) return told.map(({ line }) => line);
  return Array.from(groupByKeys(told, ({ kind }) => [kind]).values(), (alike) => {
    const [{ kind, line }] = alike as [(typeof told)[number]];
    if (alike.length === 1) return line;
    const shown = alike
      .slice(0, NAMES)
      .map(({ name }) => showLine(name))
      .join(', ');
    const rest = alike.length > NAMES ? ` and ${alike.length - NAMES} more` : '';
    return `${alike.length} servers ${kind === 'lists' ? 'changed what they offer' : (lookOfStatus(kind).ofMany ?? `are ${kind}`)}: ${shown}${rest}${kind === 'connected' ? '' : '; /mcp shows more'}`;
  });
}

/** The news of one server as a line; undefined when there is none. */
export function lineOf({ name, before, after, tools, retry, changes, ...item }: ServerNewsItem): string | undefined {
  const who = showLine(name);
  const reason = withoutName(item.reason, name);
  if (before === after) return changesText(who, changes);
  const nextStep = `/mcp ${lookOfStatus(after).next} ${showName(name)}`;
  switch (after) {
    case 'connected': {
      const offer = tools === null ? '' : `, ${tools === 1 ? '1 tool' : `${tools} tools`}`;
      return before === 'reconnecting' || before === 'failed'
        ? `${who} is back${offer}`
        : `${who} is connected${offer}`;
    }
    case 'reconnecting':
      return showLine(`${who} lost, retry ${retry ?? 'soon'}: ${reason}`);
    case 'failed':
      return `${showLine(`${who} failed: ${reason}`)}; /mcp shows more`;
    case 'needs-auth':
      return `${who} needs you to sign in: ${nextStep}`;
    case 'unapproved':
      if (reason === UNTRUSTED) return `${who} needs you to trust this folder: plugboard trust`;
      return `${who} of this project waits for approval: ${nextStep}`;
    case 'disabled':
    case 'denied':
    case 'invalid':
      return showLine(`${who} is ${after}: ${reason}`);
    // Not news: a server that is still connecting, or an entry that another one replaces.
    case 'pending':
    case 'idle':
    case 'configured':
    case 'duplicate':
      return undefined;
    default:
      return unreachable(after);
  }
}

function changesText(who: string, changes: readonly CatalogChange[]): string | undefined {
  const parts = [...new Set(changes.map(({ list }) => list))].flatMap((list) => {
    const { added, removed, changed } = sumUp(changes.filter((change) => change.list === list));
    if (list === 'instructions') return added.length + removed.length + changed.length > 0 ? ['new instructions'] : [];
    return [
      ...(added.length > 0 ? [`new ${list} ${namesIn(added)}`] : []),
      ...(removed.length > 0 ? [`${list} gone: ${namesIn(removed)}`] : []),
      ...(changed.length > 0 ? [`changed ${list} ${namesIn(changed)}`] : []),
    ];
  });
  return parts.length === 0 ? undefined : showLine(`${who} has ${parts.join('; ')}`);
}

/** Adds changes up. What was removed and added again is unchanged, as when all lists of a server are fetched again. */
function sumUp(changes: readonly CatalogChange[]): Pick<CatalogChange, 'added' | 'removed' | 'changed'> {
  const [came, gone, other] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { added, removed, changed } of changes) {
    for (const name of removed) if (!came.delete(name)) gone.add(name);
    for (const name of added) if (!gone.delete(name)) came.add(name);
    for (const name of changed) if (!came.has(name)) other.add(name);
  }
  return { added: [...came], removed: [...gone], changed: [...other].filter((name) => !gone.has(name)) };
}

function namesIn(all: readonly string[]): string {
  const shown = all.slice(0, NAMES).map((name) => shorten(name, NAME_LIMIT));
  return all.length > NAMES ? `${shown.join(', ')} and ${all.length - NAMES} more` : shown.join(', ');
}

const LINES = 4; // more at once would scroll away what the user reads
const NAMES = 3;
const NAME_LIMIT = 60;
