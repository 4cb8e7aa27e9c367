import type { LoadedConfig } from '../../actions/action-place.js';
import { approve } from '../../actions/servers/approve.js';
import { toArgs } from '../../actions/arguments.js';
import { perform } from '../../actions/perform.js';
import { draw } from '../../actions/told.js';
import { type SessionDialogs, sessionActionContext, drawingOn } from './session-dialogs.js';
import { failureRows } from './failure.js';

/** Asks about all servers of this project that wait for approval, one after the other. Never rejects. */
export async function askWaitingServers(loaded: LoadedConfig, here: SessionDialogs): Promise<void> {
  const { screen } = here;
  const on = { kind: 'files', config: loaded.context, load: () => Promise.resolve(loaded) } as const;
  const args = { ...toArgs(approve.args, { servers: [], values: () => [] }), asks: true };
  const rows = await perform(approve, on, args, sessionActionContext(here)).then(
    ({ told }) => draw(told.parts, drawingOn(screen)),
    (cause: unknown) => failureRows(cause, screen),
  );
  screen.print(rows.join('\n'));
}
