import { findWide, type Spelled } from '../permissions/match.js';
import { PREFIX, readRule } from '../permissions/rule.js';
import { type RuleIndex, toPermissions, type WrittenRule } from '../permissions/settings.js';
import { serverSpellings } from '../permissions/subject.js';
import { Fuel } from '../schema/fuel.js';
import { matchesPattern, Pattern } from '../schema/pattern.js';
import { parsePattern } from '../schema/pattern-parse.js';

/** Which tools, or for questions which servers, a hook is for. */
export type HookMatcher =
  /** Contract of both: does not throw; undefined when it would take more than some 10 ms to tell. */
  | {
      readonly kind: 'readable';
      matches(name: string): boolean | undefined;
      /** The same for a tool, in every spelling that a rule may have it in. */
      covers(tool: Spelled): boolean | undefined;
      /** It is no list of names: which tools it is for nobody can tell without trying. */
      readonly isPattern: boolean;
    }
  /** `reason` goes on from "the matcher". */
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Reads a matcher: a glob if it can be one, with `|` or `,` between alternatives, else a regular expression that has to match the whole
 * name. Without one, or with `*`, a hook is for all.
 */
export function parseHookMatcher(source: string | undefined): HookMatcher {
  const text = source?.trim() ?? '';
  if (text === '' || text === '*') return EVERYTHING;
  if (text.length > LENGTH_LIMIT)
    return { kind: 'unreadable', reason: `has ${text.length} characters; ${LENGTH_LIMIT} are read` };
  const read = isGlob(text) ? globMatcher(text) : patternMatcher(text);
  if (read.kind === 'unreadable') return read;
  const { matches, isPattern } = read;
  // What is for everybody but one would be for that one, too, by another spelling of it.
  const isNegative = isPattern && /\(\?<?!/u.test(text);
  const rules = rulesIn(text);
  const covers = (tool: Spelled): boolean | undefined => {
    const { names, wholes } = tool;
    const spellings = isNegative ? [names.name] : wholes;
    const answers = [...spellings, ...(names.alias === undefined ? [] : [names.alias])].map(matches);
    if (answers.includes(true) || findWide(rules, tool) !== undefined) return true;
    const ofServer = tool.of && !isNegative ? covers(tool.of) : false;
    return answers.includes(undefined) && ofServer === false ? undefined : ofServer;
  };
  return { kind: 'readable', matches, covers, isPattern };
}

/** A hook that is for everything. */
export const EVERYTHING: Extract<HookMatcher, { kind: 'readable' }> = {
  kind: 'readable',
  matches: () => true,
  covers: () => true,
  isPattern: false,
};

/** A server as hooks for its questions know it. */
export function spellServer(server: string): Spelled {
  const servers = serverSpellings(server);
  return { names: { name: server, server, tool: '', author: 'user' }, servers, tools: [], wholes: servers };
}

/**
 * Whoever writes `mcp__my server__*` or `mcp__b\u00fcro` means what a rule of these words means, whatever else can be read in them: a name
 * as it is written has characters that no glob has.
 */
function rulesIn(text: string): RuleIndex {
  const words = text.split(/[|,]/u).map((word) => word.trim());
  const rules = words
    .filter((word) => word.startsWith(PREFIX) && readRule(word).kind === 'rule')
    .map((word): WrittenRule => ({ text: word, list: 'deny', source: 'user', file: '' }));
  return toPermissions({ rules, modes: [], doubts: [] }).lists.deny;
}

type Matching =
  | { readonly kind: 'readable'; readonly matches: (name: string) => boolean | undefined; readonly isPattern: boolean }
  | Extract<HookMatcher, { kind: 'unreadable' }>;

const LENGTH_LIMIT = 4_096; // 60 tools by their full names
const FUEL = 500_000; // as much as the pattern of a schema gets

/**
 * What hooks are usually written with is `mcp__memory__.*`, which has only characters of a glob and is none: no name of a
 * tool has a dot, so it would never match.
 */
function isGlob(text: string): boolean {
  return /^[\w\-*?., |]*$/u.test(text) && !/[^\s|,] +[^\s|,]/u.test(text) && !/\.[*?]/u.test(text);
}

function globMatcher(text: string): Matching {
  const globs = text
    .split(/[|,]/u)
    .map((glob) => glob.trim())
    .filter((glob) => glob !== '');
  // `mcp__memory` is nobody's name: who writes that means the server.
  const prefixes = globs.filter((glob) => /^mcp__[\w-]+$/u.test(glob)).map((glob) => `${glob}__`);
  return {
    kind: 'readable',
    isPattern: false,
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

function patternMatcher(text: string): Matching {
  const anchored = `^(?:${text})$`;
  try {
    const fuel = new Fuel(FUEL);
    parsePattern(text, fuel); // alone, so that a bracket too many cannot close ours
    new Pattern(anchored, fuel).matches('mcp__server__tool', fuel);
  } catch (error) {
    const why = error instanceof Error && error.name === 'PatternError' ? error.message : 'takes too long';
    return { kind: 'unreadable', reason: `is no regular expression that can be used here: it ${why}` };
  }
  return { kind: 'readable', isPattern: true, matches: (name) => matchesPattern(anchored, name) };
}
