import { randomUUID } from 'node:crypto';
import type { AskPermission, Host } from '../../index.js';
import { nearest } from '../../base/nearest.js';
import { shorten } from '../../base/shorten.js';
import { delegatedAsk, type PermissionDelegateOptions } from './permission-delegate.js';
import { readPermitText, joinTexts } from './delegated-decision.js';
import { usageError } from '../input/usage-error.js';

export interface ToolDelegateOptions extends Pick<PermissionDelegateOptions, 'stop'> {
  /** Undefined until the session is open. */
  readonly host: () => Host | undefined;
}

/** Asks a server's tool in place of the user: it gets the call, and its text result allows or denies. */
export function openToolDelegate(tool: string, { host: current, stop }: ToolDelegateOptions): AskPermission {
  return delegatedAsk({
    stop,
    async decide({ name, input, callId }, signal) {
      const host = current();
      if (!host) return { kind: 'deny', reason: 'there is no host yet' };
      const asked = { tool_name: name, input, tool_use_id: callId };
      // The user has named this tool for exactly this purpose, so the call counts as typed. Deny rules still hold. The
      // schema of such a tool often leaves out fields that every host sends, so it is not held against them.
      const { outcome, content, error } = await host.call({
        name: tool,
        input: asked,
        callId: randomUUID(),
        isTyped: true,
        isUnread: true,
        isForced: true,
        shape: 'raw',
        signal,
      });
      if (outcome === 'ok') return readPermitText(content, tool);
      const why = error?.message ?? joinTexts(content);
      return { kind: 'deny', reason: `${tool} was to decide about it, and failed: ${shorten(why, REASON_LIMIT)}` };
    },
  });
}

const REASON_LIMIT = 1_000;

/** Rejects with `usage` for an unknown tool: it would silently deny all calls. A connecting server may yet have it. */
export async function checkPermissionTool(host: Host, tool: string): Promise<void> {
  if (await host.tool(tool)) return;
  if (host.servers().some(({ status }) => status === 'pending' || status === 'reconnecting')) return;
  const [close] = nearest(
    tool,
    host.tools().map(({ name }) => name),
  );
  throw usageError(`--permission-prompt-tool ${tool}: no server has such a tool`, {
    hint:
      close === undefined
        ? 'plugboard tools shows the names; plugboard list shows which servers run'
        : `Did you mean ${close}?`,
  });
}
