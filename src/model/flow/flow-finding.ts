import { gateLine } from '../text/text-gate.js';
import type { FlowEncoding } from './decoded-forms.js';

/** Where text was read. */
export interface FlowSource {
  /** Undefined for a file, for a tool of the embedding program, and for a tool that the model's provider runs. */
  readonly server?: string | undefined;
  /** As its server spells it; `Read` for a file. */
  readonly tool: string;
}

/** The name of a source or of a sink in rules: its server, or the tool where there is no server. */
export function flowNameOf({ server, tool }: FlowSource): string {
  return server ?? tool;
}

/** Text that was read, as a question tells of it. */
export interface FlowReading extends FlowSource {
  /** How many turns of the model ago; 0: in this turn. */
  readonly turnsAgo: number;
}

/** A part of an input that repeats what was read. */
export interface FlowCopy {
  /** The argument: `url`, `items[2].body`. */
  readonly argument: string;
  /** The repeated part, decoded, not cleaned, at most 200 characters. */
  readonly text: string;
  /** How it is written in the argument; undefined: as it is. */
  readonly encoding?: FlowEncoding | undefined;
  /** Where it was read. */
  readonly from: FlowReading;
  /** It looks like a credential. */
  readonly isSecret: boolean;
}

/** Why a call may send out what was read. */
export interface FlowFinding {
  /**
   * `copy`: its input repeats what was read. `strict`: the mode asks about every such call. `fault`: the guard could not
   * compare the input.
   */
  readonly kind: 'copy' | 'strict' | 'fault';
  /** The text from outside that was read first. */
  readonly outside: FlowReading;
  /** The parts of the input that repeat what was read, at most 20; none for `strict`. */
  readonly copies: readonly FlowCopy[];
  /** The rules of `flow.allow` that would have let the call pass: `web -> notes`. */
  readonly rules: readonly string[];
  /**
   * The settings that `always` writes the rules to: where a server is not the user's, those for this project alone. Absent
   * where no rule can be written, because of the name of a server.
   */
  readonly scope?: 'user' | 'local';
  /** Why the guard could not compare the input. */
  readonly fault?: string | undefined;
}

/** Why a person is asked: a clause, safe to show. */
export function flowReason({ kind, outside, copies, fault }: FlowFinding): string {
  const came = `text from ${placeText(outside)} was read ${agoText(outside)}`;
  const [first] = copies;
  const known = first ? ', but ' : ', and ';
  const unknown = kind === 'fault' ? `the flow guard cannot compare all (${shown(fault ?? 'it failed')})${known}` : '';
  if (!first && kind === 'fault') return unknown + came;
  if (!first) return `${came}, and the flow guard's mode strict asks about every call that can send data elsewhere`;
  const more = copies.length === 1 ? '' : `, and ${moreText(copies.length - 1)} like this`;
  const what = first.isSecret ? 'has what looks like a secret' : 'repeats text';
  const how = first.encoding === undefined ? '' : ` (${ENCODINGS[first.encoding]})`;
  const isSame = flowNameOf(first.from) === flowNameOf(outside) && first.from.turnsAgo === outside.turnsAgo;
  const after = isSame ? '' : `, and ${came}`;
  return `${unknown}its argument ${argumentText(first)} ${what}${how} that ${copyText(first)}${more}${after}`;
}

/** How many copies there are besides some that are told; no more than so many are known. */
export function moreText(count: number): string {
  return count >= MOST_COPIES - 3 ? 'many more' : `${count} more`;
}

/** How many copies a finding has at the most. */
export const MOST_COPIES = 20;

/** The argument, in quotes, which no name of a field can end. */
export function argumentText({ argument }: Pick<FlowCopy, 'argument'>): string {
  return JSON.stringify(gateLine(argument, { limit: ARGUMENT }).text);
}

/** Where a copy is from: `web.fetch gave two turns ago`. */
export function copyText({ from }: Pick<FlowCopy, 'from'>): string {
  return `${placeText(from)} gave ${agoText(from)}`;
}

/** A name that reads like a sentence stands in quotes. */
function nameText(name: string): string {
  return PLAIN_NAME.test(name) ? name : JSON.stringify(gateLine(name, { limit: ARGUMENT }).text);
}

const PLAIN_NAME = /^[\w./@:-]{1,128}$/u;

function placeText({ server, tool }: FlowSource): string {
  if (server !== undefined) return nameText(tool === '' ? server : `${server}.${tool}`);
  return tool === FILE_TOOL ? 'a file' : nameText(tool);
}

/** A word or two for the ledger: never content. */
export function flowLedgerText({ kind, copies, rules }: FlowFinding): string {
  if (kind !== 'copy') return kind;
  const isSecret = copies.some((copy) => copy.isSecret);
  const encodings = [...new Set(copies.flatMap(({ encoding }) => encoding ?? []))];
  return [isSecret ? 'secret' : 'copy', rules.join(', '), ...encodings].join(' ').trim();
}

export const FILE_TOOL = 'Read';

const ENCODINGS: Readonly<Record<FlowEncoding, string>> = {
  base64: 'in base64',
  hex: 'in hex',
  url: 'percent-encoded',
};

function agoText({ turnsAgo }: FlowReading): string {
  if (turnsAgo === 0) return 'in this turn';
  return turnsAgo === 1 ? 'one turn ago' : `${WORDS[turnsAgo] ?? turnsAgo} turns ago`;
}

const WORDS = ['', '', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

function shown(text: string): string {
  return gateLine(text, { limit: 100 }).text;
}

const ARGUMENT = 60; // characters: a longer name could say more than where the text is
