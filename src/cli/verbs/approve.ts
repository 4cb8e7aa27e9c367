import { HostError } from '../../base/errors.js';
import type { ApprovalRequest } from '../../config/approve.js';
import type { LoadedConfig } from '../../config/load.js';
import type { ConfiguredServer } from '../../config/server.js';
import { describeRequest } from '../approval-text.js';
import type { Invocation } from '../arguments.js';
import { exitCodes, type Io } from '../io.js';
import { loadRun, problemNotes } from '../load.js';
import { dryRunOption } from '../options.js';
import { showLine, showName } from '../../model/show.js';
import type { Outcome, Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

export const approve: Verb = {
  name: 'approve',
  usage: '[NAME ...] [--all] [--reject] | TOOL ... | --lock [NAME ...] | --diff [NAME ...]',
  summary: "Let servers of this project's files run, accept a changed tool, or pin what servers offer",
  options: [
    { name: 'all', summary: 'every server that waits' },
    { name: 'reject', summary: 'remember that they may not run' },
    { name: 'definition', value: 'HASH', summary: 'only if this is still what was looked at' },
    { name: 'lock', summary: 'pin every tool, prompt and instruction in mcp.lock, beside the file of the server' },
    { name: 'tool', value: 'TOOL', repeatable: true, summary: 'with --lock: accept only this tool of the server' },
    { name: 'diff', summary: 'show how servers differ from mcp.lock; ends with 1 when one does' },
    dryRunOption,
  ],
  completes: 'server',
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
    const { choose, toApprovalRequest } = await import('../../config/approve.js');
    const { sharedSignIn } = await import('../../host/shared-sign-in.js');
    const loaded = await loadRun(invocation, io);
    if (invocation.positionals.some((word) => isToolWord(word, loaded.servers))) {
      return (await import('../approve-tool.js')).approveTools(invocation, io);
    }
    // A no was an answer: only by its name is such a server asked about again.
    // An account waits with its server, and not besides.
    const waiting = loaded.servers.filter(
      ({ standing, accountOf }) => standing.kind === 'unapproved' && !standing.rejected && accountOf === undefined,
    );
    const chosen = await select(invocation, loaded, waiting);
    if (invocation.has('reject') && invocation.positionals.length === 0 && !invocation.has('all')) {
      throw usageError('--reject needs a name, or --all', { hint: 'plugboard approve NAME --reject' });
    }
    const waitingFor = chosen.flatMap((server) => {
      const request = toApprovalRequest(server, loaded.permissions, sharedSignIn(server, loaded.context));
      return request ? [{ server, request }] : [];
    });
    refuseChanged(invocation.value('definition'), waitingFor);
    const dryRun = invocation.has('dry-run');
    const isNamed = invocation.positionals.length > 0 || invocation.has('all') || dryRun;
    const decisions: { server: ConfiguredServer; decision: 'approved' | 'rejected' }[] = [];
    let file: string | null = null;
    for (const { server, request } of waitingFor) {
      const decision = isNamed ? (invocation.has('reject') ? 'rejected' : 'approved') : await ask(request, io);
      if (decision === undefined) continue;
      // Kept answer by answer: whoever leaves at the third question has answered two.
      file = await choose(loaded.context, server, {
        decision,
        now: io.now(),
        dryRun,
        signIn: request.signIn !== undefined,
      });
      decisions.push({ server, decision });
    }
    const requests = waitingFor.map(({ request }) => request);
    const { unreadProjectFiles } = await import('../../config/unread-files.js');
    const unread = unreadProjectFiles(loaded);
    return {
      ...toOutcome({ decisions, requests, file, dryRun, isShown: isNamed }),
      notes: problemNotes(unread, { invocation, io }),
      // Nobody knows which servers wait in a file that cannot be read.
      ...(unread.length > 0 && invocation.positionals.length === 0 && { exitCode: exitCodes.failed }),
    };
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

/** An entry may change between looking at it and approving it by name. */
function refuseChanged(
  definition: string | undefined,
  waiting: readonly { readonly request: ApprovalRequest }[],
): void {
  if (definition === undefined) return;
  const changed = waiting.find(({ request }) => definition.length < 8 || !request.hash.startsWith(definition));
  if (!changed) return;
  throw new HostError(
    'usage',
    `"${changed.request.server}" is not what ${definition} stands for; its definition is ${changed.request.hash.slice(0, 16)}`,
    {
      hint: `Look at it again: plugboard approve ${showName(changed.request.server)} --dry-run`,
    },
  );
}

/** Named ones, all that wait, or, with somebody there to ask, one after the other. */
async function select(
  invocation: Invocation,
  loaded: LoadedConfig,
  waiting: readonly ConfiguredServer[],
): Promise<readonly ConfiguredServer[]> {
  const { unknownServer } = await import('../../config/manage.js');
  if (invocation.positionals.length === 0) return waiting;
  return invocation.positionals.flatMap((name) => {
    const definitions = loaded.servers.filter((server) => server.name === name);
    const brought = definitions.filter(({ approval }) => approval);
    // A no is about every definition of that name: the one that runs and the ones that would take its place.
    if (invocation.has('reject') && brought.length > 0) return brought;
    const server = brought.find(({ standing }) => standing.kind === 'unapproved') ?? brought[0];
    if (server) return [server];
    if (definitions.length === 0) throw unknownServer(loaded, name);
    const { scope, standing } = definitions[0]!;
    throw new HostError(
      'usage',
      standing.kind === 'invalid' || standing.kind === 'denied'
        ? `MCP server "${name}" cannot run: ${standing.reason}`
        : `MCP server "${name}" comes from your ${scope} config and needs no approval`,
      { hint: `plugboard get ${showName(name)}` },
    );
  });
}

async function ask(request: ApprovalRequest, io: Io): Promise<'approved' | 'rejected' | undefined> {
  if (!io.stdin.isTerminal) {
    const name = showName(request.server);
    throw new HostError('needs-terminal', `There is nobody to ask about "${request.server}"`, {
      hint: `Look at it: plugboard approve ${name} --dry-run. Then: plugboard approve ${name} --definition ${request.hash.slice(0, 16)}`,
    });
  }
  io.stderr.write(`${describeRequest(request).join('\n')}\n`);
  for (;;) {
    const answer = (await io.stdin.ask('Let it run? [y]es, [n]o, [s]kip: ')).trim().toLowerCase();
    if (answer === 'y' || answer === 'yes') return 'approved';
    if (answer === 'n' || answer === 'no') return 'rejected';
    if (answer === 's' || answer === 'skip' || answer === '') return undefined;
    io.stderr.write('y lets it run, n remembers that it may not, s asks again the next time\n');
  }
}

interface Report {
  readonly decisions: readonly { readonly server: ConfiguredServer; readonly decision: string }[];
  readonly requests: readonly ApprovalRequest[];
  readonly file: string | null;
  readonly dryRun: boolean;
  readonly isShown: boolean;
}

function toOutcome({ decisions, requests, file, dryRun, isShown }: Report): Outcome {
  const only = decisions.length === 1 ? decisions[0] : undefined;
  const data = {
    file,
    server: only?.server.name ?? null,
    scope: 'project',
    servers: decisions.map(({ server, decision }) => ({ server: server.name, decision, origin: server.origin })),
    requests,
    ...(dryRun && { dryRun }),
  };
  if (requests.length === 0) return { data, text: 'No server of this project waits for approval' };
  if (decisions.length === 0) return { data, text: 'No choice was made; plugboard approve asks again' };
  const verb = dryRun ? 'Would remember' : 'Remembered';
  const lines = decisions.map(({ server, decision }) => `${verb}: ${showLine(server.name)} is ${decision}`);
  const told = isShown ? requests.flatMap(describeRequest) : [];
  return {
    data,
    text: [...told, ...lines, ...(file === null || dryRun ? [] : [`File modified: ${showLine(file)}`])].join('\n'),
  };
}
