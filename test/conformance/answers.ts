import { isObject } from '../../src/base/json.js';
import type { RequestHandler } from '../../src/wire/inbound.js';

/** A user who accepts every form with its default values, and with true for a boolean that has none. */
export const acceptElicitation: RequestHandler = ({ mode = 'form', requestedSchema }) => {
  if (mode !== 'form') return { action: 'decline' };
  const properties = isObject(requestedSchema) ? requestedSchema['properties'] : undefined;
  const fields = Object.entries(isObject(properties) ? properties : {});
  return { action: 'accept', content: Object.fromEntries(fields.flatMap(fillIn)) };
};

export const answerSampling: RequestHandler = () => ({
  role: 'assistant',
  content: { type: 'text', text: 'Yes.' },
  model: 'nobody',
  stopReason: 'endTurn',
});

export const listRoots: RequestHandler = () => ({ roots: [] });

function fillIn([name, field]: [string, unknown]): readonly [string, unknown][] {
  if (!isObject(field)) return [];
  if ('default' in field) return [[name, field['default']]];
  return field['type'] === 'boolean' ? [[name, true]] : [];
}
