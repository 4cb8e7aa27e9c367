import { HostError } from '../base/errors.js';
import { unreachable } from '../base/never.js';
import { mostInformativeLine } from '../model/text/informative-line.js';
import { gateText } from '../model/text/text-gate.js';
import type { CloseReason } from './pipe.js';

/** The end of a connection as an error; `method`: the request that was in flight. */
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
        hint: stderr.trim() === '' ? 'Run its command by hand to see why' : `It said: ${mostInformativeLine(stderr)}`,
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

/** Redacts the server's secrets in `stderr`, which is shown to users and kept in states. */
export function withoutSecrets(reason: CloseReason, redact: ((text: string) => string) | undefined): CloseReason {
  return redact && reason.stderr !== undefined ? { ...reason, stderr: redact(reason.stderr) } : reason;
}

const STDERR_LIMIT = 8_192;
