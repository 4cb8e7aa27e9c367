import { nearest } from '../../base/nearest.js';
import type { JsonObject } from '../../base/json.js';
import type { SchemaOutcome } from './check.js';
import { gated, quotedName, type SchemaIssue } from './issue.js';
import { listPropertyNames } from './listed-names.js';

/** Whether arguments that a person typed fit a tool. */
export type ArgumentsFit =
  | { readonly kind: 'fit' }
  /** One sentence for each thing that is wrong: `titel: not an argument; did you mean title?` */
  | { readonly kind: 'misfit'; readonly issues: readonly string[] }
  | { readonly kind: 'unchecked'; readonly reason: string };

/** The arguments by their names: some are not listed, the others are left to the check of the schema. */
export interface SortedArguments {
  readonly listed: JsonObject;
  /** A sentence for each name that the schema does not list. */
  readonly unlisted: readonly string[];
  /** Why the names could not be looked at. */
  readonly unread: string | undefined;
}

export function sortArguments(inputSchema: unknown, input: JsonObject): SortedArguments {
  const names = listPropertyNames(inputSchema);
  if (names.kind === 'open') return { listed: input, unlisted: [], unread: names.unread };
  const entries = Object.entries(input);
  const wrong = new Set(
    entries.filter(([name, value]) => value !== undefined && !names.takes(name)).map(([name]) => name),
  );
  const unlisted = Array.from(wrong, (name) => notListed(name, names.names, input)).slice(0, ISSUE_LIMIT);
  // `Object.fromEntries`, because an argument may be named __proto__.
  return { listed: Object.fromEntries(entries.filter(([name]) => !wrong.has(name))), unlisted, unread: undefined };
}

/** The verdict of both: names that are not listed, and what the schema's check said about the others. */
export function toFit({ unlisted, unread }: SortedArguments, outcome: SchemaOutcome): ArgumentsFit {
  const issues = [...unlisted, ...(outcome.kind === 'invalid' ? outcome.issues.map(issueText) : [])];
  if (issues.length > 0) return { kind: 'misfit', issues };
  if (outcome.kind === 'unchecked') return { kind: 'unchecked', reason: outcome.reason };
  return unread === undefined
    ? { kind: 'fit' }
    : { kind: 'unchecked', reason: `The names were not checked: ${unread}` };
}

function notListed(name: string, known: ReadonlySet<string>, given: JsonObject): string {
  // A name that is given already is not what was meant.
  const open = [...known].slice(0, NEAREST_LIMIT).filter((one) => !Object.hasOwn(given, one));
  const [close] = nearest(name, open);
  const end = close === undefined ? (known.size === 0 ? '; the tool takes none' : '') : `; did you mean ${close}?`;
  return gated(`${name}: not an argument${end}`);
}

function issueText({ path, message }: SchemaIssue): string {
  const [, missing] = MISSING.exec(message) ?? [];
  const place = path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  if (missing !== undefined) return `${place === '' ? '' : `${place}.`}${missing}: missing`;
  return place === '' ? `the arguments ${message}` : `${place}: ${message}`;
}

const MISSING = new RegExp(`^must have the property ${quotedName('(.*)')}$`, 'u');
const ISSUE_LIMIT = 10; // a person corrects these first
const NEAREST_LIMIT = 500; // names compared with the one that is not listed
