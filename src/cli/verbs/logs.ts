import { callLog } from '../../actions/calls/call-log.js';
import * as actions from '../../actions/servers/logs.js';
import { toVerb } from '../start/action-verb.js';
import { onlyName } from '../input/arguments.js';
import type { Verb } from '../verb.js';

const ofServer = toVerb(actions.logs, {});
const ofCalls = toVerb(callLog, {});

export const logsVerb: Verb = {
  ...ofServer,
  usage: 'NAME | --calls [NAME] [-f] [-n LINES]',
  options: [
    {
      name: 'calls',
      summary: 'show the calls instead: what was called, decided and answered; of one server or of all',
    },
    ...ofServer.options!,
  ],
  examples: [
    'plugboard logs github',
    'plugboard logs github -f',
    'plugboard logs github -n 200 --json',
    'plugboard logs --calls -f',
  ],
  async run(invocation, io) {
    if (!invocation.has('calls')) return ofServer.run(invocation, io);
    if (invocation.positionals.length > 0) onlyName(invocation);
    return ofCalls.run(invocation, io);
  },
};
