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
  ['home end', 'go to the first, to the last'],
  ['enter', 'open a server, a section, a tool, prompt or resource'],
  ['tab', 'go to the next section; left closes one, right opens it'],
  ...panelKeys.map(({ keys, action }) => [keys.join(' '), action.summary] as const),
  ['/', 'only servers with these words in name, scope or state'],
  ['f', 'only servers with a problem'],
  ['q escape ctrl-c', 'back'],
];

const NOTES = [
  'Tokens: about what the loaded tools of a server cost the model; after a +, its deferred tools (found by search).',
  'Rows that begin with | are words of a server or a file, not of Plugboard.',
];
