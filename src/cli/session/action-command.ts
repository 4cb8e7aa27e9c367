import type { Action } from '../../actions/action.js';
import type { CallWatch } from '../../actions/action-context.js';
import { missingWord, toArgs } from '../../actions/arguments.js';
import { perform } from '../../actions/perform.js';
import { draw, noteLines } from '../../actions/told.js';
import { usageError } from '../../actions/usage-error.js';
import { within } from '../../base/within.js';
import { showLine } from '../../model/show.js';
import { ProgressMeter } from '../output/progress-meter.js';
import { cutToColumns } from '../terminal/text/text-width.js';
import { printImages } from '../terminal/images/print-images.js';
import type { Screen } from '../terminal/screen.js';
import { sessionActionContext, drawingOn } from './session-dialogs.js';
import type { CommandContext } from './command.js';
import { ownCommands } from './own-commands.js';

export interface ActionCommandOptions {
  /** The arguments, for an error message. */
  readonly usage?: string;
  /** Flags that the command always sets. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** How to see the rows that are left out. */
  readonly more?: string;
}

/** Runs an action as a command of the session, with its arguments as typed. Rejects with a HostError. */
export async function runActionCommand(
  action: Action,
  { session, screen, signal, io, asking }: CommandContext,
  words: readonly string[],
  { usage = '', values = {}, more }: ActionCommandOptions = {},
): Promise<void> {
  const { dim } = screen.style;
  const specs = Object.values(action.args);
  const servers = specs.some(({ kind }) => kind === 'server') ? words.slice(0, 1) : [];
  const given = { servers, words: words.slice(servers.length) };
  const missing = missingWord(specs, given);
  if (missing) throw usageError(`/${action.name} needs ${missing.noun}`, { hint: `/${action.name} ${usage}` });
  const args = toArgs(action.args, { ...given, values: (flag) => values[flag] ?? [] });
  const on = { kind: 'host', host: session.host, isTransient: false } as const;
  const note = (text: string): void => screen.print(dim(text));
  const watchCall = (what: string): CallWatch => watchOn(screen, what);
  const { told } = await perform(action, on, args, {
    ...sessionActionContext({ screen, asking, signal, now: io.now }),
    note,
    watchCall,
    shows: 'screen',
  });
  // A server's text must not be printed into an open dialog.
  await within(asking.idle(), { signal, instead: () => undefined });
  const notes = noteLines(told.notes).map((line) => dim(showLine(ownCommands(line))));
  const lines = [...draw(told.parts, drawingOn(screen, more)), ...notes];
  if (lines.length > 0) screen.print(lines.join('\n'));
  printImages(
    screen,
    told.parts.flatMap((part) => (part.kind === 'images' ? part.images : [])),
  );
  if (told.error) throw told.error;
}

/** Shows the progress of a call in one row, redrawn; on a plain screen a line now and then. */
function watchOn(screen: Screen, what: string): CallWatch {
  const began = performance.now();
  const meter = new ProgressMeter();
  let toldAt = -Infinity;
  const moving = screen.animate(() => {
    screen.show('work', [workRow(what, meter, { ms: performance.now() - began, columns: screen.columns })]);
  });
  return {
    show(progress) {
      const ms = performance.now() - began;
      meter.take(progress, ms);
      if (!screen.isPlain || ms - toldAt < TELL_MS) return;
      toldAt = ms;
      screen.print(`${showLine(what)}: ${meter.parts(ms, { isWide: false }).join(', ')}`);
    },
    clear() {
      moving[Symbol.dispose]();
      screen.show('work', undefined);
    },
  };
}

/** The end of the row, which says how to stop, is kept; the server's message is cut. */
function workRow(
  what: string,
  meter: ProgressMeter,
  { ms, columns }: { readonly ms: number; readonly columns: number },
): string {
  const end = `${Math.floor(ms / 1000)} s (Ctrl-C stops)`;
  const facts = [showLine(what), ...meter.parts(ms, { isWide: columns >= WIDE })].join('  ');
  return `${cutToColumns(facts, Math.max(columns - end.length - 3, 10))}  ${end}`;
}

const TELL_MS = 5_000; // a line more often would be read aloud without an end
const WIDE = 60; // columns; in fewer, the bar would take the room of the message
