import type { ConfigOptions } from '../../index.js';
import type { AgentDefinition } from '../../session/index.js';
import { readRule } from '../../model/permissions/rule.js';
import { permissionModes } from '../../model/permissions/settings.js';
import type { Invocation } from './arguments.js';
import { driverPermissions } from './driver/driver-flags.js';
import { driverOptions } from './driver/driver-options.js';
import { driverModes } from './driver/mode-words.js';
import { usageError } from './usage-error.js';
import type { Option } from '../verb.js';

/** Flags that say which calls may be made without asking. */
export const permissionOptions: readonly Option[] = [
  {
    name: 'allow',
    value: 'RULE',
    repeatable: true,
    summary: 'run these calls without asking: mcp__server, mcp__server__tool',
  },
  {
    name: 'deny',
    value: 'RULE',
    repeatable: true,
    summary: 'deny these calls, and hide these tools from the model',
  },
  {
    name: 'permission-mode',
    value: 'MODE',
    choices: permissionModes,
    alsoTakes: driverModes,
    synonyms: { readOnly: 'auto-read' },
    summary: permissionModes.join(', '),
  },
];

/** Flags of a session, interactive or with `-p`. */
export const sessionOptions: readonly Option[] = [
  { name: 'model', value: 'NAME', summary: 'the model; anthropic/NAME or openai/NAME names its provider' },
  {
    name: 'context-tokens',
    value: 'N',
    summary: "the size of the model's context window; default: what its provider says",
  },
  ...permissionOptions,
  { name: 'max-turns', value: 'N', summary: 'ask the model at most N times for one prompt' },
  {
    name: 'agents',
    value: 'FILE-OR-JSON',
    summary: 'sub-agents: { NAME: { description, prompt, tools, mcpServers } }',
  },
  { name: 'system-prompt', value: 'TEXT', summary: "instructions for the model in place of Plugboard's own" },
  { name: 'append-system-prompt', value: 'TEXT', summary: 'more instructions for the model, before the first message' },
  ...driverOptions,
];

/** The session flags, checked. */
export interface SessionFlags {
  readonly model: string | undefined;
  readonly maxTurns: number | undefined;
  readonly agents: readonly AgentDefinition[];
  /** Replaces the beginning of the system prompt. */
  readonly systemPrompt?: string | undefined;
  readonly appendSystemPrompt: string | undefined;
}

/** Rejects with `usage`. */
export async function readSessionFlags(invocation: Invocation, cwd: string): Promise<SessionFlags> {
  permissionFlags(invocation);
  contextTokensFlag(invocation);
  const agents = invocation.value('agents');
  const model = invocation.value('model');
  if (model?.trim() === '') throw usageError('--model names no model', { hint: 'Write --model NAME' });
  return {
    model,
    maxTurns: readTurns(invocation.value('max-turns')),
    agents: agents === undefined ? [] : await (await import('./agents-flag.js')).readAgentsFlag(agents, cwd),
    systemPrompt: invocation.value('system-prompt')?.trim() ? invocation.value('system-prompt') : undefined,
    appendSystemPrompt: invocation.value('append-system-prompt') || undefined,
  };
}

/** The permission flags, which `loadRun` loads together with the files; undefined without any. Throws `usage`. */
export function permissionFlags(invocation: Invocation): ConfigOptions['permissions'] | undefined {
  const driver = driverPermissions(invocation);
  const { mode } = driver;
  const allow = [...invocation.values('allow'), ...driver.allow];
  const deny = [...invocation.values('deny'), ...driver.deny];
  if (allow.length + deny.length === 0 && mode === undefined) return undefined;
  for (const [flag, rules] of [['--allow', allow] as const, ['--deny', deny] as const]) {
    for (const rule of rules) {
      const reading = readRule(rule);
      if (reading.kind === 'fault')
        throw usageError(`${flag} ${rule}: the rule ${reading.reason}`, { hint: reading.hint });
    }
  }
  return {
    ...(mode && { mode }),
    ...(allow.length > 0 && { allow }),
    ...(deny.length > 0 && { deny }),
  };
}

/** `--context-tokens`, for `chooseModel`; undefined without it. Throws `usage`. */
export function contextTokensFlag(invocation: Invocation): number | undefined {
  const text = invocation.value('context-tokens');
  if (text === undefined) return undefined;
  const tokens = /^[1-9]\d{0,8}$/u.test(text) ? Number(text) : 0;
  if (tokens >= LEAST_CONTEXT) return tokens;
  throw usageError(`--context-tokens must be a number of tokens, ${LEAST_CONTEXT} or more; got ${text}`, {
    hint: 'Write --context-tokens 32768',
  });
}

const LEAST_CONTEXT = 1_000; // less has no room for the instructions and one question

function readTurns(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/u.test(text)) return Number(text);
  throw usageError(`--max-turns must be a number, 1 or more; got ${text}`, { hint: 'Write --max-turns 10' });
}
