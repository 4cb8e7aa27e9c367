import { Fuel } from './schema/fuel.js';
import { matchesPattern, Pattern } from './schema/pattern.js';
import { parsePattern } from './schema/pattern-parse.js';

/** Which tools, or for questions which servers, a hook is for. */
export type HookMatcher =
  /** Contract of `matches`: does not throw; undefined when it would take more than some 10 ms to tell. */
  | { readonly kind: 'readable'; matches(name: string): boolean | undefined }
  /** `reason` goes on from "the matcher". */
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Reads a matcher: a glob if it can be one, with `|` or `,` between alternatives, else a regular expression that has to match the whole
 * name. Without one, or with `*`, a hook is for all.
 */
export function parseHookMatcher(source: string | undefined): HookMatcher {
  const text = source?.trim() ?? '';
  if (text === '' || text === '*') return { kind: 'readable', matches: () => true };
  if (text.length > LENGTH_LIMIT)
    return { kind: 'unreadable', reason: `has ${text.length} characters; ${LENGTH_LIMIT} are read` };
  return isGlob(text) ? globMatcher(text) : patternMatcher(text);
}

const LENGTH_LIMIT = 4_096; // 60 tools by their full names
const FUEL = 500_000; // as much as the pattern of a schema gets

/**
 * What hooks are usually written with is `mcp__memory__.*`, which has only characters of a glob and is none: no name of a
 * tool has a dot, so it would never match.
 */
function isGlob(text: string): boolean {
  return /^[\w\-*?., |]*$/u.test(text) && !/[^\s|,] +[^\s|,]/u.test(text) && !/\.[*?]/u.test(text);
}

function globMatcher(text: string): HookMatcher {
  const globs = text
    .split(/[|,]/u)
    .map((glob) => glob.trim())
    .filter((glob) => glob !== '');
  // `mcp__memory` is nobody's name: who writes that means the server.
  const prefixes = globs.filter((glob) => /^mcp__[\w-]+$/u.test(glob)).map((glob) => `${glob}__`);
  return {
    kind: 'readable',
    matches: (name) =>
      globs.some((glob) => matchesGlob(glob, name)) || prefixes.some((prefix) => name.startsWith(prefix)),
  };
}

/** Each star is gone back to only until the next one is reached: at worst the product of both lengths. */
function matchesGlob(glob: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
  let place = 0;
  while (place < text.length) {
    if (glob[at] === '*') {
      star = at++;
      retry = place;
    } else if (glob[at] === '?' || (at < glob.length && glob[at] === text[place])) {
      at++;
      place++;
    } else if (star !== -1) {
      at = star + 1;
      place = ++retry;
    } else return false;
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}

function patternMatcher(text: string): HookMatcher {
  const anchored = `^(?:${text})$`;
  try {
    const fuel = new Fuel(FUEL);
    parsePattern(text, fuel); // alone, so that a bracket too many cannot close ours
    new Pattern(anchored, fuel).matches('mcp__server__tool', fuel);
  } catch (error) {
    const why = error instanceof Error && error.name === 'PatternError' ? error.message : 'takes too long';
    return { kind: 'unreadable', reason: `is no regular expression that can be used here: it ${why}` };
  }
  return { kind: 'readable', matches: (name) => matchesPattern(anchored, name) };
}
