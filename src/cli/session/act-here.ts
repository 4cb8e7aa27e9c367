import type { Action } from '../../actions/action.js';
import { onlyServer, toArgs } from '../../actions/arguments.js';
import { perform, serversFor } from '../../actions/perform.js';
import { draw, type Drawing, type ToldRow } from '../../actions/told.js';
import { showExact, showLine } from '../../model/show.js';
import { linesOf } from '../server-view.js';
import { cutForScreen, toRows } from '../screen-text.js';
import type { Screen } from '../terminal/screen.js';
import type { CommandContext } from './command.js';
import { foreignRows, ownRows } from './foreign-rows.js';
import { mentionOf } from './mention-text.js';
import { ownCommands } from './own-commands.js';

/** An action as a command of the session: run on the host that is open, and drawn on its screen. Rejects with a HostError. */
export async function actHere(action: Action, context: CommandContext, servers: readonly string[]): Promise<void> {
  const { session, screen, signal, io } = context;
  const on = { kind: 'host', host: session.host, isTransient: false } as const;
  const what = servers.length === 1 ? showExact(servers[0]) : `${servers.length} servers`;
  const doing = `${action.doing.charAt(0).toUpperCase()}${action.doing.slice(1)} ${what}`;
  if (action.needs === 'host') screen.show('work', [`${doing} (Ctrl-C stops waiting)`]);
  const acting = servers.map((name) =>
    perform(action, on, toArgs(action.args, onlyServer(name)), { signal, now: io.now }),
  );
  const done = await Promise.all(acting).finally(() => screen.show('work', undefined));
  const lines = done.flatMap(({ told }) => [...draw(told.parts, drawingOn(screen)), ...(told.notes ?? [])]);
  screen.print(lines.join('\n'));
}

/** In place of names: all that it applies to. */
export function allFor(action: Action, { session: { host } }: CommandContext): Promise<readonly string[]> {
  return serversFor(action, { kind: 'host', host, isTransient: false });
}

export function drawingOn({ columns, style }: Screen, more = ''): Drawing {
  let room = ROWS;
  return {
    sentence: ({ text }) => ownRows(ownCommands(text), columns),
    quote: ({ lines }) => lines.flatMap((line) => foreignRows(line, columns)),
    edits: ({ files }) => files.map((file) => style.dim(showLine(`File modified: ${file}`))),
    server: ({ server, state }) => linesOf(server, state, { style, columns }).map(ownCommands),
    aside: ({ text, isFailure }) => [isFailure ? style.red(text) : style.dim(text)],
    text: ({ text }) => (text === '' ? [] : [cutForScreen(text)]),
    rows({ heading, rows }) {
      const shown = rows.slice(0, room);
      room -= shown.length;
      const rest = rows.length - shown.length;
      const others = rest > 0 ? [`  … and ${rest} more${more}`] : [];
      return [...(heading === '' ? [] : [style.bold(heading)]), ...toRows(shown.map(toNamed), columns), ...others];
    },
  };
}

/** What is to be read is named as it is mentioned. */
function toNamed([name, about, resource]: ToldRow): readonly [string, string] {
  return [resource ? showLine(mentionOf(resource.server, resource.uri)) : name, about];
}

const ROWS = 200; // more scrolls by unread
