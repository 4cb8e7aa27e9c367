import { Spilled } from '../spilled.js';

/** A JSON value with its texts redacted; the same object if nothing changed. Recursive: depth is that of a message. */
export function redactValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Spilled) {
    const { kind, bytes, place } = value;
    const preview = redact(value.preview);
    return preview === value.preview ? value : new Spilled({ kind, bytes, place, preview });
  }
  if (Array.isArray(value)) {
    return redactList(value, redact);
  }
  return redactFields(value as Fields, redact);
}

type Fields = { readonly [field: string]: unknown };

// Nothing is copied before something changes: most results have no secret, and all pass here.

function redactList(list: readonly unknown[], redact: (text: string) => string): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const after = redactValue(list[at], redact);
    if (after !== list[at]) copy ??= list.slice(0, at);
    copy?.push(after);
  }
  return copy ?? list;
}

function redactFields(fields: Fields, redact: (text: string) => string): Fields {
  let copy: [string, unknown][] | undefined;
  const keys = Object.keys(fields);
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    const after = redactValue(fields[key], redact);
    if (after !== fields[key]) copy ??= keys.slice(0, at).map((before) => [before, fields[before]]);
    copy?.push([key, after]);
  }
  return copy ? Object.fromEntries(copy) : fields;
}
