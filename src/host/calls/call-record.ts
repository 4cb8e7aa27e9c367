import type { ErrorCode } from '../../base/error-codes.js';
import type { HostError } from '../../base/errors.js';
import { roughSize } from '../../base/rough-size.js';
import type { Ledger } from '../../guard/ledger.js';
import { flowLedgerText } from '../../model/flow/flow-finding.js';
import type { LedgerEntry } from '../../model/ledger-entry.js';
import { toTokenCount } from '../../model/text/tokens.js';
import type { ToolResult } from '../../model/tool.js';
import type { ToolCall } from './pipeline.js';

/** Writes the ledger line of a call that has ended, also of one that was not made. */
export function recordCall(ledger: Ledger | undefined, call: ToolCall, result: ToolResult, ms: number): void {
  ledger?.write(toEntry(call, result, ms));
}

/** Writes the ledger line of a call that reached no tool. */
export function unknownLine(
  ledger: Ledger | undefined,
): (call: { readonly callId: string; readonly name: string; readonly error: HostError; readonly ms: number }) => void {
  return ({ callId: id, name: tool, error, ms }) =>
    ledger?.write({
      id,
      tool,
      decision: 'deny',
      rule: error.code,
      outcome: 'error',
      code: error.code,
      ms,
      attempts: 0,
    });
}

function toEntry({ tool, input, context, trace }: ToolCall, result: ToolResult, ms: number): LedgerEntry {
  const { outcome, error, attempts } = result;
  const bytesOut = sizeOf(result);
  const traits = tool.traitsOf?.(trace.input ?? input);
  return {
    id: context.callId,
    tool: tool.name,
    server: tool.server,
    uri: traits?.uri,
    prompt: traits?.prompt,
    completes: traits?.completes,
    decision: trace.decision,
    rule: trace.rule,
    flow: flowText(trace),
    outcome,
    code: error?.code,
    message: error && messageOf(error, trace),
    ms,
    waitedMs: trace.askedMs > 0 ? trace.askedMs : undefined,
    bytesIn: roughSize(input, SIZE_LIMIT),
    bytesOut,
    tokens: toTokenCount(bytesOut),
    attempts,
  };
}

/** What the flow guard found, and whether it asked or denied: no content. */
function flowText({ flow }: ToolCall['trace']): string | undefined {
  if (!flow?.look) return undefined;
  const { isDenied, isLet, finding } = flow.look;
  return `${isDenied ? 'deny' : isLet === true ? 'let' : 'ask'} ${flowLedgerText(finding)}`;
}

/** The message, only where it is our own: others quote what was sent or received, which the ledger never holds. */
function messageOf({ code, message, detail }: HostError, { rule }: ToolCall['trace']): string | undefined {
  if (detail?.kind === 'rpc') return `error ${detail.code}`;
  return OWN_WORDS.has(code) && rule !== 'hook' ? message : undefined;
}

const OWN_WORDS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'answer-too-large',
  'call-timeout',
  'cancelled',
  'connect-timeout',
  'connection-closed',
  'definition-changed',
  'denied',
  'disabled',
  'not-approved',
  'overloaded',
  'policy-denied',
  'session-lost',
  'unknown-server',
]);

/** Approximate size of what a model has to read. */
function sizeOf({ content, structuredContent }: ToolResult): number {
  let size =
    typeof structuredContent === 'object' && structuredContent !== null ? roughSize(structuredContent, SIZE_LIMIT) : 0;
  for (const { text, data } of content) {
    if (typeof text === 'string') size += text.length;
    if (typeof data === 'string') size += data.length;
  }
  return size;
}

const SIZE_LIMIT = 1_000_000; // larger values are not measured to the end
