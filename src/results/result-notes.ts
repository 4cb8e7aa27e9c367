import { textRedactor } from '../model/redaction/redact-text.js';
import type { ContentBlock } from '../model/content/content-block.js';
import { sampleTokens } from './token-count.js';
import { groupDigits } from '../base/group-digits.js';
import type { Findings } from './text-slices.js';

/** Notes about a result that a model is about to read. */
export function notesOf(content: readonly ContentBlock[], findings: Findings): readonly string[] {
  const texts = content.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return [hiddenNote(findings), sizeNote(texts), texts.some(hasCredential) ? CREDENTIAL : undefined].filter(
    (note) => note !== undefined,
  );
}

const CREDENTIAL = 'The result holds what looks like a credential';

function hiddenNote(findings: Findings): string | undefined {
  let hidden = 0;
  for (const [kind, count] of findings) if (kind !== 'escape' && kind !== 'truncated') hidden += count;
  const escapes = findings.get('escape') ?? 0;
  const told = [
    ...(hidden > 0 ? [`${hidden} hidden character${hidden === 1 ? '' : 's'}`] : []),
    ...(escapes > 0 ? [`${escapes} terminal sequence${escapes === 1 ? '' : 's'}`] : []),
  ];
  if (told.length === 0) return undefined;
  return `${told.join(' and ')} ${hidden + escapes === 1 ? 'was' : 'were'} removed`;
}

function sizeNote(texts: readonly string[]): string | undefined {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length <= WARNING) return undefined;
  const tokens = sampleTokens(texts);
  return tokens > WARNING
    ? `The result is long: about ${groupDigits(Math.round(tokens / 100) * 100)} tokens`
    : undefined;
}

const WARNING = 10_000; // tokens

/** Whether the text has a credential of a known format. One scan, and a full check only near matches. */
export function hasCredential(text: string): boolean {
  for (let from = 0, looks = 0; from < text.length && looks < LOOKS; looks++) {
    const at = text.slice(from).search(HINT);
    if (at === -1) return false;
    const place = from + at;
    const around = text.slice(Math.max(0, place - 1), place + REACH);
    if (textRedactor().redact(around) !== around) return true;
    from = place + 4;
  }
  return false;
}

/** How the credentials begin that redact-text.ts knows by their format. */
const HINT =
  /gh[pousr]_[A-Za-z0-9]{20}|github_pat_|glpat-|xox[abceposr]-|sk-[\w-]{16}|[sr]k_live_|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30}|eyJ[\w-]{10,}\.|-----BEGIN [A-Z ]{0,40}PRIVATE KEY/u;
const REACH = 256;
const LOOKS = 50; // checks; a text with more false matches was made to waste time
