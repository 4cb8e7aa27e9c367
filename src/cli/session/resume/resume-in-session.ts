import { HostError } from '../../../base/errors.js';
import type { CommandContext } from '../command.js';
import { pickSession } from './pick-session.js';

/** `/resume`: has the user pick a session, ends this one, and goes on with the other. Rejects with a HostError. */
export async function resumeInSession(context: CommandContext, words: readonly string[]): Promise<'leave' | void> {
  const { kept, asking, screen, io, signal, resumeNext } = context;
  if (words.length > 1) {
    throw new HostError('usage', '/resume takes one ID', { hint: '/resume alone shows the sessions' });
  }
  const others = (kept?.store?.list() ?? []).filter(({ id }) => id !== kept?.current());
  if (!kept || (others.length === 0 && words.length === 0)) {
    return screen.print('There is no other session of this folder.');
  }
  const now = io.now().getTime();
  const id = words[0] ?? (await asking.enqueue(() => pickSession(others, { screen, now, signal }), signal));
  if (id === undefined) return;
  if (id === kept.current()) return screen.print('This is the session that you are in.');
  resumeNext(await kept.other(id));
  return 'leave';
}
