import { HostError } from '../../base/errors.js';
import type { SchemaOutcome } from '../../model/schema/check.js';
import { gateText } from '../../model/text-gate.js';
import type { JsonSchema } from '../../model/tool.js';
import type { Step } from '../pipeline.js';
import { refused } from './refused.js';

/**
 * What does not fit the tool's schema is not sent: a model that has not read the definition gets it now, and calls again. What a
 * person has typed is sent anyway: a server has the last word on its own arguments.
 */
export function inputStep(check: (schema: JsonSchema, value: unknown) => Promise<SchemaOutcome>): Step {
  return async (call, next) => {
    const { tool, input, isTyped } = call;
    const definition = isTyped || tool.server === undefined ? undefined : await tool.definition();
    if (!definition) return next(call);
    const outcome = await check(definition.inputSchema, input);
    if (outcome.kind !== 'invalid') return next(call);
    const issues = outcome.issues.map(({ path, message }) => `${path === '' ? 'the input' : path} ${message}`);
    const message = gateText(`The input of ${tool.name} does not fit: ${issues.join('; ')}`, { limit: 3_000 }).text;
    const schema = JSON.stringify(definition.inputSchema);
    const hint =
      schema.length <= SCHEMA_SHOWN ? `Its schema is ${gateText(schema).text}` : 'Look its schema up and call it again';
    return refused(new HostError('bad-input', message, { hint }));
  };
}

const SCHEMA_SHOWN = 8_000; // longer ones would cost more than a search for the definition
