import { HostError } from '../../base/errors.js';
import { shorten } from '../../base/shorten.js';
import { toHostError } from '../../base/to-host-error.js';
import type { Host } from '../../host/host.js';
import type { CallResult } from '../../host/host-options.js';
import type { ModelTurn } from '../../host/tools/model-views.js';
import { type ConversationItem, toItem } from '../conversation-items.js';
import type { ModelPort, ModelRequest, Usage } from '../model-port.js';
import { sectionsOf } from '../transcript.js';
import type { ContextGauge } from './context-gauge.js';
import { keptSearches } from './kept-searches.js';
import { planCut, unreadFrom } from './plan-cut.js';
import { summarise } from './summarise.js';
import { trimResults } from './trim-results.js';

export interface CompactOptions {
  readonly trigger: 'manual' | 'auto';
  readonly items: readonly ConversationItem[];
  readonly host: Host;
  readonly model: ModelPort;
  readonly view: ModelTurn;
  readonly gauge: ContextGauge;
  /** The context window in tokens: of the model, or as its provider has just said. */
  readonly window: number;
  readonly toRequest: (items: readonly ConversationItem[]) => ModelRequest;
  /** The provider has refused the conversation as it is: moving results to files is enough only if it saves much. */
  readonly isRefused?: boolean | undefined;
  /** What the user wants to have kept. */
  readonly instructions: string;
  /** Whether the summarised part is written to a file that the model can read. */
  readonly savesTranscript: boolean;
  readonly signal: AbortSignal;
  readonly onUsage: (usage: Usage) => void;
}

/** How a conversation has become shorter. */
export interface Compaction {
  /** Tokens of a request before. */
  readonly before: number;
  /** Tokens of a request afterwards, estimated. */
  readonly after: number;
  /** Undefined where it was enough to move results to files. */
  readonly summary: string | undefined;
  /** The file with what was summarised. */
  readonly transcript: string | undefined;
}

/** A compaction, and what is left of the conversation. */
export interface Compacted extends Compaction {
  readonly items: readonly ConversationItem[];
}

/**
 * Shortens a conversation: results that the model has read are replaced by where they are saved; where that is not
 * enough, older messages are replaced by a summary of the model. Tools and system text stay as they are. Rejects with a
 * HostError that says what to do; then nothing has changed.
 */
export async function compact(options: CompactOptions): Promise<Compacted> {
  const { items, trigger, gauge, toRequest, window, host, view, isRefused = false } = options;
  const before = gauge.tokensOf(toRequest(items));
  const write = view.toolResults;
  const large = Math.max(LARGE_LEAST, window * LARGE_SHARE * CHARACTERS);
  const trimmed = await trimResults(items, { host, large, write });
  const after = gauge.tokensOf(toRequest(trimmed));
  const isEnough = trimmed !== items && after <= Math.min(window * ROOMY, isRefused ? before * MUCH_LESS : Infinity);
  if (trigger === 'auto' && isEnough) {
    return { items: trimmed, before, after, summary: undefined, transcript: undefined };
  }
  return summariseOlder({ ...options, trimmed, before });
}

async function summariseOlder({
  trimmed,
  before,
  ...options
}: CompactOptions & { readonly trimmed: readonly ConversationItem[]; readonly before: number }): Promise<Compacted> {
  const { items, trigger, gauge, toRequest, window, view, signal, instructions } = options;
  const base = gauge.tokensOf(toRequest([]));
  const tokensOf = ({ message }: ConversationItem): number =>
    gauge.tokensOf({ tools: [], system: [], messages: [message] });
  const room = Math.max(0, window - base);
  const planned = planCut(trimmed, {
    tokensOf,
    budget: room * (trigger === 'auto' ? KEPT_SHARE : KEPT_SHARE_BY_HAND),
    unreadBudget: room * UNREAD_SHARE,
  });
  if (planned === undefined) throw notShorter('what the model has not read yet fills it', 'Ask for less at once');
  // A user may want even a short conversation summarised.
  const cut = trigger === 'manual' && !hasAnswer(items, planned) ? unreadFrom(items) : planned;
  const older = items.slice(0, cut);
  if (!hasAnswer(items, cut)) {
    throw base > window * BASE_SHARE ? notShorter('tools and instructions fill it') : nothingYet();
  }
  const fits = gauge.tokensOf(toRequest(older)) <= window * FITTING;
  const summary = await inContext(
    summarise(fits ? older : trimmed.slice(0, cut), {
      model: options.model,
      toRequest,
      tokensOf: (request) => gauge.tokensOf(request),
      window,
      instructions,
      signal,
      onUsage: options.onUsage,
    }),
  );
  const transcript = options.savesTranscript ? await saveTranscript(options.host, older) : undefined;
  const write = view.toolResults;
  const searches = keptSearches(trimmed.slice(0, cut), { budget: room * SEARCH_SHARE, tokensOf, write });
  const retold = view.retold();
  const made = [
    toSummaryItem(summary, { transcript, task: taskOf(items, cut), files: savedFiles(older) }),
    ...searches,
    ...(retold === undefined
      ? []
      : [toItem({ role: 'user', parts: [{ kind: 'text', text: retold }] }, { from: 'host' })]),
    ...trimmed.slice(cut),
  ];
  const after = gauge.tokensOf(toRequest(made));
  if (after >= before || after > window * FULL) throw notShorter('the summary saves too little');
  return { items: made, before, after, summary, transcript };
}

/** Whether the model has said anything in the first items. */
function hasAnswer(items: readonly ConversationItem[], end: number): boolean {
  return items.slice(0, end).some(({ message }) => message.role === 'assistant');
}

/** Says what to do beside why the model gave no summary. */
async function inContext(summary: Promise<string>): Promise<string> {
  try {
    return await summary;
  } catch (cause) {
    const error = toHostError(cause, 'The conversation could not be summarised');
    if (error.code === 'cancelled') throw error;
    throw new HostError(
      error.code,
      `The conversation stays as it is, because it could not be summarised: ${error.message}`,
      {
        hint: `/compact tries again, and takes words about what to keep; /clear begins a new conversation${error.hint ? `. ${error.hint}` : ''}`,
        cause,
      },
    );
  }
}

function nothingYet(): HostError {
  return new HostError('usage', 'There is nothing to summarise yet', { hint: 'Go on: there is room for more' });
}

function notShorter(why: string, what = 'Use fewer servers, a model with a larger context'): HostError {
  return new HostError('model-failed', `The conversation cannot be made shorter: ${why}`, {
    hint: `${what}, or begin a new conversation with /clear`,
  });
}

async function saveTranscript(host: Host, items: readonly ConversationItem[]): Promise<string | undefined> {
  const text = items.flatMap(({ stored }) => sectionsOf(stored)).join('\n\n');
  const [file] = await host.saveContent([{ type: 'text', text }]);
  return file?.path;
}

interface SummaryFacts {
  readonly transcript: string | undefined;
  /** The user's last message, if it was summarised while the model still works on it. */
  readonly task: string | undefined;
  /** Files with results, each with the tool that it came from. */
  readonly files: readonly string[];
}

function toSummaryItem(summary: string, { transcript, task, files }: SummaryFacts): ConversationItem {
  const head = `[From the host: the older part of this conversation was replaced by this summary, which you have written yourself.${
    transcript === undefined ? '' : ` The words themselves are in ${transcript}, which Read shows.`
  }]`;
  const texts = [
    `${head}\n\n${summary}`,
    ...(task === undefined ? [] : [`[From the host: you still work on this message of the user.]\n\n${task}`]),
    ...(files.length === 0
      ? []
      : [`[From the host: files with results of that part, which Read shows.]\n${files.join('\n')}`]),
  ];
  return toItem(
    { role: 'user', parts: texts.map((text) => ({ kind: 'text', text })) },
    {
      from: 'summary',
      files,
      ...(task !== undefined && { task }),
    },
  );
}

/** The user's last message where it is not kept, and the model still works on it. */
function taskOf(items: readonly ConversationItem[], cut: number): string | undefined {
  const asked = items.findLastIndex(({ stored }) => askedIn(stored) !== undefined);
  if (asked < 0 || asked >= cut || cut === items.length) return undefined;
  return askedIn(items[asked]!.stored);
}

/** What the user wants, as far as this item says so. */
function askedIn(stored: ConversationItem['stored']): string | undefined {
  if (stored.kind !== 'message' || stored.message.role !== 'user' || stored.from === 'host') return undefined;
  if (stored.from === 'summary') return stored.task;
  // A message may also hold what servers wrote: mentioned resources, prompts, skills.
  const words = stored.message.parts.map((part) => (part.kind === 'text' ? part.text : '[image]'));
  return shorten(stored.typed ?? words.join('\n\n'), TASK_LENGTH);
}

/** The files that the model has read of: a hook may have taken away a result together with where it is saved. */
function toldFiles({ name, saved, content }: CallResult): readonly string[] {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const told = saved.filter(({ path }) => texts.some((text) => text.includes(path)));
  return told.map(({ path, mimeType }) => `- ${path} (${mimeType}, of ${name})`);
}

function savedFiles(items: readonly ConversationItem[]): readonly string[] {
  const lines = items.flatMap(({ stored }) =>
    stored.kind === 'results' ? stored.results.flatMap((result) => toldFiles(result)) : (stored.files ?? []),
  );
  return [...new Set(lines)].slice(-FILES);
}

const CHARACTERS = 4; // for each token
const LARGE_LEAST = 1_000; // characters; moving less saves nothing
const LARGE_SHARE = 0.01; // of the window: a result that is larger is worth a file
const ROOMY = 0.6; // of the window: enough for a while
const MUCH_LESS = 0.6; // of what was refused
const FITTING = 0.85; // of the window: a request that is not cut
const KEPT_SHARE = 0.2; // of the room for messages: the newest ones, word for word
const KEPT_SHARE_BY_HAND = 0.1;
const UNREAD_SHARE = 0.6;
const SEARCH_SHARE = 0.1;
const BASE_SHARE = 0.7;
const FULL = 0.8;
const TASK_LENGTH = 4_000;
const FILES = 50;
