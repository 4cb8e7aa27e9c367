import type { ServerToolDefinition } from '../../connection/catalog/tool-definition.js';
import type { DriftDetail } from '../../host/calls/drift.js';
import type { Host } from '../../host/host.js';
import { inside } from '../../host/inside.js';
import { countOf, showAbout, showLine, showName } from '../../model/show.js';
import { driftSentence } from '../../model/pins/drift-text.js';
import { shownHints } from '../../model/view/shown-hints.js';
import { setAsideText, UNREAD_STEP } from '../../model/text/set-aside-text.js';
import { defersTools, toTokens } from '../../model/text/tokens.js';
import { type Action, defineAction } from '../action.js';
import { hostOf } from '../action-place.js';
import {
  type Listing,
  listingArgs,
  listingOpening,
  listedServers,
  tellListing,
  toErrors,
  toMissing,
} from '../servers/listing.js';
import type { ToldNote, ToldPart } from '../told.js';

interface ListedTools {
  readonly listing: Listing;
  /** The tools of each server for a person, or all their schemas. */
  readonly blocks: readonly ToldPart[];
  /** The tools with the names that models see, and their size in the context. */
  readonly rows: readonly object[];
  readonly setAside: ReturnType<Host['setAside']>;
  readonly drifts: readonly { readonly server: string; readonly drift: DriftDetail }[];
}

interface ServerTools {
  readonly server: string;
  readonly protocol: string;
  readonly tools: readonly ServerToolDefinition[];
}

const args = {
  ...listingArgs,
  schema: { kind: 'flag', summary: 'the JSON schemas of the tools, as their servers wrote them' },
} as const;

export const tools: Action<typeof args, ListedTools> = defineAction({
  name: 'tools',
  label: 'tools',
  doing: 'listing tools',
  summary: 'List the tools of all servers, of one, or of a URL or command you give',
  args,
  needs: 'host',
  opening: listingOpening('tools'),
  async run(on, { server: name, schema }, context) {
    const place = hostOf(on);
    const { host } = place;
    const listing = await listedServers(place, { action: 'tools', server: name, lists: ['tools'], context });
    // The host of a session has other servers too.
    const failed = new Set(listing.failed.map(({ server }) => server));
    // A list that could not be used is told of as an error.
    const setAside = host
      .setAside()
      .filter(({ server, tool }) => (name === undefined || server === name) && !(tool === '' && failed.has(server)));
    const aside = new Set(setAside.map(({ server, tool }) => keyOf(server, tool)));
    const found = listing.servers.map((server) => toolsOf(server, aside));
    const drifts = listing.servers.flatMap(({ name: server }) => {
      const drift = host.drift(server);
      return drift ? [{ server, drift }] : [];
    });
    const blocks = schema ? [await schemaText(found)] : await Promise.all(found.map(toBlock));
    return { listing, blocks, rows: toRows(found, host), setAside, drifts };
  },
  json: ({ listing, rows, setAside, drifts }) => ({
    tools: rows,
    setAside,
    ...(drifts.length > 0 && { drift: drifts.map(({ server, drift }) => ({ server, ...drift })) }),
    errors: toErrors(listing),
    ...toMissing(listing.failed),
  }),
  tell: ({ listing, blocks, setAside, drifts }) =>
    tellListing(listing, blocks, [
      ...setAsideNotes(setAside, new Set(drifts.map(({ server }) => server))),
      ...drifts.map(({ server, drift }) => showLine(`warning: ${driftSentence(server, drift)}`)),
    ]),
});

/** The last tool of a server has the hint. What mcp.lock sets aside has one in the sentence about the lock. */
function setAsideNotes(setAside: ListedTools['setAside'], drifted: ReadonlySet<string>): readonly ToldNote[] {
  return setAside.map((one, at) => {
    const { server, unread } = one;
    const hint = `Report this to the server's author; see the definitions: plugboard tools ${showName(server)} --json`;
    const isHinted = setAside[at + 1]?.server !== server && !drifted.has(server);
    const text = showLine(`"${server}": ${setAsideText(one, 'set aside')}`);
    return { severity: 'warning', text, ...(unread ? { hint: UNREAD_STEP } : isHinted && { hint }) };
  });
}

function toolsOf({ name: server, catalog }: Listing['servers'][number], aside: ReadonlySet<string>): ServerTools {
  const found = catalog.toolDefinitions(catalog.tools.map((tool) => tool.name));
  const shown = found.filter(({ name }) => !aside.has(keyOf(server, name)));
  return { server, protocol: catalog.protocol ?? '?', tools: shown };
}

function keyOf(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

function toRows(listed: readonly ServerTools[], host: Host): object[] {
  const known = new Map(host.tools().map((tool) => [keyOf(tool.server, tool.tool), tool]));
  const rows = listed.flatMap(({ server, tools: found }) =>
    found.map(({ name, description, inputSchema, outputSchema, title, hints, marks }) => {
      const { name: called, load = 'deferred' } = known.get(keyOf(server, name)) ?? {};
      const tokens = toTokens({ name: called, description, inputSchema });
      return {
        name: called,
        server,
        tool: name,
        title: title ?? null,
        description,
        inputSchema,
        ...(outputSchema && { outputSchema }),
        hints: shownHints(hints, marks),
        load,
        tokens,
      };
    }),
  );
  const total = rows.reduce((sum, { tokens }) => sum + tokens, 0);
  const isDeferred = defersTools(host[inside].loaded.settings.toolSearch, total);
  return isDeferred ? rows : rows.map((row) => ({ ...row, load: 'always' }));
}

/** Imported when needed, because `--help` loads this file. */
async function toBlock({ server, protocol, tools: found }: ServerTools): Promise<ToldPart> {
  const { toolSignature } = await import('../../model/source/signature.js');
  const heading = showLine(`${server}: ${countOf(found.length, 'tool')} (protocol ${protocol})`);
  const rows = found.map((tool) => [showLine(toolSignature(tool.name, tool.inputSchema)), showAbout(tool)] as const);
  return { kind: 'table', heading, rows };
}

async function schemaText(listed: readonly ServerTools[]): Promise<ToldPart> {
  const { jsonText } = await import('../../model/source/source-text.js');
  const all = listed.flatMap(({ server, tools: found }) =>
    found.map(({ name: tool, inputSchema, outputSchema }) => ({
      server,
      tool,
      inputSchema,
      ...(outputSchema && { outputSchema }),
    })),
  );
  return { kind: 'text', text: jsonText(all) };
}
