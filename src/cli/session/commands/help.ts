import { toRows } from '../../screen-text.js';
import type { Command } from '../command.js';

export const help: Command = {
  name: 'help',
  aliases: ['?'],
  usage: '',
  summary: 'Show the commands and keys',
  async run({ screen }) {
    // The list has this one in it.
    const { commands } = await import('./all.js');
    const { bold } = screen.style;
    const rows = commands.map(({ name, usage, summary }) => [`/${name} ${usage}`.trimEnd(), summary] as const);
    const prompts = ['/mcp__SERVER__PROMPT words', 'Send what a prompt of a server says'] as const;
    const mention = ['@SERVER:URI', 'Let the model read a resource, anywhere in a message'] as const;
    const { columns } = screen;
    screen.print(
      [
        bold('Commands'),
        ...toRows([...rows, prompts, mention], columns),
        bold('Keys'),
        ...toRows(KEYS, columns),
        'A message that begins with / and is none of these is sent with a blank before it.',
      ].join('\n'),
    );
  },
};

const KEYS = [
  ['Enter', 'Send; Alt-Enter, Ctrl-J or a backslash before it begin another row'],
  ['Tab', 'Complete commands, tools, prompts, resources and their arguments'],
  ['Up, Down, Ctrl-R', 'What was entered before'],
  ['Ctrl-C, Escape', 'Stop what is under way; twice Ctrl-C leaves'],
  ['Ctrl-D', 'Leave'],
] as const;
