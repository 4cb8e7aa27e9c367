import * as actions from '../../actions/servers/list.js';
import { showName } from '../../model/show.js';
import { refuseNames } from '../input/arguments.js';
import { toVerb, withExitCode } from '../start/action-verb.js';

const list = toVerb(actions.listServers, {
  aliases: ['ls', 'status'],
  usage: '[--no-connect] [--exit-code]',
  examples: ['plugboard list', 'plugboard list --json', 'plugboard list --no-connect', 'plugboard list --exit-code'],
  checkWords: (invocation) => refuseNames(invocation, `plugboard get ${showName(invocation.positionals[0] ?? 'NAME')}`),
});

export const listServersVerb = withExitCode(list, 'exit 3 when a server is unhealthy');
