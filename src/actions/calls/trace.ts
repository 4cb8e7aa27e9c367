import { resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import type { TracedMessage } from '../../connection/logs/message-trace.js';
import { showLine } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { waitFor } from '../action-context.js';
import { configOf, hostOf } from '../action-place.js';
import { chooseNames } from '../choose-servers.js';
import { connectionsOf, startIdle } from '../running-server.js';
import { lineCount, logs } from '../servers/logs.js';

const args = { server: { kind: 'server', isOptional: true }, follow: logs.args.follow } as const;
const fileArgs = { file: { kind: 'word', noun: 'a recording' }, lines: logs.args.lines } as const;

interface Traced {
  readonly servers: readonly { readonly name: string; readonly status: string | undefined }[];
  readonly isTimedOut: boolean;
}

const ONLY_THIS = 'Messages of other running hosts cannot be seen here';

/** Connects to servers, while the face shows their messages as they come. */
export const trace: Action<typeof args, Traced> = defineAction({
  name: 'trace',
  label: 'trace',
  doing: 'tracing',
  summary: 'Show the messages between Plugboard and a server',
  args,
  needs: 'host',
  opening: {
    servers: (loaded, { server }) => chooseNames(loaded, server, 'logs --trace'),
    mayStart: ({ name }, { server = name }) => name === server,
    isReport: true,
  },
  async run(on, { follow }, context) {
    const { host } = hostOf(on);
    for (const server of connectionsOf(host)) startIdle(server);
    context.note?.(`${ONLY_THIS}. To keep these: --record FILE`);
    const settled = await waitFor(host.settled(), context);
    const ended = follow && settled.kind === 'settled' ? await waitFor(new Promise(() => {}), context) : settled;
    if (ended.kind === 'interrupted' && !follow) throw new HostError('cancelled', 'logs was interrupted');
    const all = connectionsOf(host).map(({ name }) => ({ name, status: host.server(name)?.status }));
    for (const { name } of all) {
      const error = host.server(name)?.error;
      if (error) context.note?.(showLine(`Server "${name}" is not connected: ${error.message}`));
    }
    return { servers: all, isTimedOut: ended.kind === 'timed-out' };
  },
  json: (traced) => traced,
  tell: ({ isTimedOut }) => ({
    tone: 'note',
    parts: [],
    isStreamed: true,
    code: isTimedOut ? 'connect-timeout' : undefined,
  }),
});

/** Shows the messages of a recording. */
export const traceFile: Action<typeof fileArgs, readonly TracedMessage[]> = defineAction({
  name: 'trace-file',
  label: 'trace',
  doing: 'reading the recording',
  summary: 'Show the messages of a recording',
  args: fileArgs,
  needs: 'files',
  async run(on, { file, lines = ALL }) {
    const { readTrace } = await import('../../connection/logs/trace-file.js');
    const howToRecord = 'Make one with: plugboard tools SERVER --record FILE';
    return readTrace(resolve(configOf(on).cwd, file), { lines: lineCount(lines), howToRecord });
  },
  json: (messages) => ({ messages }),
  tell: (messages) => ({
    tone: 'note',
    parts: [{ kind: 'messages', messages }],
    notes: messages.length === 0 ? ['The recording has no messages'] : [],
  }),
});

const ALL = '10000'; // more than a person reads; -n changes it
