import { MASK } from '../../base/secret.js';
import { isSecretName, looksRandom, maskTokens, maskValue } from './mask-value.js';

/** Masks the user's password, parameters with a secret's name, and path parts that look like keys. */
export function maskUrl(url: string): string {
  return maskTokens(maskUrlParts(url));
}

export function maskUrlParts(url: string): string {
  const named = url
    .replace(
      USER_INFO,
      (_, scheme: string, user: string) => `${scheme}${/^(?:\$\{\w+\}:?)+$/u.test(user) ? user : MASK}@`,
    )
    .replaceAll(/([?&;#]|%3F|%26)([^=&#?%]*)(=|%3D)([^&#%]*)/giu, (whole, start, name, equals, value) =>
      isSecretName(name) || isSecretParameter(name, value) ? start + name + equals + maskValue(value) : whole,
    )
    .replace(/#([^#=&]{4,})$/u, (whole, fragment: string) => (WORD.test(fragment) ? whole : `#${maskValue(fragment)}`));
  const end = /[?#]/u.exec(named)?.index ?? named.length;
  const start = named.indexOf('//') + 2;
  return start > 1 && start < end
    ? named.slice(0, start) + maskPath(named.slice(start, end)) + named.slice(end)
    : named;
}

/** Some parameters abbreviate token or key to a letter, and a random-looking value is a secret under any name. */
function isSecretParameter(name: string, value: string): boolean {
  return (/^(?:t|k|pw|otp)$/iu.test(name) && value.length >= SHORTEST_PART && !WORD.test(value)) || looksRandom(value);
}

/** Up to the last `@` of the host. After `user:`, unless a port follows, a password may even contain slashes. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@:]+:(?!\d{1,5}(?:[/?#]|$))[^@]*(?:@[^@/?#]+)*|[^/?#]*)@/iu;

/** Masks parts of a path, never the host: what looks like a key, and what is no word after `/token/`, `/hooks/` etc. */
function maskPath(path: string): string {
  const parts = path.split('/');
  return parts.map((part, at) => (at > 0 && isSecretPart(part, parts[at - 1]!, at) ? MASK : part)).join('/');
}

function isSecretPart(part: string, before: string, at: number): boolean {
  if (part.length < SHORTEST_PART || part.includes('${') || part.includes(MASK)) return false;
  const pair = /^([^=]+)=./u.exec(part);
  if (pair && isSecretName(pair[1]!)) return true;
  if (/^bot\d+:/u.test(part) || looksRandom(part)) return true;
  return at > 1 && (isSecretName(before) || /^(?:web)?hooks?$/iu.test(before)) && !WORD.test(part);
}

const SHORTEST_PART = 4;
const WORD = /^(?:[a-z]{1,20}(?:[-_.][a-z]{1,20})*|v\d+)$/iu;
