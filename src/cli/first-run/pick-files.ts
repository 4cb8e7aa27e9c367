import type { ActionPlace } from '../../actions/action-place.js';
import { type OfferedFile, takeOffered } from '../../actions/found/offered-files.js';
import { draw, noteLines } from '../../actions/told.js';
import { HostError } from '../../base/errors.js';
import { showLine, showPath } from '../../model/show.js';
import { homePath } from '../output/home-path.js';
import type { Io } from '../io.js';
import { ownRows } from '../session/display/quoted-rows.js';
import { drawingOn } from '../session/session-dialogs.js';
import type { Screen } from '../terminal/screen.js';
import type { Picked, PickerOffer } from './picker-state.js';

export interface PickFilesOptions {
  readonly screen: Screen;
  /** One sentence above the files. */
  readonly heading: string;
  readonly env: Io['env'];
  readonly signal: AbortSignal | undefined;
}

/** Has the user pick files of other hosts. Leaving means later. */
export async function pickFiles(offer: PickerOffer, options: PickFilesOptions): Promise<Picked> {
  const { screen, heading, env, signal } = options;
  if (screen.isPlain) return pickByLine(offer.files, options);
  const { pick } = await import('./picker.js');
  return pick(offer, { screen, signal, heading, pathOf: (file) => showPath(homePath(file, env)) });
}

/** On a screen that cannot be redrawn: the user's own files together, or none. */
async function pickByLine(
  files: readonly OfferedFile[],
  { screen, heading, env, signal }: PickFilesOptions,
): Promise<Picked> {
  const own = files.filter(({ isShared }) => !isShared);
  if (own.length === 0) return { kind: 'later' };
  const lines = own.map(({ title, file, servers, rest }) => {
    const names = [...servers.map(({ name }) => name), ...(rest > 0 ? [`and ${rest} more`] : [])];
    return `  ${title}, ${showLine(homePath(file, env))}: ${names.join(', ')}`;
  });
  screen.print([heading, ...lines].join('\n'));
  const rows = ['  l  link: read these files live', '  i  import: copy their servers', '  n  not now', 'l/i/n: '];
  const keys = { l: 'link', i: 'copy', n: 'later' } as const;
  const kind = await screen.choose<'link' | 'copy' | 'later'>(rows, { keys, signal }).catch(asLater);
  return kind === 'later' ? { kind } : { kind, files: own, isTrusted: false };
}

/** For Ctrl-C and Ctrl-D at a question. */
export function asLater(cause: unknown): 'later' {
  if (cause instanceof HostError && cause.code === 'cancelled') return 'later';
  throw cause;
}

/** Links or imports what was picked, and says so. Rejects with a HostError. */
export async function takePicked(
  picked: Exclude<Picked, { kind: 'later' }>,
  on: ActionPlace,
  { screen, now }: { readonly screen: Screen; readonly now: () => Date },
): Promise<void> {
  const { columns, style } = screen;
  const done = await takeOffered({ files: picked.files, how: picked.kind }, on, { now });
  const titles = [...new Set(picked.files.map(({ title }) => title))].join(', ');
  const undo = `Linked ${titles}: their files are read live. To undo: plugboard import HOST --unlink`;
  const rows =
    picked.kind === 'link'
      ? ownRows(undo, columns)
      : done.flatMap(({ told: { parts } }) => draw(parts, drawingOn(screen)));
  const notes = done.flatMap(({ told }) => noteLines(told.notes));
  const rest =
    notes.length > NOTES ? [`… and ${notes.length - NOTES} more notes: plugboard import --all --dry-run`] : [];
  const shown = [...notes.slice(0, NOTES), ...rest].flatMap((note) => ownRows(note, columns, 2));
  const next = '/tools lists their tools, /call SERVER.TOOL calls one';
  screen.print([...rows, ...[...shown, next].map(style.dim)].join('\n'));
}

const NOTES = 10; // more would push the prompt off the screen
