/** Whether a line is the header that language servers put before each message: MCP has one message on each line instead. */
export function isFramed(line: string): boolean {
  return /^Content-(?:Length:\s*\d+|Type:\s*application\/vscode-jsonrpc)/iu.test(line.trim());
}

/** Whether such a header stands right behind a message: whoever writes that ends no line. */
export function isFollowedByFrame(line: string): boolean {
  return /\}\s*Content-Length:\s*\d+\s*$/iu.test(line.slice(-100));
}

/** What is wrong with a server that does so, and what to do. */
export const FRAMED = 'it frames its messages with Content-Length headers, as language servers do';
export const FRAMED_HINT =
  'On stdio every MCP message is one line, without headers: use another version of the server, or a setting of it for that';
