import type { HostResource, HostTemplate } from '../../host/host-resources.js';
import { countOf, showAbout, showLine } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { hostOf } from '../action-place.js';
import {
  itemsOfListed,
  type Listing,
  listingArgs,
  listingOpening,
  listedServers,
  tellListing,
  toErrors,
  toMissing,
} from '../servers/listing.js';
import type { ToldPart, ToldRow } from '../told.js';

interface ListedResources {
  readonly listing: Listing;
  readonly resources: readonly HostResource[];
  readonly templates: readonly HostTemplate[];
}

export const resources: Action<typeof listingArgs, ListedResources> = defineAction({
  name: 'resources',
  label: 'resources',
  doing: 'listing resources',
  summary: 'List the resources of all servers, of one, or of a URL or command you give',
  args: listingArgs,
  needs: 'host',
  opening: listingOpening('resources'),
  async run(on, { server }, context) {
    const place = hostOf(on);
    const options = { action: 'resources', server, lists: ['resources', 'templates'], context } as const;
    const listing = await listedServers(place, options);
    const listed = await place.host.resources({ signal: context.signal, server });
    if (!listed.ok) throw listed.error;
    return {
      listing,
      resources: itemsOfListed(listing, listed.resources),
      templates: itemsOfListed(listing, listed.templates),
    };
  },
  json: ({ listing, resources: found, templates }) => ({
    resources: found.map(({ server, uri, name, title = null, description, mimeType = null, size = null }) => ({
      server,
      uri,
      name,
      title,
      description,
      mimeType,
      size,
    })),
    templates: templates.map(
      ({ server, uriTemplate, name, title = null, description, mimeType = null, variables }) => ({
        server,
        uriTemplate,
        name,
        title,
        description,
        mimeType,
        variables,
      }),
    ),
    errors: toErrors(listing),
    ...toMissing(listing.failed),
  }),
  tell: ({ listing, resources: found, templates }) =>
    tellListing(
      listing,
      listing.servers.flatMap(({ name }) => {
        const isOwn = ({ server }: { readonly server: string }): boolean => server === name;
        return toBlock(name, found.filter(isOwn), templates.filter(isOwn));
      }),
    ),
});

function toBlock(server: string, found: readonly HostResource[], templates: readonly HostTemplate[]): ToldPart[] {
  if (found.length + templates.length === 0) return [];
  const counts = [
    ...(found.length > 0 ? [countOf(found.length, 'resource')] : []),
    ...(templates.length > 0 ? [countOf(templates.length, 'template')] : []),
  ];
  const rows = [...found.map((one) => toRow(one.uri, one)), ...templates.map((one) => toRow(one.uriTemplate, one))];
  return [{ kind: 'table', heading: showLine(`${server}: ${counts.join(', ')}`), rows }];
}

function toRow(uri: string, { server, name, title, description, mimeType }: HostTemplate | HostResource): ToldRow {
  const about = showAbout({ description, title }, name);
  return [showLine(uri), mimeType === undefined ? about : showLine(`${about} (${mimeType})`), { server, uri }];
}
