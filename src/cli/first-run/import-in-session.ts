import { offeredOn } from '../../actions/found/offered-files.js';
import type { CommandContext } from '../session/command.js';
import { pickFiles, takePicked } from './pick-files.js';

/** `/import`: has the user pick files of other hosts. The host of the session reads its files again by itself. */
export async function importInSession({ session, screen, io, config, asking, signal }: CommandContext): Promise<void> {
  const on = { kind: 'host', host: session.host, isTransient: false } as const;
  const { files, text } = await offeredOn(on);
  if (text === undefined) return screen.print('No servers of other hosts were found');
  const options = { screen, heading: `${text}.`, env: config.env, signal };
  const picked = await asking.enqueue(() => pickFiles({ files, folder: undefined }, options), signal);
  if (picked.kind !== 'later') await takePicked(picked, on, { screen, now: io.now });
}
