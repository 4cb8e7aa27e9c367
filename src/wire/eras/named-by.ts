// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata

/** The field of the parameters that the header `Mcp-Name` repeats, by method. */
export const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);
