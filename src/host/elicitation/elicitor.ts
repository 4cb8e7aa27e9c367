import { isObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import { type QuestionOutcome, QuestionQueue } from '../../guard/question-queue.js';
import type { Clock } from '../../model/clock.js';
import {
  type AnsweredElicitation,
  COMPLETED,
  type Elicitation,
  type ElicitationReply,
} from '../../model/hooks/hook-call.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { Ports } from '../ports.js';
import { ElicitationCompletions, type Expected } from './completions.js';

export interface ElicitationQueueOptions {
  readonly clock: Clock;
  /** The first answer that a hook gives for the user; undefined when none does. Contract: never rejects. */
  readonly byHooks: (question: Elicitation, signal: AbortSignal | undefined) => Promise<ElicitationReply | undefined>;
  /** The answer as hooks leave it; undefined when there are none. Contract: never rejects. */
  readonly afterHooks?: (
    answered: AnsweredElicitation,
    signal: AbortSignal | undefined,
  ) => Promise<ElicitationReply | undefined>;
  /** Asks the user; see `Ports`. Contract: stops waiting when the signal aborts. Without it nobody can be asked. */
  readonly elicit?: Ports['elicit'];
  /** Whether `elicit` accepts forms that ask for secrets: it shows the warnings, and hides what is typed. */
  readonly takesSecrets?: boolean | undefined;
  /** Reports a problem to the program that runs the host. Contract: must not throw. */
  readonly tell: (message: string) => void;
}

/**
 * Answers the elicitations of all servers: by hooks, then by the user, one question at a time; declined at once where
 * nobody can be asked. A form that asks for secrets is never answered by a hook, and is shown only with a warning.
 */
export class ElicitationQueue {
  readonly #options: ElicitationQueueOptions;
  readonly #queue = new QuestionQueue();
  readonly #completions: ElicitationCompletions;
  /** How many questions of each server wait for an answer. */
  readonly #open = new Map<string, number>();

  constructor(options: ElicitationQueueOptions) {
    this.#options = options;
    this.#completions = new ElicitationCompletions(options.clock);
  }

  /** Never rejects. */
  async ask(question: Elicitation, signal: AbortSignal | undefined): Promise<ElicitationReply> {
    const { server } = question;
    const open = this.#open.get(server) ?? 0;
    if (open >= OPEN_LIMIT) return declined(`more than ${OPEN_LIMIT} questions of this server wait already`);
    this.#open.set(server, open + 1);
    try {
      return await this.#afterHooks(question, await this.#answer(question, signal), signal);
    } finally {
      const left = this.#open.get(server)! - 1;
      if (left > 0) this.#open.set(server, left);
      else this.#open.delete(server);
    }
  }

  /** Accepts any notification of a server, such as the completion of a visit. Never throws. */
  onCompleted(server: string, method: string, params: { readonly [name: string]: unknown }): void {
    this.#completions.onCompleted(server, method, params);
  }

  /** Withdraws waiting questions and asks no more. */
  close(): void {
    this.#queue.close();
  }

  async #answer(question: Elicitation, signal: AbortSignal | undefined): Promise<ElicitationReply> {
    const { byHooks, elicit, takesSecrets = false } = this.#options;
    const { server, url, wants, elicitationId: id, secretFields = [] } = question;
    const isSecret = secretFields.length > 0;
    const mayEnd = wants === 'completion' && id !== undefined;
    using expected = mayEnd ? this.#completions.expect({ server, id, url }) : undefined;
    const reply = await byHooks(question, signal);
    if (reply) {
      const read = readReply(reply) ?? NO_ANSWER;
      return isSecret && read.action === 'accept' ? this.#refuse(question, 'a hook may not answer it') : read;
    }
    if (!elicit) return isSecret ? this.#refuse(question, NOBODY) : declined(NOBODY);
    if (isSecret && !takesSecrets)
      return this.#refuse(question, 'the program that asks the user here shows no warning');
    // `await`, because returning disposes of `expected`.
    return await this.#pose(question, elicit, { signal, expected });
  }

  /** Hooks may replace the answer. They neither see nor give a secret, and a person's no to a page stays a no. */
  async #afterHooks(
    question: Elicitation,
    reply: ElicitationReply,
    signal: AbortSignal | undefined,
  ): Promise<ElicitationReply> {
    const { afterHooks } = this.#options;
    if (!afterHooks || signal?.aborted === true) return reply;
    const { mode, secretFields = [] } = question;
    const isSecret = secretFields.length > 0;
    const { content: _, ...shown } = reply;
    const given = await afterHooks({ question, reply: isSecret ? shown : reply }, signal);
    if (!given || given === reply) return reply;
    const read = readReply(given) ?? NO_ANSWER;
    const mustStay = read.action === 'accept' && (isSecret || (mode === 'url' && reply.action !== 'accept'));
    return mustStay ? reply : read;
  }

  async #pose(
    question: Elicitation,
    elicit: NonNullable<ElicitationQueueOptions['elicit']>,
    { signal, expected }: { readonly signal: AbortSignal | undefined; readonly expected: Expected | undefined },
  ): Promise<ElicitationReply> {
    const done = expected?.signal;
    const either = signal && done ? AbortSignal.any([signal, done]) : (signal ?? done);
    const pose = async (own: AbortSignal): Promise<ElicitationReply> => {
      // A caller aborts questions one by one: those behind must not flash up, so wait a turn of the event loop.
      await new Promise((resolve) => void setImmediate(resolve));
      return own.aborted ? { action: 'cancel' } : elicit(question, own, () => expected?.agree());
    };
    const asked = await this.#queue.put(pose, either);
    // The user has agreed to the page, and the server has reported its completion.
    if (asked.kind === 'withdrawn' && done?.reason === COMPLETED) return { action: 'accept' };
    return this.#toReply(question.server, asked);
  }

  #toReply(server: string, asked: QuestionOutcome<ElicitationReply>): ElicitationReply {
    switch (asked.kind) {
      case 'answered':
        return readReply(asked.answer) ?? NO_ANSWER;
      case 'withdrawn':
        return { action: 'cancel', reason: 'nobody waits for the answer any more' };
      case 'full':
        return declined(`${asked.waiting} other questions wait for the user`);
      case 'failed': {
        const why = gateLine(String(asked.cause), { limit: 300 }).text;
        this.#options.tell(`The user could not be asked what server "${server}" wants to know: ${why}`);
        return { action: 'cancel', reason: 'the user could not be asked' };
      }
      default:
        return unreachable(asked);
    }
  }

  #refuse({ server, secretFields = [] }: Elicitation, why: string): ElicitationReply {
    const names = secretFields.slice(0, NAMES_SHOWN).map((name) => `"${gateLine(name, { limit: 60 }).text}"`);
    const more = secretFields.length > NAMES_SHOWN ? ` and ${secretFields.length - NAMES_SHOWN} more` : '';
    const told = `${names.join(', ')}${more}`;
    this.#options.tell(`Server "${server}" asked for secrets in a form (${told}); Plugboard declined: ${why}`);
    return declined(`a form may not ask for secrets (${told}): use url mode, or a setting of the server`);
  }
}

function declined(reason: string): ElicitationReply {
  return { action: 'decline', reason };
}

/** Reads an embedder's answer; undefined where it is none of the allowed ones. */
function readReply(reply: unknown): ElicitationReply | undefined {
  if (!isObject(reply)) return undefined;
  try {
    return readFields(reply);
  } catch {
    return undefined; // a getter of the embedder's object threw
  }
}

function readFields({ action, content, reason }: { readonly [field: string]: unknown }): ElicitationReply | undefined {
  const why = typeof reason === 'string' ? { reason } : undefined;
  if (action === 'decline' || action === 'cancel') return { action, ...why };
  if (action !== 'accept') return undefined;
  return isObject(content) ? { action, content } : { action };
}

const OPEN_LIMIT = 20; // for each server: no user answers the twenty-first with care
const NAMES_SHOWN = 5;
const NO_ANSWER: ElicitationReply = { action: 'cancel', reason: 'the answer was none' };
const NOBODY = 'nobody is there to ask';
