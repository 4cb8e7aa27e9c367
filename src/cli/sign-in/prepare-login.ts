import { loadRun } from '../start/load.js';
import { namedAccount } from '../../actions/named-account.js';
import { givenClient } from './login-client.js';
import type { PreparedRun } from '../start/run-action.js';
import type { ProgramRun } from '../verb.js';

/** Sets up a new account of a server and the client of the flags before the user signs in. */
export async function prepareLogin(run: ProgramRun, name: string): Promise<PreparedRun> {
  const { io } = run;
  const { loaded, server, undo } = await namedAccount(name, await loadRun(run.invocation, io));
  try {
    const client = await givenClient(run, loaded, server);
    if (!client) return { run, loaded, undo };
    const { invocation } = client;
    const keep = async (): Promise<readonly string[]> => [await client.keep()];
    return { run: { invocation, io }, loaded: await loadRun(invocation, io), keep, undo };
  } catch (error) {
    await undo?.();
    throw error;
  }
}
