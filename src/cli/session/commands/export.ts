import { outFile } from '../../../actions/files/out-file.js';
import { HostError } from '../../../base/errors.js';
import { showLine } from '../../../model/show.js';
import type { Command } from '../command.js';
import { ownRows } from '../display/quoted-rows.js';

export const exportCommand: Command = {
  name: 'export',
  usage: '[FILE] [--force]',
  summary: 'Write the conversation to a file: Markdown, or JSON for a name that ends in .json',
  async run({ session, kept, config, screen, io }, words) {
    const names = words.filter((word) => word !== FORCE);
    if (names.length > 1) throw new HostError('usage', '/export takes one file', { hint: '/export FILE' });
    // A session that goes on has no conversation before its first message.
    const before = session.id === kept?.options.id ? kept.restored?.items : undefined;
    const items = session.conversation?.items ?? before ?? [];
    if (items.length === 0) {
      throw new HostError('usage', 'There is no conversation to export', { hint: 'Write to the model first' });
    }
    const { exportSession } = await import('../../../session/index.js');
    const path = await outFile(names[0] ?? defaultName(io.now()), config);
    const { id, model } = session;
    const exported = { id, cwd: config.cwd, model: model?.name, items, exported: io.now() };
    await exportSession(exported, path, { isForced: words.includes(FORCE) });
    screen.print(ownRows(`Written to ${showLine(path)}`, screen.columns).join('\n'));
  },
};

/** `plugboard-session-2026-11-18-140501.md` */
function defaultName(now: Date): string {
  const [day, time] = now.toISOString().split('T') as [string, string];
  return `plugboard-session-${day}-${time.slice(0, 8).replaceAll(':', '')}.md`;
}

const FORCE = '--force';
