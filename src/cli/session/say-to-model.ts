import type { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { showLine } from '../../model/show.js';
import type { Screen } from '../terminal/screen.js';
import type { CommandContext } from './command.js';
import { failureRows } from './failure.js';
import type { TurnDisplay } from './display/turn-display.js';
import type { TurnView } from './display/turn-view.js';

export interface SayParts {
  readonly context: CommandContext;
  readonly stage: TurnDisplay;
  /** Why there is no model; used only then. */
  readonly lack: HostError;
}

/** Sends a message to the model and shows the turn. Resolves to the text if it can be sent again. Never rejects. */
export async function sayToModel(text: string, { context, stage, lack }: SayParts): Promise<string | undefined> {
  const { session, screen, signal } = context;
  using view = session.model && (await openView(context, stage.screen));
  if (view) stage.begin(view);
  const said = await session.say(text, { signal });
  await stage.end(said.kind === 'sent' ? said.end : undefined);
  if (said.notes.length > 0) screen.print(said.notes.map((note) => screen.style.dim(showLine(note))).join('\n'));
  switch (said.kind) {
    case 'sent':
      screen.print(''); // between the answer and the next prompt
      return 'isSent' in said.end && !said.end.isSent ? text : undefined;
    case 'not-sent':
      screen.print(said.error.code === 'cancelled' ? 'Stopped.' : failureRows(said.error, screen).join('\n'));
      return text;
    case 'no-model': {
      const { showWithoutModel } = await import('./show-without-model.js');
      showWithoutModel(text, said.messages, { host: session.host, screen, error: lack });
      // Sending it again would fail again, so the input is free for a command.
      return undefined;
    }
    default:
      return unreachable(said);
  }
}

async function openView(context: CommandContext, screen: Screen): Promise<TurnView> {
  const { session, settings, io } = context;
  const [{ TurnView: View }, { linkTo }] = await Promise.all([
    import('./display/turn-view.js'),
    import('../output/terminal-link.js'),
    untilServersTold(context),
  ]);
  const provider = session.model?.provider;
  const view = new View({
    screen,
    isVerbose: settings.isVerbose,
    ...(provider !== undefined && { provider }),
    link: (url) => linkTo(url, io),
  });
  view.begin();
  return view;
}

/** Waits a moment for servers that are starting: otherwise the model would learn of their tools only later. */
async function untilServersTold({ session, screen, io, signal }: CommandContext): Promise<void> {
  if (session.conversation) return;
  const { waitForCatalogs } = await import('../one-prompt/open-prompt.js');
  screen.show('work', [screen.style.dim('Waiting for servers that are starting … (Ctrl-C stops)')]);
  await waitForCatalogs(session.host, { io, signal });
  screen.show('work', undefined);
}
