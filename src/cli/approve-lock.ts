import type { LoadedConfig } from '../actions/action-place.js';
import { HostError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import type { Edit } from '../config/edit-file.js';
import { lockHint } from '../config/lock-files.js';
import { writeLock } from '../config/write-lock.js';
import { keepAccepted, readAccepted } from '../guard/accepted-definitions.js';
import type { LockedServer } from '../model/pins/lock.js';
import type { Invocation } from './arguments.js';
import { showDiff } from '../config/show-diff.js';
import { exitCodes, type Io } from './io.js';
import { loadToStart } from './load-to-start.js';
import { problemNotes } from './load.js';
import { differenceLines, differenceOf, isEmpty, type PinDifference } from './pin-difference.js';
import {
  chooseLockable,
  collectOffers,
  type Lockable,
  type OfferedNow,
  type Skipped,
  skippedNotes,
  type Unreached,
} from './pin-servers.js';
import { countOf, showLine, showName } from '../model/show.js';
import type { Outcome } from './verb.js';

/** `approve --lock`: what the servers offer now is what they may offer from now on. */
export async function approveLock(invocation: Invocation, io: Io): Promise<Outcome> {
  const loaded = await loadToStart(invocation, io);
  const { lockable, placeless, skipped } = chooseLockable(loaded, invocation.positionals);
  refuseBroken(lockable, loaded);
  const tools = invocation.values('tool');
  const [first] = lockable;
  if (tools.length > 0 && first && loaded.locks.get(first.server.name) === undefined) {
    throw new HostError('usage', `Server "${first.server.name}" is not pinned yet`, {
      hint: `Pin all of it first: plugboard approve --lock ${showName(first.server.name)}`,
    });
  }
  const { offered, failed, notes } = await collectOffers(lockable, { invocation, io, loaded });
  refuseChanged(invocation.value('definition'), offered);
  const dryRun = invocation.has('dry-run');
  const pinned: Pinned[] = [];
  const edits: Edit[] = [];
  for (const group of byFile(offered)) {
    const results = new Map<string, Pinned>();
    const edit = await writeLock({
      file: group[0]!.file,
      isShared: group.some(({ server }) => server.author === 'repository'),
      dryRun,
      change(before) {
        for (const one of group) results.set(one.server.name, pin(one, { before, tools, loaded }));
        return new Map(Array.from(results, ([name, { locked }]) => [name, locked]));
      },
    });
    edits.push(edit);
    pinned.push(...results.values());
  }
  if (!dryRun) {
    const { state } = loaded.context.places;
    for (const { offer, locked } of pinned) {
      const pins = new Set([locked.instructions, ...locked.tools.values(), ...locked.prompts.values()]);
      await keepAccepted(
        state,
        offer.server.name,
        new Map([...offer.definitions].filter(([known]) => pins.has(known))),
      );
    }
  }
  return toOutcome({
    pinned,
    edits,
    failed,
    skipped,
    dryRun,
    notes: [
      ...skippedNotes(skipped, 'Not pinned'),
      ...placeless.map((name) => showLine(`"${name}" came with the command line, and has no file for its pins`)),
      ...notes,
      ...problemNotes(loaded.problems, { invocation, io }),
    ],
  });
}

/** One server, as it is now pinned. */
interface Pinned {
  readonly offer: OfferedNow;
  readonly locked: LockedServer;
  readonly difference: PinDifference;
}

/** What a broken lock held is nothing that could be written beside. */
export function refuseBroken(lockable: readonly Lockable[], { locks }: LoadedConfig): void {
  for (const { server } of lockable) {
    const lock = locks.get(server.name);
    if (lock?.kind === 'broken') throw new HostError('config-invalid', lock.reason, { hint: lockHint(lock.file) });
  }
}

/** A server may offer something else a moment after somebody has looked. */
function refuseChanged(definition: string | undefined, offered: readonly OfferedNow[]): void {
  const changed = definition === undefined ? undefined : offered.find((offer) => offer.definition !== definition);
  if (!changed) return;
  const { name } = changed.server;
  throw new HostError(
    'definition-changed',
    `"${name}" is not what ${definition} stands for; it is ${changed.definition} now`,
    {
      hint: `Look at it again: plugboard approve --diff ${showName(name)}`,
    },
  );
}

interface PinOptions {
  readonly before: ReadonlyMap<string, LockedServer>;
  /** Only these; none: all. */
  readonly tools: readonly string[];
  readonly loaded: LoadedConfig;
}

function pin(offer: OfferedNow, { before, tools, loaded }: PinOptions): Pinned {
  const { name } = offer.server;
  const old = before.get(name);
  const locked = old && tools.length > 0 ? withTools(offer, { old, tools }) : offer.now;
  const accepted = readAccepted(loaded.context.places.state, name);
  return { offer, locked, difference: differenceOf(old, locked, { accepted, offered: offer.definitions }) };
}

/** The pins that there are, with those of some tools as they are now; of a tool that is gone, none. */
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

interface Report {
  readonly pinned: readonly Pinned[];
  readonly edits: readonly Edit[];
  readonly failed: readonly Unreached[];
  readonly skipped: readonly Skipped[];
  readonly dryRun: boolean;
  readonly notes: readonly string[];
}

function toOutcome({ pinned, edits, failed, skipped, dryRun, notes }: Report): Outcome {
  const only = pinned.length === 1 ? pinned[0]!.offer.server : undefined;
  const diff = edits.map((edit) => showDiff(edit, { reveal: true })).join('\n');
  const data = {
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
    ...(dryRun && { dryRun, diff }),
  };
  const told = pinned.flatMap((one) => describe(one, dryRun));
  const files = edits.map(({ file, changed }) =>
    showLine(changed ? `File modified: ${file}` : `${file}: nothing changed`),
  );
  const text = [...told, ...(dryRun ? [diff] : files)].join('\n');
  return {
    data,
    text: pinned.length + failed.length === 0 ? 'No server may run here, so there is nothing to pin' : text,
    notes: [...failedNotes(failed, 'keeps the pins that it had'), ...notes],
    ...(failed.length > 0 && { exitCode: pinned.length === 0 ? exitCodes.failed : exitCodes.unhealthy }),
  };
}

export function failedNotes(failed: readonly Unreached[], consequence: string): string[] {
  return failed.flatMap(({ server, error }) => [
    showLine(`error "${server}" ${consequence}: ${error.message}`),
    ...(error.hint === undefined ? [] : [`  ${showLine(error.hint)}`]),
  ]);
}

function describe({ offer, locked, difference }: Pinned, dryRun: boolean): string[] {
  const heading = `${dryRun ? 'Would pin' : 'Pinned'} ${offer.server.name}: ${countText(locked)}`;
  // At the first time everything is new, and has just been looked at in `plugboard tools`.
  const isFirst = difference.changed.length + difference.removed.length === 0;
  const added = difference.added.map(({ name }) => name);
  const isAll = isFirst && added.length >= locked.tools.size + locked.prompts.size;
  return [showLine(heading), ...(isAll || isEmpty(difference) ? [] : differenceLines(difference))];
}

/** `3 tools, 1 prompt, instructions, package x 1.2.3, file server.mjs` */
export function countText({ tools, prompts, instructions, package: installed, files }: LockedServer): string {
  return [
    countOf(tools.size, 'tool'),
    ...(prompts.size === 0 ? [] : [countOf(prompts.size, 'prompt')]),
    ...(instructions === undefined ? [] : ['instructions']),
    ...(installed ? [`package ${installed.name} ${installed.version}`] : []),
    ...[...(files?.keys() ?? [])].map((file) => `file ${file}`),
  ].join(', ');
}
