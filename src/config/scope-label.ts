import type { ScopeName } from './scope.js';
import { scopes } from './scopes/all.js';

/** How a person is told of a scope. */
export function scopeLabel(scope: ScopeName): string {
  return scopes.find(({ name }) => name === scope)!.label;
}
