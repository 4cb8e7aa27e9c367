import { HostError } from '../../base/errors.js';
import type { Invocation } from '../arguments.js';

/** What only `-p` takes. */
export interface PromptFlags {
  readonly output: 'text' | 'json' | 'stream-json';
  readonly input: 'text' | 'stream-json';
  /** Words as they come, in stream-json. */
  readonly isPartial: boolean;
  /** Who decides about calls that somebody would have to be asked about: a tool, or `stdio`. */
  readonly permissionTool: string | undefined;
}

/** Throws `usage`. */
export function readPromptFlags(invocation: Invocation): PromptFlags {
  const format = invocation.value('output-format') as PromptFlags['output'] | undefined;
  if (invocation.has('json') && format !== undefined && format !== 'json') {
    throw usage(`error: --json and --output-format ${format} contradict each other`, 'Leave one of them away');
  }
  const output = invocation.has('json') ? 'json' : (format ?? 'text');
  const input = (invocation.value('input-format') ?? 'text') as PromptFlags['input'];
  const isPartial = invocation.has('include-partial-messages');
  const permissionTool = invocation.value('permission-prompt-tool');
  if (input === 'stream-json' && output !== 'stream-json') {
    throw usage('error: --input-format stream-json needs --output-format stream-json', 'Add it');
  }
  if (isPartial && output !== 'stream-json') {
    throw usage('error: --include-partial-messages needs --output-format stream-json', 'Add it');
  }
  if (permissionTool === 'stdio' && input !== 'stream-json') {
    throw usage(
      'error: --permission-prompt-tool stdio needs --input-format stream-json',
      'Add it, and answer can_use_tool there; or name a tool: --permission-prompt-tool mcp__server__tool',
    );
  }
  if (permissionTool !== undefined && permissionTool !== 'stdio' && !/^mcp__.+__./u.test(permissionTool)) {
    throw usage(
      `error: --permission-prompt-tool must be mcp__server__tool or stdio, got ${permissionTool}`,
      'plugboard tools shows the names',
    );
  }
  if (input === 'stream-json' && invocation.positionals.length > 0) {
    throw usage(
      'error: with --input-format stream-json prompts come on stdin, and none on the command line',
      'Write {"type":"user","message":{"role":"user","content":"..."}} there',
    );
  }
  return { output, input, isPartial, permissionTool };
}

function usage(message: string, hint: string): HostError {
  return new HostError('usage', message, { hint });
}
