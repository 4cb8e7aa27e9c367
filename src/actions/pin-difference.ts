import { checkPins, INSTRUCTIONS, type PinKind, type PinVerdict } from '../model/pins/check-pins.js';
import { diffLines } from '../model/pins/line-diff.js';
import type { LockedServer } from '../model/pins/lock.js';
import { canonicalJson } from '../model/text/canonical-json.js';
import type { PinnedDefinition } from '../model/pins/pinned-text.js';
import { showLine } from '../model/show.js';

export interface PinChange {
  readonly kind: PinKind;
  readonly name: string;
  /** The accepted definition; undefined when this machine has no copy, because a lock holds only hashes. */
  readonly before?: PinnedDefinition;
  readonly after?: PinnedDefinition;
}

/** How a server differs from its pins. */
export interface PinDifference {
  readonly changed: readonly PinChange[];
  readonly added: readonly PinChange[];
  readonly removed: readonly PinChange[];
  readonly told: PinVerdict['told'];
}

type Definitions = ReadonlyMap<string, PinnedDefinition>;

export function differenceOf(
  before: LockedServer | undefined,
  after: LockedServer,
  { accepted, offered }: { readonly accepted: Definitions; readonly offered: Definitions },
): PinDifference {
  const verdict = checkPins(before ?? NOTHING, { ...after, tools: items(after.tools), prompts: items(after.prompts) });
  const toChange = ({ kind, name }: { readonly kind: PinKind; readonly name: string }): PinChange => {
    const old = before && pinOf(before, kind, name);
    const now = pinOf(after, kind, name);
    const [was, is] = [old && accepted.get(old), now && offered.get(now)];
    return { kind, name, ...(was && { before: was }), ...(is && { after: is }) };
  };
  const isNew = ({ kind, name }: PinChange): boolean => !before || pinOf(before, kind, name) === undefined;
  const others = verdict.aside.map(toChange);
  return {
    changed: others.filter((change) => !isNew(change)),
    added: [...others.filter(isNew), ...verdict.added.map(toChange)],
    removed: verdict.missing.map(toChange),
    told: verdict.told,
  };
}

function items(pins: ReadonlyMap<string, string>): { name: string; pin: string }[] {
  return Array.from(pins, ([name, pin]) => ({ name, pin }));
}

const NOTHING: LockedServer = {
  entry: undefined,
  package: undefined,
  instructions: undefined,
  tools: new Map(),
  prompts: new Map(),
};

function pinOf(locked: LockedServer, kind: PinKind, name: string): string | undefined {
  if (kind === 'instructions') return locked.instructions;
  return (kind === 'tool' ? locked.tools : locked.prompts).get(name);
}

export function isEmpty({ changed, added, removed, told }: PinDifference): boolean {
  return changed.length + added.length + removed.length + told.length === 0;
}

/** The difference for a person: each definition line by line, complete, with hidden characters made visible. */
export function differenceLines({ changed, added, removed, told }: PinDifference): string[] {
  return [
    ...changed.flatMap((change) => [
      `  changed ${title(change)}${change.before ? '' : UNKNOWN_BEFORE}`,
      ...changeLines(change),
    ]),
    ...added.flatMap((change) => [`  new ${title(change)}`, ...changeLines(change)]),
    ...removed.map((change) => `  gone ${title(change)}`),
    ...told.map(({ kind, name, reason }) => showLine(`  ${kind === 'entry' ? '' : `${kind} ${name}: `}${reason}`)),
  ];
}

const UNKNOWN_BEFORE = ' (this machine does not know what was accepted; this is the definition now)';

function title({ kind, name }: PinChange): string {
  return kind === 'instructions' ? INSTRUCTIONS : showLine(`${kind} ${name}`);
}

function changeLines({ before, after }: PinChange): string[] {
  const lines = diffLines(before ? toLines(before) : [], after ? toLines(after) : []);
  return lines.map(({ sign, text }) => showLine(`    ${sign}${text}`));
}

/** One definition, complete, line by line. */
export function definitionLines(definition: PinnedDefinition): string[] {
  return toLines(definition).map((text) => showLine(`    ${text}`));
}

/** Fields in canonical order, so that a different order of fields is no difference. */
function toLines(definition: PinnedDefinition): string[] {
  const [fields] = Object.values(JSON.parse(canonicalJson(definition)) as { [kind: string]: unknown });
  if (typeof fields !== 'object' || fields === null) return textLines('', String(fields));
  return Object.entries(fields).flatMap(([key, value]) => {
    if (key === 'name') return [];
    if (typeof value === 'string') return textLines(`${key}: `, value);
    return textLines(`${key}: `, JSON.stringify(value, undefined, 2));
  });
}

function textLines(start: string, text: string): string[] {
  return `${start}${text}`.split('\n').flatMap((line) => inPieces(visible(line)));
}

/** Escapes hidden characters: otherwise a difference in them would be invisible. */
function visible(line: string): string {
  return line.replaceAll(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

const HIDDEN = /[^\p{L}\p{N}\p{P}\p{S}\p{M} ]|[\u2800\u3164\u115f\u1160\uffa0]|\u034f|\p{VS}/gu;

function inPieces(line: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < Math.max(line.length, 1); at += PIECE) pieces.push(line.slice(at, at + PIECE));
  return pieces;
}

const PIECE = 1_000; // `showLine` cuts lines not far beyond this length
