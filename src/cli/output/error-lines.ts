import { showLine, showText } from '../../model/show.js';
import type { Style } from './style.js';
import { wrapHint, wrapLine } from './wrap.js';

/** An error, a warning or a note in its parts: what; where and why; what to do. */
export interface ToldError {
  readonly severity: 'error' | 'warning' | 'info';
  /** Ready to be shown: one line, or several where they are ours. */
  readonly message: string;
  readonly place?: string | undefined;
  /** What came from outside Plugboard: the system's error, a header, the server's stdout. */
  readonly cause?: string | undefined;
  readonly stderr?: string | undefined;
  /** Of several lines, all but the first stand below it. */
  readonly hint?: string | undefined;
}

export interface ErrorLooks {
  readonly style: Pick<Style, 'red' | 'yellow' | 'dim'>;
  /** Infinity for a file or a pipe. */
  readonly columns: number;
}

/** For a screen that colours whole rows. */
export const UNCOLOURED: ErrorLooks['style'] = { red: String, yellow: String, dim: String };

/** The one way to draw an error, a warning or a note, on whatever terminal. */
export function errorLines(told: ToldError, looks: ErrorLooks): string[] {
  const { style, columns } = looks;
  const { severity, message } = told;
  const words = { error: style.red('error:'), warning: style.yellow('warning:'), info: style.dim('note:') };
  const [what = '', ...more] = message.split('\n');
  return [
    // Further in than the parts below it: words of a server must not look like a next step.
    ...wrapLine(`${words[severity]} ${what}`, columns, 4),
    ...more.flatMap((line) => wrapLine(line, columns, 4)),
    ...errorDetails(told, looks),
  ];
}

/** What stands below the message: where and why, and what to do. */
export function errorDetails({ place, cause, stderr = '', hint = '' }: ToldError, looks: ErrorLooks): string[] {
  const { style, columns } = looks;
  const [step = '', ...below] = hint.split('\n');
  return [
    ...(place === undefined ? [] : wrapLine(`  ${style.dim('at')} ${showLine(place)}`, columns, 4)),
    ...(cause === undefined ? [] : wrapLine(`  ${style.dim('because')} ${showLine(cause)}`, columns, 4)),
    ...(stderr.trim() === '' ? [] : [`  ${style.dim('the server said on stderr:')}`, ...quoted(stderr, columns)]),
    ...(step === '' ? [] : wrapHint(`  ${style.dim('→')} ${showLine(step)}`, columns, 4)),
    ...below.flatMap((line) => wrapHint(`    ${showLine(line)}`, columns, 4)),
  ];
}

function quoted(text: string, columns: number): string[] {
  return showText(text.trim())
    .split('\n')
    .flatMap((line) => wrapLine(`    ${line}`, columns, 4));
}
