import { nameWord, shellWord } from '../../base/shell-word.js';
import { toScopes } from '../../model/oauth-scopes.js';

/** The login command to paste. Scopes come from a server, so they are quoted: none may become a command. */
export function loginHint(name: string, scopes: readonly string[] = []): string {
  if (scopes.length === 0) return `plugboard login ${nameWord(name)}`;
  const list = scopes.slice(0, SCOPES_SHOWN).join(' ');
  const word = /^[\w:./ -]+$/.test(list) ? `"${list}"` : shellWord(list);
  return name.startsWith('-')
    ? `plugboard login --scope ${word} ${nameWord(name)}`
    : `plugboard login ${nameWord(name)} --scope ${word}`;
}

/** Each scope once, in order. */
export function scopeUnion(...lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  return toScopes(lists.flatMap((list) => list ?? []));
}

/** Tells the user that the authorization server granted more scopes than were requested. */
export function surplusText(name: string, scopes: readonly string[]): string {
  const more = scopes.length > SCOPES_SHOWN ? ` and ${scopes.length - SCOPES_SHOWN} more` : '';
  return `Server "${name}" gives more rights than requested: ${scopes.slice(0, SCOPES_SHOWN).join(' ')}${more}`;
}

const SCOPES_SHOWN = 20;
