import type { Scope } from '../scope.js';
import { NO_SERVERS } from '../entries/servers.js';

/** Servers in files of other hosts: every load reads these again, and nothing is written there. */
export const linked: Scope = {
  name: 'linked',
  label: "Linked config (other hosts' files, read live)",
  async read(reader) {
    if (reader.settings.links.length === 0) return NO_SERVERS;
    // A dozen formats that few people link, so they are imported only when needed.
    const { readLinks } = await import('../links.js');
    return readLinks(reader);
  },
};
