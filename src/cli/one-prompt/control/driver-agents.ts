import { HostError } from '../../../base/errors.js';
import { isObject, type JsonObject } from '../../../base/json.js';
import { shorten } from '../../../base/shorten.js';
import { readDriverMode } from '../../input/driver/mode-words.js';
import { toAllowRules, toDenyRules } from '../../input/driver/tool-rules.js';

/** Sub-agents in the shape of `--agents`, of those that an agent SDK brings. Throws `unsupported` for a limit. */
export function readDriverAgents(agents: JsonObject): {
  readonly agents: JsonObject;
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const read = Object.entries(agents).map(([name, agent]): readonly [string, unknown] => {
    if (!isObject(agent)) return [name, agent];
    refuseLimits(name, agent);
    const unmet = UNMET.filter((field) => agent[field] !== undefined && agent[field] !== 'inherit');
    if (unmet.length > 0) notes.push(`initialize: agents.${name}: ${unmet.join(', ')} without effect`);
    const { description, prompt, tools, mcpServers, maxTurns } = agent;
    const rules = isTexts(tools) ? toAllowRules(tools).rules : tools;
    return [
      name,
      {
        description,
        prompt,
        ...(rules !== undefined && { tools: rules }),
        ...(mcpServers !== undefined && { mcpServers }),
        ...(maxTurns !== undefined && { maxTurns }),
      },
    ];
  });
  return { agents: Object.fromEntries(read), notes };
}

/** A sub-agent must not start with more than its author meant. */
function refuseLimits(name: string, { disallowedTools, permissionMode, hooks }: JsonObject): void {
  if (isGiven(disallowedTools) && !isTexts(disallowedTools)) throw wrong(name, 'disallowedTools is no list of tools');
  const isDenying =
    isTexts(disallowedTools) && toDenyRules(disallowedTools, `agents.${name}.disallowedTools`).length > 0;
  const mode = readDriverMode(permissionMode);
  if (isGiven(permissionMode) && mode.kind === 'unknown') throw wrong(name, 'permissionMode is no mode');
  const isStricter = mode.kind === 'mode' && (mode.mode === 'plan' || mode.mode === 'dont-ask');
  const field = isDenying ? 'disallowedTools' : isStricter ? 'permissionMode' : isGiven(hooks) ? 'hooks' : undefined;
  if (field === undefined) return;
  throw new HostError('unsupported', `agents.${name}: ${field} is a limit that a sub-agent cannot be given here`, {
    hint: 'Leave it out, or name the only tools of the sub-agent in "tools"',
  });
}

function wrong(name: string, what: string): HostError {
  return new HostError('config-invalid', `initialize: agents.${shorten(name, 100)}: ${what}`);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && !(isObject(value) && Object.keys(value).length === 0);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

const UNMET = ['model', 'skills', 'initialPrompt', 'background', 'memory', 'effort', 'observer'] as const;
