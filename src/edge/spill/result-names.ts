import { randomHex } from '../random-hex.js';
import { newOwner, ownerState, parseOwner } from '../files/lock-owner.js';

/**
 * Names of saved files. In each are four letters of the host that wrote it, and while this host is open there is an
 * empty file in the folder whose name says which process it is: so anybody can tell which files an open conversation
 * may still mention.
 */
export class ResultNames {
  readonly #key = randomHex(2);
  #next = Number.parseInt(randomHex(4), 16);
  #owner: string | undefined;

  /** The name of the empty file that says that this host is open. */
  get mark(): string {
    this.#owner ??= `live-${this.#key}-${newOwner().id}`;
    return this.#owner;
  }

  /** A new name. With an extension it begins with the time, in ms since 1970, so that names sort by age. */
  next(extension: string | undefined, now: number): string {
    const number = (this.#next++ % 0x1_0000_0000).toString(16);
    if (extension !== undefined) return `${timestamp(now)}-${this.#key}${number.padStart(8, '0')}.${extension}`;
    return `result-${this.#key}${number.padStart(12, '0')}`;
  }
}

/** ISO 8601 basic format in UTC. */
function timestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/gu, '')}Z`;
}

export type OwnerState = ReturnType<typeof ownerState>;

export type ResultName =
  | { readonly kind: 'file'; readonly key: string }
  /** Not finished: its writer is at work, or was killed. */
  | { readonly kind: 'part'; readonly key: string }
  | { readonly kind: 'live'; readonly key: string; readonly owner: OwnerState };

/** What a name in the folder says; undefined for a file that is not Plugboard's. `self`: from `newOwner()`. */
export function readName(name: string, self: ReturnType<typeof newOwner>): ResultName | undefined {
  const [, dated, plain, part] = FILE.exec(name) ?? [];
  const key = dated ?? plain;
  if (key !== undefined) return { kind: part === undefined ? 'file' : 'part', key };
  const [, live, owner = ''] = LIVE.exec(name) ?? [];
  const found = live === undefined ? undefined : parseOwner(owner);
  return live === undefined || !found ? undefined : { kind: 'live', key: live, owner: ownerState(found, self) };
}

/** What follows the name of a file until it is finished. */
export const PART = '.part';

/** Whether Plugboard gives such names to files with results. */
export function isResultName(name: string): boolean {
  return FILE.test(name);
}

const FILE = /^(?:\d{8}T\d{6}Z-([0-9a-f]{4})[0-9a-f]{8}\.[a-z0-9]{1,8}|result-([0-9a-f]{4})[0-9a-f]{12})(\.part)?$/u;
const LIVE = /^live-([0-9a-f]{4})-(.{1,80})$/u;
