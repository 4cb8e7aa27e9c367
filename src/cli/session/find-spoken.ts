import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import { within } from '../../base/within.js';
import type { Connection } from '../../connection/connection.js';
import type { Host } from '../../host/host.js';
import { hasNotTold, notTold } from '../../host/unknown-tool.js';

/** A tool of a server that somebody has named. */
export type SpokenTool = ReturnType<Host['tools']>[number];

/**
 * The tool that a word means: `server.tool`, `mcp__server__tool`, or the name of a tool that one server only has. What is known already is not waited
 * for, and of the others only who could have it. Throws a HostError where there is none.
 */
export async function findSpoken(word: string, host: Host, signal: AbortSignal): Promise<SpokenTool> {
  const known = pick(word, host);
  if (known) return known;
  const owners = ownersOf(word, host);
  for (const connection of owners) if (connection.status.kind === 'idle') connection.start('use');
  await within(Promise.all(owners.map((connection) => connection.settled())), { signal, instead: () => [] });
  if (signal.aborted) throw new HostError('cancelled', `Stopped while looking for "${word}"`);
  const found = pick(word, host);
  if (found) return found;
  // Who is named and could not be asked may have it.
  const [owner] = owners;
  if (owners.length === 1 && owner && isNamed(word, owner)) {
    if ('error' in owner.status) throw owner.status.error;
    if (hasNotTold(owner)) throw notTold(owner, `Tool "${word}" is not known`);
  }
  throw noTool(word, host);
}

function pick(word: string, host: Host): SpokenTool | undefined {
  const tools = host.tools();
  const exact = tools.find(({ name, server, tool }) => name === word || `${server}.${tool}` === word);
  if (exact) return exact;
  const bare = tools.filter(({ tool }) => tool === word);
  if (bare.length <= 1) return bare[0];
  throw new HostError('unknown-tool', `${bare.length} servers have a tool "${word}"`, {
    hint: `Say which one is meant: ${bare
      .slice(0, SHOWN)
      .map(({ server }) => `${server}.${word}`)
      .join(' or ')}`,
  });
}

/** The server that the word begins with; all of them where it begins with none. */
function ownersOf(word: string, host: Host): readonly Connection[] {
  const names = new Set(host.servers().map(({ name }) => name));
  const running = [...names].flatMap((name) => host.connection(name) ?? []);
  const named = running.filter((connection) => isNamed(word, connection));
  return named.length > 0 ? named : running;
}

function isNamed(word: string, { name }: Connection): boolean {
  return word.startsWith(`${name}.`) || word.startsWith(`mcp__${name}__`);
}

function noTool(word: string, host: Host): HostError {
  const tools = host.tools();
  const [close] = nearest(
    word,
    word.startsWith('mcp__')
      ? tools.map(({ name }) => name)
      : tools.flatMap(({ server, tool }) => [`${server}.${tool}`, tool]),
  );
  return new HostError('unknown-tool', `No server has a tool "${word}"`, {
    hint: close === undefined ? '/tools shows which there are' : `Did you mean ${close}?`,
  });
}

const SHOWN = 5;
