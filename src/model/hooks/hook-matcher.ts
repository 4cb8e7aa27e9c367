import { findWide, type Spelled } from '../permissions/match.js';
import { PREFIX, readRule } from '../permissions/rule.js';
import { type RuleIndex, toPermissions, type WrittenRule } from '../permissions/settings.js';
import { serverSpellings } from '../permissions/subject.js';
import { Fuel } from '../schema/fuel.js';
import { matchesPattern, Pattern } from '../schema/pattern.js';
import { parsePattern } from '../schema/pattern-parse.js';

/** Which tools, or for elicitations which servers, a hook applies to. */
export type HookMatcher =
  /** Contract of `matches` and `covers`: do not throw; undefined when matching would take more than about 10 ms. */
  | {
      readonly kind: 'readable';
      matches(name: string): boolean | undefined;
      /** Whether the hook applies to a tool, in any spelling that a rule may use for it. */
      covers(tool: Spelled): boolean | undefined;
      /** A regular expression instead of a list of names: the tools that it matches can only be found by trying. */
      readonly isPattern: boolean;
    }
  /** `reason` continues a sentence that begins with "the matcher". */
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Reads a matcher: a glob if it can be one, with `|` or `,` between alternatives, else a regular expression that has to
 * match the whole name. An empty matcher or `*` matches everything.
 */
export function parseHookMatcher(source: string | undefined): HookMatcher {
  const text = source?.trim() ?? '';
  if (text === '' || text === '*') return EVERYTHING;
  if (text.length > LENGTH_LIMIT)
    return { kind: 'unreadable', reason: `has ${text.length} characters; ${LENGTH_LIMIT} are read` };
  const read = isGlob(text) ? globMatcher(text) : patternMatcher(text);
  if (read.kind === 'unreadable') return read;
  const { matches, isPattern } = read;
  // A negative pattern that excludes a tool would still match another spelling of this tool's name.
  const isNegative = isPattern && /\(\?<?!/u.test(text);
  const rules = rulesIn(text);
  const covers = (tool: Spelled): boolean | undefined => {
    const { names, fullNames } = tool;
    const spellings = isNegative ? [names.name] : fullNames;
    const answers = [...spellings, ...(names.alias === undefined ? [] : [names.alias])].map(matches);
    if (answers.includes(true) || findWide(rules, tool) !== undefined) return true;
    const ofServer = tool.of && !isNegative ? covers(tool.of) : false;
    return answers.includes(undefined) && ofServer === false ? undefined : ofServer;
  };
  return { kind: 'readable', matches, covers, isPattern };
}

export const EVERYTHING: Extract<HookMatcher, { kind: 'readable' }> = {
  kind: 'readable',
  matches: () => true,
  covers: () => true,
  isPattern: false,
};

/** A server as elicitation hooks match it. */
export function spellServer(server: string): Spelled {
  const servers = serverSpellings(server);
  return { names: { name: server, server, tool: '', author: 'user' }, servers, tools: [], fullNames: servers };
}

/**
 * Words like `mcp__my server__*` or `mcp__b\u00fcro` are also matched as permission rules: server names as written may
 * contain characters that no glob has.
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

const LENGTH_LIMIT = 4_096; // about 60 tools by their full names
const FUEL = 500_000; // the same as for a schema's pattern

/**
 * `mcp__memory__.*` is how hooks are usually written. It has only glob characters, but is meant as a regular
 * expression: tool names have no dot, so as a glob it would never match.
 */
function isGlob(text: string): boolean {
  return /^[\w\-*?., |]*$/u.test(text) && !/[^\s|,] +[^\s|,]/u.test(text) && !/\.[*?]/u.test(text);
}

function globMatcher(text: string): Matching {
  const globs = text
    .split(/[|,]/u)
    .map((glob) => glob.trim())
    .filter((glob) => glob !== '');
  // No tool is called `mcp__memory`, so such a word means all tools of the server.
  const prefixes = globs.filter((glob) => /^mcp__[\w-]+$/u.test(glob)).map((glob) => `${glob}__`);
  return {
    kind: 'readable',
    isPattern: false,
    matches: (name) =>
      globs.some((glob) => matchesGlob(glob, name)) || prefixes.some((prefix) => name.startsWith(prefix)),
  };
}

/** Backtracks only to the last star: at worst the product of both lengths. */
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
    parsePattern(text, fuel); // parsed alone, so that an extra bracket cannot close ours
    new Pattern(anchored, fuel).matches('mcp__server__tool', fuel);
  } catch (error) {
    const why = error instanceof Error && error.name === 'PatternError' ? error.message : 'takes too long';
    return { kind: 'unreadable', reason: `is no regular expression that can be used here: it ${why}` };
  }
  return { kind: 'readable', isPattern: true, matches: (name) => matchesPattern(anchored, name) };
}
