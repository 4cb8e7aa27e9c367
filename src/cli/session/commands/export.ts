import { outFile } from '../../../actions/files/out-file.js';
import { attempt } from '../../../base/attempt.js';
import { HostError } from '../../../base/errors.js';
import { showLine } from '../../../model/show.js';
import type { ExportedSession } from '../../../session/index.js';
import type { Command, CommandContext } from '../command.js';
import { ownRows } from '../display/quoted-rows.js';

export const exportCommand: Command = {
  name: 'export',
  usage: '[FILE] [--force]',
  summary: 'Write the conversation to a file: Markdown, or JSON for a name that ends in .json',
  async run({ session, kept, config, screen, io }, words) {
    const names = words.filter((word) => word !== FORCE);
    if (names.length > 1) throw new HostError('usage', '/export takes one file', { hint: '/export FILE' });
    const { items, title } = saidIn({ session, kept });
    if (items.length === 0) {
      throw new HostError('usage', 'There is no conversation to export', { hint: 'Write to the model first' });
    }
    const { exportSession } = await import('../../../session/index.js');
    const path = await outFile(names[0] ?? defaultName(io.now()), config);
    const { id, model } = session;
    const exported = { id, cwd: config.cwd, model: model?.name, items, title, exported: io.now() };
    await exportSession(exported, path, { isForced: words.includes(FORCE) });
    screen.print(ownRows(`Written to ${showLine(path)}`, screen.columns).join('\n'));
  },
};

/** All that was said. Where no file has it, what the model still reads. */
function saidIn({ session, kept }: Pick<CommandContext, 'session' | 'kept'>): Pick<ExportedSession, 'items' | 'title'> {
  // A session that goes on has no conversation before its first message.
  const before = session.id === kept?.options.id ? kept.restored : undefined;
  const items = session.conversation?.items ?? before?.items ?? [];
  if (items.length === 0 || kept?.current() !== session.id) return { items, title: before?.title };
  const read = attempt(() => kept.store?.readSaid(session.id), undefined);
  // A file that can no longer be written lacks the end.
  const isWhole = read?.session.items.at(-1)?.id === items.at(-1)?.id;
  return read && isWhole ? { items: read.said, title: read.session.title } : { items, title: before?.title };
}

/** `plugboard-session-2026-11-18-140501.md` */
function defaultName(now: Date): string {
  const [day, time] = now.toISOString().split('T') as [string, string];
  return `plugboard-session-${day}-${time.slice(0, 8).replaceAll(':', '')}.md`;
}

const FORCE = '--force';
