import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../endpoint.js';

/** One HTTP request to an endpoint. */
export interface McpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly endpoint: Endpoint;
  readonly principal: string;
  /** With its query: sessions and states are good for exactly this. */
  readonly path: string;
  /** Headers of every answer, names and values in turn. */
  readonly cors: readonly string[];
  readonly isDraining: boolean;
}
