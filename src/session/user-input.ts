import { HostError } from '../base/errors.js';
import type { Host } from '../host/host.js';
import type { ResolvedMentions } from '../host/host-mentions.js';
import { parseCommand } from '../model/view/prompt-commands.js';
import { gateLine } from '../model/text/text-gate.js';
import type { ContentBlock } from '../model/tool.js';
import type { Message, UserPart } from './message.js';

/** What is said to a model. Of a text that nobody typed, what it mentions is decided like a model's calls. */
export interface InputText {
  readonly typed: string;
  /** Stands behind the rest: from stdin, or from a program. */
  readonly piped: string;
}

/** What somebody typed, as messages to a model. */
export type ReadInput = { readonly notes: readonly string[] } & (
  | { readonly kind: 'messages'; readonly messages: readonly Message[] }
  | { readonly kind: 'failed'; readonly error: HostError }
);

/**
 * Reads what is mentioned as `@server:uri`, and asks servers for `/mcp__server__prompt args` where somebody typed that; in what a prompt
 * says nothing is read, because those are a server's words. Never rejects.
 */
export async function readInput(host: Host, { typed, piped }: InputText, signal: AbortSignal): Promise<ReadInput> {
  const prompt = await host.runPrompt(typed, { signal });
  if (prompt) {
    if (!prompt.ok) return { kind: 'failed', error: prompt.error, notes: [] };
    const messages = prompt.messages.flatMap(({ role, content }): Message[] => {
      const parts = toUserParts([content]);
      const said = parts.filter((part) => part.kind === 'text');
      // A model cannot have said a picture.
      if (role === 'assistant') return said.length === 0 ? [] : [{ role, parts: said }];
      return parts.length === 0 ? [] : [{ role: 'user', parts }];
    });
    const notes = prompt.notes.map(toNote);
    if (messages.length === 0) return { kind: 'failed', error: saysNothing(typed), notes };
    const said = betweenUsers(messages, typed);
    if (piped === '') return { kind: 'messages', messages: said, notes };
    const behind = await readPlain(host, { typed: '', piped }, signal);
    return { kind: 'messages', messages: withParts(said, behind.parts), notes: [...notes, ...behind.notes] };
  }
  const { parts, notes } = await readPlain(host, { typed, piped }, signal);
  return { kind: 'messages', messages: [{ role: 'user', parts }], notes };
}

/** No prompt of a server: what it mentions, what is to be told of that, and its words. */
async function readPlain(
  host: Host,
  { typed, piped }: InputText,
  signal: AbortSignal,
): Promise<{ readonly parts: readonly UserPart[]; readonly notes: readonly string[] }> {
  const text = [typed, piped].filter((part) => part !== '').join('\n\n');
  const { blocks, notes: found } = await readMentions(host, { typed, piped }, signal);
  const notes = [...(typed === '' ? unrunPrompt(piped) : []), ...found].map(toNote);
  // A model that is not told takes what is mentioned for something it has read.
  const told = notes.map((note): UserPart => ({ kind: 'text', text: `[From the host: ${note}]` }));
  return { parts: [...toUserParts(blocks), ...told, { kind: 'text', text }], notes };
}

/** Whoever writes to a pipe is not the user, whose word alone gets a prompt from a server without a question. */
function unrunPrompt(piped: string): readonly string[] {
  const name = parseCommand(piped)?.name;
  if (name?.startsWith('mcp__') !== true) return [];
  return [
    `/${name} is not run, because it was not typed: to run it, write it on the command line, plugboard -p "/${name}"`,
  ];
}

/** The last one is the user's. */
function withParts(messages: readonly Message[], parts: readonly UserPart[]): readonly Message[] {
  return messages.map((message, at) =>
    at === messages.length - 1 && message.role === 'user'
      ? { ...message, parts: [...message.parts, ...parts] }
      : message,
  );
}

async function readMentions(
  host: Host,
  { typed, piped }: InputText,
  signal: AbortSignal,
): Promise<Pick<ResolvedMentions, 'blocks' | 'notes'>> {
  const own = await host.resolveMentions(typed, { signal });
  if (piped === '') return own;
  const without = own.mentions;
  const others = await host.resolveMentions(piped, { signal, isTyped: false, without });
  return { blocks: [...own.blocks, ...others.blocks], notes: [...own.notes, ...others.notes] };
}

/** APIs want the user to begin and to have the last word: where a prompt does otherwise, what was typed stands there. */
function betweenUsers(messages: readonly Message[], text: string): readonly Message[] {
  const typed: Message = { role: 'user', parts: [{ kind: 'text', text }] };
  const isBegun = messages[0]?.role === 'user';
  const isEnded = messages.at(-1)?.role === 'user';
  return [...(isBegun ? [] : [typed]), ...messages, ...(isEnded ? [] : [typed])];
}

/** Blocks of MCP, shaped already: what is neither text nor picture has become a text that tells of it. */
export function toUserParts(blocks: readonly ContentBlock[]): readonly UserPart[] {
  return blocks.flatMap((block): UserPart[] => {
    const { type, text, data, mimeType } = block;
    if (type === 'text' && typeof text === 'string') return text.trim() === '' ? [] : [{ kind: 'text', text }];
    if (type === 'image' && typeof data === 'string') return [{ kind: 'image', data, mimeType: String(mimeType) }];
    const { resource, uri } = block as Linked;
    if (resource?.text !== undefined) return [{ kind: 'text', text: `[Resource ${resource.uri}]\n${resource.text}` }];
    return [{ kind: 'text', text: `[${String(type)} ${uri ?? resource?.uri ?? ''}]` }];
  });
}

/** What the connection has read of such a block already is of these types. */
interface Linked {
  readonly uri?: string;
  readonly resource?: { readonly uri?: string; readonly text?: string };
}

/** Without a word a model would be asked to answer what it has said itself. */
function saysNothing(text: string): HostError {
  const command = gateLine(text.trim().split(/\s/u, 1)[0]!, { limit: COMMAND_LIMIT }).text;
  return new HostError('bad-answer', `The prompt ${command} says nothing: its server gave no text and no image`, {
    hint: 'Give it other arguments, or say it in your own words',
  });
}

function toNote(note: string): string {
  return gateLine(note, { limit: NOTE_LIMIT }).text;
}

const NOTE_LIMIT = 500;
const COMMAND_LIMIT = 100;
