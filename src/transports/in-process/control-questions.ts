import { randomUUID } from '../../edge/random-hex.js';
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { onAbort } from '../../base/on-abort.js';
import { gateLine } from '../../model/text/text-gate.js';

/** What this program itself asks the one that embeds it, such as whether a tool may be called: not a server's messages. */
export class ControlQuestions {
  readonly #write: (line: string) => void;
  readonly #open = new Map<string, Question>();

  /** `write` throws a HostError when nobody reads. */
  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Rejects with a HostError: refused, withdrawn by the signal, or nobody is there to answer any more. */
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

  /** False: it answers nothing that was asked here. */
  answer(key: string, { subtype, response, error }: JsonObject): boolean {
    const question = this.#take(key);
    if (!question) return false;
    if (subtype === 'success' && isObject(response)) question.answered(response);
    else if (subtype === 'error') question.failed(unanswered(question.what, typeof error === 'string' ? error : ''));
    else question.failed(unanswered(question.what, 'its control_response says neither success nor error'));
    return true;
  }

  /** The answer came, and could not be read. */
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
      // Nobody reads any more, and so nobody answers either.
    }
  }
}

interface Question {
  readonly what: string;
  readonly answered: (body: JsonObject) => void;
  readonly failed: (error: HostError) => void;
}

function withdrawn(what: string): HostError {
  return new HostError('cancelled', `${what} was withdrawn before the embedding program answered`);
}

function unanswered(what: string, reason: string): HostError {
  const why = gateLine(reason, { limit: REASON_LENGTH }).text || 'it gave no reason';
  return new HostError('input-failed', `The embedding program did not answer ${what}: ${why}`, {
    hint: 'The program that started Plugboard has to answer its control messages for as long as it runs',
  });
}

const REASON_LENGTH = 500;
