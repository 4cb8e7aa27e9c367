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
    const list = value.map((one) => redactValue(one, redact));
    return list.every((one, at) => one === value[at]) ? value : list;
  }
  const fields = value as { readonly [field: string]: unknown };
  const entries = Object.entries(fields).map(([key, one]) => [key, redactValue(one, redact)] as const);
  return entries.every(([key, one]) => one === fields[key]) ? value : Object.fromEntries(entries);
}
