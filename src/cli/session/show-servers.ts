import { login } from '../../actions/servers/login.js';
import { DialogQueue } from './asking.js';
import type { CommandContext } from './command.js';
import { sessionCost } from './session-cost.js';

/** Opens the panel; on a plain screen prints its table. */
export async function showServers(context: CommandContext): Promise<void> {
  const { session, screen, io, asking, signal } = context;
  const { host } = session;
  if (screen.isPlain) {
    const { panelTable } = await import('../panel/panel-table.js');
    screen.print(
      panelTable(host, { columns: screen.columns, style: screen.style, cost: () => sessionCost(session) }).join('\n'),
    );
    return;
  }
  const { openPanel } = await import('../panel/panel.js');
  const actions = {
    // A queue of its own, because the panel holds the session's.
    signIn: async (name: string) =>
      (await import('./server-command.js')).runServerCommand(
        login,
        { ...context, asking: new DialogQueue({ onChange: () => {} }) },
        { name, flags: [], marks: {} },
      ),
  };
  await asking.enqueueFull(
    (lend) => openPanel({ screen, host, io, actions, signal, lend, cost: () => sessionCost(session) }),
    signal,
  );
}
