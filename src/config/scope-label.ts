import type { ScopeName } from './scope.js';
import { scopes } from './scopes/all.js';

export function scopeLabel(scope: ScopeName): string {
  return scopes.find(({ name }) => name === scope)!.label;
}
