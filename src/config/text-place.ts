/** A place in a text, counted from 1 as editors do. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export function placeAt(text: string, offset: number): TextPlace {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++;
    start = at + 1;
  }
  return { line, column: Math.min(offset, text.length) - start + 1 };
}

/** A place as the fields of a problem; none when the place is not known. */
export function placeFields(place: TextPlace | undefined): Partial<TextPlace> {
  return place === undefined ? {} : { line: place.line, column: place.column };
}
