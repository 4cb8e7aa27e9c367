import type { Action } from '../../actions/action.js';
import { toArgs } from '../../actions/arguments.js';
import { perform } from '../../actions/perform.js';
import { draw } from '../../actions/told.js';
import { untilAborted } from '../../base/until-aborted.js';
import { showLine } from '../../model/show.js';
import { drawingOn } from './act-here.js';
import type { CommandContext } from './command.js';

/** An action as a command of the session, its words as they were typed. Rejects with a HostError. */
export async function runHere(action: Action, context: CommandContext, words: readonly string[]): Promise<void> {
  const { session, screen, signal, io, asking } = context;
  const { dim } = screen.style;
  const namesServer = Object.values(action.args).some(({ kind }) => kind === 'server');
  const args = toArgs(action.args, {
    servers: namesServer ? words.slice(0, 1) : [],
    words: namesServer ? words.slice(1) : words,
    values: () => [],
  });
  const on = { kind: 'host', host: session.host, isTransient: false } as const;
  const note = (text: string): void => screen.print(dim(text));
  const { told } = await perform(action, on, args, { signal, now: io.now, note, shows: 'screen' });
  // Words of a server must not stand in the middle of what somebody else asks.
  await untilAborted(asking.idle(), signal, () => undefined);
  const lines = [...draw(told.parts, drawingOn(screen)), ...(told.notes ?? []).map((line) => dim(showLine(line)))];
  if (lines.length > 0) screen.print(lines.join('\n'));
  if (told.error) throw told.error;
}
