import type { HostResource, HostTemplate } from '../../host/host-resources.js';
import { adHocOptions } from '../ad-hoc.js';
import { toRows } from '../screen-text.js';
import { countOf, showLine } from '../../model/show.js';
import { screenColumns } from '../style.js';
import type { Verb } from '../verb.js';

export const resources: Verb = {
  name: 'resources',
  usage: '[SERVER | URL | -- COMMAND ARGS]',
  summary: 'Show what there is to read, of every server, of one, or of one that is configured nowhere',
  takesCommand: true,
  wordsBeforeCommand: 0,
  options: adHocOptions,
  completes: 'server',
  examples: [
    'plugboard resources',
    'plugboard resources docs --json',
    'plugboard resources -- npx -y @modelcontextprotocol/server-everything',
  ],
  async run(given, io) {
    const { withListing } = await import('../with-servers.js');
    return withListing({ given, io, lists: ['resources', 'templates'] }, async ({ run, servers }) => {
      const listed = await run.host.resources();
      if (!listed.ok) throw listed.error;
      const names = servers.map(({ name }) => name);
      const found = listed.resources.filter(({ server }) => names.includes(server));
      const templates = listed.templates.filter(({ server }) => names.includes(server));
      return {
        data: { resources: found.map(toResourceRow), templates: templates.map(toTemplateRow) },
        text: names
          .map((name) => {
            const own = found.filter(({ server }) => server === name);
            const blanks = templates.filter(({ server }) => server === name);
            return describe(name, own, blanks, screenColumns(io.stdout));
          })
          .filter((text) => text !== '')
          .join('\n\n'),
      };
    });
  },
};

function toResourceRow({ server, uri, name, title, description, mimeType, size }: HostResource): object {
  return { server, uri, name, title: title ?? null, description, mimeType: mimeType ?? null, size: size ?? null };
}

function toTemplateRow({ server, uriTemplate, name, title, description, mimeType, variables }: HostTemplate): object {
  return { server, uriTemplate, name, title: title ?? null, description, mimeType: mimeType ?? null, variables };
}

function describe(
  server: string,
  found: readonly HostResource[],
  templates: readonly HostTemplate[],
  columns: number,
): string {
  if (found.length + templates.length === 0) return '';
  const counts = [
    ...(found.length > 0 ? [countOf(found.length, 'resource')] : []),
    ...(templates.length > 0 ? [countOf(templates.length, 'template')] : []),
  ];
  const rows = [
    ...found.map((one) => [showLine(one.uri), about(one)] as const),
    ...templates.map((one) => [showLine(one.uriTemplate), about(one)] as const),
  ];
  return [showLine(`${server}: ${counts.join(', ')}`), ...toRows(rows, columns)].join('\n');
}

function about({ name, title, description, mimeType }: HostTemplate | HostResource): string {
  const said = description.trim().split('\n')[0] || title || name;
  return showLine(mimeType === undefined ? said : `${said} (${mimeType})`);
}
