import { isConnectionHeader } from '../../model/connection-headers.js';
import type { FieldIssue } from '../../transports/kind.js';
import type { ServerConfig } from '../../transports/kinds.js';
import { isForeignEntry, type Provenance } from '../entries/foreign.js';
import type { ScopeName } from '../scope.js';

/** Only the user may set headers that say where a request goes: the user's credentials would go there, too. */
export function foreignHeaders(config: ServerConfig, source: Provenance): readonly FieldIssue[] {
  if (!('headers' in config) || !isForeignEntry(source)) return [];
  return Object.keys(config.headers)
    .filter(isConnectionHeader)
    .map((header) => ({
      severity: 'error',
      path: ['headers', header],
      message: `the header ${JSON.stringify(header)} says where a request goes or how it travels, which ${WHO[source.scope] ?? 'a project file'} may not decide`,
      hint: 'Take it out; if you need it, put the entry into your own config: plugboard add -s user',
    }));
}

const WHO: Readonly<Partial<Record<ScopeName, string>>> = {
  linked: 'a linked file',
  plugin: 'a plugin',
  connectors: 'a catalogue of connectors',
};
