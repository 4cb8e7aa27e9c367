import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { nameWord } from '../../base/shell-word.js';
import type { Connection } from '../../connection/connection.js';
import type { Link } from '../../connection/connect.js';
import { gateLine } from '../../model/text-gate.js';
import type { Finding } from './finding.js';

export interface LiveOptions {
  readonly signal: AbortSignal | undefined;
  /** Time was up before everybody had settled. */
  readonly isLate: boolean;
  readonly redact: (text: string) => string;
}

/** What is odd about a server that is connected. It works, as far as it goes. */
export async function diagnoseLive(connection: Connection, options: LiveOptions): Promise<readonly Finding[]> {
  const { name, catalog, noise, link } = connection;
  const { redact, isLate } = options;
  const findings: Finding[] = link ? [...(await askForLists(connection, link, options))] : [];
  const { setAside } = catalog;
  if (setAside.length > 0) {
    const shown = setAside.slice(0, SHOWN).map(({ tool, reason }) => `${tool} (${reason})`);
    const more = setAside.length > SHOWN ? ` and ${setAside.length - SHOWN} more` : '';
    findings.push({
      server: name,
      severity: 'warning',
      code: 'bad-schema',
      message: oneLine(`"${name}" has tools that cannot be used: ${shown.join(', ')}${more}`),
      hint: `The other ${catalog.tools.length} work; its maker has to mend these: plugboard tools ${nameWord(name)} --json`,
    });
  }
  for (const warning of catalog.warnings.slice(0, SHOWN)) {
    const message = oneLine(`"${name}": ${warning}`);
    const hint = `Its maker has to mend that; what can be used: plugboard tools ${nameWord(name)}`;
    findings.push({ server: name, severity: 'warning', code: 'odd-list', message, hint });
  }
  if (noise !== undefined) {
    const message = oneLine(redact(`"${name}" prints on stdout what is no message: ${noise}`));
    const hint = 'It works all the same; let it log to stderr, since a part of a line can break a message';
    findings.push({ server: name, severity: 'warning', code: 'stdout-noise', message, hint });
  }
  if (isLate && catalog.source === 'none' && findings.length === 0 && declaredLists(link).length > 0) {
    const message = `"${name}" is connected, and had not listed what it offers when the time was over`;
    const hint = 'Give it more time with --timeout MS';
    findings.push({ server: name, severity: 'warning', code: 'not-settled', message, hint });
  }
  return findings;
}

const SHOWN = 5;

const LISTS = [
  { capability: 'tools', method: 'tools/list', count: ({ catalog }: Connection) => catalog.tools.length },
  { capability: 'resources', method: 'resources/list', count: ({ catalog }: Connection) => catalog.resources.length },
  { capability: 'prompts', method: 'prompts/list', count: ({ catalog }: Connection) => catalog.prompts.length },
] as const;

/** A list that is declared, and of which nothing is known, is asked for once more: only the answer says why. */
async function askForLists(
  connection: Connection,
  link: Link,
  { signal, redact }: LiveOptions,
): Promise<readonly Finding[]> {
  const { name } = connection;
  const { session } = link;
  const missing = declaredLists(link).filter(({ count }) => count(connection) === 0);
  const asked = missing.map(async ({ method }): Promise<Finding | undefined> => {
    try {
      await session.request(method, undefined, { timeoutMs: ASK_MS, ...(signal && { signal }) });
      return undefined;
    } catch (cause) {
      // One that declares a list and does not know it is told of by its catalog.
      if (!(cause instanceof HostError) || cause.code === 'cancelled' || isUnknownMethod(cause)) return undefined;
      const message = oneLine(redact(`"${name}" is connected and does not give its list: ${cause.message}`));
      const hint = cause.hint ?? `plugboard logs ${nameWord(name)}`;
      return { server: name, severity: 'error', code: 'list-failed', message, hint };
    }
  });
  return (await Promise.all(asked)).filter((finding) => finding !== undefined);
}

function declaredLists(link: Link | undefined): readonly (typeof LISTS)[number][] {
  return LISTS.filter(({ capability }) => isObject(link?.session.capabilities[capability]));
}

function isUnknownMethod({ detail }: HostError): boolean {
  return detail?.kind === 'rpc' && detail.code === METHOD_NOT_FOUND;
}

const METHOD_NOT_FOUND = -32601;
const ASK_MS = 2_000; // it has had its time for this once already
const LINE_LIMIT = 1_000;

function oneLine(text: string): string {
  return gateLine(text, { limit: LINE_LIMIT }).text;
}
