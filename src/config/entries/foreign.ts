import type { ConfigSource } from '../scope.js';

/** Whose word an entry is, and where it lies. */
export type Provenance = Pick<ConfigSource, 'author' | 'scope'>;

/** Whether somebody else than the user or the administrator wrote it, wherever it lies by now. */
export function isForeignEntry({ author, scope }: Provenance): boolean {
  return author === 'repository' || author === 'remote' || scope === 'plugin' || scope === 'linked';
}
