import { type RunRule, runRules, setRunMode, setRunRules } from '../../../actions/driven/run-changes.js';
import { isObject } from '../../../base/json.js';
import type { Host, PermissionQuestion } from '../../../index.js';
import { type RuleList, ruleLists } from '../../../model/permissions/settings.js';
import { gateLine } from '../../../model/text/text-gate.js';
import { readDriverMode } from '../../input/driver/mode-words.js';
import { toAllowRules, toDenyRules } from '../../input/driver/tool-rules.js';

/**
 * The rule that would allow all calls of this tool from now on, as agent SDKs offer it to their user. None for a question
 * of the flow guard: a rule about a tool would not answer it.
 */
export function toSuggestions({
  offers,
  rule,
  flow,
}: Pick<PermissionQuestion, 'offers' | 'rule' | 'flow'>): readonly object[] {
  if (flow || !offers.includes('session')) return [];
  const destination = offers.includes('always') ? 'localSettings' : 'session';
  return [{ type: 'addRules', rules: [{ toolName: rule }], behavior: 'allow', destination }];
}

export interface PermissionUpdateOptions {
  readonly host: Host;
  /** Whether the program may choose the mode that asks nobody. */
  readonly mayBypass: boolean;
  /** Called with what is not done, a sentence each. */
  readonly onNote: (note: string) => void;
}

/**
 * Does what a program wants changed about permissions: for this session alone, wherever it wants it kept. Rules of flags
 * and files are never taken away. Never throws.
 */
export function applyUpdates(updates: unknown, options: PermissionUpdateOptions): void {
  if (updates === undefined || updates === null) return;
  if (!Array.isArray(updates)) return options.onNote('updatedPermissions is no list, and changes nothing');
  for (const update of updates.slice(0, UPDATES)) applyUpdate(update, options);
  if (updates.length > UPDATES) options.onNote(`updatedPermissions: only the first ${UPDATES} are used`);
}

function applyUpdate(update: unknown, { host, mayBypass, onNote }: PermissionUpdateOptions): void {
  const { type, rules, behavior, destination, mode } = isObject(update) ? update : {};
  const shown = gateLine(String(type), { limit: 100 }).text;
  if (type === 'setMode') {
    const reading = readDriverMode(mode);
    if (reading.kind === 'mode') setRunMode(host, reading.mode);
    else if (reading.kind === 'bypass' && mayBypass) setRunMode(host, 'bypass');
    else onNote(`updatedPermissions: the mode ${gateLine(String(mode), { limit: 100 }).text} may not be chosen`);
    return;
  }
  const list = ruleLists.find((word) => word === behavior);
  if (!KINDS.has(type) || !list || !Array.isArray(rules)) {
    return onNote(`updatedPermissions: ${shown} is not known, and changes nothing`);
  }
  const wanted = readRules(rules, list, onNote);
  if (destination !== 'session') onNote('updatedPermissions: rules hold for this session, and are written to no file');
  const before = runRules(host);
  const isWanted = (rule: RunRule): boolean => rule.list === list && wanted.includes(rule.text);
  const kept =
    type === 'addRules'
      ? before.filter((rule) => !isWanted(rule))
      : before.filter((rule) => (type === 'replaceRules' ? rule.list !== list : !isWanted(rule)));
  const added = type === 'removeRules' ? [] : wanted.map((text): RunRule => ({ list, text }));
  setRunRules(host, [...kept, ...added].slice(-RULES));
}

function readRules(rules: readonly unknown[], list: RuleList, onNote: (note: string) => void): readonly string[] {
  const texts = rules.slice(0, RULES).flatMap((rule): readonly string[] => {
    const { toolName, ruleContent } = isObject(rule) ? rule : {};
    if (typeof toolName !== 'string') return [];
    return [typeof ruleContent === 'string' && ruleContent !== '' ? `${toolName}(${ruleContent})` : toolName];
  });
  if (list !== 'allow') {
    try {
      return toDenyRules(texts, 'updatedPermissions');
    } catch (cause) {
      onNote(cause instanceof Error ? cause.message : String(cause));
      return [];
    }
  }
  const { rules: read, unused } = toAllowRules(texts);
  if (unused.length > 0) onNote(`updatedPermissions allows nothing with ${gateLine(unused.join(', ')).text}`);
  return read;
}

const KINDS: ReadonlySet<unknown> = new Set(['addRules', 'replaceRules', 'removeRules']);
const UPDATES = 100;
const RULES = 1_000;
