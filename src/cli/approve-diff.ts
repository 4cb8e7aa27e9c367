import { readAccepted } from '../guard/accepted-definitions.js';
import type { Invocation } from './arguments.js';
import { countText, failedNotes, refuseBroken } from './approve-lock.js';
import { exitCodes, type Io } from './io.js';
import { loadToStart } from './load-to-start.js';
import { problemNotes } from './load.js';
import { differenceLines, differenceOf, isEmpty, type PinDifference } from './pin-difference.js';
import { chooseLockable, collectOffers, type OfferedNow, skippedNotes } from './pin-servers.js';
import { showLine, showName } from '../model/show.js';
import type { Outcome } from './verb.js';

/** `approve --diff`: how the servers differ from their pins. Like `diff`, it ends with 1 when they do. */
export async function approveDiff(invocation: Invocation, io: Io): Promise<Outcome> {
  const loaded = await loadToStart(invocation, io);
  const { lockable, skipped } = chooseLockable(loaded, invocation.positionals);
  const pinned = lockable.filter(({ server }) => loaded.locks.has(server.name));
  refuseBroken(pinned, loaded);
  const unpinned = lockable.filter(({ server }) => !loaded.locks.has(server.name)).map(({ server }) => server.name);
  const { offered, failed, notes } = await collectOffers(pinned, { invocation, io, loaded });
  const rows = offered.map((offer): Row => {
    const { name } = offer.server;
    const lock = loaded.locks.get(name)!;
    const accepted = readAccepted(loaded.context.places.state, name);
    const before = lock.kind === 'pinned' ? lock.pins : undefined;
    return { offer, difference: differenceOf(before, offer.now, { accepted, offered: offer.definitions }) };
  });
  const isDifferent = rows.some(({ difference }) => !isEmpty(difference));
  const exitCode =
    isDifferent || pinned.length === 0 ? exitCodes.failed : failed.length > 0 ? exitCodes.unhealthy : exitCodes.done;
  return {
    data: {
      file: rows[0]?.offer.file ?? null,
      servers: rows.map(({ offer, difference }) => ({
        server: offer.server.name,
        file: offer.file,
        definition: offer.definition,
        ...difference,
      })),
      unpinned,
      skipped: skipped.map(({ server }) => server),
      failed: failed.map(({ server, error }) => ({ server, ...error.toJSON() })),
    },
    text: rows.map(describe).join('\n'),
    notes: [
      ...failedNotes(failed, 'could not be compared with its pins'),
      ...unpinned.map((name) => showLine(`"${name}" is not pinned: plugboard approve --lock ${showName(name)}`)),
      ...skippedNotes(skipped, 'Not compared'),
      ...(lockable.length === 0 ? ['No server may run here, so there is nothing to compare'] : []),
      ...notes,
      ...problemNotes(loaded.problems, { invocation, io }),
    ],
    exitCode,
  };
}

interface Row {
  readonly offer: OfferedNow;
  readonly difference: PinDifference;
}

function describe({ offer, difference }: Row): string {
  const { name } = offer.server;
  if (isEmpty(difference)) return showLine(`${name}: as pinned (${countText(offer.now)})`);
  return [
    showLine(`${name} differs from ${offer.file}`),
    ...differenceLines(difference),
    `  To accept this: plugboard approve --lock ${showName(name)} --definition ${offer.definition}`,
  ].join('\n');
}
