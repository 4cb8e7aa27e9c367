/** MCP's `Implementation`: the `clientInfo` or `serverInfo` of a handshake. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}
