import type { HookRun } from '../../../index.js';

/** A hook that begins, or has ended. */
export function toHookLine({ phase, id, name, event, outcome, output, stdout, stderr, exitCode }: HookRun): object {
  const about = { type: 'system', hook_id: id, hook_name: name, hook_event: event };
  if (phase === 'started') return { ...about, subtype: 'hook_started' };
  return {
    ...about,
    subtype: 'hook_response',
    output: output ?? '',
    stdout: stdout ?? '',
    stderr: stderr ?? '',
    ...(exitCode !== undefined && { exit_code: exitCode }),
    outcome: outcome ?? 'success',
  };
}
