import type { LoadedConfig } from '../../actions/action-place.js';
import { describeFirstStart, folderWarning, isFirstStart, rememberFolder } from '../../actions/first-start.js';
import { findServers, foundText, isUnconfigured } from '../../actions/found/found-servers.js';
import { type OfferedFile, toOffered } from '../../actions/found/offered-files.js';
import { wrapLine } from '../output/wrap.js';
import { ownRows } from '../session/display/quoted-rows.js';
import { failureRows } from '../session/failure.js';
import type { SessionParts } from '../session/session-parts.js';
import { loadRun } from '../start/load.js';
import { asLater, pickFiles, takePicked } from './pick-files.js';
import type { Picked, PickerOffer } from './picker-state.js';

type Parts = Pick<SessionParts, 'invocation' | 'io' | 'loaded' | 'screen'>;

/**
 * For a user without servers: offers those of other hosts. Returns the configuration to go on with. Nothing is written
 * unless the user picks something. Never rejects for what other hosts' files hold.
 */
export async function offerServers(parts: Parts, signal?: AbortSignal): Promise<LoadedConfig> {
  const { loaded, invocation, screen } = parts;
  if (!isUnconfigured(loaded) || invocation.has('quiet')) return loaded;
  const found = await findServers(loaded.context);
  const text = foundText(found);
  if (text === undefined) return loaded;
  const files = await toOffered(found, loaded);
  const heading = `Plugboard has no servers yet. ${text}.`;
  const offer: PickerOffer = { files, folder: wasAsked(loaded) ? undefined : await folderOf(loaded, files) };
  const picked = await pickFiles(offer, { screen, heading, env: loaded.context.env, signal });
  if (picked.kind !== 'later') return take(picked, offer, parts);
  screen.print(ownRows(`${text}. To use them later: /import`, screen.columns).join('\n'));
  return loaded;
}

/** What a session starts. */
const STARTING = { starts: () => true, runsHooks: true };

/** Whether the user was asked about this folder when the session began, because of hooks, and left it undecided. */
function wasAsked(loaded: LoadedConfig): boolean {
  return isFirstStart(loaded, STARTING);
}

/** The working directory, if servers would start there and the user has not decided about it. */
async function folderOf(loaded: LoadedConfig, files: readonly OfferedFile[]): Promise<PickerOffer['folder']> {
  const { trust } = loaded;
  const isAsked = trust.kind === 'undecided' && files.some(startsCommands);
  return isAsked ? { path: trust.folder, warning: await folderWarning(loaded) } : undefined;
}

async function take(
  picked: Exclude<Picked, { kind: 'later' }>,
  { folder }: PickerOffer,
  parts: Parts,
): Promise<LoadedConfig> {
  const { io, loaded, screen, invocation } = parts;
  const on = { kind: 'files', config: loaded.context, load: () => Promise.resolve(loaded) } as const;
  try {
    await takePicked(picked, on, { screen, now: io.now });
    // The picker has shown the folder beside the servers: a box that stays empty is an answer, and no second question.
    const isDecided = folder !== undefined && !screen.isPlain && picked.files.some(startsCommands);
    if (isDecided || picked.isTrusted) await remember(loaded, picked.isTrusted ? 'trusted' : 'untrusted', parts);
  } catch (cause) {
    screen.print(failureRows(cause, screen).join('\n'));
  }
  const fresh = await loadRun(invocation, io);
  return screen.isPlain && !wasAsked(loaded) ? askTrust(fresh, parts) : fresh;
}

function startsCommands({ servers }: OfferedFile): boolean {
  return servers.some(({ isCommand }) => isCommand);
}

/** On a screen that cannot be redrawn, trust is a question of its own. */
async function askTrust(loaded: LoadedConfig, parts: Parts): Promise<LoadedConfig> {
  const { screen, io, invocation } = parts;
  if (!isFirstStart(loaded, STARTING)) return loaded;
  const lines = await describeFirstStart(loaded, STARTING);
  screen.print(lines.flatMap((line) => wrapLine(line, screen.columns, line.startsWith(' ') ? 4 : 0)).join('\n'));
  const keys = { y: 'trusted', n: 'untrusted', return: 'later' } as const;
  const decision = await screen
    .choose<'trusted' | 'untrusted' | 'later'>(['Trust this folder? y/n, Enter: not now: '], { keys })
    .catch(asLater);
  if (decision === 'later') return loaded;
  await remember(loaded, decision, parts);
  return loadRun(invocation, io);
}

async function remember(loaded: LoadedConfig, decision: 'trusted' | 'untrusted', { screen, io }: Parts): Promise<void> {
  const text = await rememberFolder(loaded, decision, io.now());
  screen.print(ownRows(text, screen.columns).join('\n'));
}
