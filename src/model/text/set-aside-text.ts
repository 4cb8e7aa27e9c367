/** What of a server is set aside, as `word` says, and why: a tool, or tools without a name, or what was never read. */
export function setAsideText({ tool, reason, unread }: SetAsideText, word: string): string {
  if (unread === true) return reason;
  return `${tool === '' ? 'some of its tools are' : `tool "${tool}" is`} ${word}: ${reason}`;
}

interface SetAsideText {
  readonly tool: string;
  readonly reason: string;
  readonly unread?: true;
}

/** What can be done about tools that were never read. */
export const UNREAD_STEP = 'Ask its author for fewer or shorter tools; those that were read work';
