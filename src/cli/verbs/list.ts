import * as actions from '../../actions/servers/list.js';
import { showName } from '../../model/show.js';
import { refuseNames } from '../input/arguments.js';
import { toVerb } from '../start/action-verb.js';
import { exitCodes } from '../io.js';
import type { Verb } from '../verb.js';

const list = toVerb(actions.listServers, {
  aliases: ['ls'],
  usage: '[--no-connect] [--exit-code]',
  examples: ['plugboard list', 'plugboard list --json', 'plugboard list --no-connect', 'plugboard list --exit-code'],
  checkWords: (invocation) => refuseNames(invocation, `plugboard get ${showName(invocation.positionals[0] ?? 'NAME')}`),
});

export const listServersVerb: Verb = {
  ...list,
  options: [...list.options!, { name: 'exit-code', summary: 'exit 3 when a server is unhealthy' }],
  async run(invocation, io) {
    const { exitCode, ...outcome } = await list.run(invocation, io);
    const isTold = exitCode !== undefined && (exitCode !== exitCodes.unhealthy || invocation.has('exit-code'));
    return { ...outcome, ...(isTold && { exitCode }) };
  },
};
