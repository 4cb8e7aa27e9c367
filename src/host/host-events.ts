import type { Problem } from '../config/problem.js';
import type { CatalogChange } from '../connection/catalog.js';
import type { PipeNote } from '../wire/pipe.js';
import type { StatusWord } from './server-state.js';

export interface HostEvents {
  readonly [kind: string]: unknown;
  /** Its state has changed. */
  readonly server: ServerChange;
  /** What it offers has changed. */
  readonly catalog: CatalogChange & { readonly server: string };
  /** The files have. */
  readonly config: { readonly problems: readonly Problem[]; readonly gone: readonly string[] };
  /** Something odd that harms nobody. */
  readonly note: PipeNote & { readonly server: string };
}

export interface ServerChange {
  readonly name: string;
  readonly before: StatusWord;
  readonly after: StatusWord;
  /** What it was that happened, in a sentence. */
  readonly reason: string;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}
