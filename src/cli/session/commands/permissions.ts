import { HostError } from '../../../base/errors.js';
import { loadConfig } from '../../../config/load.js';
import { placeText } from '../../../model/permissions/decision.js';
import { showLine } from '../../show.js';
import { toolItems } from '../complete-tools.js';
import type { Command } from '../command.js';

export const permissions: Command = {
  name: 'permissions',
  usage: '[TOOL]',
  summary: 'Show what decides whether a tool may be called, or all rules',
  completes: ({ session: { host } }, { before, last }) => (before.length === 0 ? toolItems(host, last) : []),
  async run({ session: { host }, screen, config }, [word]) {
    if (word === undefined) {
      screen.print((await describeRules(config)).map(showLine).join('\n'));
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

/** As the files say it now. */
async function describeRules(context: Parameters<typeof loadConfig>[0]): Promise<string[]> {
  const { modes, rules, doubts } = (await loadConfig(context)).permissions;
  const general = modes.find(({ server }) => server === undefined);
  const wide = Math.min(Math.max(0, ...rules.map(({ text }) => text.length)), RULE_COLUMN);
  return [
    general ? `Mode: ${general.mode}, from ${placeText(general)}` : 'Mode: default, because nobody says otherwise',
    ...modes.flatMap((one) =>
      one.server === undefined ? [] : [`  of server "${one.server}": ${one.mode}, from ${placeText(one)}`],
    ),
    ...doubts.map(
      ({ behavior, reason }) => `Everything is ${behavior === 'deny' ? 'denied' : 'asked about'}: ${reason}`,
    ),
    rules.length === 0 ? 'No rules.' : 'Rules, deny before ask before allow:',
    ...rules.map((rule) => `  ${rule.list.padEnd(5)}  ${rule.text.padEnd(wide)}  ${placeText(rule)}`),
  ];
}

const RULE_COLUMN = 48;
