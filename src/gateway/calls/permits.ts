import type { ClientRequest } from '../../serving/endpoint.js';
import { askClient, type PermissionAsker } from './ask-client.js';

/** Whether users of clients are asked for permission. */
export type AskSetting = 'client' | 'deny';

/**
 * Who is asked for permission to make a call: the user of its client; undefined where nobody can be asked. A yes holds
 * for one call: also for the rounds of a modern server that asks something in return, each a request of its own.
 */
export function askerOf(request: ClientRequest, name: string, setting: AskSetting): PermissionAsker | undefined {
  const ask = setting === 'client' ? askClient(request, name) : undefined;
  if (!ask) return undefined;
  return async (question, signal) => {
    if (request.isPermitted) return { kind: 'allow', remember: 'once' };
    const answer = await ask(question, signal);
    if (answer.kind === 'allow') request.permit();
    return answer;
  };
}
