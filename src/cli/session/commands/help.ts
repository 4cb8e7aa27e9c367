import { textWidth, wrapText } from '../../terminal/text/text-width.js';
import type { Command } from '../command.js';
import { ownRows } from '../display/quoted-rows.js';

export const helpCommand: Command = {
  name: 'help',
  aliases: ['?'],
  usage: '',
  summary: 'Show the commands and keys',
  async run({ screen }) {
    // A dynamic import, because the list imports this file.
    const { commands } = await import('./all.js');
    const { bold } = screen.style;
    const rows = commands.map(({ name, usage, summary }) => [`/${name} ${usage}`.trimEnd(), summary] as const);
    const prompts = ['/mcp__SERVER__PROMPT words', 'Send a prompt of a server'] as const;
    const mention = ['@SERVER:URI', 'Let the model read a resource, anywhere in a message'] as const;
    const { columns } = screen;
    screen.print(
      [
        bold('Commands'),
        ...entryRows([...rows, prompts, mention], columns),
        bold('Keys'),
        ...entryRows(KEYS, columns),
        ...ownRows('To send a message that begins with /, put a space before the /.', columns, 0),
      ].join('\n'),
    );
  },
};

/** A name with its description beside it; below it where the name is long or the screen narrow. Nothing is cut. */
function entryRows(entries: readonly (readonly [name: string, about: string])[], columns: number): string[] {
  const isNarrow = columns < NARROW;
  return entries.flatMap(([name, about]) => {
    const isApart = isNarrow || textWidth(name) > NAME_COLUMN;
    const margin = ' '.repeat(isNarrow ? 4 : NAME_COLUMN + 4);
    return isApart
      ? [...ownRows(`  ${name}`, columns, 4), ...wrapText(`${margin}${about}`, columns - 1, margin.length)]
      : wrapText(`  ${name.padEnd(NAME_COLUMN)}  ${about}`, columns - 1, margin.length);
  });
}

const NAME_COLUMN = 20;
const NARROW = 60;
const KEYS = [
  ['Enter', 'Send; Alt-Enter, Ctrl-J or a backslash before Enter start a new row'],
  ['Tab', 'Complete commands, tools, prompts, resources and their arguments'],
  ['Up, Down, Ctrl-R', 'Earlier entries, also of other sessions'],
  ['Ctrl-C, Escape', 'Stop what is running; Ctrl-C twice leaves'],
  ['Ctrl-G', 'Retry lost servers now'],
  ['Ctrl-D', 'Leave'],
] as const;
