import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { toHostError } from '../../base/to-host-error.js';
import { type Answered, unanswered } from '../answered.js';
import { answerInOptionWords } from '../options/option-words.js';

export interface AnswerOptions {
  /** How the method is called, for an error: `readResource({ server, uri })`. */
  readonly usage: string;
  /** Fields that have to be texts. */
  readonly texts?: readonly string[];
  readonly isCommandLine: boolean;
}

/** Answers a request of an embedder. A request that is none, and whatever is thrown, becomes the error of the answer. */
export async function answerFor<Request, Result extends object>(
  request: Request,
  { usage, texts = [], isCommandLine }: AnswerOptions,
  answer: (request: Request) => Promise<Answered<Result>>,
): Promise<Answered<Result>> {
  const hint = `Write host.${usage}`;
  const method = usage.slice(0, usage.indexOf('('));
  try {
    if (!isObject(request)) return unanswered(new HostError('usage', `${method} takes an object`, { hint }));
    const missing = texts.find((name) => typeof request[name] !== 'string');
    if (missing !== undefined) {
      return unanswered(new HostError('usage', `${method} needs ${missing} as a string`, { hint }));
    }
    const answered = await answer(request);
    return isCommandLine ? answered : answerInOptionWords(answered);
  } catch (cause) {
    return unanswered(toHostError(cause, `${method} failed inside Plugboard`));
  }
}
