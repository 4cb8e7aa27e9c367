import { gateLine, gateText } from '../../model/text/text-gate.js';

/** Takes out of a text what its server was told in confidence. */
export type Redact = (text: string) => string;

/** One line of a server, for people and models: cleaned, and cut. */
export function readTitle(title: unknown, redact: Redact): string | undefined {
  return typeof title === 'string' ? redact(gateLine(title, { limit: TITLE_LIMIT }).text) : undefined;
}

/** Some lines of it; none where it says nothing. */
export function readDescription(description: unknown, redact: Redact): string {
  if (typeof description !== 'string') return '';
  if (description.length <= DESCRIPTION_LIMIT) return redact(gateText(description).text);
  // Cut behind the redaction: half a secret at the end would not be recognised.
  const head = redact(gateText(description, { limit: 2 * DESCRIPTION_LIMIT }).text);
  return gateText(head, { limit: DESCRIPTION_LIMIT }).text;
}

const TITLE_LIMIT = 200;
const DESCRIPTION_LIMIT = 2048; // generated servers send 60 kB, and every turn of a model pays for it
