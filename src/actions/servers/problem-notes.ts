import type { Problem } from '../../config/problem.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { describeProblem } from '../../model/text/problem-text.js';
import { showLine } from '../../model/show.js';
import type { ToldNote } from '../told.js';

/** Problems as notes: file, server, field, message and hint; 20 at most. */
export function problemNotes(problems: readonly Problem[]): readonly ToldNote[] {
  const shown = problems.slice(0, PROBLEMS_SHOWN).map((problem) => ({
    severity: problem.severity,
    text: showLine(describeProblem(problem)),
    hint: showLine(problem.hint),
  }));
  const rest = problems.length - PROBLEMS_SHOWN;
  return rest > 0 ? [...shown, `and ${rest} more: plugboard doctor`] : shown;
}

/**
 * The problems that a command about these servers tells, without names about all: errors, because of which servers are
 * missing, and whatever concerns a named server. Warnings about other servers are for `list` and `doctor`.
 */
export function problemsAbout(problems: readonly Problem[], names?: readonly string[]): readonly Problem[] {
  return problems.filter(({ severity, code, server }) => {
    if (code === 'odd-variable') return true; // of the environment, which concerns every server
    if (server !== undefined && names) return names.includes(server);
    return severity === 'error';
  });
}

const PROBLEMS_SHOWN = 20; // a screen or two; `plugboard doctor` shows all

/** Warns of secrets in files that are shared, at the time they are written. */
export async function sharedSecretNotes(servers: readonly ConfiguredServer[]): Promise<readonly string[]> {
  const { holdsSecret } = await import('../../config/edit/mask.js');
  return servers
    .filter(({ author, written }) => author === 'repository' && written && holdsSecret(written))
    .map(({ name, origin }) =>
      showLine(`warning: "${name}" has a secret in ${origin}, a file that is shared; write \${NAME} there instead`),
    );
}
