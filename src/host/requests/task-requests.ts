// Tasks: https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks, and SEP-2663 for 2026-07-28
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { Operation } from '../../connection/operation.js';
import { isTaskOver } from '../../connection/requests/task.js';
import type { Caller } from '../../model/caller.js';
import { redactValue } from '../../model/redaction/redact-value.js';
import { type Answered, type AskOptions, toAnswered, unanswered } from '../answered.js';
import { ASK_MS, findRunning, type ServerAccess } from '../servers/server-access.js';
import { askServer, heldLaneOf } from '../servers/server-line.js';

/** A request about a task whose call was permitted: rules that deny the server apply, and nobody is asked. */
export interface TaskRequest extends AskOptions {
  readonly server: string;
  readonly method: 'tasks/get' | 'tasks/result' | 'tasks/update' | 'tasks/cancel';
  /** As the server wrote it. */
  readonly id: string;
  /** Of tasks/update. */
  readonly inputResponses?: JsonObject | undefined;
  /** Whose line is used: that of the call. */
  readonly caller: Caller;
}

/** What a server says of a task, with secrets redacted. */
export interface TaskReply {
  readonly era: 'legacy' | 'modern';
  readonly result: JsonObject;
}

/** The requests about tasks that their callers follow themselves. */
export interface TaskRequests {
  /** Never rejects. */
  ask(request: TaskRequest): Promise<Answered<TaskReply>>;
  /** Keeps the caller's own line to a server open until it is disposed of; undefined where it has none. */
  hold(server: string, caller: Caller): Promise<Disposable | undefined>;
}

export function taskRequests(offers: ServerAccess): TaskRequests {
  return {
    async ask(request) {
      const { server, caller, signal, timeoutMs = ASK_MS } = request;
      const running = findRunning(offers, server);
      if (running instanceof HostError) return unanswered(running);
      return toAnswered(await askServer(running, toOperation(request), { caller, signal, timeoutMs }));
    },
    async hold(server, caller) {
      const running = findRunning(offers, server);
      if (running instanceof HostError) return undefined;
      // A line that cannot be had is missed by the next request.
      return heldLaneOf(running, caller, { timeoutMs: ASK_MS }).catch(() => undefined);
    },
  };
}

function toOperation({ method, id, inputResponses, caller, signal }: TaskRequest): Operation<TaskReply> {
  return {
    // Answers that come twice are for a question that is gone by then.
    isSafe: () => true,
    on: async ({ session, redact, peer }, { timeoutMs }) => {
      const params = { taskId: id, ...(inputResponses && { inputResponses }) };
      const answer = await session.request(method, params, { timeoutMs, signal, owner: caller });
      if (method === 'tasks/result' || isTaskOver(answer['status'])) peer.endTask(id);
      const result = redactValue(answer, redact);
      return { era: session.era, result: isObject(result) ? result : {} };
    },
  };
}
