import { toNamePart } from '../view/names.js';
import { PREFIX, SEPARATOR } from './rule.js';
import { serverActs } from './server-act.js';
import { isOwn, serverSpellings, type ToolAuthor } from './subject.js';

/**
 * Another server that a rule may name as well: `mcp__a__b__c` is tool `c` of server `a__b` and tool `b__c` of server
 * `a`. The author of the rule meant one of them.
 */
export interface Rival {
  readonly server: string;
  readonly author: ToolAuthor;
  /** The server's own names of its tools; undefined when unknown, `soon` when the server is about to list them. */
  readonly tools: () => readonly string[] | 'soon' | undefined;
}

/** Whether tools of two servers could have the same full name. */
export function areRivals(one: string, other: string): boolean {
  if (one === other) return false;
  return startsOf(one).some((start) => startsOf(other).some((end) => start.startsWith(end) || end.startsWith(start)));
}

/**
 * Whether a rule that names one tool of a server could have been written for another server. For a server of a
 * repository or catalogue any doubt counts; between two servers of the user, only what the rival offers, or may list
 * soon.
 */
export function isClaimed(text: string, author: ToolAuthor, rivals: readonly Rival[]): boolean {
  return rivals.some((rival) => {
    const rests = startsOf(rival.server).flatMap((start) => (text.startsWith(start) ? [text.slice(start.length)] : []));
    if (rests.length === 0) return false;
    if (!isOwn(author)) return true;
    return isOwn(rival.author) && rests.some((rest) => mayHave(rival, rest));
  });
}

/** `isClaimed` for these rivals; undefined when there are none. */
export function otherServerTest(rivals: readonly Rival[]): ((text: string, author: ToolAuthor) => boolean) | undefined {
  return rivals.length === 0 ? undefined : (text, author) => isClaimed(text, author, rivals);
}

function mayHave({ tools }: Rival, rest: string): boolean {
  const known = tools();
  if (known === 'soon') return true;
  const names = [...serverActs, ...(known ?? [])];
  return names.some((name) => rest === name || rest === toNamePart(name));
}

function startsOf(server: string): readonly string[] {
  return serverSpellings(server).map((spelling) => PREFIX + spelling + SEPARATOR);
}
