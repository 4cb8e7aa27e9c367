// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
import { asksForSecrets } from '../../model/elicitation/asks-for-secrets.js';
import type { FormRefusal } from '../../model/elicitation/form.js';
import { parseForm } from '../../model/elicitation/parse-form.js';
import type { Elicitation } from '../../model/hooks/hook-call.js';
import { type RemovedText, gateText } from '../../model/text/text-gate.js';
import { gateUrl, type UrlWarning } from '../../model/urls/url-gate.js';
import { toElicitationId } from './elicitation-id.js';

export interface ElicitationSource {
  readonly server: string;
  /** The server's origin: a server on this machine may send the user to a page of this machine. */
  readonly origin?: URL | undefined;
}

/** The one gate for every question of a server, whichever way it came. A refused question is not shown to anybody. */
export function toElicitation(
  { server, origin }: ElicitationSource,
  params: { readonly [name: string]: unknown },
): Elicitation | FormRefusal {
  const { mode = 'form', message } = params;
  const told = gateText(typeof message === 'string' ? message : '', { limit: MESSAGE_LIMIT });
  const common = { server, message: told.text.trim() };
  if (mode === 'url') return toVisit(common, { params, origin, findings: told.findings });
  if (mode !== 'form') return refuse('The mode has to be form or url');
  const { requestedSchema } = params;
  const form = parseForm(requestedSchema);
  if (form.kind === 'refused') return form;
  const secretFields = asksForSecrets(form, common.message);
  const labels = form.fields.filter(({ name }) => secretFields.includes(name)).map(({ label }) => label);
  const warnings = [...secretWarning(labels), ...hiddenWarning(told.findings)];
  return {
    ...common,
    mode,
    requestedSchema,
    form,
    ...(warnings.length > 0 && { warnings }),
    ...(secretFields.length > 0 && { secretFields }),
  };
}

interface Visit {
  readonly params: { readonly [name: string]: unknown };
  readonly origin: URL | undefined;
  readonly findings: readonly RemovedText[];
}

function toVisit(
  common: Pick<Elicitation, 'server' | 'message'>,
  { params, origin, findings }: Visit,
): Elicitation | FormRefusal {
  const { url, elicitationId } = params;
  if (typeof url !== 'string') return refuse('There is no URL');
  const gated = gateUrl(url, { from: 'server', purpose: 'open', ...(origin && { origin }) });
  if (!gated.ok) return refuse(`The URL is refused: ${gated.reason}`);
  const warnings = [...gated.warnings.map((warning) => URL_WARNINGS[warning]), ...hiddenWarning(findings)];
  const id = toElicitationId(elicitationId);
  return {
    ...common,
    mode: 'url',
    url: gated.href,
    ...(id !== undefined && { elicitationId: id }),
    ...(warnings.length > 0 && { warnings }),
    // With an id the server learns of the consent and reports completion; without one the user says when it is done.
    wants: id === undefined ? 'completion' : 'consent',
  };
}

function refuse(reason: string): FormRefusal {
  return { kind: 'refused', reason };
}

function secretWarning(labels: readonly string[]): readonly string[] {
  if (labels.length === 0) return [];
  const shown = labels.slice(0, LABELS_SHOWN).map((label) => `"${label}"`);
  const more = labels.length > LABELS_SHOWN ? ` and ${labels.length - LABELS_SHOWN} more` : '';
  return [
    `The server asks for secrets, which no server may do in a form: ${shown.join(', ')}${more}. The server would see what you type, and may keep it`,
  ];
}

function hiddenWarning(findings: readonly RemovedText[]): readonly string[] {
  const isHiding = findings.some(({ kind }) => kind !== 'truncated');
  return isHiding ? ['The text of the server had hidden or control characters; Plugboard removed them'] : [];
}

const URL_WARNINGS: Readonly<Record<UrlWarning, string>> = {
  'plain-http': 'The page is not encrypted: others on the network can read and change what you type there',
  punycode: 'The name of the host has letters that may look like others: compare it with the one you know',
};

const MESSAGE_LIMIT = 2_000;
const LABELS_SHOWN = 5;
