/** Whether a line is the header of a language server's message. MCP has one message per line instead. */
export function isFramed(line: string): boolean {
  return /^Content-(?:Length:\s*\d+|Type:\s*application\/vscode-jsonrpc)/iu.test(line.trim());
}

/** Whether such a header directly follows a message: such servers do not end their lines. */
export function isFollowedByFrame(line: string): boolean {
  return /\}\s*Content-Length:\s*\d+\s*$/iu.test(line.slice(-100));
}

/** The error and the hint for such a server. */
export const FRAMED = 'it frames its messages with Content-Length headers, as language servers do';
export const FRAMED_HINT =
  'On stdio every MCP message is one line, without headers: use another version of the server, or a setting of it for that';
