import { nameWord } from '../../base/shell-word.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { UNREAD_STEP } from '../../model/text/set-aside-text.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { Finding } from './finding.js';

export interface LiveOptions {
  /** The deadline passed before all servers had settled. */
  readonly isTimedOut: boolean;
  readonly redact: (text: string) => string;
}

/** Problems of a connected server. The server works in spite of them. */
export function diagnoseLive(lifecycle: ServerLifecycle, { redact, isTimedOut }: LiveOptions): readonly Finding[] {
  const { name, catalog, noise: nonMessage } = lifecycle;
  const findings: Finding[] = [...lifecycle.listProblems].map(([list, error]) => {
    // Plugboard has opened a new session already, and the server has lost that one, too.
    const isForgetful = error.code === 'session-lost';
    const renew = `The server also loses new sessions: restart it, then: plugboard reconnect ${nameWord(name)}`;
    return {
      server: name,
      severity: 'error',
      code: isForgetful ? 'session-lost' : 'list-failed',
      message: oneLine(redact(`"${name}" is connected, but did not list its ${list}: ${error.message}`)),
      hint: isForgetful ? renew : (error.hint ?? `plugboard logs ${nameWord(name)}`),
    };
  });
  const { setAside } = catalog;
  const broken = setAside.filter(({ unread }) => unread !== true);
  for (const { reason } of setAside.filter(({ unread }) => unread === true)) {
    const message = oneLine(`"${name}": ${reason}`);
    findings.push({ server: name, severity: 'warning', code: 'answer-too-large', message, hint: UNREAD_STEP });
  }
  if (broken.length > 0) {
    const shown = broken.slice(0, SHOWN).map(({ tool, reason }) => `${tool === '' ? 'some' : tool} (${reason})`);
    const more = broken.length > SHOWN ? ` and ${broken.length - SHOWN} more` : '';
    findings.push({
      server: name,
      severity: 'warning',
      code: 'bad-schema',
      message: oneLine(`"${name}" has tools that cannot be used: ${shown.join(', ')}${more}`),
      hint: `${othersText(catalog.tools.length)}. Report these to the server's author; see them: plugboard tools ${nameWord(name)} --json`,
    });
  }
  for (const warning of catalog.warnings.slice(0, SHOWN)) {
    const message = oneLine(`"${name}": ${warning}`);
    const hint = `Report this to the server's author; see what works: plugboard tools ${nameWord(name)}`;
    findings.push({ server: name, severity: 'warning', code: 'odd-list', message, hint });
  }
  if (nonMessage !== undefined) {
    const message = oneLine(redact(`"${name}" prints text on stdout that is not a message: ${nonMessage}`));
    const hint = 'The server works, but should log to stderr: a part of a line on stdout can break a message';
    findings.push({ server: name, severity: 'warning', code: 'stdout-noise', message, hint });
  }
  if (isTimedOut && (catalog.source === 'none' || catalog.isFetching('tools')) && findings.length === 0) {
    const message = `"${name}" is connected, but did not list what it offers in time`;
    const hint = 'Give the server more time with --timeout MS';
    findings.push({ server: name, severity: 'warning', code: 'not-settled', message, hint });
  }
  return findings;
}

function othersText(count: number): string {
  if (count === 0) return 'The server has no other tool';
  return count === 1 ? 'The other one works' : `The other ${count} work`;
}

const SHOWN = 5;

const LINE_LIMIT = 1_000;

function oneLine(text: string): string {
  return gateLine(text, { limit: LINE_LIMIT }).text;
}
