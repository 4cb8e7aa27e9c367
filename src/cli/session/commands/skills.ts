import { toRows } from '../../output/screen-text.js';
import { showAbout, showLine } from '../../../model/show.js';
import type { Command } from '../command.js';
import { mentionOf } from '../completion/mention-text.js';

export const skillsCommand: Command = {
  name: 'skills',
  usage: '',
  summary: 'Show the skills that servers offer',
  async run({ session: { host }, screen, signal }) {
    const { skills: found, notes } = await host.skills({ signal });
    const rows = found
      .slice(0, SHOWN)
      .map(
        ({ server, name, description, uri }) =>
          [showLine(name), showLine(`${showAbout({ description })} (${mentionOf(server, uri)})`)] as const,
      );
    const { dim } = screen.style;
    screen.print(
      [
        ...(rows.length === 0 ? ['No connected server offers skills.'] : toRows(rows, screen.columns)),
        ...(found.length > SHOWN ? [`  … and ${found.length - SHOWN} more`] : []),
        ...notes.map((note) => dim(showLine(note))),
      ].join('\n'),
    );
  },
};

const SHOWN = 200; // more rows scroll by unread
