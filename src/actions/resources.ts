import { countOf, showLine } from '../model/show.js';
import type { HostResource, HostTemplate } from '../host/host-resources.js';
import { listAction } from './listing.js';

export const resources = listAction({
  name: 'resources',
  summary: 'Show what there is to read, of every server, of one, or of one that is configured nowhere',
  lists: ['resources', 'templates'],
  async show(host, servers) {
    const listed = await host.resources();
    if (!listed.ok) throw listed.error;
    const isListed = ({ server }: { readonly server: string }): boolean => servers.some(({ name }) => name === server);
    const found = listed.resources.filter(isListed);
    const templates = listed.templates.filter(isListed);
    const tables = servers.map(({ name }) => {
      const own = found.filter(({ server }) => server === name);
      const blanks = templates.filter(({ server }) => server === name);
      const counts = [
        ...(own.length > 0 ? [countOf(own.length, 'resource')] : []),
        ...(blanks.length > 0 ? [countOf(blanks.length, 'template')] : []),
      ];
      const rows = [
        ...own.map((one) => [showLine(one.uri), about(one)] as const),
        ...blanks.map((one) => [showLine(one.uriTemplate), about(one)] as const),
      ];
      return { kind: 'table', heading: showLine(`${name}: ${counts.join(', ')}`), rows } as const;
    });
    return {
      json: { resources: found.map(toResourceRow), templates: templates.map(toTemplateRow) },
      tables: tables.filter(({ rows }) => rows.length > 0),
    };
  },
});

function toResourceRow({ server, uri, name, title, description, mimeType, size }: HostResource): object {
  return { server, uri, name, title: title ?? null, description, mimeType: mimeType ?? null, size: size ?? null };
}

function toTemplateRow({ server, uriTemplate, name, title, description, mimeType, variables }: HostTemplate): object {
  return { server, uriTemplate, name, title: title ?? null, description, mimeType: mimeType ?? null, variables };
}

function about({ name, title, description, mimeType }: HostTemplate | HostResource): string {
  const said = description.trim().split('\n')[0] || title || name;
  return showLine(mimeType === undefined ? said : `${said} (${mimeType})`);
}
