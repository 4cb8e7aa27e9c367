import { isObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import { type QuestionOutcome, QuestionQueue } from '../../guard/question-queue.js';
import type { Clock } from '../../model/clock.js';
import { COMPLETED, type Elicitation, type ElicitationReply } from '../../model/hooks/hook-call.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { Ports } from '../ports.js';
import { ElicitationCompletions, type Expected } from './completions.js';

export interface ElicitationQueueOptions {
  readonly clock: Clock;
  /** The first answer that a hook gives for the user. Contract: never rejects. */
  readonly byHooks: (question: Elicitation, signal: AbortSignal | undefined) => Promise<ElicitationReply | undefined>;
  /** Asks the user; see `Ports`. Contract: lets go when the signal aborts. Without it nobody can be asked. */
  readonly elicit?: Ports['elicit'];
  /** Whether it may be given forms that ask for secrets: it shows the warnings, and not what is typed. */
  readonly takesSecrets?: boolean | undefined;
  /** Something that whoever runs the host should hear of. Contract: must not throw. */
  readonly tell: (message: string) => void;
}

/**
 * Has the questions of all servers answered: by hooks, then by the user, one question at a time; where nobody can be asked they are
 * declined at once. A form that asks for secrets is never filled in by a hook, and reaches only a user who is warned.
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
      return await this.#answer(question, signal);
    } finally {
      const left = this.#open.get(server)! - 1;
      if (left > 0) this.#open.set(server, left);
      else this.#open.delete(server);
    }
  }

  /** What a server says by itself: that a visit is over, for instance. Never throws. */
  onCompleted(server: string, method: string, params: { readonly [name: string]: unknown }): void {
    this.#completions.onCompleted(server, method, params);
  }

  /** Nobody is asked any more: what waits is withdrawn. */
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
      return isSecret && read.action === 'accept' ? this.#refuse(question, 'no hook may answer it') : read;
    }
    if (!elicit) return isSecret ? this.#refuse(question, NOBODY) : declined(NOBODY);
    if (isSecret && !takesSecrets) return this.#refuse(question, 'whoever asks the user here does not warn of it');
    // Awaited here: what is expected is let go of when this ends.
    return await this.#pose(question, elicit, { signal, expected });
  }

  async #pose(
    question: Elicitation,
    elicit: NonNullable<ElicitationQueueOptions['elicit']>,
    { signal, expected }: { readonly signal: AbortSignal | undefined; readonly expected: Expected | undefined },
  ): Promise<ElicitationReply> {
    const done = expected?.signal;
    const either = signal && done ? AbortSignal.any([signal, done]) : (signal ?? done);
    const pose = async (own: AbortSignal): Promise<ElicitationReply> => {
      // Whoever takes several back does so one by one: those behind must not come up for a moment each.
      await new Promise((resolve) => void setImmediate(resolve));
      return own.aborted ? { action: 'cancel' } : elicit(question, own, () => expected?.agree());
    };
    const asked = await this.#queue.put(pose, either);
    // The user has agreed to the page, and the server knows by now what it was to be visited for.
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
    this.#options.tell(`Server "${server}" asked for secrets in a form (${told}); it was declined: ${why}`);
    return declined(`a form may not ask for secrets (${told}): use url mode, or a setting of the server`);
  }
}

function declined(reason: string): ElicitationReply {
  return { action: 'decline', reason };
}

/** What an embedder's answer means; undefined where it means nothing. */
function readReply(reply: unknown): ElicitationReply | undefined {
  if (!isObject(reply)) return undefined;
  try {
    return readFields(reply);
  } catch {
    return undefined; // a field that cannot even be looked at
  }
}

function readFields({ action, content, reason }: { readonly [field: string]: unknown }): ElicitationReply | undefined {
  const why = typeof reason === 'string' ? { reason } : undefined;
  if (action === 'decline' || action === 'cancel') return { action, ...why };
  if (action !== 'accept') return undefined;
  return isObject(content) ? { action, content } : { action };
}

const OPEN_LIMIT = 20; // of one server: nobody answers the twenty-first with care
const NAMES_SHOWN = 5;
const NO_ANSWER: ElicitationReply = { action: 'cancel', reason: 'the answer was none' };
const NOBODY = 'nobody is there to ask';
