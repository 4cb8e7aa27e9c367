import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import { toStored } from '../entries/target.js';
import { isNothing, quote } from '../importers/mapping.js';
import type { ForeignEntryResult } from './exporter.js';
import type { VariableWriter } from './write-variables.js';

/** The format of one host: which of our fields it has, and what they are called there. */
export interface ForeignShape {
  /** The host's name for people. */
  readonly title: string;
  /** What an entry of each kind begins with. A kind that is missing does not exist there. */
  readonly kinds: Readonly<Record<string, (name: string) => RawEntry>>;
  /** Rules by our names; a field without a rule is left out, and named. */
  readonly fields: Readonly<Record<string, ExportRule>>;
  readonly variables: VariableWriter;
}

/** Writes one field of ours. Contract: must not throw. */
export type ExportRule = (value: unknown, draft: ExportDraft, field: string) => void;

/** An entry of the other host under construction. A Map, so that a field named `__proto__` is a normal field. */
export interface ExportDraft {
  readonly title: string;
  readonly fields: Map<string, unknown>;
  readonly lost: Set<string>;
  readonly notes: Set<string>;
  /** Why the whole server cannot be exported. */
  readonly refusals: Set<string>;
  readonly variables: VariableWriter;
}

/** Maps an entry of ours to another host's format, field by field. */
export function toForeignEntry(shape: ForeignShape, name: string, raw: RawEntry): ForeignEntryResult {
  const { type, ...fields } = toStored(raw);
  const { title, variables } = shape;
  const kind = String(type);
  if (!Object.hasOwn(shape.kinds, kind))
    return { kind: 'refused', reason: `${title} has no ${kind.slice(0, 20)} servers in its file` };
  const draft: ExportDraft = {
    title,
    fields: new Map(Object.entries(shape.kinds[kind]!(name))),
    lost: new Set(),
    notes: new Set(),
    refusals: new Set(),
    variables,
  };
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined || (isNothing(value) && !emptyMatters.includes(field))) continue;
    const rule = Object.hasOwn(shape.fields, field) ? shape.fields[field]! : (commonRules[field] ?? leave);
    rule(value, draft, field);
  }
  if (kind === 'sse' && draft.fields.get('type') !== 'sse') draft.notes.add(foundOut(title));
  const [reason] = draft.refusals;
  if (reason !== undefined) return { kind: 'refused', reason };
  return {
    kind: 'entry',
    entry: Object.fromEntries(draft.fields),
    lost: [...draft.lost],
    notes: [...draft.notes],
  };
}

const foundOut = (title: string): string => `"type" is left out: ${title} finds out itself whether a server speaks sse`;

/** Fields whose empty value means something. */
const emptyMatters = ['includeTools', 'roots'];

/** A field that the other host does not have. */
const leave: ExportRule = (_value, draft, field) =>
  void draft.lost.add(`${quote(field)} is left out: ${draft.title} has no such field`);

export function leaveBecause(why: string): ExportRule {
  return (_value, draft, field) => void draft.lost.add(`${quote(field)} is left out: ${why}`);
}

const commonRules: Readonly<Record<string, ExportRule>> = Object.assign(Object.create(null) as object, {
  trust: leaveBecause('what may run without asking is decided in each host'),
  sandbox: ((_value, draft) =>
    void draft.lost.add(`"sandbox" is left out: in ${draft.title} the server runs without one`)) satisfies ExportRule,
  disabled: ((_value, draft) =>
    void draft.lost.add(`"disabled" is left out: ${draft.title} will run the server`)) satisfies ExportRule,
});

/** The value as it is. */
export function copy(to?: string): ExportRule {
  return (value, draft, field) => void draft.fields.set(to ?? field, value);
}

/** Texts that the server cannot do without: a variable that the host cannot express refuses the server. */
export function carry(to?: string): ExportRule {
  return (value, draft, field) => {
    const write = (text: unknown): unknown => {
      if (typeof text !== 'string') return text;
      const written = draft.variables(text);
      if ('text' in written) return tellLost(written.lost, draft, field) ?? written.text;
      draft.refusals.add(`${field}: ${written.cannot}`);
      return text;
    };
    draft.fields.set(to ?? field, Array.isArray(value) ? value.map(write) : write(value));
  };
}

/** Named texts, such as headers: one that the host cannot express is left out, and named. */
export function carryEach(to?: string): ExportRule {
  return (value, draft, field) => {
    const kept = pairsOf(value).flatMap(([name, text]): [string, unknown][] => {
      const written = draft.variables(text);
      if (!('text' in written)) {
        draft.lost.add(`${quote(`${field}.${name}`)} is left out: ${written.cannot}`);
        return [];
      }
      return [[name, tellLost(written.lost, draft, `${field}.${name}`) ?? written.text]];
    });
    if (kept.length > 0) draft.fields.set(to ?? field, Object.fromEntries(kept));
  };
}

function tellLost(lost: readonly string[], draft: ExportDraft, field: string): undefined {
  for (const sentence of lost) draft.lost.add(`${quote(field)}: ${sentence}`);
}

export function pairsOf(value: unknown): [string, string][] {
  return Object.entries(isObject(value) ? value : {}).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  );
}

/** `enabled: false` for a server that is disabled. */
export const toEnabled: ExportRule = (value, draft) => void draft.fields.set('enabled', value !== true);

/** Whole seconds, rounded up: hosts that count in seconds take no fractions. */
export function toSeconds(to: string): ExportRule {
  return (value, draft, field) => {
    const ms = Number(value);
    draft.fields.set(to, Math.ceil(ms / 1000));
    if (ms % 1000 !== 0) draft.notes.add(`${quote(field)} is rounded up: ${draft.title} counts in seconds`);
  };
}

/** The client of a sign-in; `words`: the host's names for our fields. Secrets and sign-ins stay here. */
export function toForeignClient(field: string, words: Readonly<Record<string, string>>): ExportRule {
  return (value, draft) => {
    const client = new Map<string, unknown>();
    for (const [key, part] of Object.entries(isObject(value) ? value : {})) {
      const theirs = Object.hasOwn(words, key) ? words[key] : undefined;
      const written = typeof part === 'string' ? draft.variables(part) : { text: part };
      const why =
        key === 'clientSecret'
          ? 'secrets of a sign-in stay here'
          : theirs === undefined
            ? `${draft.title} has no such field`
            : 'text' in written
              ? undefined
              : written.cannot;
      if (why !== undefined) draft.lost.add(`${quote(`oauth.${key}`)} is left out: ${why}`);
      else client.set(theirs!, 'text' in written ? written.text : part);
    }
    if (client.size > 0) draft.fields.set(field, Object.fromEntries(client));
  };
}

/** Puts a pair into a field that is an object. */
export function putPair(draft: ExportDraft, field: string, [name, value]: readonly [string, string]): void {
  const before = draft.fields.get(field);
  draft.fields.set(field, Object.fromEntries([...Object.entries(isObject(before) ? before : {}), [name, value]]));
}

/** Adds names to a field that is a list, each once. */
export function addNames(draft: ExportDraft, field: string, names: readonly unknown[]): void {
  const before = draft.fields.get(field);
  draft.fields.set(field, [...new Set([...(Array.isArray(before) ? (before as unknown[]) : []), ...names])]);
}
