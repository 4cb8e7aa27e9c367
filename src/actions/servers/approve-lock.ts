import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import type { Edit } from '../../config/edit/edit-file.js';
import type { HostConfig } from '../../config/load.js';
import type { LockedServer } from '../../model/pins/lock.js';
import type { PinnedDefinition } from '../../model/pins/pinned-text.js';
import { showLine, showName } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { loadedOf } from '../action-place.js';
import type { ArgsOf } from '../arguments.js';
import { differenceLines, differenceOf, isEmpty, type PinDifference } from '../pin-difference.js';
import {
  chooseLockable,
  collectOffers,
  countText,
  failedNotes,
  type LockableChoice,
  type OfferedNow,
  type Offers,
  pinOpening,
  refuseBroken,
  skippedNotes,
} from '../pin-servers.js';
import { problemNotes, problemsAbout } from './problem-notes.js';
import { dryRunArgument } from '../shared-arguments.js';
import type { ToldPart } from '../told.js';

const args = {
  servers: { kind: 'words' },
  tool: { kind: 'texts', value: 'TOOL', summary: 'with --lock: accept only this tool of the server' },
  definition: { kind: 'text', value: 'HASH', summary: 'only if the definitions still have this hash' },
  dryRun: dryRunArgument,
} as const;

interface PinnedServers extends Omit<LockableChoice, 'lockable'>, Pick<Offers, 'failed'> {
  readonly loaded: HostConfig;
  readonly pinned: readonly Pinned[];
  readonly edits: readonly Edit[];
  /** The change that a dry run would make. */
  readonly diff: string | undefined;
}

/** Pins what servers offer now in `mcp.lock`, beside the files that define them; changes must be accepted again. */
export const approveLock: Action<typeof args, PinnedServers> = defineAction({
  name: 'approve-lock',
  label: 'pin',
  doing: 'pinning',
  summary: 'Pin every tool, prompt and instruction in mcp.lock, beside the file of the server',
  args,
  needs: 'host',
  opening: pinOpening(async (loaded, given) => (await choose(loaded, given)).lockable),
  async run(on, given, context) {
    const loaded = await loadedOf(on);
    const { lockable, placeless, skipped } = await choose(loaded, given);
    const { offered, failed } = await collectOffers(on, lockable, context);
    refuseChanged(given.definition, offered);
    const { pinned, edits } = await writePins(offered, given, loaded.context.places.state);
    const { showDiff } = await import('../../config/show-diff.js');
    const diff = given.dryRun ? edits.map((edit) => showDiff(edit, { reveal: true })).join('\n') : undefined;
    return { loaded, placeless, skipped, failed, pinned, edits, diff };
  },
  json({ pinned, edits, failed, skipped, diff }) {
    const only = pinned.length === 1 ? pinned[0]!.offer.server : undefined;
    return {
      file: edits[0]?.file ?? null,
      server: only?.name ?? null,
      scope: only?.scope ?? null,
      changed: edits.some(({ changed }) => changed),
      servers: pinned.map(({ offer, locked, difference }) => ({
        server: offer.server.name,
        file: offer.file,
        scope: offer.server.scope,
        tools: locked.tools.size,
        prompts: locked.prompts.size,
        instructions: locked.instructions !== undefined,
        ...(locked.package && { package: locked.package }),
        ...(locked.files && locked.files.size > 0 && { files: [...locked.files.keys()] }),
        ...difference,
      })),
      failed: failed.map(({ server, error }) => ({ server, ...error.toJSON() })),
      skipped: skipped.map(({ server }) => server),
      ...(diff !== undefined && { dryRun: true, diff }),
    };
  },
  tell: ({ loaded, pinned, edits, failed, placeless, skipped, diff }) => ({
    tone: failed.length > 0 ? 'failed' : 'done',
    parts:
      pinned.length + failed.length === 0
        ? [{ kind: 'sentence', text: 'No server may run here, so there is nothing to pin' }]
        : [
            ...pinned.flatMap((one) => describe(one, diff !== undefined)).map(sentence),
            ...(diff === undefined ? edits.map(editPart) : [{ kind: 'quote', lines: diff.split('\n') } as const]),
          ],
    notes: [
      ...failedNotes(failed, 'keeps the pins that it had'),
      ...skippedNotes(skipped, 'Not pinned'),
      ...placeless.map((name) => showLine(`"${name}" comes from the command line and has no file for its pins`)),
      ...problemNotes(problemsAbout(loaded.problems, namesOf(pinned, failed))),
    ],
    code: failed.length === 0 ? undefined : pinned.length === 0 ? 'connect-failed' : 'unhealthy',
  }),
});

function namesOf(pinned: readonly Pinned[], failed: readonly { readonly server: string }[]): readonly string[] {
  return [...pinned.map(({ offer }) => offer.server.name), ...failed.map(({ server }) => server)];
}

/** One server with its new pins. */
interface Pinned {
  readonly offer: OfferedNow;
  readonly locked: LockedServer;
  readonly difference: PinDifference;
}

async function choose(loaded: HostConfig, { servers, tool }: ArgsOf<typeof args>): Promise<LockableChoice> {
  const choice = await chooseLockable(loaded, servers);
  await refuseBroken(choice.lockable, loaded);
  const [first] = choice.lockable;
  if (tool.length > 0 && first && loaded.locks.get(first.server.name) === undefined) {
    throw new HostError('usage', `Server "${first.server.name}" is not pinned yet`, {
      hint: `Pin the whole server first: plugboard approve --lock ${showName(first.server.name)}`,
    });
  }
  return choice;
}

/** `state`: the folder that keeps accepted definitions. */
async function writePins(
  offered: readonly OfferedNow[],
  { tool: tools, dryRun }: ArgsOf<typeof args>,
  state: string | undefined,
): Promise<Pick<PinnedServers, 'pinned' | 'edits'>> {
  const { writeLock } = await import('../../config/edit/write-lock.js');
  const { keepAccepted, readAccepted } = await import('../../guard/accepted-definitions.js');
  const accepted = (server: string): ReturnType<PinOptions['accepted']> => readAccepted(state, server);
  const pinned: Pinned[] = [];
  const edits: Edit[] = [];
  for (const group of byFile(offered)) {
    const results = new Map<string, Pinned>();
    const edit = await writeLock({
      file: group[0]!.file,
      isShared: group.some(({ server }) => server.author === 'repository'),
      dryRun,
      change(before) {
        for (const one of group) results.set(one.server.name, pin(one, { before, tools, accepted }));
        return new Map(Array.from(results, ([name, { locked }]) => [name, locked]));
      },
    });
    edits.push(edit);
    pinned.push(...results.values());
  }
  for (const { offer, locked } of dryRun ? [] : pinned) {
    const pins = new Set([locked.instructions, ...locked.tools.values(), ...locked.prompts.values()]);
    await keepAccepted(state, offer.server.name, new Map([...offer.definitions].filter(([known]) => pins.has(known))));
  }
  return { pinned, edits };
}

/** Throws when a server offers something else than the user has looked at: it may change in between. */
function refuseChanged(definition: string | undefined, offered: readonly OfferedNow[]): void {
  const changed = definition === undefined ? undefined : offered.find((offer) => offer.definition !== definition);
  if (!changed) return;
  const { name } = changed.server;
  throw new HostError(
    'definition-changed',
    `"${name}" does not have the hash ${definition}; its hash is ${changed.definition} now`,
    {
      hint: `Look at it again: plugboard approve --diff ${showName(name)}`,
    },
  );
}

interface PinOptions {
  readonly before: ReadonlyMap<string, LockedServer>;
  /** Pins only these tools; empty: everything. */
  readonly tools: readonly string[];
  /** The accepted definitions of a server, by their hashes. */
  readonly accepted: (server: string) => ReadonlyMap<string, PinnedDefinition>;
}

function pin(offer: OfferedNow, { before, tools, accepted }: PinOptions): Pinned {
  const { name } = offer.server;
  const old = before.get(name);
  const locked = old && tools.length > 0 ? withTools(offer, { old, tools }) : offer.now;
  return {
    offer,
    locked,
    difference: differenceOf(old, locked, { accepted: accepted(name), offered: offer.definitions }),
  };
}

/** The old pins with those of the named tools updated; a tool that is gone loses its pin. */
function withTools(
  { server, now }: OfferedNow,
  { old, tools }: { readonly old: LockedServer; readonly tools: readonly string[] },
): LockedServer {
  const pins = new Map(old.tools);
  for (const tool of tools) {
    const current = now.tools.get(tool);
    if (current === undefined && !pins.has(tool)) {
      const [meant] = nearest(tool, now.tools.keys());
      throw new HostError('unknown-tool', `Server "${server.name}" has no tool "${tool}"`, {
        hint: meant === undefined ? `plugboard tools ${showName(server.name)}` : `Did you mean "${meant}"?`,
      });
    }
    if (current === undefined) pins.delete(tool);
    else pins.set(tool, current);
  }
  return { ...old, tools: pins };
}

function byFile(offered: readonly OfferedNow[]): readonly (readonly OfferedNow[])[] {
  const files = new Map<string, OfferedNow[]>();
  for (const offer of offered) files.set(offer.file, [...(files.get(offer.file) ?? []), offer]);
  return [...files.values()];
}

function describe({ offer, locked, difference }: Pinned, dryRun: boolean): string[] {
  const heading = `${dryRun ? 'Would pin' : 'Pinned'} ${offer.server.name}: ${countText(locked)}`;
  // The first time everything is new, and the user has just seen it in `plugboard tools`.
  const isFirst = difference.changed.length + difference.removed.length === 0;
  const added = difference.added.map(({ name }) => name);
  const isAll = isFirst && added.length >= locked.tools.size + locked.prompts.size;
  return [showLine(heading), ...(isAll || isEmpty(difference) ? [] : differenceLines(difference))];
}

function editPart({ file, changed }: Edit): ToldPart {
  return changed ? { kind: 'edits', files: [showLine(file)] } : sentence(showLine(`${file}: nothing changed`));
}

function sentence(text: string): ToldPart {
  return { kind: 'sentence', text };
}
