import { readResumeFlags } from '../../input/resume-flags.js';
import { ownRows } from '../display/quoted-rows.js';
import type { SessionParts } from '../session-parts.js';
import { type KeptSession, openKeptSession } from './open-kept-session.js';

type Parts = Pick<SessionParts, 'invocation' | 'io' | 'loaded' | 'screen' | 'staged'>;

/** The session that the flags choose; undefined when the user leaves the picker. Rejects with a HostError. */
export async function openChosenSession(parts: Parts, signal?: AbortSignal): Promise<KeptSession | undefined> {
  const { invocation, io, screen } = parts;
  return openKeptSession({
    ...toOptions(parts),
    flags: readResumeFlags(invocation),
    pick: async (sessions) => {
      const { pickSession } = await import('./pick-session.js');
      return pickSession(sessions, { screen, now: io.now().getTime(), signal });
    },
  });
}

/** A new session; undefined for a demonstration, which is not kept. */
export async function openNewSession(parts: Parts): Promise<KeptSession | undefined> {
  if (parts.staged) return undefined;
  return openKeptSession({ ...toOptions(parts), flags: readResumeFlags(parts.invocation) });
}

function toOptions({ io, loaded, screen }: Parts): Omit<Parameters<typeof openKeptSession>[0], 'flags'> {
  const onNote = (note: string): void =>
    screen.print(ownRows(note, screen.columns).map(screen.style.yellow).join('\n'));
  return { io, loaded, onNote };
}
