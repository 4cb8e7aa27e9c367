import { nearest } from '../base/nearest.js';
import { toHeadedBlocks } from '../connection/resource-blocks.js';
import { findMentions, type Mention } from '../model/mentions.js';
import { gateLine } from '../model/text-gate.js';
import type { ContentBlock } from '../model/tool.js';
import type { AskOptions } from './answered.js';
import { readHostResource } from './host-resources.js';
import type { OfferParts } from './offer-parts.js';

export interface ResolvedMentions {
  /** What stands in the text, those of servers that there are not left out. */
  readonly mentions: readonly Mention[];
  /** What a model is to read besides, in the order in which it is mentioned; to be shaped like any result. */
  readonly blocks: readonly ContentBlock[];
  /** What could not be read, and why. */
  readonly notes: readonly string[];
}

/** Reads every resource that a text mentions as `@server:uri`, each once. Never rejects. */
export async function resolveMentions(
  parts: OfferParts,
  text: string,
  options: AskOptions = {},
): Promise<ResolvedMentions> {
  if (!text.includes('@')) return NOTHING;
  const names = parts.connections().map(({ name }) => name);
  const found = findMentions(text, names);
  const mentions = found.filter(({ server }) => names.includes(server));
  const notes = found.filter((mention) => !mentions.includes(mention)).flatMap((mention) => misspelt(mention, names));
  const once = new Map(mentions.map((mention) => [JSON.stringify([mention.server, mention.uri]), mention]));
  const waiting = [...once.values()];
  const answers = new Map<Mention, readonly ContentBlock[]>();
  const readNext = async (): Promise<void> => {
    for (let mention = waiting.shift(); mention; mention = waiting.shift()) {
      const { server, uri } = mention;
      const read = await readHostResource(parts, { server, uri, ...options });
      if (read.ok) answers.set(mention, toHeadedBlocks(server, read));
      else notes.push(`@${server}:${shown(uri)} was not read: ${read.error.message}`);
    }
  };
  const readers = [...once.values()].slice(0, AT_ONCE).map(() => readNext());
  await Promise.all(readers);
  return { mentions, blocks: [...once.values()].flatMap((mention) => answers.get(mention) ?? []), notes };
}

const NOTHING: ResolvedMentions = { mentions: [], blocks: [], notes: [] };
const AT_ONCE = 4;

function shown(text: string): string {
  return gateLine(text, { limit: 300 }).text;
}

/** `@param:x` is a word of a programmer; `@githb:repo://x` was meant for a server. */
function misspelt({ server, uri }: Mention, names: readonly string[]): readonly string[] {
  const [close] = nearest(server, names);
  return close === undefined
    ? []
    : [`@${shown(server)}:${shown(uri)} was not read: there is no server "${shown(server)}"; did you mean "${close}"?`];
}
