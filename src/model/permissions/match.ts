import { assignNames, NAME_LIMIT, toNamePart } from '../view/names.js';
import { SKILL_TOOL } from '../view/skill-names.js';
import { matchesWildcard } from '../text/wildcard.js';
import { PREFIX, SEPARATOR } from './rule.js';
import { isSpelledLikeAct } from './server-act.js';
import type { GlobRule, RuleIndex, WrittenRule } from './settings.js';
import { isOwn, serverSpellings, type SubjectToolNames } from './subject.js';

/**
 * A tool in every spelling that a rule may use. A tool's name is never split: `mcp__x__y__z` may be tool `z` of server
 * `x__y` or `y__z` of `x`.
 */
export interface Spelled {
  readonly names: SubjectToolNames;
  readonly servers: readonly string[];
  readonly tools: readonly string[];
  /** The full names, first the one that the model knows. */
  readonly fullNames: readonly string[];
  /** For a tool of an account: the same tool of the account's server. What stops the latter stops both. */
  readonly of?: Spelled;
}

export function spell(names: SubjectToolNames): Spelled {
  const { server, tool, accountOf } = names;
  const spelled = spellOne(names);
  if (accountOf === undefined || server === undefined) return spelled;
  const name = assignNames([{ server: accountOf, tool }]).nameOf(accountOf, tool)!;
  return { ...spelled, of: spellOne({ ...names, name, server: accountOf }) };
}

function spellOne(names: SubjectToolNames): Spelled {
  const { name, server, tool } = names;
  if (server === undefined) return { names, servers: [], tools: [], fullNames: [name] };
  const servers = serverSpellings(server);
  const part = toNamePart(tool);
  const tools = part === tool ? [tool] : [tool, part];
  const [only] = servers;
  // A fast path for nearly all tools: ten thousand of them may be spelled before a model is shown the first.
  if (servers.length === 1 && tools.length === 1 && name === PREFIX + only! + SEPARATOR + tool) {
    return { names, servers, tools, fullNames: [name] };
  }
  const fullNames = servers.flatMap((one) => tools.map((other) => PREFIX + one + SEPARATOR + other));
  return { names, servers, tools, fullNames: [...new Set([name, ...fullNames])] };
}

/** The first rule that can be read as naming this tool: for rules that stop calls. */
export function findWide(index: RuleIndex, spelled: Spelled): WrittenRule | undefined {
  return findWideOne(index, spelled) ?? (spelled.of && findWideOne(index, spelled.of));
}

function findWideOne(
  { plain, globs }: RuleIndex,
  { names, servers, fullNames: own }: Spelled,
): WrittenRule | undefined {
  const { alias, skill = [] } = names;
  const fullNames = alias === undefined ? [...own, ...skill] : [...own, alias, ...skill];
  for (const whole of fullNames) {
    const rule = plain.get(whole);
    if (rule) return rule;
  }
  for (const server of servers) {
    const rule = plain.get(PREFIX + server);
    if (rule) return rule;
  }
  for (const { rule, start } of globs) {
    for (const whole of fullNames) if (whole.startsWith(start) && matchesWildcard(rule.text, whole)) return rule;
  }
  return undefined;
}

/** The first rule for a whole server, in any spelling of its name. */
export function findServerRule({ plain, globs }: RuleIndex, server: string): WrittenRule | undefined {
  const starts = serverSpellings(server).map((spelling) => PREFIX + spelling);
  for (const start of starts) {
    const rule = plain.get(start);
    if (rule) return rule;
  }
  return globs.find(({ rule }) => starts.some((start) => matchesWildcard(rule.text, start + SEPARATOR)))?.rule;
}

export interface NarrowMatch {
  readonly rule: WrittenRule;
  /** The rule names this tool and no other. */
  readonly isExact: boolean;
}

/**
 * The first rule that cannot mean another tool: for rules that permit calls. Servers choose the names of their tools,
 * repositories those of their servers; neither may profit from a rule that the user wrote for another server.
 */
export function findNarrow({ plain, globs }: RuleIndex, spelled: Spelled): NarrowMatch | undefined {
  const { names, fullNames } = spelled;
  const exact =
    plain.get(names.name) ?? find(fullNames, (whole) => (isUnambiguous(whole, names) ? plain.get(whole) : undefined));
  const isMeant = exact && !isServersName(exact.text, names) && names.isClaimed?.(exact.text) !== true;
  if (isMeant) return { rule: exact, isExact: true };
  const byAlias = names.alias === undefined ? undefined : plain.get(names.alias);
  if (byAlias) return { rule: byAlias, isExact: true };
  const bySkill = findSkillRule({ plain, globs }, names);
  if (bySkill) return bySkill;
  // A rule that allows a server's tools does not cover the cost of sampling.
  if (names.act === 'sampling') return undefined;
  const servers = ownServers(spelled);
  const rule =
    find(servers, (server) => plain.get(PREFIX + server)) ??
    globs.find((glob) => !isOthers(glob.rule.text, names) && fits(glob, servers, spelled))?.rule;
  return rule && { rule, isExact: false };
}

/** Rules that allow a skill hold for the tool that reads skills, and not for other ways to the same files. */
function findSkillRule({ plain, globs }: Omit<RuleIndex, 'isEmpty'>, names: SubjectToolNames): NarrowMatch | undefined {
  const { alias, ownSkill: skill = [] } = names;
  if (alias !== SKILL_TOOL) return undefined;
  const exact = find(skill, (name) => plain.get(name));
  const rule = exact ?? globs.find((glob) => skill.some((name) => matchesWildcard(glob.rule.text, name)))?.rule;
  return rule && { rule, isExact: exact !== undefined };
}

/** Whether the rule names a server: `mcp__x__y` is tool `y` of server `x`, unless there is a server `x__y`. */
function isServersName(text: string, { longer = [] }: SubjectToolNames): boolean {
  return longer.some((other) => text === PREFIX + other);
}

/** Whether a rule is about tools of a server with a longer name. */
function isOthers(text: string, { longer = [] }: SubjectToolNames): boolean {
  return longer.some((other) => text.startsWith(PREFIX + other + SEPARATOR));
}

/** Whether a spelling cannot be another tool's name for the model. */
function isUnambiguous(whole: string, { name, sharesName, tool, act }: SubjectToolNames): boolean {
  const isFree = name.startsWith(PREFIX) ? whole.length > NAME_LIMIT || !/^[\w-]+$/u.test(whole) : sharesName !== true;
  return isFree && (act !== undefined || !isSpelledLikeAct(tool));
}

/** The spellings that mean this server and no other. */
export function ownServers({ names, servers }: Spelled): readonly string[] {
  const { server, sharesName, author } = names;
  const own = servers.filter(
    (one) => one === server || (sharesName !== true && (author === 'remote' || one === toNamePart(server ?? ''))),
  );
  // A repository's server `github__search` must not profit from the rule `mcp__github__search`.
  return isOwn(author) ? own : own.filter((one) => !one.includes(SEPARATOR));
}

function fits({ rule, start }: GlobRule, servers: readonly string[], { names, tools, fullNames }: Spelled): boolean {
  const { text } = rule;
  if (!text.startsWith(PREFIX)) return !names.name.startsWith(PREFIX) && matchesWildcard(text, names.name);
  const isAnyServer = !start.includes(SEPARATOR, PREFIX.length);
  if (isAnyServer) return fullNames.some((whole) => whole.startsWith(start) && matchesWildcard(text, whole));
  return servers.some((server) => {
    const whole = PREFIX + server + SEPARATOR;
    return text.startsWith(whole) && tools.some((tool) => matchesWildcard(text.slice(whole.length), tool));
  });
}

function find<Item, Found>(items: readonly Item[], look: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
