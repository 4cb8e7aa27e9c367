import type { CallServices } from './call-services.js';
import { gateLine } from '../../model/text/text-gate.js';

/** A tool call that the model's provider has run itself, such as web search: `server_tool_use`. */
export interface ProviderCall {
  /** The provider's id of the call. */
  readonly id: string;
  /** The tool's name, such as `web_search`. */
  readonly name: string;
  /** `error`: the provider reported that the tool failed. */
  readonly outcome: 'ok' | 'error';
  /** Milliseconds that the call took. Default: 0, for unknown. */
  readonly ms?: number;
  /** The conversation in which the model has read the result. Default: that of calls without one. */
  readonly conversation?: string | undefined;
  /** What the model has read, as far as the provider shows it. */
  readonly result?: unknown;
}

/** Writes a provider's call to the ledger like any other call. What it gave counts as text from outside. */
export function recordProviderCall({ ledger, flow }: Pick<CallServices, 'ledger' | 'flow'>, call: ProviderCall): void {
  const { id, name, outcome, ms = 0, conversation = '', result } = call;
  const origin = { source: { tool: name }, isOutside: true, isForeign: false };
  if (flow.isWatched(conversation)) flow.readValue(conversation, origin, result);
  else flow.miss(conversation, origin);
  ledger?.write({
    id: gateLine(id, { limit: 100 }).text,
    tool: gateLine(name, { limit: 100 }).text,
    decision: 'provider',
    rule: 'run by the model provider',
    outcome,
    ms,
  });
}
