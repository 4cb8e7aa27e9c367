import { nameWord } from '../base/shell-word.js';
import { showHidden } from './permissions/show-input.js';
import { gateLine } from './text/text-gate.js';

const LINE_LIMIT = 2000; // characters; a person reads no more of one line

/** Text from a file or a server for a terminal: one line, without control sequences. */
export function showLine(text: string): string {
  return gateLine(text, { limit: LINE_LIMIT }).text;
}

/** A path to decide about: hidden characters in it are written out, so that it cannot look like another one. */
export function showPath(path: string): string {
  return showLine(showHidden(path).replaceAll('\n', String.raw`\u{a}`));
}

/** Text of several lines, each passed through `showLine`. */
export function showText(text: string): string {
  return text.split('\n').map(showLine).join('\n');
}

/** A value as JSON, with every invisible or control character written out. */
export function showExact(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.replaceAll(
    /[^\p{L}\p{N}\p{P}\p{S} ]|[\u2800\u3164\u115f\u1160\uffa0]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** What something is in one line for a person: the first line of its description, else its title. */
export function showAbout(
  { description, title }: { readonly description: string; readonly title?: string | undefined },
  otherwise = '',
): string {
  return showLine(description.trim().split('\n', 1)[0] || title || otherwise);
}

/** A server's name as a word of a command to paste. */
export function showName(name: string): string {
  return showLine(nameWord(name));
}

/** `1 tool`, `3 tools`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A command line as it could be typed. */
export function showCommand(argv: readonly string[]): string {
  return showLine(argv.map((part) => (/^[^\s"'\\$`]+$/u.test(part) ? part : JSON.stringify(part))).join(' '));
}

/** Replaces repetitions of the server's name, which a nested cause adds. */
export function nameOnce(message: string, name: string): string {
  const [start, ...rest] = message.split(`Server "${name}"`);
  if (rest.length < 2) return message;
  const [first, ...later] = rest;
  const said = later.map((part) => (part.startsWith(': ') ? part.slice(2) : `it${part}`));
  return `${start}Server "${name}"${[first, ...said].join('')}`;
}
