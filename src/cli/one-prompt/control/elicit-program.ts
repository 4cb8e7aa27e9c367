import { isObject } from '../../../base/json.js';
import type { ElicitationReply, Ports } from '../../../index.js';
import { toProgramError } from '../../fail.js';
import type { AskProgram } from './callback-hooks.js';

/** Has the program that drives this one answer the questions of servers. Whatever is no answer declines. */
export function elicitByProgram(ask: AskProgram): NonNullable<Ports['elicit']> {
  return async ({ server, message, mode, requestedSchema, url, elicitationId }, signal, agreed) => {
    try {
      const answer = await ask(
        {
          subtype: 'elicitation',
          mcp_server_name: server,
          message,
          mode,
          ...(isObject(requestedSchema) && { requested_schema: requestedSchema }),
          ...(url !== undefined && { url }),
          ...(elicitationId !== undefined && { elicitation_id: elicitationId }),
        },
        signal,
      );
      const { action, content } = answer;
      if (action === 'accept') {
        agreed();
        return isObject(content) ? { action, content } : { action };
      }
      return action === 'cancel' ? { action } : declined(action === 'decline' ? undefined : 'the answer was none');
    } catch (cause) {
      return declined(toProgramError(cause).message);
    }
  };
}

function declined(reason: string | undefined): ElicitationReply {
  return { action: 'decline', ...(reason !== undefined && { reason }) };
}
