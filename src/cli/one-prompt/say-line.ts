import { HostError } from '../../base/errors.js';
import { NO_USAGE, type Said, type Session } from '../../session/index.js';
import type { UserLine } from './stream-input.js';

/** The commands that lines of a program may be besides prompts of servers, in the words of agent SDKs. */
export const LINE_COMMANDS = [
  { name: 'compact', description: 'Have the model summarise older messages', argumentHint: '<what to keep>' },
] as const;

/** Sends one message of the program; `/compact WHAT TO KEEP` has the conversation shortened instead. Never rejects. */
export async function sayLine(session: Session, line: UserLine, signal: AbortSignal): Promise<Said> {
  if (line.kind === 'parts') return session.send([{ role: 'user', parts: line.parts }], { signal });
  const compact = /^\/compact(?:\s+(.*))?$/su.exec(line.text.trim());
  if (!compact) return session.say('', { signal, piped: line.text, mayRun: true });
  const [, instructions] = compact;
  const end = await session.compact({ signal, ...(instructions !== undefined && { instructions }) });
  if (end.kind === 'failed') return { kind: 'not-sent', error: end.error, notes: [] };
  if (end.kind === 'cancelled') return { kind: 'not-sent', error: new HostError('cancelled', 'Stopped'), notes: [] };
  return { kind: 'sent', end: { kind: 'done', turns: 0, usage: NO_USAGE, text: '' }, notes: [] };
}
