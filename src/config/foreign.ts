import type { Author, ScopeName } from './scope.js';

/** Whose word an entry is, and where it lies. */
export interface Provenance {
  readonly author: Author;
  readonly scope: ScopeName;
}

/** Whether somebody else than the user or the administrator wrote it, wherever it lies by now. */
export function isForeign({ author, scope }: Provenance): boolean {
  return author === 'repository' || author === 'remote' || scope === 'plugin' || scope === 'linked';
}
