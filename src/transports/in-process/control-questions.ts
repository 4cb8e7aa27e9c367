import { randomUUID } from '../../edge/random-hex.js';
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { onAbort } from '../../base/on-abort.js';
import { gateLine } from '../../model/text/text-gate.js';

/** Requests of the host itself to the embedding program, such as for a permission; not messages of servers. */
export class ControlQuestions {
  readonly #write: (line: string) => void;
  readonly #open = new Map<string, Question>();

  /** `write` throws a HostError when the reader is gone. */
  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Rejects with a HostError: an error response, the signal, or the end of the channel. */
  ask(request: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const what = String(request['subtype']);
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(withdrawn(what));
      const key = randomUUID();
      const listening = onAbort(signal, () => {
        this.#open.delete(key);
        this.#tell({ type: 'control_cancel_request', request_id: key });
        reject(withdrawn(what));
      });
      this.#open.set(key, {
        what,
        answered: (body) => (listening?.[Symbol.dispose](), resolve(body)),
        failed: (error) => (listening?.[Symbol.dispose](), reject(error)),
      });
      try {
        this.#write(JSON.stringify({ type: 'control_request', request_id: key, request }));
      } catch (cause) {
        this.#take(key)?.failed(cause instanceof HostError ? cause : unanswered(what, String(cause)));
      }
    });
  }

  /** Returns false when the response matches no request of this class. */
  answer(key: string, { subtype, response, error }: JsonObject): boolean {
    const question = this.#take(key);
    if (!question) return false;
    if (subtype === 'success' && isObject(response)) question.answered(response);
    else if (subtype === 'error') question.failed(refused(question.what, typeof error === 'string' ? error : ''));
    else question.failed(unanswered(question.what, 'its control_response says neither success nor error'));
    return true;
  }

  /** Fails the request whose response could not be parsed. Returns false when the key is unknown. */
  refuse(key: string, reason: string): boolean {
    const question = this.#take(key);
    question?.failed(unanswered(question.what, `its answer cannot be read: ${reason}`));
    return question !== undefined;
  }

  close(reason: string): void {
    for (const key of this.#open.keys()) {
      const question = this.#take(key);
      question?.failed(unanswered(question.what, reason));
    }
  }

  #take(key: string): Question | undefined {
    const question = this.#open.get(key);
    this.#open.delete(key);
    return question;
  }

  #tell(line: JsonObject): void {
    try {
      this.#write(JSON.stringify(line));
    } catch {
      // The reader is gone, so there will be no response either.
    }
  }
}

interface Question {
  readonly what: string;
  readonly answered: (body: JsonObject) => void;
  readonly failed: (error: HostError) => void;
}

function withdrawn(what: string): HostError {
  return new HostError('cancelled', `${what} was cancelled before the embedding program answered`);
}

function refused(what: string, reason: string): HostError {
  // A hook that throws has answered. The text continues "hook failed: ".
  return what === 'hook_callback' ? new HostError('input-failed', toReason(reason)) : unanswered(what, reason);
}

function unanswered(what: string, reason: string): HostError {
  const why = toReason(reason);
  return new HostError('input-failed', `The embedding program did not answer ${what}: ${why}`, {
    hint: 'The program that started Plugboard must answer its control messages for as long as it runs',
  });
}

function toReason(text: string): string {
  return gateLine(text, { limit: REASON_LENGTH }).text || 'it gave no reason';
}

const REASON_LENGTH = 500;
