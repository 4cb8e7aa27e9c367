import { gateLine } from '../text/text-gate.js';

export interface SchemaIssue {
  /** JSON pointer (RFC 6901) into the value; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

export interface IssueDraft {
  readonly path: readonly (string | number)[];
  readonly message: () => string;
  /** A wrong type or choice suggests that another alternative was meant. */
  readonly kind: 'type' | 'choice' | 'other';
}

/** The first issues of a value, as text that may be shown to a person or a model. */
export class IssueList {
  readonly issues: (SchemaIssue & { readonly depth: number; readonly kind: IssueDraft['kind'] })[] = [];

  get isFull(): boolean {
    return this.issues.length >= ISSUE_LIMIT;
  }

  add({ path, message, kind }: IssueDraft): void {
    if (this.isFull) return;
    this.issues.push({ path: toPointer(path), message: gated(message()), depth: path.length, kind });
  }

  addAll(other: IssueList): void {
    this.issues.push(...other.issues.slice(0, ISSUE_LIMIT - this.issues.length));
  }
}

const ISSUE_LIMIT = 10; // enough to correct a call; a model reads all of them
const TEXT_LIMIT = 200;
const NAME_LIMIT = 60;
const LIST_LIMIT = 5;

export function gated(text: string): string {
  return clip(text, TEXT_LIMIT);
}

/** Quotes a name or short value of the schema for a sentence. */
export function quotedName(text: string): string {
  return `"${clip(text, NAME_LIMIT)}"`;
}

/** A name may have megabytes, so only the part that may be shown is gated. */
function clip(text: string, limit: number): string {
  return gateLine(text.slice(0, limit * 2), { limit }).text;
}

export function joinNames(names: readonly string[], word: 'and' | 'or'): string {
  const shown = names.slice(0, LIST_LIMIT);
  const more = names.length - shown.length;
  const last = more > 0 ? `${more} more` : shown.pop()!;
  return shown.length === 0 ? last : `${shown.join(', ')} ${word} ${last}`;
}

function toPointer(path: readonly (string | number)[]): string {
  let pointer = '';
  for (const key of path) {
    if (pointer.length > TEXT_LIMIT) break;
    pointer += `/${String(key).slice(0, TEXT_LIMIT).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return gated(pointer);
}
