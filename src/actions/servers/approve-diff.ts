import type { HostConfig } from '../../config/load.js';
import { showLine, showName } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { loadedOf } from '../action-place.js';
import { differenceLines, differenceOf, isEmpty, type PinDifference } from '../pin-difference.js';
import {
  chooseLockable,
  collectOffers,
  countText,
  failedNotes,
  type Lockable,
  type OfferedNow,
  type Offers,
  pinOpening,
  refuseBroken,
  type Skipped,
  skippedNotes,
} from '../pin-servers.js';
import { problemNotes, problemsAbout } from './problem-notes.js';

const args = { servers: { kind: 'words' } } as const;

interface ComparedServers extends Pick<Offers, 'failed'>, Choice {
  readonly loaded: HostConfig;
  readonly rows: readonly Row[];
}

export const approveDiff: Action<typeof args, ComparedServers> = defineAction({
  name: 'approve-diff',
  label: 'compare with pins',
  doing: 'comparing with pins',
  summary: 'Show how servers differ from mcp.lock',
  args,
  needs: 'host',
  opening: pinOpening(async (loaded, { servers }) => (await choose(loaded, servers)).pinned),
  async run(on, { servers }, context) {
    const loaded = await loadedOf(on);
    const choice = await choose(loaded, servers);
    const { offered, failed } = await collectOffers(on, choice.pinned, context);
    const { readAccepted } = await import('../../guard/accepted-definitions.js');
    const rows = offered.map((offer): Row => {
      const { name } = offer.server;
      const lock = loaded.locks.get(name)!;
      const accepted = readAccepted(loaded.context.places.state, name);
      const before = lock.kind === 'pinned' ? lock.pins : undefined;
      return { offer, difference: differenceOf(before, offer.now, { accepted, offered: offer.definitions }) };
    });
    return { ...choice, loaded, rows, failed };
  },
  json: ({ rows, unpinned, skipped, failed }) => ({
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
  }),
  tell({ loaded, rows, pinned, unpinned, skipped, failed }) {
    const names = [...pinned.map(({ server }) => server.name), ...unpinned];
    const isDifferent = pinned.length === 0 || rows.some(({ difference }) => !isEmpty(difference));
    return {
      tone: isDifferent ? 'note' : failed.length > 0 ? 'failed' : 'done',
      parts: rows.flatMap(describe).map((text) => ({ kind: 'sentence', text })),
      notes: [
        ...failedNotes(failed, 'could not be compared with its pins'),
        ...unpinned.map((name) => showLine(`"${name}" is not pinned: plugboard approve --lock ${showName(name)}`)),
        ...skippedNotes(skipped, 'Not compared'),
        ...(pinned.length + unpinned.length === 0 ? ['No server may run here, so there is nothing to compare'] : []),
        ...problemNotes(problemsAbout(loaded.problems, names)),
      ],
      code: isDifferent ? 'different' : failed.length > 0 ? 'unhealthy' : undefined,
    };
  },
});

interface Choice {
  readonly pinned: readonly Lockable[];
  readonly unpinned: readonly string[];
  readonly skipped: readonly Skipped[];
}

async function choose(loaded: HostConfig, names: readonly string[]): Promise<Choice> {
  const { lockable, skipped } = await chooseLockable(loaded, names);
  const pinned = lockable.filter(({ server }) => loaded.locks.has(server.name));
  await refuseBroken(pinned, loaded);
  const unpinned = lockable.filter(({ server }) => !loaded.locks.has(server.name)).map(({ server }) => server.name);
  return { pinned, unpinned, skipped };
}

interface Row {
  readonly offer: OfferedNow;
  readonly difference: PinDifference;
}

function describe({ offer, difference }: Row): readonly string[] {
  const { name } = offer.server;
  if (isEmpty(difference)) return [showLine(`${name}: as pinned (${countText(offer.now)})`)];
  return [
    showLine(`${name} differs from ${offer.file}`),
    ...differenceLines(difference),
    `  To accept this: plugboard approve --lock ${showName(name)} --definition ${offer.definition}`,
  ];
}
