import type { StoredSession } from '../../../session/index.js';
import { wrapLine } from '../../output/wrap.js';
import { windowTop } from '../../panel/list-window.js';
import type { Screen } from '../../terminal/screen.js';
import { cutToColumns } from '../../terminal/text/text-width.js';
import { ageText } from './age-text.js';
import { SHORT_ID } from './open-kept-session.js';

/** The selected session, and the first one that is shown. */
export interface SessionListState {
  readonly at: number;
  readonly top: number;
}

export interface SessionListSize extends Pick<Screen, 'style'> {
  readonly columns: number;
  readonly rows: number;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** The rows of the list of sessions, and the first session that they show. Pure. */
export function sessionRows(
  state: SessionListState,
  sessions: readonly StoredSession[],
  { columns, rows, style, now }: SessionListSize,
): { readonly rows: readonly string[]; readonly top: number } {
  const head = [style.bold(cutToColumns('Sessions of this folder', columns)), ''];
  const foot = ['', ...wrapLine(KEYS, columns, 0).map(style.dim)];
  const height = Math.max(1, rows - head.length - foot.length);
  const top = windowTop({ count: sessions.length, height, top: state.top, at: state.at });
  const shown = sessions.slice(top, top + height).map((session, index) => {
    const isSelected = top + index === state.at;
    const row = cutToColumns(
      `${isSelected ? '> ' : '  '}${sessionLine(session, { now, columns: columns - 2 })}`,
      columns,
    );
    return isSelected ? style.bold(row) : row;
  });
  const isMore = top + height < sessions.length;
  return { rows: [...head, ...shown, ...(isMore ? [style.dim('  … more below'), ...foot.slice(1)] : foot)], top };
}

/** One session in one line: its title, cut where there is no room, then its age, its size and the beginning of its id. */
export function sessionLine(
  { id, title, changedAt, messages }: StoredSession,
  { now, columns }: { readonly now: number; readonly columns: number },
): string {
  const count = messages === undefined ? '' : `, ${messages} message${messages === 1 ? '' : 's'}`;
  const about = `${ageText(Math.max(0, now - changedAt))}${count}, ${id.slice(0, SHORT_ID)}`;
  const room = Math.max(MIN_TITLE, columns - about.length - 2);
  return `${cutToColumns(title, room)}  ${about}`;
}

const KEYS = 'enter resumes · ↑↓ moves · esc leaves';
const MIN_TITLE = 12; // columns; in less no title is recognized
