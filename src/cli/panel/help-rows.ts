import { wrapText } from '../terminal/text/text-width.js';
import { panelKeys } from './action-keys.js';

export function helpRows(columns: number): string[] {
  const width = Math.max(...lines.map(([key]) => key.length)) + 4;
  return [
    'Keys',
    ...lines.flatMap(([key, about]) => wrapText(`  ${key.padEnd(width - 2)}${about}`, columns - 1, width)),
    '',
    ...NOTES.flatMap((note) => wrapText(note, columns - 1)),
  ];
}

const lines: readonly (readonly [key: string, about: string])[] = [
  ['up down j k', 'move'],
  ['pgup pgdn space', 'move by a screen'],
  ['home end', 'the first, the last'],
  ['enter', 'open a server, a section of it, a thing that it offers'],
  ['tab', 'the next section; left closes one, right opens it'],
  ...panelKeys.map(({ keys, action }) => [keys.join(' '), action.summary] as const),
  ['/', 'only servers with these words in name, scope or state'],
  ['f', 'only those that are not well'],
  ['q escape ctrl-c', 'back'],
];

const NOTES = [
  'Tokens: about how much a model reads of its tools at once, and behind a + what it has to look for first.',
  'Rows that begin with | are words of a server or a file, not of Plugboard.',
];
