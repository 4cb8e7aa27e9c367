import { toRows } from '../../screen-text.js';
import { showLine } from '../../../model/show.js';
import type { Command } from '../command.js';

export const prompts: Command = {
  name: 'prompts',
  usage: '',
  summary: 'Show the prompts of all servers',
  async run({ session: { host }, screen, signal }) {
    const listed = await host.prompts({ signal });
    if (!listed.ok) throw listed.error;
    const rows = listed.prompts.slice(0, SHOWN).map(({ command, arguments: slots, description, title }) => {
      const taken = slots.map(({ name, required }) => (required ? name : `[${name}]`)).join(' ');
      const said = description.trim().split('\n')[0] || title || '';
      return [showLine(`${command} ${taken}`.trimEnd()), showLine(said)] as const;
    });
    const rest = listed.prompts.length - rows.length;
    screen.print(
      rows.length === 0
        ? 'No server that is known has prompts.'
        : [...toRows(rows, screen.columns), ...(rest > 0 ? [`  … and ${rest} more`] : [])].join('\n'),
    );
  },
};

const SHOWN = 200; // more scrolls by unread
