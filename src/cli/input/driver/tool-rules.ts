import { builtInTools } from '../../../model/permissions/built-ins.js';
import { PREFIX, readRule } from '../../../model/permissions/rule.js';
import { usageError } from '../usage-error.js';

/** Rules in our form, and what could not become one. */
export interface ToolRules {
  readonly rules: readonly string[];
  /** As the program wrote them: rules that allow something we do not have, or only with certain arguments. */
  readonly unused: readonly string[];
}

/** Splits at commas and blanks, but not within brackets: `Bash(git log:*),mcp__docs`. */
export function splitTools(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.match(/(?:\([^)]*\)?|[^\s,(])+/gu) ?? []);
}

/** Rules that allow. What is not understood allows nothing, and is named. */
export function toAllowRules(texts: readonly string[]): ToolRules {
  const rules: string[] = [];
  const unused: string[] = [];
  for (const text of texts) {
    const name = ALIASES.get(text) ?? text;
    if (isOurs(bareName(name)) && readRule(name).kind === 'rule') rules.push(name);
    else unused.push(text);
  }
  return { rules, unused };
}

/**
 * Rules that deny. One for certain arguments denies the whole tool, because a restriction is never ignored. Tools that
 * are not there need no rule. Throws `usage` for what is no rule at all.
 */
export function toDenyRules(texts: readonly string[], flag: string): readonly string[] {
  return texts.flatMap((text): readonly string[] => {
    if (/\([^)]*$/u.test(text)) {
      throw usageError(`${flag} ${text}: a bracket is not closed`, { hint: 'Write Tool(arguments), or only Tool' });
    }
    const bare = bareName(text);
    if (isOurs(bare) && readRule(text).kind === 'rule') return [text];
    const name = ALIASES.get(bare) ?? bare;
    if (/^\*+$/u.test(name)) return [`${PREFIX}*`, ...BUILT_IN];
    if (!isOurs(name) && /^[A-Za-z][\w*-]*$/u.test(name)) return name.includes('*') ? [name] : [];
    const reading = readRule(name);
    if (reading.kind === 'rule') return [name];
    throw usageError(`${flag} ${text}: the rule ${reading.reason}`, { hint: reading.hint });
  });
}

/** The rules that deny nothing, as written: no tool has such a name, here or in the programs that agent SDKs know. */
export function idleDenyRules(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => {
    const name = bareName(text);
    return !isOurs(name) && !ALIASES.has(name) && !FOREIGN.has(name) && !name.includes('*');
  });
}

/**
 * Rules that deny the built-in tools outside of this list; undefined or `default`: none. What only leads to tools of
 * servers stays, because these stay.
 */
export function toToolLimits(tools: readonly string[] | undefined): readonly string[] {
  if (!tools || tools.includes('default')) return [];
  const wanted = new Set(tools.map((name) => ALIASES.get(name) ?? name));
  return BUILT_IN.filter((name) => !wanted.has(name) && !LEADING.has(name));
}

/** The tool of a rule that names arguments, or a skill: `Skill(name)`. */
function bareName(text: string): string {
  return text.replace(/\(.*$/su, '');
}

function isOurs(name: string): boolean {
  return name.startsWith(PREFIX) || BUILT_IN.includes(name);
}

const BUILT_IN: readonly string[] = builtInTools().map(({ name }) => name);
/** Tools of other programs that have another name here. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['Task', 'Agent'],
  ['ListMcpResourcesTool', 'ListMcpResources'],
  ['ReadMcpResourceTool', 'ReadMcpResource'],
]);
/** Tools that are not there: what denies them is obeyed. */
const FOREIGN: ReadonlySet<string> = new Set([
  'AskUserQuestion',
  'Bash',
  'BashOutput',
  'Config',
  'Edit',
  'EnterPlanMode',
  'EnterWorktree',
  'ExitPlanMode',
  'ExitWorktree',
  'Glob',
  'Grep',
  'KillBash',
  'KillShell',
  'LS',
  'LSP',
  'Monitor',
  'MultiEdit',
  'NotebookEdit',
  'NotebookRead',
  'SendMessage',
  'SlashCommand',
  'StructuredOutput',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskStop',
  'TaskUpdate',
  'TodoRead',
  'TodoWrite',
  'WebFetch',
  'WebSearch',
  'Write',
]);
const LEADING: ReadonlySet<string> = new Set(['ToolSearch', 'CallMcpTool']);
