import { hiddenKind } from '../../model/text/hidden-characters.js';

/** One line of JSON. What a terminal would obey or not show is escaped: the value stays, and cannot act on its way. */
export function envelope(answer: object): string {
  return `${safeJson(answer)}\n`;
}

export function safeJson(value: object): string {
  return JSON.stringify(value).replace(/[^ -~]/gu, (character) =>
    hiddenKind(character.codePointAt(0)!) === undefined ? character : escapeUnits(character),
  );
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}
