import { nameWord, shellWord } from '../../base/shell-word.js';
import { toScopes } from '../../model/oauth-scopes.js';

/** The command that helps, to paste. Rights come from a server: none of them may become a command. */
export function loginHint(name: string, scopes: readonly string[] = []): string {
  if (scopes.length === 0) return `plugboard login ${nameWord(name)}`;
  const list = scopes.slice(0, SCOPES_SHOWN).join(' ');
  const word = /^[\w:./ -]+$/.test(list) ? `"${list}"` : shellWord(list);
  return name.startsWith('-')
    ? `plugboard login --scope ${word} ${nameWord(name)}`
    : `plugboard login ${nameWord(name)} --scope ${word}`;
}

/** Each right once, in order. */
export function scopeUnion(...lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  return toScopes(lists.flatMap((list) => list ?? []));
}

/** What a user should know who gave an authorization server less than it gives us. */
export function surplusText(name: string, scopes: readonly string[]): string {
  const more = scopes.length > SCOPES_SHOWN ? ` and ${scopes.length - SCOPES_SHOWN} more` : '';
  return `Server "${name}" gives more rights than were asked for: ${scopes.slice(0, SCOPES_SHOWN).join(' ')}${more}`;
}

const SCOPES_SHOWN = 20;
