import { login } from '../../actions/servers/login.js';
import { DialogQueue } from './asking.js';
import type { CommandContext } from './command.js';

/** The panel, which has the whole screen; a table where that cannot be drawn on. */
export async function showServers(context: CommandContext): Promise<void> {
  const { session, screen, io, asking, signal } = context;
  const { host } = session;
  if (screen.isPlain) {
    const { panelTable } = await import('../panel/panel-table.js');
    screen.print(panelTable(host, screen).join('\n'));
    return;
  }
  const { openPanel } = await import('../panel/panel.js');
  const actions = {
    // In a queue of its own: the panel holds the other one.
    signIn: async (name: string) =>
      (await import('./act-here.js')).actHere(
        login,
        { ...context, asking: new DialogQueue({ onChange: () => {} }) },
        { name, flags: [], marks: {} },
      ),
  };
  // Questions wait until it is closed.
  await asking.pose(() => openPanel({ screen, host, io, actions, signal }), signal);
}
