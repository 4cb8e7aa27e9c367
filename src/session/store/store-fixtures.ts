import { randomUUID } from '../../edge/random-hex.js';
import type { CallResult } from '../../host/host-options.js';
import type { StoredItem } from '../journal.js';
import type { AssistantPart, ToolCallPart } from '../message.js';

/** For tests: items of a conversation. */
export function userItem(text: string, from?: 'host' | 'summary'): StoredItem {
  return {
    kind: 'message',
    id: randomUUID(),
    message: { role: 'user', parts: [{ kind: 'text', text }] },
    ...(from && { from }),
  };
}

export function assistantItem(...parts: readonly AssistantPart[]): StoredItem {
  return { kind: 'message', id: randomUUID(), message: { role: 'assistant', parts } };
}

export function resultsItem(...results: readonly CallResult[]): StoredItem {
  return { kind: 'results', id: randomUUID(), results };
}

export function wordsPart(text: string): AssistantPart {
  return { kind: 'text', text };
}

export function callPart(id: string): ToolCallPart {
  return { kind: 'call', id, name: 'mcp__a__b', input: { x: 1 } };
}

export function callResult(callId: string, more: Partial<CallResult> = {}): CallResult {
  return {
    callId,
    name: 'mcp__a__b',
    calledAs: 'mcp__a__b',
    server: 'a',
    tool: 'b',
    outcome: 'ok',
    content: [{ type: 'text', text: 'done' }],
    saved: [],
    notes: [],
    attempts: 1,
    ms: 3,
    ...more,
  };
}
