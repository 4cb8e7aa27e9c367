import type { InstalledPackage, LockedServer } from './lock.js';

/** A tool or prompt that a server offers now, with the hash of its definition. */
export interface PinnedItem {
  readonly name: string;
  /** Undefined when the definition is not available. */
  readonly pin: string | undefined;
}

/** All that can be pinned of what a server offers. */
export interface OfferedPins {
  readonly entry?: string | undefined;
  readonly package?: InstalledPackage | undefined;
  readonly files?: ReadonlyMap<string, string> | undefined;
  readonly instructions?: string | undefined;
  readonly tools: readonly PinnedItem[];
  readonly prompts: readonly PinnedItem[];
}

/** What `mcp.lock` pins. */
export type PinKind = 'tool' | 'prompt' | 'instructions';

export interface PinVerdict {
  /** What may not be used until the user accepts it. */
  readonly aside: readonly { readonly kind: PinKind; readonly name: string; readonly reason: string }[];
  /** Differences that forbid nothing: an entry has its own approval, a package its versions, a file its history. */
  readonly told: readonly ToldDifference[];
  /** What is not pinned: it may be used, and is announced. */
  readonly added: readonly { readonly kind: PinKind; readonly name: string }[];
  /** What was pinned and is no longer offered. */
  readonly missing: readonly { readonly kind: PinKind; readonly name: string }[];
}

/** How an entry differs from what was pinned. */
export interface ToldDifference {
  /** `file`: a program of the repository that the entry names. */
  readonly kind: 'entry' | 'package' | 'file';
  /** The package or file; `entry` for the entry itself. */
  readonly name: string;
  /** What differs, in a clause. */
  readonly reason: string;
}

/** How a server's offer differs from what was accepted. Without a lock nothing differs. */
export function checkPins(locked: LockedServer | undefined, offer: OfferedPins): PinVerdict {
  if (!locked) return NOTHING_PINNED;
  const lists: readonly { kind: PinKind; pins: ReadonlyMap<string, string>; items: readonly PinnedItem[] }[] = [
    { kind: 'tool', pins: locked.tools, items: offer.tools },
    { kind: 'prompt', pins: locked.prompts, items: offer.prompts },
    { kind: 'instructions', pins: toMap(texts(locked.instructions)), items: texts(offer.instructions) },
  ];
  const aside: { kind: PinKind; name: string; reason: string }[] = [];
  const added: { kind: PinKind; name: string }[] = [];
  const missing: { kind: PinKind; name: string }[] = [];
  for (const { kind, pins, items } of lists) {
    const offered = new Set<string>();
    for (const { name, pin } of items) {
      offered.add(name);
      const known = pins.get(name);
      // Pinning a server without instructions accepted that it gives the model none.
      if (known === undefined && kind === 'instructions') aside.push({ kind, name, reason: UNHEARD });
      else if (known === undefined) added.push({ kind, name });
      else if (known !== pin) aside.push({ kind, name, reason: pin === undefined ? UNKNOWN : CHANGED });
    }
    for (const name of pins.keys()) if (!offered.has(name)) missing.push({ kind, name });
  }
  return { aside, told: toTold(locked, offer), added, missing };
}

/** Sets every item aside for one reason: the effect of a lock that cannot be read. */
export function setAllAside(
  offer: {
    readonly instructions?: string | undefined;
    readonly tools: readonly { readonly name: string }[];
    readonly prompts: readonly { readonly name: string }[];
  },
  reason: string,
): PinVerdict {
  const aside = [
    ...offer.tools.map(({ name }) => ({ kind: 'tool' as const, name, reason })),
    ...offer.prompts.map(({ name }) => ({ kind: 'prompt' as const, name, reason })),
    ...(offer.instructions === undefined ? [] : [{ kind: 'instructions' as const, name: INSTRUCTIONS, reason }]),
  ];
  return { ...NOTHING_PINNED, aside };
}

export const NOTHING_PINNED: PinVerdict = { aside: [], told: [], added: [], missing: [] };
export const INSTRUCTIONS = 'instructions';
export const CHANGED = 'its definition is not the one that mcp.lock pins';
export const UNHEARD = 'there were none when the server was pinned';
const UNKNOWN = 'its definition cannot be read, so that nobody can tell whether it is the one that mcp.lock pins';

function texts(pin: string | undefined): readonly PinnedItem[] {
  return pin === undefined ? [] : [{ name: INSTRUCTIONS, pin }];
}

function toMap(items: readonly PinnedItem[]): ReadonlyMap<string, string> {
  return new Map(items.flatMap(({ name, pin }): [string, string][] => (pin === undefined ? [] : [[name, pin]])));
}

function toTold(locked: LockedServer, offer: OfferedPins): PinVerdict['told'] {
  const told: ToldDifference[] = [];
  if (locked.entry !== undefined && offer.entry !== undefined && locked.entry !== offer.entry) {
    told.push({ kind: 'entry', name: 'entry', reason: 'its entry is not the one that it was pinned with' });
  }
  const reason = packageDifference(locked.package, offer.package);
  if (reason !== undefined) told.push({ kind: 'package', name: (offer.package ?? locked.package)!.name, reason });
  return [...told, ...fileDifferences(locked.files, offer.files)];
}

function fileDifferences(
  before: ReadonlyMap<string, string> | undefined,
  after: ReadonlyMap<string, string> | undefined,
): readonly ToldDifference[] {
  if (!before || !after) return []; // an older lock without files, or the files were not read
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): readonly ToldDifference[] => {
    const [was, now] = [before.get(name), after.get(name)];
    if (was === now) return [];
    if (now === undefined) return [{ kind: 'file', name, reason: 'the file is gone, or the entry no longer names it' }];
    const isNew = was === undefined;
    const reason = isNew ? 'the file was not there, or not named, when the server was pinned' : OTHER_CONTENT;
    return [{ kind: 'file', name, reason }];
  });
}

const OTHER_CONTENT = 'its content is not the one that was pinned';

function packageDifference(
  before: InstalledPackage | undefined,
  after: InstalledPackage | undefined,
): string | undefined {
  if (before === undefined || after === undefined) {
    // A missing package means nothing: it may be fetched when the server is started.
    return undefined;
  }
  if (before.name !== after.name) return `it runs ${after.name} ${after.version} instead of ${before.name}`;
  if (before.version !== after.version) return `version ${after.version} is installed, ${before.version} was pinned`;
  const isOther =
    before.integrity !== undefined && after.integrity !== undefined && before.integrity !== after.integrity;
  return isOther ? `version ${after.version} has other content than the one that was pinned` : undefined;
}
