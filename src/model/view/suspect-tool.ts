import { hasMixedScript } from '../text/mixed-script.js';
import { gateText } from '../text/text-gate.js';

/** What a person should know about tools before a model may use them. */
export const suspicions = {
  mixed: 'mix letters of several alphabets that look alike in their names',
  hiding: 'hid characters in their descriptions, which were taken out',
  ordering: 'give orders about other tools, files or secrets in their descriptions',
} as const;

export type Suspicion = keyof typeof suspicions;

export function suspect(name: string, description: unknown): readonly Suspicion[] {
  const text = typeof description === 'string' ? description.slice(0, LOOKED_AT) : '';
  const found: Suspicion[] = [];
  if (hasMixedScript(name)) found.push('mixed');
  if (gateText(text).findings.length > 0) found.push('hiding');
  if (ORDERS.test(text.toLowerCase())) found.push('ordering');
  return found;
}

const LOOKED_AT = 4_096;
/** Typical of poisoned descriptions: emphatic tags, demands before other tools are used, secrecy, the user's keys. */
const ORDERS =
  /<(?:important|system|secret|instructions?)>|\bbefore (?:you )?(?:us(?:e|ing)|call(?:ing)?|any other tool)|\b(?:do not|don't|never) (?:tell|mention|inform|reveal)|\bignore (?:all|any|previous|other)|\.ssh\b|\bid_rsa\b/u;
