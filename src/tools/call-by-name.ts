import { HostError } from '../base/errors.js';
import type { ToolInput } from '../model/tool.js';
import { builtInJsonSchemas } from './built-in-json-schemas.js';
import { type BuiltInTool, toTool } from './built-in.js';

/**
 * Calls a tool that a search found, for APIs whose tool block cannot grow. The pipeline treats it as the named tool.
 */
export function callByName(): BuiltInTool {
  return toTool({
    name: CALL_BY_NAME,
    title: 'Call a tool by its name',
    description:
      'Calls a tool that is not in your list of tools, by the name that ToolSearch gave. Look its schema up first, and pass what it asks for as arguments.',
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    inputSchema: builtInJsonSchemas.CallMcpTool,
    run: () => {
      throw new HostError('bad-input', `${CALL_BY_NAME} needs the name of a tool, and its arguments as an object`, {
        hint: 'Look a tool up with ToolSearch',
      });
    },
  });
}

export const CALL_BY_NAME = 'CallMcpTool';

/** The named tool and its input; undefined when the call names no other tool. */
export function unwrapCall(
  name: string,
  input: ToolInput,
): { readonly name: string; readonly input: ToolInput } | undefined {
  if (name !== CALL_BY_NAME) return undefined;
  const { name: meant, arguments: given = {} } = input;
  const isCall = typeof meant === 'string' && meant !== CALL_BY_NAME;
  return isCall && typeof given === 'object' && given !== null && !Array.isArray(given)
    ? { name: meant, input: given as ToolInput }
    : undefined;
}
