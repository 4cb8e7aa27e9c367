import { callLog } from '../../actions/calls/call-log.js';
import * as traces from '../../actions/calls/trace.js';
import * as actions from '../../actions/servers/logs.js';
import { isUrl } from '../input/ad-hoc.js';
import { type Invocation, onlyName } from '../input/arguments.js';
import { usageError } from '../input/usage-error.js';
import { toVerb } from '../start/action-verb.js';
import type { Verb } from '../verb.js';

const ofServer = toVerb(actions.logs, {});
const ofCalls = toVerb(callLog, {});
const ofMessages = toVerb(traces.trace, { takesServer: 'command' });
const ofRecording = toVerb(traces.traceFile, {});

export const logsVerb: Verb = {
  ...ofServer,
  usage: 'NAME | --calls [NAME] | --trace [NAME | URL | FILE | -- COMMAND] [-f] [-n LINES]',
  options: [
    {
      name: 'calls',
      summary: 'show the calls instead: what was called, decided and answered; of one server or of all',
    },
    ...ofServer.options!,
    ...ofMessages.options!.filter(({ name }) => name === 'env' || name === 'header'),
  ],
  takesCommand: true,
  wordsBeforeCommand: 0,
  examples: [
    'plugboard logs github',
    'plugboard logs github -f',
    'plugboard logs github -n 200 --json',
    'plugboard logs --calls -f',
    'plugboard logs --trace github',
    'plugboard logs --trace run.jsonl',
  ],
  details: [
    '--trace connects to the server and shows the messages of both sides, without secrets: time, direction, method, id, duration, size.',
    'With -f it stays connected; --verbose shows whole messages. A file that --record has made is shown in the same way.',
    'On other commands --trace shows the messages of the command on stderr.',
  ],
  async run(invocation, io) {
    if (invocation.has('trace')) {
      refuseBoth(invocation);
      return (isRecording(invocation) ? ofRecording : ofMessages).run(invocation, io);
    }
    // Without --trace the words after -- are names.
    const named = {
      ...invocation,
      positionals: [...invocation.positionals, ...(invocation.command ?? [])],
      command: undefined,
    };
    if (!invocation.has('calls')) return ofServer.run(named, io);
    if (named.positionals.length > 0) onlyName(named);
    return ofCalls.run(named, io);
  },
};

function refuseBoth(invocation: Invocation): void {
  if (!invocation.has('calls')) return;
  throw usageError('--calls and --trace show different things', { hint: 'Leave one of them out' });
}

/** A word that is a path; a server of such a name can be given after its entry: --mcp-server. */
function isRecording({ positionals: [word = ''], command }: Invocation): boolean {
  return command === undefined && !isUrl(word) && (/\.jsonl?$/iu.test(word) || word.includes('/'));
}
