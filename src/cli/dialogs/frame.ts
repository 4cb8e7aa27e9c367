import type { Elicitation } from '../../model/hooks/hook-call.js';
import { showExact, showLine } from '../../model/show.js';
import type { Style } from '../output/style.js';
import { BAR, ownRows, quotedRows, roomIn } from '../session/display/quoted-rows.js';
import { cutToColumns, textWidth, wrapText } from '../terminal/text/text-width.js';

/** What a dialog is drawn on. A `Screen` is one. */
export interface Look {
  /** Infinity where lines are not wrapped. */
  readonly columns: number;
  readonly style: Style;
  /** No lines are drawn: the dialog is read aloud, or goes to a log. */
  readonly isPlain: boolean;
}

/** The heading that every dialog begins with. */
export function titleRows(title: string, { columns, style, isPlain }: Look): string[] {
  const text = showLine(title);
  const room = roomIn(columns);
  if (isPlain) return ['', ...wrapText(`=== ${text} ===`, room, 4)];
  const rows = wrapText(text, room - LINE.length * 2, 0);
  const [first = '', ...others] = rows;
  const rest = Math.min(room, WIDEST) - LINE.length - textWidth(first) - 1;
  return [
    '',
    `${style.dim(LINE)}${style.bold(first)} ${style.dim('─'.repeat(Math.max(rest, 0)))}`.trimEnd(),
    ...others.map((row) => `${' '.repeat(LINE.length)}${style.bold(row)}`),
  ];
}

/** Like `quotedRows`, of a text that may be long: only its first rows. */
export function firstQuotedRows(text: string, columns: number, indent = ''): string[] {
  const rows = quotedRows(text.replaceAll(/\n\s*\n\s*\n/gu, '\n\n'), Math.min(columns, WIDEST), indent);
  return rows.length > ROWS
    ? [...rows.slice(0, ROWS), cutToColumns(`${BAR}… and ${rows.length - ROWS} more rows`, roomIn(columns))]
    : rows;
}

/** Plugboard's own text that quotes a server: rows after the first begin with `mark`, as the first one does. */
export function markedRows(text: string, columns: number, mark = BAR): string[] {
  const rows = wrapText(showLine(text), roomIn(Math.min(columns, WIDEST)) - mark.length);
  return rows.map((row, at) => (at === 0 ? row : `${mark}${row}`));
}

/** The head of a server's question: which server asks, its message with a bar before each row, Plugboard's warnings. */
export function elicitationRows({ server, message, warnings = [] }: Elicitation, what: string, look: Look): string[] {
  const words = message === '' ? [`${BAR}(the server gives no reason)`] : firstQuotedRows(message, look.columns);
  return [
    ...titleRows(`Server ${showExact(server)} ${what}`, look),
    ...words,
    ...ownRows('  Rows that begin with | are words of the server, not of Plugboard.', look.columns, 4),
    ...warnings
      .flatMap((warning) => markedRows(`${ALARM}Warning: ${warning}`, look.columns, ALARM))
      .map(look.style.yellow),
  ];
}

/** The keys of a question with their meanings, then the row that the answer is typed in. */
export function choiceRows(
  choices: readonly (readonly [key: string, meaning: string])[],
  { columns, style }: Pick<Look, 'columns' | 'style'>,
): string[] {
  const rows = choices.flatMap(([key, meaning]) =>
    wrapText(`  ${style.bold(key)}  ${showLine(meaning)}`, roomIn(columns), 5),
  );
  return [...rows, `${choices.map(([key]) => key).join('/')}: `];
}

/** The line that a dialog is folded to; wrapped on a narrow screen. */
export function answeredRow(isYes: boolean, text: string, { columns, style }: Pick<Look, 'columns' | 'style'>): string {
  const rows = ownRows(`${isYes ? '✔' : '✘'} ${text}`, columns);
  return rows.map(isYes ? style.green : style.yellow).join('\n');
}

const ALARM = '!! ';
const LINE = '── ';
const WIDEST = 160;
const ROWS = 40; // more rows would scroll the name of the server away
