import type { JsonObject } from '../base/json.js';
import { HostError } from '../base/errors.js';
import type { Host } from '../host/host.js';
import type { ResolvedMentions } from '../host/host-mentions.js';
import type { RunSkill } from '../host/host-skill-command.js';
import { parseSkillCommand } from '../model/view/skill-command.js';
import { parseCommand } from '../model/view/prompt-commands.js';
import { gateLine } from '../model/text/text-gate.js';
import type { Message, UserPart } from './message.js';

/** The user's input. Mentions in text that the user did not type are decided like calls of the model. */
export interface InputText {
  readonly typed: string;
  /** From stdin or another program; comes after the rest. */
  readonly piped: string;
  /** Where nothing is typed, a prompt or skill that `piped` names is got, and decided about like a call of the model. */
  readonly mayRun?: boolean | undefined;
  /** The conversation of the flow guard that the model reads it in. */
  readonly conversation?: string | undefined;
}

export type ReadInput = { readonly notes: readonly string[] } & (
  | { readonly kind: 'messages'; readonly messages: readonly Message[] }
  | { readonly kind: 'failed'; readonly error: HostError }
);

/**
 * Reads `@server:uri` mentions, and gets `/mcp__server__prompt args` and the skill of `/skills NAME text` from their
 * servers if the user typed them, or `mayRun`. Mentions in what a server wrote are not read. Never rejects.
 */
export async function readInput(host: Host, input: InputText, signal: AbortSignal): Promise<ReadInput> {
  const { typed, piped, mayRun, conversation } = input;
  const isPiped = typed === '' && mayRun === true;
  const [command, behind] = isPiped ? [piped, ''] : [typed, piped];
  const prompt = await host.runPrompt(command, { signal, isTyped: !isPiped, conversation });
  if (prompt) {
    if (!prompt.ok) return { kind: 'failed', error: prompt.error, notes: [] };
    const messages = prompt.messages.flatMap(({ role, content }): Message[] => {
      const parts = toUserParts([content]);
      const said = parts.filter((part) => part.kind === 'text');
      // An assistant message cannot contain an image.
      if (role === 'assistant') return said.length === 0 ? [] : [{ role, parts: said }];
      return parts.length === 0 ? [] : [{ role: 'user', parts }];
    });
    const notes = prompt.notes.map(toNote);
    if (messages.length === 0) return { kind: 'failed', error: saysNothing(command), notes };
    const said = betweenUsers(messages, command);
    if (behind === '') return { kind: 'messages', messages: said, notes };
    const rest = await readPlain(host, { typed: '', piped: behind, conversation }, signal);
    return { kind: 'messages', messages: withParts(said, rest.parts), notes: [...notes, ...rest.notes] };
  }
  const skill = await host.runSkill(command, { signal, isTyped: !isPiped, conversation });
  if (skill && !skill.ok) return { kind: 'failed', error: skill.error, notes: [] };
  const { parts, notes } = await readPlain(host, input, signal);
  const said = [...toUserParts(skill?.blocks ?? []), ...parts];
  return { kind: 'messages', messages: [{ role: 'user', parts: said }], notes: [...skillNotes(skill), ...notes] };
}

function skillNotes(skill: Pick<RunSkill, 'notes'> | undefined): readonly string[] {
  return (skill?.notes ?? []).map(toNote);
}

/** For input that is no prompt: the mentioned resources, notes about them, and the text. */
async function readPlain(
  host: Host,
  { typed, piped, mayRun, conversation }: InputText,
  signal: AbortSignal,
): Promise<{ readonly parts: readonly UserPart[]; readonly notes: readonly string[] }> {
  const text = [typed, piped].filter((part) => part !== '').join('\n\n');
  const { blocks, notes: found } = await readMentions(host, { typed, piped, conversation }, signal);
  const isUnrun = typed === '' && mayRun !== true;
  const notes = [...(isUnrun ? unrunPrompt(piped) : []), ...found].map(toNote);
  // Without the note, a model takes a mention for something that it has read.
  const told = notes.map((note): UserPart => ({ kind: 'text', text: `[From the host: ${note}]` }));
  return { parts: [...toUserParts(blocks), ...told, { kind: 'text', text }], notes };
}

/** A prompt or skill is fetched without a question only when the user typed it, which piped text is not. */
function unrunPrompt(piped: string): readonly string[] {
  const skill = parseSkillCommand(piped);
  const name = skill ? `skills ${skill.skill}` : parseCommand(piped)?.name;
  if (!skill && name?.startsWith('mcp__') !== true) return [];
  return [
    `/${name} is not run, because it was not typed: to run it, write it on the command line, plugboard -p "/${name}"`,
  ];
}

/** Adds parts to the last message, which is the user's. */
function withParts(messages: readonly Message[], parts: readonly UserPart[]): readonly Message[] {
  return messages.map((message, at) =>
    at === messages.length - 1 && message.role === 'user'
      ? { ...message, parts: [...message.parts, ...parts] }
      : message,
  );
}

async function readMentions(
  host: Host,
  { typed, piped, conversation }: InputText,
  signal: AbortSignal,
): Promise<Pick<ResolvedMentions, 'blocks' | 'notes'>> {
  const own = await host.resolveMentions(typed, { signal, conversation });
  if (piped === '') return own;
  const without = own.mentions;
  const others = await host.resolveMentions(piped, { signal, isTyped: false, without, conversation });
  return { blocks: [...own.blocks, ...others.blocks], notes: [...own.notes, ...others.notes] };
}

/** APIs require the user's message first and last: where a prompt's messages differ, the typed text is put there. */
function betweenUsers(messages: readonly Message[], text: string): readonly Message[] {
  const typed: Message = { role: 'user', parts: [{ kind: 'text', text }] };
  const isBegun = messages[0]?.role === 'user';
  const isEnded = messages.at(-1)?.role === 'user';
  return [...(isBegun ? [] : [typed]), ...messages, ...(isEnded ? [] : [typed])];
}

/** Converts MCP content blocks; what is neither text nor image becomes a text that describes it. */
export function toUserParts(blocks: readonly JsonObject[]): readonly UserPart[] {
  return blocks.flatMap((block): UserPart[] => {
    const { type, text, data, mimeType } = block;
    if (type === 'text' && typeof text === 'string') return text.trim() === '' ? [] : [{ kind: 'text', text }];
    if (type === 'image' && typeof data === 'string') return [{ kind: 'image', data, mimeType: String(mimeType) }];
    const { resource, uri } = block as Linked;
    if (resource?.text !== undefined) return [{ kind: 'text', text: `[Resource ${resource.uri}]\n${resource.text}` }];
    return [{ kind: 'text', text: `[${String(type)} ${uri ?? resource?.uri ?? ''}]` }];
  });
}

/** The fields of such a block, whose types the connection has already checked. */
interface Linked {
  readonly uri?: string;
  readonly resource?: { readonly uri?: string; readonly text?: string };
}

/** A prompt without any content would leave the model to answer its own words. */
function saysNothing(text: string): HostError {
  const command = gateLine(text.trim().split(/\s/u, 1)[0]!, { limit: COMMAND_LIMIT }).text;
  return new HostError('bad-answer', `The prompt ${command} says nothing: its server gave no text and no image`, {
    hint: 'Give the prompt other arguments, or write it in your own words',
  });
}

function toNote(note: string): string {
  return gateLine(note, { limit: NOTE_LIMIT }).text;
}

const NOTE_LIMIT = 500;
const COMMAND_LIMIT = 100;
