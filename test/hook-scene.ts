import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../src/edge/clock.js';
import { CommandRunner } from '../src/edge/processes/command-runner.js';
import { ProcessRegistry } from '../src/edge/processes/process-registry.js';
import type { HookProblem } from '../src/guard/hook.js';
import { Hooks, type HooksOptions } from '../src/guard/hooks.js';
import type { HookCall, PreVerdict } from '../src/model/hooks/hook-call.js';
import type { HookCommand, HookEvent, HookSetting } from '../src/model/hooks/hook-settings.js';
import type { ToolResult } from '../src/model/tool.js';

export const NAME = 'mcp__db__query';
export const call: HookCall = {
  name: NAME,
  server: 'db',
  tool: 'query',
  input: { sql: 'select 1' },
  callId: 'toolu_1',
  source: 'project',
  mode: 'default',
};
export const fine: ToolResult = {
  outcome: 'ok',
  content: [{ type: 'text', text: 'one row' }],
  structuredContent: { rows: 1 },
  saved: [],
  notes: [],
  attempts: 1,
};

export type Command = string | Partial<HookCommand>;

export function setting(event: HookEvent, commands: readonly Command[], matcher?: string): HookSetting {
  const all = commands.map((one): HookCommand => {
    const given = typeof one === 'string' ? { command: one } : one;
    return { command: 'true', timeout: 20, failOpen: false, ...given };
  });
  return { event, matcher, commands: all, file: 'config.json', line: 7 };
}

export interface HookScene {
  readonly hooks: Hooks;
  readonly runner: CommandRunner;
  readonly problems: HookProblem[];
  readonly folder: string;
}

/** Hooks with their own folder, and the problems they report. */
export function openHooks(settings: readonly HookSetting[], options: Partial<HooksOptions> = {}): HookScene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-hooks-')));
  const problems: HookProblem[] = [];
  const registry = new ProcessRegistry();
  const runner = new CommandRunner({ clock: options.clock ?? systemClock, registry });
  const hooks = new Hooks({
    settings,
    env: { ...process.env, FOLDER: folder },
    cwd: folder,
    clock: systemClock,
    runner,
    onProblem: (problem) => void problems.push(problem),
    ...options,
  });
  onTestFinished(async () => {
    await runner[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  return { hooks, runner, problems, folder };
}

export const say = (answer: unknown): string => `printf '%s' '${JSON.stringify(answer)}'`;
export const specific = (fields: object, event = 'PreToolUse'): object => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
});
export const go = (fields: Partial<PreVerdict> = {}): object => ({
  kind: 'go',
  input: call.input,
  isAllowed: false,
  mustAsk: false,
  reason: undefined,
  context: [],
  ...fields,
});
export const blocked = (reason: string): PreVerdict => ({
  kind: 'block',
  reason: `PreToolUse:${NAME} hook error: ${reason}`,
});
