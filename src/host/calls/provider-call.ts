import type { Ledger } from '../../guard/ledger.js';
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
}

/** Writes a provider's call to the ledger like any other call. */
export function recordProviderCall(ledger: Ledger | undefined, { id, name, outcome, ms = 0 }: ProviderCall): void {
  ledger?.write({
    id: gateLine(id, { limit: 100 }).text,
    tool: gateLine(name, { limit: 100 }).text,
    decision: 'provider',
    rule: 'run by the model provider',
    outcome,
    ms,
  });
}
