import { gateLine, gateText } from '../../model/text/text-gate.js';

/** Removes from a text the secrets that the server received. */
export type Redact = (text: string) => string;

/** A single line of server text: cleaned, truncated to `TITLE_LIMIT`. */
export function readTitle(title: unknown, redact: Redact): string | undefined {
  return typeof title === 'string' ? redact(gateLine(title, { limit: TITLE_LIMIT }).text) : undefined;
}

/** Several lines of server text, truncated to `DESCRIPTION_LIMIT`; '' when it is no string. */
export function readDescription(description: unknown, redact: Redact): string {
  if (typeof description !== 'string') return '';
  if (description.length <= DESCRIPTION_LIMIT) return redact(gateText(description).text);
  // Truncated after the redaction: half a secret at the end would not be recognised.
  const head = redact(gateText(description, { limit: 2 * DESCRIPTION_LIMIT }).text);
  return gateText(head, { limit: DESCRIPTION_LIMIT }).text;
}

const TITLE_LIMIT = 200;
const DESCRIPTION_LIMIT = 2048; // generated servers send 60 kB, which a model would pay for every turn
