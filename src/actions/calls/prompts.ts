import type { HostPrompt } from '../../host/host-prompts.js';
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
import type { ToldPart } from '../told.js';

interface ListedPrompts {
  readonly listing: Listing;
  readonly prompts: readonly HostPrompt[];
}

export const prompts: Action<typeof listingArgs, ListedPrompts> = defineAction({
  name: 'prompts',
  label: 'prompts',
  doing: 'listing prompts',
  summary: 'List the prompts of all servers, of one, or of a URL or command you give',
  args: listingArgs,
  needs: 'host',
  opening: listingOpening('prompts'),
  async run(on, { server }, context) {
    const place = hostOf(on);
    const listing = await listedServers(place, { action: 'prompts', server, lists: ['prompts'], context });
    const listed = await place.host.prompts({ signal: context.signal, server });
    if (!listed.ok) throw listed.error;
    return { listing, prompts: itemsOfListed(listing, listed.prompts) };
  },
  json: ({ listing, prompts: found }) => ({
    prompts: found.map(({ command, server, name, title = null, description, arguments: taken }) => ({
      command,
      server,
      name,
      title,
      description,
      arguments: taken.map((one) => ({ ...one, title: one.title ?? null })),
    })),
    errors: toErrors(listing),
    ...toMissing(listing.failed),
  }),
  tell: ({ listing, prompts: found }) =>
    tellListing(
      listing,
      listing.servers.flatMap(({ name }) =>
        toBlock(
          name,
          found.filter(({ server }) => server === name),
        ),
      ),
    ),
});

function toBlock(server: string, found: readonly HostPrompt[]): ToldPart[] {
  if (found.length === 0) return [];
  const rows = found.map((prompt) => {
    const taken = prompt.arguments.slice(0, 8).map(({ name, required }) => (required ? name : `[${name}]`));
    if (prompt.arguments.length > taken.length) taken.push('…');
    return [showLine([prompt.command, ...taken].join(' ')), showAbout(prompt)] as const;
  });
  return [{ kind: 'table', heading: showLine(`${server}: ${countOf(found.length, 'prompt')}`), rows }];
}
