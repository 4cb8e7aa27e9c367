import { HostError } from '../../base/errors.js';
import { showExact, showLine, showName } from '../../model/show.js';
import type { ApprovalRequest } from '../../config/approval/approve.js';
import type { HostConfig } from '../../config/load.js';
import type { Problem } from '../../config/problem.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { Host } from '../../host/host.js';
import { inside } from '../../host/inside.js';
import { type Action, defineAction } from '../action.js';
import type { ActionContext, ChoiceQuestion } from '../action-context.js';
import { type ActionPlace, configOf, loadedOf } from '../action-place.js';
import type { ArgsOf } from '../arguments.js';
import { problemNotes } from './problem-notes.js';
import { dryRunArgument } from '../shared-arguments.js';

const args = {
  servers: { kind: 'servers' },
  all: { kind: 'flag', summary: 'every unapproved server' },
  reject: { kind: 'flag', summary: 'reject the servers, and remember that' },
  definition: { kind: 'text', value: 'HASH', summary: 'only if the entry still has this hash' },
  dryRun: dryRunArgument,
  /** Naming a server does not approve it: the user is asked about each. */
  asks: { kind: 'mark' },
  /** The face did not show the user that one of their sign-ins is sent to the server. */
  hidesSignIn: { kind: 'mark' },
} as const;

type Decision = 'approved' | 'rejected';

interface Approved {
  readonly decisions: readonly { readonly server: ConfiguredServer; readonly decision: Decision }[];
  readonly requests: readonly ApprovalRequest[];
  readonly file: string | null;
  readonly isDryRun: boolean;
  /** The user has not seen the requests yet. */
  readonly areToShow: boolean;
  readonly unread: readonly Problem[];
  /** A project file cannot be read, so servers that wait for approval may be missing. */
  readonly isUnsure: boolean;
}

/** Decides about servers of this project's files: the named ones, or all that wait, asking about one after another. */
export const approve: Action<typeof args, Approved> = defineAction({
  name: 'approve',
  label: 'approve',
  doing: 'deciding',
  summary: "Approve this project's servers, accept a changed tool, or pin what servers offer in mcp.lock",
  args,
  needs: 'files',
  barrier: ({ server: { approval, written, scope, name } }) =>
    approval && written
      ? undefined
      : {
          code: 'usage',
          why: `comes from your ${scope} config and needs no approval`,
          next: { action: 'get', server: name },
        },
  // An approved server can be looked at again, but the action is not offered for it.
  isOffered: ({ status }) => status === 'unapproved',
  async run(on, given, context) {
    const { servers: names, all, reject, definition, dryRun, asks } = given;
    const loaded = await loadedOf(on);
    const chosen = await select(on, loaded, given);
    if (reject && names.length === 0 && !all) {
      throw new HostError('usage', '--reject needs a name, or --all', {
        hint: 'plugboard approve NAME --reject',
      });
    }
    const waiting = (await Promise.all(chosen.map((server) => lookAt(server, loaded)))).filter(
      (one) => one !== undefined,
    );
    refuseChanged(definition, waiting);
    const isDecided = !asks && (names.length > 0 || all || dryRun);
    const decided = isDecided
      ? waiting.map((one) => ({ ...one, decision: reject ? ('rejected' as const) : ('approved' as const) }))
      : askInTurn(waiting, on, context);
    const decisions: { server: ConfiguredServer; decision: Decision }[] = [];
    let file: string | null = null;
    const { choose } = await import('../../config/approval/approve.js');
    for await (const { server, request, decision } of decided) {
      const signIn = request.signIn !== undefined && !given.hidesSignIn;
      // Saved after each answer, so that leaving at the third question keeps the first two.
      file = await choose(configOf(on), server, { decision, now: context.now(), dryRun, signIn });
      decisions.push({ server, decision });
    }
    const { unreadProjectFiles } = await import('../../config/approval/unread-files.js');
    const unread = unreadProjectFiles(loaded);
    const requests = waiting.map(({ request }) => request);
    const isUnsure = unread.length > 0 && names.length === 0;
    return { decisions, requests, file, isDryRun: dryRun, areToShow: isDecided, unread, isUnsure };
  },
  json: ({ decisions, requests, file, isDryRun }) => ({
    file,
    server: decisions.length === 1 ? decisions[0]!.server.name : null,
    scope: 'project',
    servers: decisions.map(({ server, decision }) => ({ server: server.name, decision, origin: server.origin })),
    requests,
    ...(isDryRun && { dryRun: true }),
  }),
  tell: ({ decisions, requests, file, isDryRun, areToShow, unread, isUnsure }) => ({
    tone: decisions.length > 0 ? 'done' : 'note',
    parts:
      decisions.length === 0
        ? [{ kind: 'sentence', text: requests.length === 0 ? NOBODY_WAITS : NOTHING_CHOSEN }]
        : [
            ...(areToShow ? requests.map((request) => ({ kind: 'request', request }) as const) : []),
            ...decisions.map(({ server, decision }) => {
              const done = isDryRun ? 'Would remember' : 'Remembered';
              return { kind: 'sentence', text: `${done}: ${showLine(server.name)} is ${decision}` } as const;
            }),
            ...(file === null || isDryRun ? [] : [{ kind: 'edits', files: [showLine(file)] } as const]),
          ],
    notes: problemNotes(unread),
    code: isUnsure ? 'config-unreadable' : undefined,
  }),
});

const NOBODY_WAITS = 'No server of this project waits for approval';
const NOTHING_CHOSEN = 'No choice was made; plugboard approve asks again';

/** A server, and what the user must see before deciding. */
interface Waiting {
  readonly server: ConfiguredServer;
  readonly request: ApprovalRequest;
}

async function lookAt(server: ConfiguredServer, loaded: HostConfig): Promise<Waiting | undefined> {
  const { approvalRequest } = await import('../../host/approval-request.js');
  const request = approvalRequest(server, loaded);
  return request && { server, request };
}

/** What the user of a host must see before deciding about a definition; undefined when there is nothing to decide. */
export function requestOf(host: Host, server: ConfiguredServer): ApprovalRequest | undefined {
  const { approvalRequest, loaded } = host[inside];
  return approvalRequest(server, { permissions: host.permissionSettings, context: loaded.context });
}

async function select(
  on: ActionPlace,
  loaded: HostConfig,
  { servers: names, reject }: Pick<ArgsOf<typeof args>, 'servers' | 'reject'>,
): Promise<readonly ConfiguredServer[]> {
  const { unknownServer } = await import('../../config/edit/manage.js');
  // A rejected server is asked about again only by name. An account is approved with its server, not separately.
  if (names.length === 0) {
    return loaded.servers.filter(
      ({ standing, accountOf }) => standing.kind === 'unapproved' && !standing.rejected && accountOf === undefined,
    );
  }
  return names.flatMap((name) => {
    const definitions = loaded.servers.filter((server) => server.name === name);
    const brought = definitions.filter(({ approval }) => approval);
    // A rejection covers every definition of that name: the one that runs and those that would replace it.
    if (reject && brought.length > 0) return brought;
    const shown = on.kind === 'host' && on.shown?.name === name ? on.shown : undefined;
    const server = shown ?? brought.find(({ standing }) => standing.kind === 'unapproved') ?? brought[0];
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

/** Throws when an entry is not the one that the user has looked at: the file may change in between. */
function refuseChanged(definition: string | undefined, waiting: readonly Waiting[]): void {
  if (definition === undefined) return;
  const changed = waiting.find(({ request }) => definition.length < 8 || !request.hash.startsWith(definition));
  if (!changed) return;
  const { server, hash } = changed.request;
  throw new HostError(
    'usage',
    `"${server}" does not have the hash ${definition}; its hash is ${hash.slice(0, 16)} now`,
    {
      hint: `Look at it again: plugboard approve ${showName(server)} --dry-run`,
    },
  );
}

/** Asks about each server until the user leaves. Reads each entry again, because earlier questions may take long. */
async function* askInTurn(
  waiting: readonly Waiting[],
  on: ActionPlace,
  { ask, onProgress }: ActionContext,
): AsyncGenerator<Waiting & { readonly decision: Decision }> {
  for (const [at, { server: found, request: first }] of waiting.entries()) {
    if (!ask) throw nobodyToAsk(first);
    const server = await asItIs(found, on);
    const isAnswered = found.standing.kind === 'unapproved' && server?.server.standing.kind !== 'unapproved';
    if (!server || isAnswered) continue;
    const decision = await ask(toQuestion(server.request, waiting.length - at - 1));
    if (decision === 'later') return;
    if (decision === 'skip') continue;
    if ((await asItIs(found, on))?.request.hash === server.request.hash) yield { ...server, decision };
    else {
      const text = `The entry of ${showExact(found.name)} changed meanwhile: nothing was remembered. plugboard approve asks again`;
      onProgress?.({ kind: 'sentence', text });
    }
  }
}

function nobodyToAsk({ server, hash }: ApprovalRequest): HostError {
  const name = showName(server);
  return new HostError('needs-terminal', `Cannot ask you about "${server}": no terminal`, {
    hint: `Look at it: plugboard approve ${name} --dry-run. Then: plugboard approve ${name} --definition ${hash.slice(0, 16)}`,
  });
}

function toQuestion(request: ApprovalRequest, left: number): ChoiceQuestion<Decision | 'skip' | 'later'> {
  return {
    title: 'A project server wants to run',
    about: [
      { kind: 'sentence', text: 'Read its entry before you let it run:' },
      { kind: 'request', request },
    ],
    prompt: 'Let it run?',
    choices: [
      { choice: 'approved', word: 'yes', meaning: 'let it run until its entry changes' },
      { choice: 'rejected', word: 'no', meaning: 'reject it, and remember that' },
      { choice: 'skip', word: 'skip', meaning: 'skip: ask again the next time' },
    ],
    otherwise: 'skip',
    answered: (choice) => ({
      isYes: choice === 'approved',
      text: `Server ${showExact(request.server)} of this project: ${ANSWERS[choice]}`,
    }),
    leave: { choice: 'later', word: 'later', ...(left > 0 && { meaning: `later: skip this and ${left} more` }) },
  };
}

const ANSWERS = {
  approved: 'you said yes',
  rejected: 'you said no',
  skip: 'skipped, you are asked again the next time',
  later: 'skipped, with all that wait',
} as const;

/** The current entry of a server and its request; undefined when it is gone. */
async function asItIs({ name, scope, origin }: ConfiguredServer, on: ActionPlace): Promise<Waiting | undefined> {
  const { loadHostConfig } = await import('../../config/load.js');
  const loaded = await loadHostConfig(configOf(on));
  const server = loaded.servers.find((one) => one.name === name && one.scope === scope && one.origin === origin);
  return server && lookAt(server, loaded);
}
