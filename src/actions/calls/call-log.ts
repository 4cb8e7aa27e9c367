import { showLine } from '../../model/show.js';
import type { LedgerRecord } from '../../guard/ledger-read.js';
import { type Action, defineAction } from '../action.js';
import { configOf } from '../action-place.js';
import { homeless, lineCount, logs } from '../servers/logs.js';

const args = { servers: { kind: 'servers' }, follow: logs.args.follow, lines: logs.args.lines } as const;

interface LoggedCalls {
  readonly calls: readonly LedgerRecord[];
  readonly file: string;
  /** Why there are no calls; undefined when there are some. */
  readonly absence: string | undefined;
  readonly isFollowed: boolean;
}

/** Shows the ledger of calls, of one server or of all, from every host of this user. */
export const callLog: Action<typeof args, LoggedCalls> = defineAction({
  name: 'call-log',
  label: 'calls',
  doing: 'reading the calls',
  summary: 'Show which calls were made',
  args,
  needs: 'files',
  async run(on, { servers: [server], follow: isFollowed, lines }, { onProgress: tell, signal }) {
    const tail = lineCount(lines);
    const { state } = configOf(on).places;
    if (state === undefined) throw homeless('There is no ledger of calls');
    const { readLedger, followLedger } = await import('../../guard/ledger-read.js');
    const { ledgerFolder } = await import('../../guard/ledger-file.js');
    const folder = ledgerFolder(state);
    const { calls, file, position } = readLedger(folder, { tail, server });
    const whose = server === undefined ? '' : ` of server "${server}"`;
    const isEmpty = calls.length === 0 && tail > 0;
    const absence = isEmpty ? showLine(`No call${whose} is logged yet`) : undefined;
    const found = { calls, file, absence, isFollowed };
    if (!isFollowed || !tell || !signal) return found;
    if (absence !== undefined) tell({ kind: 'sentence', text: absence });
    const onCalls = (more: readonly LedgerRecord[]): boolean => tell({ kind: 'calls', calls: more });
    if (onCalls(calls)) await followLedger(folder, { server, from: position, signal, onCalls });
    return found;
  },
  json: ({ calls, file }) => ({ calls, file }),
  tell: ({ calls, absence, isFollowed }) => ({
    tone: 'note',
    parts: isFollowed ? [] : [{ kind: 'calls', calls }],
    notes: absence === undefined ? [] : [absence],
    isStreamed: isFollowed,
  }),
});
