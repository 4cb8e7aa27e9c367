import type { HostError } from '../../base/errors.js';
import { showLine } from '../../model/show.js';
import { stderrOf } from '../../model/text/error-stderr.js';
import { lastWords } from '../servers/server-status.js';
import type { ToldProblem } from '../told.js';
import { DiagnosedError } from './diagnosed-error.js';

/** The error of one server among others, which does not end the action. `what`: replaces the error's own sentence. */
export function errorNote(error: HostError, what = error.message): ToldProblem {
  const { hint } = error;
  const because = error instanceof DiagnosedError ? error.because : undefined;
  const words = lastWords(stderrOf(error));
  return {
    severity: 'error',
    text: showLine(what),
    ...(because !== undefined && { cause: showLine(because) }),
    ...(words.length > 0 && { stderr: words.join('\n') }),
    ...(hint !== undefined && { hint: showLine(hint) }),
  };
}
