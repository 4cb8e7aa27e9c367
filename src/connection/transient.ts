import type { HostError } from '../base/errors.js';
import { systemCode } from '../base/system-code.js';

/** Whether a retry may soon succeed: the server restarts, or the network fails briefly. */
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
