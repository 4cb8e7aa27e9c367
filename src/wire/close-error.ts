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
        hint: stderr.trim() === '' ? 'It said nothing on stderr' : `Its last words: ${lastLine(stderr)}`,
        detail: { kind: 'exit', code: reason.code, signal: reason.signal, stderr },
      });
    }
    case 'lost':
      return new HostError(
        'connection-closed',
        `The connection to server "${name}" was lost${meanwhile}: ${reason.error.message}`,
        {
          ...(reason.error.hint !== undefined && { hint: reason.error.hint }),
          cause: reason.error,
        },
      );
    default:
      return unreachable(reason);
  }
}

const STDERR_LIMIT = 4_000;

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)!.slice(0, 300);
}
