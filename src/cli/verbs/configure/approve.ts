import type { Action } from '../../../actions/action.js';
import type { ConfiguredServer } from '../../../actions/action-place.js';
import * as actions from '../../../actions/servers/approve.js';
import { toVerb } from '../../start/action-verb.js';
import type { Invocation } from '../../input/arguments.js';
import { loadRun } from '../../start/load.js';
import type { Outcome, Verb } from '../../verb.js';
import { usageError } from '../../input/usage-error.js';

const ofServers = toVerb(actions.approve, {});
const [all, reject, definition, dryRun] = ofServers.options!;

export const approveVerb: Verb = {
  ...ofServers,
  usage: '[NAME ...] [--all] [--reject] | TOOL ... | --lock [NAME ...] | --diff [NAME ...]',
  options: [
    all!,
    reject!,
    definition!,
    { name: 'lock', summary: 'pin every tool, prompt and instruction in mcp.lock, beside the file of the server' },
    { name: 'tool', value: 'TOOL', repeatable: true, summary: 'with --lock: accept only this tool of the server' },
    { name: 'diff', summary: 'show how servers differ from mcp.lock; exit 1 when one does' },
    dryRun!,
  ],
  examples: [
    'plugboard approve',
    'plugboard approve db',
    'plugboard approve db --reject',
    'plugboard approve mcp__db__query --dry-run',
    'plugboard approve --lock',
    'plugboard approve --lock db --tool query',
  ],
  async run(invocation, io) {
    refuseMixed(invocation);
    const onHost = async (action: Action): Promise<Outcome> =>
      (await import('../../start/run-action.js')).runAction(action, { invocation, io }, {});
    if (invocation.has('lock')) return onHost((await import('../../../actions/servers/approve-lock.js')).approveLock);
    if (invocation.has('diff')) return onHost((await import('../../../actions/servers/approve-diff.js')).approveDiff);
    const words = invocation.positionals;
    const { servers } = words.length === 0 ? { servers: [] } : await loadRun(invocation, io);
    if (words.some((word) => isToolWord(word, servers))) {
      refuseForTools(invocation);
      return onHost((await import('../../../actions/servers/approve-tool.js')).approveTools);
    }
    return ofServers.run(invocation, io);
  },
};

/** A word that is a server's name means the server. */
function isToolWord(word: string, servers: readonly ConfiguredServer[]): boolean {
  if (servers.some(({ name }) => name === word)) return false;
  return word.startsWith('mcp__') || servers.some(({ name }) => word.startsWith(`${name}.`));
}

function refuse(message: string, hint: string): never {
  throw usageError(message, { hint });
}

function refuseForTools(invocation: Invocation): void {
  for (const flag of ['all', 'reject']) {
    if (!invocation.has(flag)) continue;
    refuse(
      `--${flag} is for approving servers, not tools`,
      'To deny a tool, add it to permissions.deny of your settings',
    );
  }
  if (invocation.value('definition') !== undefined && invocation.positionals.length !== 1) {
    refuse('--definition HASH needs the name of one tool', 'plugboard approve TOOL --definition HASH');
  }
}

/** Refuses flags of both questions at once: whether a server may run, and what it may offer. */
function refuseMixed(invocation: Invocation): void {
  const [pins, ...more] = ['lock', 'diff'].filter((flag) => invocation.has(flag));
  const servers = invocation.positionals.length;
  if (more.length > 0) refuse('--lock and --diff cannot be used together', 'Look first: plugboard approve --diff');
  for (const flag of ['all', 'reject']) {
    if (pins !== undefined && invocation.has(flag)) {
      refuse(`--${flag} is for approving servers, and cannot be used with --${pins}`, `plugboard approve --${pins}`);
    }
  }
  if (pins === 'diff' && invocation.value('definition') !== undefined) {
    refuse('--definition cannot be used with --diff, which accepts nothing', 'plugboard approve --diff');
  }
  const isNarrow = invocation.has('tool') || (pins === 'lock' && invocation.value('definition') !== undefined);
  if (invocation.has('tool') && pins !== 'lock') {
    refuse('--tool goes with --lock', 'plugboard approve --lock NAME --tool TOOL');
  }
  if (isNarrow && servers !== 1) {
    const flag = invocation.has('tool') ? '--tool TOOL' : '--definition HASH';
    refuse(`${flag} needs the name of one server`, `plugboard approve --lock NAME ${flag}`);
  }
}
