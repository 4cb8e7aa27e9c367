import type { ConfiguredServer } from '../../actions/action-place.js';
import * as actions from '../../actions/approve.js';
import { toVerb } from '../action-verb.js';
import type { Invocation } from '../arguments.js';
import { loadRun } from '../load.js';
import type { Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

const ofServers = toVerb(actions.approve, {});
const [all, reject, definition, dryRun] = ofServers.options!;

export const approve: Verb = {
  ...ofServers,
  usage: '[NAME ...] [--all] [--reject] | TOOL ... | --lock [NAME ...] | --diff [NAME ...]',
  options: [
    all!,
    reject!,
    definition!,
    { name: 'lock', summary: 'pin every tool, prompt and instruction in mcp.lock, beside the file of the server' },
    { name: 'tool', value: 'TOOL', repeatable: true, summary: 'with --lock: accept only this tool of the server' },
    { name: 'diff', summary: 'show how servers differ from mcp.lock; ends with 1 when one does' },
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
    if (invocation.has('lock')) return (await import('../approve-lock.js')).approveLock(invocation, io);
    if (invocation.has('diff')) return (await import('../approve-diff.js')).approveDiff(invocation, io);
    const words = invocation.positionals;
    const { servers } = words.length === 0 ? { servers: [] } : await loadRun(invocation, io);
    if (words.some((word) => isToolWord(word, servers))) {
      return (await import('../approve-tool.js')).approveTools(invocation, io);
    }
    return ofServers.run(invocation, io);
  },
};

/** A word that is the name of a server means that server. */
function isToolWord(word: string, servers: readonly ConfiguredServer[]): boolean {
  if (servers.some(({ name }) => name === word)) return false;
  return word.startsWith('mcp__') || servers.some(({ name }) => word.startsWith(`${name}.`));
}

function refuse(message: string, hint: string): never {
  throw usageError(message, { hint });
}

/** Whether a server may run, and what it may offer, are two questions. */
function refuseMixed(invocation: Invocation): void {
  const [pins, ...more] = ['lock', 'diff'].filter((flag) => invocation.has(flag));
  const servers = invocation.positionals.length;
  if (more.length > 0) refuse('--lock and --diff cannot be used together', 'Look first: plugboard approve --diff');
  for (const flag of ['all', 'reject']) {
    if (pins !== undefined && invocation.has(flag)) {
      refuse(`--${flag} is about which servers may run, not about what --${pins} is`, `plugboard approve --${pins}`);
    }
  }
  if (pins === 'diff' && invocation.value('definition') !== undefined) {
    refuse('--diff accepts nothing, so that --definition has no meaning', 'plugboard approve --diff');
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
