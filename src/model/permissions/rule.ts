import { SKILL_TOOL } from '../view/skill-names.js';
import { gateLine, gateName } from '../text/text-gate.js';

/** Whether a text is a rule. `reason` continues a sentence that begins with "the rule". */
export type RuleReading =
  | { readonly kind: 'rule' }
  | { readonly kind: 'fault'; readonly reason: string; readonly hint: string };

/**
 * Reads a rule: `mcp__*`, `mcp__server`, `mcp__server__*`, `mcp__server__pre*`, `mcp__server__tool` (the server's name
 * as written or as in tool names), the name of a built-in tool, or `Skill(name)` for one skill. A star matches any
 * characters. A text that matches nothing, or not what its author expects, is a fault.
 */
export function readRule(text: unknown): RuleReading {
  if (typeof text !== 'string') return fault('is no text', FORMS);
  if (text.trim() === '') return fault('is empty', FORMS);
  if (text !== text.trim()) return fault('has blanks around it', `Write "${gateName(text.trim())}"`);
  if (gateLine(text).text !== text) return fault('has characters that do not show', FORMS);
  if (text.length > RULE_LIMIT) return fault(`has ${text.length} characters; ${RULE_LIMIT} is the limit`, FORMS);
  if (isSkillRule(text) && !text.includes(',')) return readSkillRule(text);
  if (/[()]/u.test(text)) {
    const [before = ''] = text.split('(');
    return fault(
      'has brackets, but a rule is for a tool whatever its arguments are',
      `Write "${gateName(before.trim() || 'mcp__server__tool')}"; in a server's name write _ for a bracket`,
    );
  }
  if (text.includes(',')) {
    return fault('has a comma', 'Write one rule for each tool; in a name write _ for a comma');
  }
  return text.startsWith(PREFIX) ? readServerRule(text) : readNameRule(text);
}

/** Whether a rule is for one skill, `Skill(name)` or `Skill(server:name)`, and not for a tool. */
export function isSkillRule(text: string): boolean {
  return SKILL_RULE.test(text);
}

const SKILL_RULE = new RegExp(`^${SKILL_TOOL}\\(([^()]*)\\)$`, 'u');

/** The beginning of every server tool's name, unless an embedder configures it otherwise. */
export const PREFIX = 'mcp__';
export const SEPARATOR = '__';

const RULE_LIMIT = 600; // a server's name has at most 300 characters, a tool's 256
const FORMS =
  'Rules are mcp__*, mcp__server, mcp__server__*, mcp__server__tool, Skill(name), or the name of a built-in tool';

function readServerRule(text: string): RuleReading {
  const body = text.slice(PREFIX.length);
  if (body === '' || body === SEPARATOR) return fault('names no server', FORMS);
  // A tool may be called `_` or `b__` and a server `__proto__`, so only an unambiguous text is a fault.
  if (body.endsWith(SEPARATOR) && body.indexOf(SEPARATOR) === body.length - SEPARATOR.length) {
    const server = text.slice(0, -SEPARATOR.length);
    return fault('names no tool', `Write "${gateName(server)}__*" for all tools of that server`);
  }
  return RULE;
}

function readSkillRule(text: string): RuleReading {
  const [, name = ''] = SKILL_RULE.exec(text) ?? [];
  if (name.trim() === '') return fault('names no skill', `Write "${SKILL_TOOL}" for all skills`);
  if (name !== name.trim())
    return fault('has blanks in its brackets', `Write "${SKILL_TOOL}(${gateName(name.trim())})"`);
  return RULE;
}

function readNameRule(text: string): RuleReading {
  if (/^\*+$/u.test(text) || /^mcp_?\*+$/u.test(text)) {
    return fault('names nothing', 'Write "mcp__*" for every tool of every server');
  }
  if (!/^[\w*-]+$/u.test(text)) return fault('is no name of a tool', FORMS);
  return RULE;
}

const RULE: RuleReading = { kind: 'rule' };

function fault(reason: string, hint: string): RuleReading {
  return { kind: 'fault', reason, hint };
}
