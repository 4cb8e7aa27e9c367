import { scopedCommand } from '../../base/shell-word.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { Problem } from '../../config/problem.js';
import type { DriftDetail } from '../../host/calls/drift.js';
import { inside } from '../../host/inside.js';
import type { SetAsideTool } from '../../host/set-aside-tools.js';
import type { ServerState } from '../../host/servers/server-state.js';
import { driftWords } from '../../model/pins/drift-text.js';
import { setAsideText } from '../../model/text/set-aside-text.js';
import { showExact, showLine, showName } from '../../model/show.js';
import { trustCommand } from '../../model/text/untrusted-text.js';
import { type Action, defineAction } from '../action.js';
import { waitFor, type Waited } from '../action-context.js';
import { type ActionPlace, loadedOf } from '../action-place.js';
import { loadServerTexts } from '../server-texts.js';
import { reportOpening } from '../openings.js';
import { problemNotes } from './problem-notes.js';
import { type Offer, offerLines, offerOf } from './server-offer.js';
import { markedFailureLines, statusSpans } from './server-status.js';
import type { ToldPart } from '../told.js';
import { asWaited, reasonOf } from '../waited-state.js';

const args = {
  server: { kind: 'server' },
  noConnect: { kind: 'flag', summary: 'do not connect to the server' },
} as const;

interface ServerDetails {
  readonly main: Definition;
  /** All definitions of that name, strongest first. */
  readonly definitions: readonly Definition[];
  /** The entry as written, masked unless `reveal` is set. */
  readonly config: object | null;
  /** The private folder where its process or `headersHelper` starts; undefined: the working directory. */
  readonly startsIn: { readonly folder: string; readonly untrusted: string } | undefined;
  readonly sandbox: string | undefined;
  readonly offer: Offer | undefined;
  readonly drift: DriftDetail | undefined;
  /** Tools that it offers and that cannot be used. */
  readonly setAside: readonly SetAsideTool[];
  readonly isEditable: boolean;
  readonly problems: readonly Problem[];
  readonly waited: Waited;
}

interface Definition {
  readonly server: ConfiguredServer;
  readonly state: ServerState;
  /** The scope and the file of the definition. */
  readonly place: string;
}

export const get: Action<typeof args, ServerDetails> = defineAction({
  name: 'get',
  label: 'details',
  doing: 'looking at',
  summary: 'Show one server: status, what it offers, its entry, and why it does or does not run',
  args,
  needs: 'host',
  opening: reportOpening(),
  async run(on, { server: name, noConnect }, context) {
    const loaded = await loadedOf(on);
    const { isEditable, unknownServer } = await import('../../config/edit/manage.js');
    const { maskEntry } = await import('../../config/edit/mask.js');
    const texts = await loadServerTexts();
    const { startFolderOf } = await import('../../config/risks/private-places.js');
    const servers = loaded.servers.filter((server) => server.name === name);
    if (servers.length === 0) throw unknownServer(loaded, name);
    const waits = on.kind === 'host' && on.isTransient && !noConnect;
    const waited: Waited = waits ? await waitFor(on.host.settled(), context) : { kind: 'settled' };
    const states = await statesOf(on, servers, waited);
    const definitions = servers.map((server, at): Definition => ({
      server,
      state: states[at]!,
      place: texts.place(server),
    }));
    const main = definitions.find(isMain) ?? definitions[0]!;
    const { written } = main.server;
    const folder = startFolderOf(main.server, loaded);
    return {
      main,
      definitions,
      config: written ? (context.reveal === true ? written : maskEntry(written)) : null,
      startsIn: folder === undefined ? undefined : { folder, untrusted: loaded.trust.folder },
      sandbox: texts.sandbox(main.server),
      offer: on.kind === 'host' ? offerOf(on.host[inside].server(name)?.catalog) : undefined,
      drift: on.kind === 'host' ? on.host.drift(name) : undefined,
      setAside: on.kind === 'host' ? on.host.setAside().filter(({ server }) => server === name) : [],
      isEditable: isEditable(main.server.scope),
      problems: loaded.problems.filter(({ server }) => server === name),
      waited,
    };
  },
  json: ({ main, definitions, config, startsIn, offer, setAside, problems }) => ({
    ...main.state,
    config,
    ...(startsIn && { startsIn: startsIn.folder }),
    capabilities: offer?.capabilities ?? null,
    instructions: offer?.instructions ?? null,
    ...(setAside.length > 0 && { setAside }),
    definitions: definitions.map(({ state }) => state),
    problems,
  }),
  tell: (details) => ({
    tone: 'note',
    parts: toParts(details),
    notes: problemNotes(details.problems),
    ...(details.waited.kind === 'interrupted' && { code: 'cancelled' }),
  }),
});

function isMain({ server: { standing } }: Definition): boolean {
  return standing.kind === 'ready' || standing.kind === 'disabled';
}

/** The state of each definition, as far as it is known. */
async function statesOf(
  on: ActionPlace,
  servers: readonly ConfiguredServer[],
  waited: Waited,
): Promise<readonly ServerState[]> {
  const { toServerState } = await import('../../host/servers/server-state.js');
  const known = on.kind === 'host' ? on.host.servers() : [];
  return servers.map((server) => {
    const { name, scope, origin } = server;
    const state = known.find((one) => one.name === name && one.scope === scope && one.origin === origin);
    return asWaited(state ?? toServerState(server), reasonOf(waited));
  });
}

function toParts(details: ServerDetails): readonly ToldPart[] {
  const { main, definitions, config, startsIn, sandbox, offer, drift, setAside, isEditable } = details;
  const { server, state, place } = main;
  return [
    own(`${showLine(server.name)}:`),
    own(`  Scope: ${place}`),
    { kind: 'line', spans: [{ text: '  Status: ' }, ...statusSpans(server, state)] },
    ...markedFailureLines(server, state).map((line): ToldPart => ({ kind: 'hint', text: `    ${line}` })),
    ...Object.entries(config ?? {}).map(([field, value]) =>
      own(showLine(`  ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)),
    ),
    ...(startsIn ? [wrapped(`  Starts in: ${startsInText(startsIn)}`)] : []),
    ...(sandbox === undefined ? [] : [own(showLine(`  Sandbox: ${sandbox}`))]),
    ...(drift ? [wrapped(`  Differs from ${drift.file}: ${driftWords(drift)}`)] : []),
    ...(offer && state.status !== 'connected' ? [own('  As of the last answer of the server:')] : []),
    ...(offer ? offerLines(offer).map(wrapped) : []),
    ...setAsideLines(setAside).map(wrapped),
    ...definitions
      .filter((other) => other !== main)
      .map((other) => {
        const status = statusSpans(other.server, other.state).map(({ text }) => text);
        return own(`  Also in ${other.place}: ${status.join('')}`);
      }),
    ...closeFrame(server, isEditable).map(own),
  ];
}

function own(text: string): ToldPart {
  return { kind: 'sentence', text };
}

function wrapped(text: string): ToldPart {
  return { kind: 'line', spans: [{ text: showLine(text) }] };
}

/** The warnings of `tools`, or the first of them. */
function setAsideLines(setAside: readonly SetAsideTool[]): string[] {
  const more = setAside.length - SHOWN;
  return [
    ...setAside.slice(0, SHOWN).map((one) => `  Warning: ${setAsideText(one, 'set aside')}`),
    ...(more > 0 ? [`  Warning: ${more} more`] : []),
  ];
}

const SHOWN = 5;

function startsInText({ folder, untrusted }: NonNullable<ServerDetails['startsIn']>): string {
  return `${folder} (${untrusted} is not trusted; run ${trustCommand(untrusted)} to start the server there)`;
}

/** How to remove the server, or forget the account. */
function closeFrame({ name, scope, accountOf }: ConfiguredServer, isOwn: boolean): string[] {
  if (accountOf !== undefined) {
    return ['', `An account of ${showExact(accountOf)}. To forget it, run: plugboard logout ${showName(name)}`];
  }
  return isOwn ? ['', `To remove this server, run: ${showLine(scopedCommand('remove', name, scope))}`] : [];
}
