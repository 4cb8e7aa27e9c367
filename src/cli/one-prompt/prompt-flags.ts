import type { Invocation } from '../input/arguments.js';
import { usageError } from '../input/usage-error.js';

/** Flags that only `-p` takes. */
export interface PromptFlags {
  readonly output: 'text' | 'json' | 'stream-json';
  readonly input: 'text' | 'stream-json';
  /** In stream-json, write text while the model streams it. */
  readonly isPartial: boolean;
  /** What decides about calls in place of the user: a tool, or `stdio`. */
  readonly permissionTool: string | undefined;
}

/** Throws `usage`. */
export function readPromptFlags(invocation: Invocation): PromptFlags {
  const format = invocation.value('output-format') as PromptFlags['output'] | undefined;
  if (invocation.has('json') && format !== undefined && format !== 'json') {
    throw usageError(`--json and --output-format ${format} contradict each other`, { hint: 'Leave one of them out' });
  }
  const output = invocation.has('json') ? 'json' : (format ?? 'text');
  const input = (invocation.value('input-format') ?? 'text') as PromptFlags['input'];
  const isPartial = invocation.has('include-partial-messages');
  const mayAsk = invocation.value('permission-prompts') !== 'none';
  const permissionTool = mayAsk ? invocation.value('permission-prompt-tool') : undefined;
  if (input === 'stream-json' && output !== 'stream-json') {
    throw usageError('--input-format stream-json needs --output-format stream-json', { hint: 'Add it' });
  }
  if (isPartial && output !== 'stream-json') {
    throw usageError('--include-partial-messages needs --output-format stream-json', { hint: 'Add it' });
  }
  if (permissionTool === 'stdio' && input !== 'stream-json') {
    throw usageError('--permission-prompt-tool stdio needs --input-format stream-json', {
      hint: 'Add it, and answer can_use_tool there; or name a tool: --permission-prompt-tool mcp__server__tool',
    });
  }
  if (permissionTool !== undefined && permissionTool !== 'stdio' && !/^mcp__.+__./u.test(permissionTool)) {
    throw usageError(`--permission-prompt-tool must be mcp__server__tool or stdio, got ${permissionTool}`, {
      hint: 'plugboard tools shows the names',
    });
  }
  if (input === 'stream-json' && invocation.positionals.length > 0) {
    throw usageError('with --input-format stream-json send prompts on stdin, not on the command line', {
      hint: 'Write {"type":"user","message":{"role":"user","content":"..."}} to stdin',
    });
  }
  return { output, input, isPartial, permissionTool };
}
