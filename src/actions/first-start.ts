import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import { showLine, showPath } from '../model/show.js';

/** What a run may start. */
export interface Starting {
  readonly starts: (server: ConfiguredServer) => boolean;
  /** The run calls tools: hooks run with every call, whichever server it goes to. */
  readonly runsHooks: boolean;
}

/** Whether something of the user's own would start here for the first time, with no decision about trust yet. */
export function isFirstStart({ trust, servers, hooks }: HostConfig, { starts, runsHooks }: Starting): boolean {
  if (trust.kind !== 'undecided') return false;
  if (runsHooks && hooks.length > 0) return true;
  return servers.some((server) => wouldStart(server) && starts(server));
}

function wouldStart({ startsInPrivateFolder, standing }: ConfiguredServer): boolean {
  return startsInPrivateFolder === true && (standing.kind === 'ready' || standing.kind === 'untrusted');
}

/** What the user must know to decide about trust, as lines. */
export async function describeFirstStart(loaded: HostConfig, { starts }: Starting): Promise<readonly string[]> {
  const { servers, hooks, trust } = loaded;
  const { targetText } = await import('../config/entries/target.js');
  const { maskText } = await import('../config/edit/mask-text.js');
  const starting = servers.filter((one) => starts(one) && wouldStart(one) && one.accountOf === undefined);
  const rows = [
    ...starting.map((server) => `  ${server.name}: ${targetText(server)} (${server.scope})`),
    ...hooks.flatMap(({ event, commands }) => commands.map(({ command }) => `  ${event} hook: ${maskText(command)}`)),
  ];
  return [
    'Your servers and hooks for all folders would start in this folder for the first time:',
    `  ${showPath(trust.folder)}`,
    '',
    ...rows.slice(0, ROWS),
    ...(rows.length > ROWS ? [`  and ${rows.length - ROWS} more`] : []),
    '',
    await folderWarning(loaded),
    'Answer no if you do not know who wrote them: then servers start in private folders, out of reach of these files, and servers that need this folder wait.',
  ].map(showLine);
}

const ROWS = 20;

/** Why trust in a folder matters, with the files in it that matter most. */
export async function folderWarning({ context, trust }: Pick<HostConfig, 'context' | 'trust'>): Promise<string> {
  const { folderRisks } = await import('../config/risks/folder-risks.js');
  const risks = folderRisks(context.ancestors.slice(0, context.ancestors.indexOf(trust.folder) + 1));
  const worst = risks.length === 0 ? '' : `, above all: ${risks.join(', ')}`;
  return showLine(`Files in this folder can change what these commands run${worst}.`);
}

/** Remembers the decision about a folder. Returns the message for the user. */
export async function rememberFolder(
  { context, trust: { folder } }: HostConfig,
  decision: 'trusted' | 'untrusted',
  now: Date,
): Promise<string> {
  const { rememberTrust } = await import('../config/approval/trust-edit.js');
  const { file } = await rememberTrust(context, { folder, decision, at: now.toISOString() });
  const change = decision === 'untrusted' ? '. To change that: plugboard trust' : '';
  return showLine(`${showPath(folder)} is ${decision}; remembered in ${file}${change}`);
}
