import { toNamePart } from '../view/names.js';
import { PREFIX, SEPARATOR } from './rule.js';
import { serverActs } from './server-act.js';
import { isOwn, serverSpellings, type ToolAuthor } from './subject.js';

/**
 * A server that a rule may mean as well: `mcp__a__b__c` is tool `c` of server `a__b`, and tool `b__c` of server `a`. Who wrote it meant one
 * of them.
 */
export interface Rival {
  readonly server: string;
  readonly author: ToolAuthor;
  /** Its tools as it spells them; undefined where nobody knows them, `soon` where it is about to tell. */
  readonly tools: () => readonly string[] | 'soon' | undefined;
}

/** Whether the names of what two servers have could be the same. */
export function areRivals(one: string, other: string): boolean {
  if (one === other) return false;
  return startsOf(one).some((start) => startsOf(other).some((end) => start.startsWith(end) || end.startsWith(start)));
}

/**
 * Whether a rule that names one tool of a server could have been written for something of another one. What a repository or a catalogue
 * brings loses every doubt; of two servers of the user's own only what the other one has counts, or may have in a moment.
 */
export function isClaimed(text: string, author: ToolAuthor, rivals: readonly Rival[]): boolean {
  return rivals.some((rival) => {
    const rests = startsOf(rival.server).flatMap((start) => (text.startsWith(start) ? [text.slice(start.length)] : []));
    if (rests.length === 0) return false;
    if (!isOwn(author)) return true;
    return isOwn(rival.author) && rests.some((rest) => mayHave(rival, rest));
  });
}

/** The same for whoever decides; undefined where there is nobody else to be meant. */
export function toClaims(rivals: readonly Rival[]): ((text: string, author: ToolAuthor) => boolean) | undefined {
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
