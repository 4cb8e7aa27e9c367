import { HostError } from '../../../base/errors.js';
import { loadConfig } from '../../../config/load.js';
import { rulesText } from '../../rules-text.js';
import { showLine } from '../../../model/show.js';
import { toolItems } from '../complete-tools.js';
import type { Command } from '../command.js';

export const permissions: Command = {
  name: 'permissions',
  usage: '[TOOL]',
  summary: 'Show what decides whether a tool may be called, or all rules',
  completes: ({ session: { host } }, { before, last }) => (before.length === 0 ? toolItems(host, last) : []),
  async run({ session: { host }, screen, config }, [word]) {
    if (word === undefined) {
      // As the files say it now.
      screen.print(
        rulesText((await loadConfig(config)).permissions)
          .map(showLine)
          .join('\n'),
      );
      return;
    }
    const known = host.tools().find(({ name, server, tool }) => [name, `${server}.${tool}`, tool].includes(word));
    const name = known?.name ?? word;
    const decision = host.permission(name);
    if (!decision) {
      throw new HostError('unknown-tool', `There is no tool "${word}"`, { hint: '/tools shows which there are' });
    }
    screen.print([`${name}: ${WORDS[decision.behavior]}`, `  Why: ${decision.reason}`].map(showLine).join('\n'));
  },
};

const WORDS = { allow: 'allowed', ask: 'asked about', deny: 'denied' } as const;
