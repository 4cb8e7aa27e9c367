import type { Action } from '../../actions/action.js';
import type { ArgsOf, ArgumentSpecs } from '../../actions/arguments.js';
import { perform } from '../../actions/perform.js';
import { draw, type Drawing } from '../../actions/told.js';
import { showLine } from '../../model/show.js';
import type { Screen } from '../terminal/screen.js';
import type { CommandContext } from './command.js';
import { foreignRows, ownRows } from './foreign-rows.js';

/** An action as a command of the session: run on the host that is open, and drawn on its screen. Rejects with a HostError. */
export async function actHere<Specs extends ArgumentSpecs>(
  action: Action<Specs>,
  { session, screen, signal, io }: CommandContext,
  args: ArgsOf<Specs>,
): Promise<void> {
  const on = { kind: 'host', host: session.host, isTransient: false } as const;
  const { told } = await perform(action, on, args, { signal, now: io.now });
  screen.print([...draw(told.parts, drawingOn(screen)), ...(told.notes ?? [])].join('\n'));
}

function drawingOn({ columns, style }: Screen): Drawing {
  return {
    sentence: ({ text }) => ownRows(text, columns),
    quote: ({ lines }) => lines.flatMap((line) => foreignRows(line, columns)),
    edits: ({ files }) => files.map((file) => style.dim(showLine(`File modified: ${file}`))),
  };
}
