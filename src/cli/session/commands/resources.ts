import { toRows } from '../../screen-text.js';
import { showLine } from '../../../model/show.js';
import { serverItems } from '../complete-tools.js';
import type { Command } from '../command.js';
import { ownRows } from '../foreign-rows.js';
import { mentionOf } from '../mention-text.js';

export const resources: Command = {
  name: 'resources',
  usage: '[SERVER]',
  summary: 'Show what there is to read, of all servers or of one',
  completes: ({ session: { host } }, { before, last }) => (before.length === 0 ? serverItems(host, last) : []),
  async run({ session: { host }, screen, signal }, [server]) {
    const listed = await host.resources({ signal, limit: SHOWN, ...(server !== undefined && { server }) });
    if (!listed.ok) throw listed.error;
    const found = [
      ...listed.resources.map((one) => ({ ...one, address: one.uri })),
      ...listed.templates.map((one) => ({ ...one, address: one.uriTemplate })),
    ];
    const rows = found.map(({ server: owner, address, name, title, description, mimeType }) => {
      const said = description.trim().split('\n')[0] || title || name;
      return [
        showLine(mentionOf(owner, address)),
        showLine(mimeType === undefined ? said : `${said} (${mimeType})`),
      ] as const;
    });
    const { dim } = screen.style;
    screen.print(
      [
        ...(rows.length === 0 ? ['Nothing to read is known.'] : toRows(rows, screen.columns)),
        ...(listed.resources.length >= SHOWN ? [`  … there are more than ${SHOWN}`] : []),
        ...listed.notes.flatMap((note) => ownRows(note, screen.columns).map(dim)),
      ].join('\n'),
    );
  },
};

const SHOWN = 200; // more scrolls by unread
