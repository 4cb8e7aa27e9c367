import type { ToldPart } from '../../actions/told.js';
import { nameOnce, showLine } from '../../model/show.js';
import { showPlace } from '../../model/text/problem-text.js';
import { errorLines } from './error-lines.js';
import type { Style } from './style.js';
import { wrapLine } from './wrap.js';

type Findings = Extract<ToldPart, { readonly kind: 'findings' }>;

interface Looks {
  readonly style: Style;
  readonly columns: number;
}

/** All findings, then the summary. */
export function findingsLines({ findings, health, summary }: Findings, looks: Looks): string[] {
  const { style, columns } = looks;
  const marks = { well: style.green('✔'), ill: style.red('✘'), idle: '○' };
  return [
    ...findings.flatMap((finding) => findingLines(finding, looks)),
    ...(findings.length === 0 ? [] : ['']),
    ...wrapLine(`${marks[health]} ${summary}`, columns, 2),
  ];
}

export function findingLines(finding: Findings['findings'][number], looks: Looks): string[] {
  const { server, cause, file, line, column, ...told } = finding;
  const message = server === undefined ? finding.message : nameOnce(finding.message, server);
  const isPlaced = file === undefined || message.startsWith(file);
  return errorLines(
    {
      ...told,
      message: showLine(message),
      place: isPlaced ? undefined : showPlace(file, { line, column }),
      cause: cause === undefined || message.includes(cause) ? undefined : cause,
    },
    looks,
  );
}
