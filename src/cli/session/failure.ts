import { HostError } from '../../base/errors.js';
import { stderrOf } from '../../model/text/error-stderr.js';
import { showLine, showText } from '../../model/show.js';
import { toProgramError } from '../fail.js';
import type { Screen } from '../terminal/screen.js';
import { wrapHint, wrapLine } from '../output/wrap.js';
import { ownCommands } from './own-commands.js';

/** An error as rows: what, why, and what to do about it. */
export function failureRows(cause: unknown, { style, columns }: Pick<Screen, 'style' | 'columns'>): string[] {
  const { code, message, hint } = toProgramError(cause, 'The session continues; report this with what you did before');
  const said = cause instanceof HostError ? stderrOf(cause).trim() : '';
  const isQuoted = said !== '' && hint?.includes(said) === true;
  const what = code === 'usage' ? message.replace(/^error: /u, '') : message;
  return [
    ...wrapLine(showLine(what), columns, 2).map(style.red),
    ...(said === '' || isQuoted
      ? []
      : [
          '  The server said on stderr:',
          ...showText(said)
            .split('\n')
            .slice(-STDERR_ROWS)
            .map((line) => `  | ${line}`),
        ]),
    ...(hint === undefined || message.includes(hint) ? [] : hintLines(code, hint)).flatMap((line) =>
      wrapHint(`  ${showLine(ownCommands(line))}`, columns, 2),
    ),
  ];
}

/** Only a hint about what the user typed has several lines. */
function hintLines(code: HostError['code'], hint: string): readonly string[] {
  return code === 'usage' ? hint.split('\n') : [hint];
}

const STDERR_ROWS = 10;
