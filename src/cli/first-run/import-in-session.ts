import { offeredOn } from '../../actions/found/offered-files.js';
import { within } from '../../base/within.js';
import type { Host } from '../../index.js';
import type { CommandContext } from '../session/command.js';
import { clockOf } from '../start/program-clock.js';
import { pickFiles, takePicked } from './pick-files.js';

/** `/import`: has the user pick files of other hosts. The host of the session reads its files again by itself. */
export async function importInSession({ session, screen, io, config, asking, signal }: CommandContext): Promise<void> {
  const { host } = session;
  const on = { kind: 'host', host, isTransient: false } as const;
  const { files, text } = await offeredOn(on);
  if (text === undefined) return screen.print('No servers of other hosts were found');
  const options = { screen, heading: `${text}.`, env: config.env, signal };
  const picked = await asking.enqueue(() => pickFiles({ files, folder: undefined }, options), signal);
  if (picked.kind === 'later') return;
  const names = picked.files.flatMap(({ servers }) => servers.map(({ name }) => name));
  const known = untilKnown(host, names);
  await takePicked(picked, on, { screen, now: io.now });
  // The next command may use the servers.
  await within(known, {
    signal,
    deadline: (expire) => clockOf(io).after(RELOAD_MS, expire),
    instead: () => undefined,
  });
}

/** Resolves when the host has servers of all these names. */
async function untilKnown(host: Host, names: readonly string[]): Promise<void> {
  const areKnown = (): boolean => {
    const known = new Set(host.servers().map(({ name }) => name));
    return names.every((name) => known.has(name));
  };
  if (areKnown()) return;
  await new Promise<void>((resolve) => {
    const listening = host.on('config', () => {
      if (!areKnown()) return;
      listening[Symbol.dispose]();
      resolve();
    });
  });
}

const RELOAD_MS = 2_000; // a change of a file is seen within a fraction of that
