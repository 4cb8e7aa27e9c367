import type { HostError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import { toHeadedBlocks } from '../connection/requests/resource-blocks.js';
import { findMentions, type Mention } from '../model/view/mentions.js';
import { gateLine } from '../model/text/text-gate.js';
import type { ContentBlock } from '../model/content/content-block.js';
import type { AskOptions } from './answered.js';
import type { InConversation } from './host-options.js';
import { readHostResource } from './host-resources.js';
import { shapeResult } from '../results/shape-result.js';
import type { RequestParts } from './servers/server-requests.js';
import type { ShapeSettings } from './steps/shape.js';

/** Options of `host.resolveMentions`. */
export interface MentionOptions extends AskOptions, InConversation {
  /**
   * Whether a person typed the text, which approves reading what it mentions (the default). `false`: the text came from
   * elsewhere, and what it mentions is decided like a model's calls.
   */
  readonly isTyped?: boolean | undefined;
  /** Mentions that have been read already. */
  readonly without?: readonly Mention[] | undefined;
}

/** What the mentions of a text have become. */
export interface ResolvedMentions {
  /** The mentions in the text, without those of servers that do not exist. */
  readonly mentions: readonly Mention[];
  /** The resources for the model, in the order of their mentions; shaped like any result. */
  readonly blocks: readonly ContentBlock[];
  /** What could not be read, and why. */
  readonly notes: readonly string[];
}

/** Reads every resource that a text mentions as `@server:uri`, each once, shaped by `shaping`. Never rejects. */
export async function resolveMentions(
  parts: RequestParts,
  shaping: ShapeSettings,
  { text, without = [], ...options }: MentionOptions & { readonly text: string },
): Promise<ResolvedMentions> {
  if (!text.includes('@')) return NOTHING;
  const names = parts.runningServers().map(({ name }) => name);
  const found = findMentions(text, names);
  const mentions = found.filter(({ server }) => names.includes(server));
  const notes = found.filter((mention) => !mentions.includes(mention)).flatMap((mention) => misspelt(mention, names));
  const once = new Map(mentions.map((mention) => [keyOf(mention), mention]));
  for (const mention of without) once.delete(keyOf(mention));
  const waiting = [...once.values()];
  const answers = new Map<Mention, readonly ContentBlock[]>();
  const readNext = async (): Promise<void> => {
    for (let mention = waiting.shift(); mention; mention = waiting.shift()) {
      const { server, uri } = mention;
      const read = await readHostResource(parts, { server, uri, ...options });
      if (read.ok) answers.set(mention, toHeadedBlocks(server, read));
      else notes.push(`@${server}:${shown(uri)} was not read: ${read.error.message}${hintOf(read.error)}`);
    }
  };
  const readers = [...once.values()].slice(0, AT_ONCE).map(() => readNext());
  await Promise.all(readers);
  const blocks = [...once.values()].flatMap((mention) => answers.get(mention) ?? []);
  if (blocks.length === 0) return { mentions, blocks, notes };
  const read = { outcome: 'ok', content: blocks, saved: [], notes: [], attempts: 1 } as const;
  const shaped = await shapeResult(read, { ...shaping, name: 'resources', server: undefined });
  return { mentions, blocks: shaped.content, notes: [...notes, ...shaped.notes] };
}

const NOTHING: ResolvedMentions = { mentions: [], blocks: [], notes: [] };
const AT_ONCE = 4;

function keyOf({ server, uri }: Mention): string {
  return JSON.stringify([server, uri]);
}

function shown(text: string): string {
  return gateLine(text, { limit: 300 }).text;
}

/** The hint of a denied read, which says how to permit it. */
function hintOf({ code, hint }: HostError): string {
  return code === 'denied' && hint !== undefined ? `. ${hint}` : '';
}

/** A mention of an unknown server is reported if a server's name is similar: `@githb:repo://x`, but not `@param:x`. */
function misspelt({ server, uri }: Mention, names: readonly string[]): readonly string[] {
  const [close] = nearest(server, names);
  return close === undefined
    ? []
    : [`@${shown(server)}:${shown(uri)} was not read: there is no server "${shown(server)}"; did you mean "${close}"?`];
}
