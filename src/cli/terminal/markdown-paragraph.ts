import { letterWidth } from './letter-width.js';

/** The lines of a paragraph as one: with `\n` only where its author has asked for a new row. */
export function joinLines(lines: readonly string[]): string {
  let text = '';
  let isHard = false;
  for (const line of lines) {
    const words = line.trimEnd();
    if (text !== '') text += isHard ? '\n' : isWide(text.at(-1)) && isWide(words[0]) ? '' : ' ';
    isHard = /\S {2,}$/u.test(line);
    const isEscaped = !isHard && /(?:^|[^\\])(?:\\\\)*\\$/u.test(words);
    text += isEscaped ? words.slice(0, -1) : words;
    isHard ||= isEscaped;
  }
  return text;
}

/** Scripts without blanks get none where a line was broken. */
function isWide(letter: string | undefined): boolean {
  return letter !== undefined && letterWidth(letter.codePointAt(0)!) === 2;
}
