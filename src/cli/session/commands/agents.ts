import { showLine } from '../../../model/show.js';
import { toRows } from '../../output/screen-text.js';
import type { Command } from '../command.js';
import { ownRows } from '../display/quoted-rows.js';

export const agentsCommand: Command = {
  name: 'agents',
  usage: '',
  summary: 'Show the sub-agents that the model may start',
  run({ agents: known, screen }) {
    const rows = known.map(({ name, description, tools, servers }) => {
      const reach = [...(tools ? [`tools ${tools.join(', ')}`] : []), ...(servers ? [`servers of its own`] : [])].join(
        '; ',
      );
      return [showLine(name), showLine(reach === '' ? description : `${description} (${reach})`)] as const;
    });
    screen.print((rows.length === 0 ? ownRows(NONE, screen.columns) : toRows(rows, screen.columns)).join('\n'));
    return Promise.resolve();
  },
};

const NONE = 'No sub-agents are configured. Add some with --agents FILE, or in settings.agents of your configuration.';
