import type { HostError } from '../../../base/errors.js';
import type { AskPermission, Host } from '../../../index.js';
import { toProgramError } from '../../fail.js';
import { readDecision } from '../delegated-decision.js';
import { delegatedAsk } from '../permission-delegate.js';
import type { AskProgram } from './callback-hooks.js';
import { driverSourceOf } from './mcp-status.js';
import { applyUpdates, toSuggestions, type PermissionUpdateOptions } from './permission-updates.js';

export interface ProgramDecisionOptions extends Omit<PermissionUpdateOptions, 'host'> {
  readonly ask: AskProgram;
  /** Undefined until the session is open. */
  readonly host: () => Host | undefined;
  /** Ends the turn, when a denial asks for that. */
  readonly stop: (reason: HostError) => void;
}

/** Has the program that drives this one decide about calls: `can_use_tool`. Whatever is no decision denies. */
export function askByProgram({ ask, host: current, stop, ...updating }: ProgramDecisionOptions): AskPermission {
  return delegatedAsk({
    stop,
    async decide(question, signal) {
      const { name, input, callId, server, title, reason } = question;
      const host = current();
      const state = server === undefined ? undefined : host?.server(server);
      try {
        const answer = await ask(
          {
            subtype: 'can_use_tool',
            tool_name: name,
            input,
            tool_use_id: callId,
            permission_suggestions: toSuggestions(question),
            ...(state && { mcp_server: { name: state.name, source: driverSourceOf(state) } }),
            ...(title !== undefined && { display_name: title }),
            decision_reason: reason,
          },
          signal,
        );
        const { toolUseID } = answer;
        if (typeof toolUseID === 'string' && toolUseID !== callId) {
          return { kind: 'deny', reason: `${PROGRAM} answers about another call` };
        }
        const decision = readDecision(answer, PROGRAM);
        if (decision.kind === 'allow' && host) applyUpdates(answer['updatedPermissions'], { host, ...updating });
        return decision;
      } catch (cause) {
        return { kind: 'deny', reason: toProgramError(cause).message };
      }
    },
  });
}

const PROGRAM = 'the program that started this one';
