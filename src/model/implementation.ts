/** MCP's `Implementation`: the `clientInfo` or `serverInfo` of a handshake. */
export interface Implementation {
  /** The name for programs. */
  readonly name: string;
  /** Any text; not compared. */
  readonly version: string;
  /** The name for people. */
  readonly title?: string;
}
