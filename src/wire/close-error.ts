import { HostError } from '../base/errors.js';
import { unreachable } from '../base/never.js';
import { gateText } from '../model/text-gate.js';
import type { CloseReason } from './pipe.js';

/** The end of a connection, as whoever waited for something hears it. */
export function closeError(reason: CloseReason, name: string, method?: string): HostError {
  const meanwhile = method === undefined ? '' : ` before it answered ${method}`;
  switch (reason.kind) {
    case 'disposed':
      return new HostError('connection-closed', `The connection to server "${name}" was closed${meanwhile}`);
    case 'exited': {
      const how =
        reason.signal === null ? `exited with code ${reason.code ?? 'unknown'}` : `was ended by ${reason.signal}`;
      const stderr = gateText(reason.stderr, { limit: STDERR_LIMIT }).text;
      return new HostError('connection-closed', `Server "${name}" ${how}${meanwhile}`, {
        hint: stderr.trim() === '' ? 'Run its command by hand to see why' : `Its last words: ${tellingLine(stderr)}`,
        detail: { kind: 'exit', code: reason.code, signal: reason.signal, stderr },
      });
    }
    case 'lost':
      return new HostError(
        'connection-closed',
        `The connection to server "${name}" was lost${meanwhile}: ${reason.error.message}`,
        {
          ...(reason.error.hint !== undefined && { hint: reason.error.hint }),
          ...(reason.stderr !== undefined && { detail: { kind: 'stderr', stderr: reason.stderr } }),
          cause: reason.error,
        },
      );
    default:
      return unreachable(reason);
  }
}

/** The same without what the server was told in confidence: its last words are shown to people and kept in states. */
export function withoutSecrets(reason: CloseReason, redact: ((text: string) => string) | undefined): CloseReason {
  return redact && reason.stderr !== undefined ? { ...reason, stderr: redact(reason.stderr) } : reason;
}

const STDERR_LIMIT = 4_000;

/** The first line that speaks of an error, else the last: a crash of node ends with node's version. */
function tellingLine(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:at |Node\.js v)/u.test(line));
  return (
    lines.find((line) => /error|cannot|fail|not found|denied|missing|invalid|required/iu.test(line)) ??
    lines.at(-1) ??
    ''
  ).slice(0, 300);
}
