import type { ToldPart } from '../../actions/told.js';
import { nameOnce, showLine, showText } from '../../model/show.js';
import { showPlace } from '../../model/text/problem-text.js';
import type { Style } from './style.js';
import { wrapHint, wrapLine } from './wrap.js';

type Findings = Extract<ToldPart, { readonly kind: 'findings' }>;

interface Looks {
  readonly style: Style;
  readonly columns: number;
}

/** All findings, then the summary. */
export function findingsLines({ findings, health, summary }: Findings, looks: Looks): string[] {
  const { style } = looks;
  const marks = { well: style.green('✔'), ill: style.red('✘'), idle: '○' };
  return [
    ...findings.flatMap((finding) => findingLines(finding, looks)),
    ...(findings.length === 0 ? [] : ['']),
    `${marks[health]} ${summary}`,
  ];
}

/** The message; where, why and the server's stderr; the hint. */
export function findingLines(finding: Findings['findings'][number], { style, columns }: Looks): string[] {
  const { server, severity, hint, cause, stderr, file, line, column } = finding;
  const message = server === undefined ? finding.message : nameOnce(finding.message, server);
  const marks = { error: style.red('✘ error'), warning: style.yellow('! warning'), info: style.dim('• note') };
  const place = file === undefined || message.startsWith(file) ? undefined : showPlace(file, { line, column });
  return [
    ...wrapLine(`${marks[severity]}: ${showLine(message)}`, columns, 4),
    ...(place === undefined ? [] : [`    ${style.dim('at')} ${showLine(place)}`]),
    ...(cause === undefined || message.includes(cause) ? [] : [`    ${style.dim('because')} ${showLine(cause)}`]),
    ...(stderr === undefined ? [] : [`    ${style.dim('the server said on stderr:')}`, indented(showText(stderr))]),
    ...wrapHint(`    ${style.dim('→')} ${showLine(hint)}`, columns, 6),
  ];
}

function indented(text: string): string {
  return text.replaceAll(/^/gmu, '      ');
}
