import { MASK } from '../../base/secret.js';
import { maskForms } from '../redaction/redact-forms.js';
import { maskPairs } from '../redaction/redact-pairs.js';

/** What looks like a credential in a text: the values that a redactor would mask. Time is linear in the text. */
export function secretValues(text: string): readonly string[] {
  const masked = maskPairs(maskForms(text));
  if (masked === text || text.includes(MASK)) return [];
  const [first = '', ...rest] = masked.split(MASK);
  const values: string[] = [];
  let from = first.length;
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const end = isLast ? text.length - part.length : part === '' ? from : text.indexOf(part, from);
    if (end < from) break;
    values.push(text.slice(from, end));
    from = end + part.length;
  }
  return values;
}
