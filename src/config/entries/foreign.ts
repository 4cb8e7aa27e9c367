import type { ConfigSource } from '../scope.js';

/** Who wrote an entry, and its scope. */
export type Provenance = Pick<ConfigSource, 'author' | 'scope'>;

/** Whether someone other than the user or the administrator wrote the entry, wherever the file is. */
export function isForeignEntry({ author, scope }: Provenance): boolean {
  return author === 'repository' || author === 'remote' || scope === 'plugin' || scope === 'linked';
}
