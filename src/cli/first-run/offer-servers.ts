import type { LoadedConfig } from '../../actions/action-place.js';
import { describeFirstStart, folderWarning, isFirstStart, rememberFolder } from '../../actions/first-start.js';
import { findServers, foundText, isUnconfigured } from '../../actions/found/found-servers.js';
import { type OfferedFile, takeOffered, toOffered } from '../../actions/found/offered-files.js';
import { draw, noteLines } from '../../actions/told.js';
import { HostError } from '../../base/errors.js';
import { showLine } from '../../model/show.js';
import { homePath } from '../output/home-path.js';
import { wrapLine } from '../output/wrap.js';
import { failureRows } from '../session/failure.js';
import { drawingOn } from '../session/session-dialogs.js';
import { ownRows } from '../session/display/quoted-rows.js';
import type { SessionParts } from '../session/session-parts.js';
import { loadRun } from '../start/load.js';
import type { PickerOffer, Picked } from './picker-state.js';

type Parts = Pick<SessionParts, 'invocation' | 'io' | 'loaded' | 'screen'>;

/**
 * For a user without servers: offers those of other hosts. Returns the configuration to go on with. Nothing is written
 * unless the user picks something. Never rejects for what other hosts' files hold.
 */
export async function offerServers(parts: Parts, signal?: AbortSignal): Promise<LoadedConfig> {
  const { loaded, invocation, screen } = parts;
  if (!isUnconfigured(loaded) || invocation.has('quiet')) return loaded;
  const found = await findServers(loaded.context);
  const heading = foundText(found);
  if (heading === undefined) return loaded;
  const files = await toOffered(found, loaded);
  const picked = screen.isPlain
    ? await pickByLine(files, heading, { ...parts, signal })
    : await pickOnScreen(files, heading, { ...parts, signal });
  if (picked.kind === 'later') {
    screen.print(ownRows(`${heading}. To use them later: plugboard import`, screen.columns).join('\n'));
    return loaded;
  }
  return take(picked, parts);
}

interface Asking extends Parts {
  readonly signal: AbortSignal | undefined;
}

async function pickOnScreen(files: readonly OfferedFile[], heading: string, parts: Asking): Promise<Picked> {
  const { loaded, screen, signal } = parts;
  const { pick } = await import('./picker.js');
  const { trust, context } = loaded;
  const isAsked = trust.kind === 'undecided' && files.some(({ servers }) => servers.some((one) => one.isCommand));
  const offer: PickerOffer = {
    files,
    folder: isAsked ? { path: trust.folder, warning: await folderWarning(loaded) } : undefined,
  };
  const pathOf = (file: string): string => showLine(homePath(file, context.env));
  return pick(offer, { screen, signal, heading, pathOf });
}

/** On a screen that cannot be redrawn: the user's own files together, or none. */
async function pickByLine(files: readonly OfferedFile[], heading: string, parts: Asking): Promise<Picked> {
  const { screen, loaded, signal } = parts;
  const own = files.filter(({ isShared }) => !isShared);
  if (own.length === 0) return { kind: 'later' };
  const lines = own.map(
    ({ title, file, servers }) =>
      `  ${title}, ${showLine(homePath(file, loaded.context.env))}: ${servers.map(({ name }) => name).join(', ')}`,
  );
  screen.print([`Plugboard has no servers yet. ${heading}.`, ...lines].join('\n'));
  const rows = ['  l  link: read these files live', '  i  import: copy their servers', '  n  not now', 'l/i/n: '];
  const keys = { l: 'link', i: 'copy', n: 'later' } as const;
  const kind = await screen.choose<'link' | 'copy' | 'later'>(rows, { keys, signal }).catch(asLater);
  return kind === 'later' ? { kind } : { kind, files: own, isTrusted: false };
}

/** Ctrl-C and Ctrl-D at the question. */
function asLater(cause: unknown): 'later' {
  if (cause instanceof HostError && cause.code === 'cancelled') return 'later';
  throw cause;
}

async function take(picked: Exclude<Picked, { kind: 'later' }>, parts: Parts): Promise<LoadedConfig> {
  const { io, loaded, screen, invocation } = parts;
  const on = { kind: 'files', config: loaded.context, load: () => Promise.resolve(loaded) } as const;
  try {
    const done = await takeOffered({ files: picked.files, how: picked.kind }, on, { now: io.now });
    const told = done.map((one) => one.told);
    const titles = [...new Set(picked.files.map(({ title }) => title))].join(', ');
    const undo = `Linked ${titles}: their files are read live. To undo: plugboard import HOST --unlink`;
    const rows = picked.kind === 'link' ? ownRows(undo, screen.columns) : copiedRows(told, parts);
    const next = screen.style.dim('/tools lists their tools, /call SERVER.TOOL calls one');
    const notes = told.flatMap(({ notes: some }) => noteLines(some));
    const rest =
      notes.length > NOTES ? [`… and ${notes.length - NOTES} more notes: plugboard import --all --dry-run`] : [];
    const shown = [...notes.slice(0, NOTES), ...rest].flatMap((note) => ownRows(note, screen.columns, 2));
    screen.print([...rows, ...shown.map(screen.style.dim), next].join('\n'));
    if (picked.isTrusted) {
      const remembered = await rememberFolder(loaded, 'trusted', io.now());
      screen.print(ownRows(remembered, screen.columns).join('\n'));
    }
  } catch (cause) {
    screen.print(failureRows(cause, screen).join('\n'));
  }
  const fresh = await loadRun(invocation, io);
  return screen.isPlain ? askTrust(fresh, parts) : fresh;
}

function copiedRows(told: readonly { readonly parts: Parameters<typeof draw>[0] }[], { screen }: Parts): string[] {
  return told.flatMap(({ parts }) => draw(parts, drawingOn(screen)));
}

/** On a screen that cannot be redrawn, trust is a question of its own. */
async function askTrust(loaded: LoadedConfig, { screen, io, invocation }: Parts): Promise<LoadedConfig> {
  const starting = { starts: () => true, runsHooks: true };
  if (!isFirstStart(loaded, starting)) return loaded;
  const lines = await describeFirstStart(loaded, starting);
  screen.print(lines.flatMap((line) => wrapLine(line, screen.columns, line.startsWith(' ') ? 4 : 0)).join('\n'));
  const keys = { y: 'trusted', n: 'untrusted', return: 'later' } as const;
  const decision = await screen
    .choose<'trusted' | 'untrusted' | 'later'>(['Trust this folder? y/n, Enter: not now: '], { keys })
    .catch(asLater);
  if (decision === 'later') return loaded;
  screen.print(ownRows(await rememberFolder(loaded, decision, io.now()), screen.columns).join('\n'));
  return loadRun(invocation, io);
}

const NOTES = 10; // more would push the prompt off the screen
