import { hiddenKind } from '../../model/text/hidden-characters.js';

/** One line of JSON. Characters that a terminal would act on or hide are escaped; the value stays the same. */
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
