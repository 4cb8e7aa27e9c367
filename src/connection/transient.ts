import type { HostError } from '../base/errors.js';
import { systemCode } from '../base/system-code.js';

/** Whether a server that could not be reached may well be in a moment: it restarts, or the network hiccups. */
export function isTransientConnectError(error: HostError): boolean {
  const { detail } = error;
  if (error.code === 'http-failed' && detail?.kind === 'http') return [429, 502, 503, 504].includes(detail.status);
  if (error.code !== 'connect-failed' && error.code !== 'http-failed') return false;
  return TRANSIENT.has(systemCode(error) ?? '');
}

const TRANSIENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
]);
