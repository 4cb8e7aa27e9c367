/** What of a server is set aside: a tool, or, where there is no name, tools that were never read. */
export function setAsideSubject(tool: string): string {
  return tool === '' ? 'some of its tools' : `tool "${tool}"`;
}
