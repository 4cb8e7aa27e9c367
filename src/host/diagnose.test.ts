import { expect, test } from 'vitest';
import type { ErrorCode } from '../base/error-codes.js';
import { type ErrorDetail, HostError } from '../base/errors.js';
import { systemCode } from '../base/system-code.js';
import { type FailureCode, failureCode, type FailureFacts } from './diagnosis/failure-code.js';

interface Failed {
  readonly code: ErrorCode;
  readonly detail?: ErrorDetail;
  /** Code of the system error that caused the failure. */
  readonly system?: string;
  /** How many errors wrap the system error. */
  readonly wraps?: number;
}

function toError({ code, detail, system, wraps = 0 }: Failed): HostError {
  let cause: Error | undefined = system === undefined ? undefined : Object.assign(new Error(system), { code: system });
  for (let wrap = 0; wrap < wraps; wrap++) cause = new HostError('cancelled', 'given up', { cause });
  return new HostError(code, 'x', { ...(detail && { detail }), ...(cause && { cause }) });
}

const usual: FailureFacts = { isNoisy: false, isFramed: false, hasCommand: true, proxy: 'none', era: 'auto' };
const http = (status: number): ErrorDetail => ({ kind: 'http', status });
const exit = (code: number, stderr = ''): ErrorDetail => ({ kind: 'exit', code, signal: null, stderr });
const rpc = (code: number): ErrorDetail => ({ kind: 'rpc', code });

function check(expected: FailureCode, failed: Failed, facts: Partial<FailureFacts> = {}): void {
  expect([failureCode(toError(failed), { ...usual, ...facts }), failed, facts]).toEqual([expected, failed, facts]);
}

test.each<[FailureCode, Failed, Partial<FailureFacts>?]>([
  ['command-not-found', { code: 'start-failed' }, { hasCommand: false }],
  ['start-failed', { code: 'start-failed', system: 'ENOENT' }],
  ['start-failed', { code: 'start-failed' }, { hasCommand: undefined }],
  ['sandbox-unavailable', { code: 'sandbox-unavailable' }],
  ['exited', { code: 'connection-closed', detail: exit(3) }],
  ['exited', { code: 'connection-closed', detail: exit(3, 'Error: why') }, { isNoisy: true }],
  ['stdout-noise', { code: 'connection-closed', detail: exit(0, ' \n') }, { isNoisy: true }],
  ['stdout-noise', { code: 'connect-timeout' }, { isNoisy: true }],
  ['wrong-framing', { code: 'connect-timeout' }, { isNoisy: true, isFramed: true }],
  ['wrong-framing', { code: 'connection-closed', detail: exit(0, '') }, { isNoisy: true, isFramed: true }],
  ['stdout-noise', { code: 'bad-answer' }, { isNoisy: true }],
  ['connection-lost', { code: 'connection-closed' }],
  ['connection-lost', { code: 'connection-closed', detail: { kind: 'stderr', stderr: 'bye' } }],
  ['connection-refused', { code: 'connect-failed', system: 'ECONNREFUSED' }],
  ['connection-refused', { code: 'connect-failed', system: 'ECONNREFUSED', wraps: 3 }],
  ['dns', { code: 'connect-failed', system: 'ENOTFOUND' }],
  ['dns', { code: 'connect-failed', system: 'EAI_AGAIN' }],
  ['tls-expired', { code: 'connect-failed', system: 'CERT_HAS_EXPIRED' }],
  ['tls-expired', { code: 'connect-failed', system: 'CERT_NOT_YET_VALID' }, { proxy: 'used' }],
  ['tls-wrong-host', { code: 'connect-failed', system: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
  ['tls-untrusted', { code: 'connect-failed', system: 'DEPTH_ZERO_SELF_SIGNED_CERT' }],
  ['tls-untrusted', { code: 'connect-failed', system: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' }],
  ['tls-client-certificate', { code: 'connect-failed', system: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' }],
  ['tls-client-certificate', { code: 'http-failed', system: 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA' }],
  ['tls-failed', { code: 'connect-failed', system: 'ERR_SSL_WRONG_VERSION_NUMBER' }],
  ['tls-failed', { code: 'http-failed', system: 'EPROTO' }],
  ['proxy', { code: 'connect-failed', system: 'ECONNREFUSED' }, { proxy: 'used' }],
  ['proxy', { code: 'connect-failed' }, { proxy: 'used' }],
  ['proxy', { code: 'connect-timeout', system: 'ECONNRESET', wraps: 1 }, { proxy: 'used' }],
  ['proxy', { code: 'http-failed', detail: http(407) }],
  ['proxy', { code: 'config-invalid' }, { proxy: 'malformed' }],
  ['proxy', { code: 'unsupported' }, { proxy: 'malformed', era: 'modern' }],
  ['unreachable', { code: 'connect-failed', system: 'EHOSTUNREACH' }],
  ['unreachable', { code: 'connect-failed', system: 'ECONNRESET' }],
  ['unreachable', { code: 'connect-failed' }],
  ['connect-timeout', { code: 'connect-timeout', system: 'ECONNRESET', wraps: 1 }],
  ['handshake-timeout', { code: 'connect-timeout' }],
  ['handshake-timeout', { code: 'connect-timeout', system: 'UND_ERR_HEADERS_TIMEOUT', wraps: 1 }],
  ['handshake-timeout', { code: 'call-timeout' }],
  ['needs-auth', { code: 'unauthorized', detail: http(401) }],
  ['needs-auth', { code: 'unauthorized' }],
  ['forbidden', { code: 'unauthorized', detail: http(403) }],
  ['no-endpoint', { code: 'http-failed', detail: http(404) }],
  ['no-endpoint', { code: 'http-failed', detail: http(405) }],
  ['session-lost', { code: 'session-lost', detail: http(404) }],
  ['http-error', { code: 'http-failed', detail: http(500) }],
  ['http-error', { code: 'http-failed', system: 'UND_ERR_SOCKET' }],
  ['overloaded', { code: 'http-failed', detail: http(503) }],
  ['overloaded', { code: 'http-failed', detail: http(429) }],
  ['overloaded', { code: 'overloaded' }],
  ['not-mcp', { code: 'bad-answer' }],
  ['not-mcp', { code: 'answer-too-large' }],
  ['handshake-refused', { code: 'server-error', detail: rpc(-32000) }],
  ['wrong-era', { code: 'unsupported', detail: rpc(-32601) }, { era: 'modern' }],
  ['wrong-era', { code: 'server-error', detail: rpc(-32022) }, { era: 'legacy' }],
  ['no-common-version', { code: 'unsupported', detail: { kind: 'versions', offered: ['2031-01-01'] } }],
  ['no-common-version', { code: 'server-error', detail: rpc(-32022) }],
  ['bad-entry', { code: 'unsupported' }],
  ['bad-entry', { code: 'config-invalid' }],
  ['bad-entry', { code: 'url-refused' }],
  ['internal', { code: 'internal' }],
])('%s is told by %o', (expected, failed, facts) => check(expected, failed, facts));

test('what undici has no code for is told by its name', () => {
  const cause = Object.assign(new Error('x'), { name: 'HTTPParserError' });
  const error = new HostError('http-failed', 'x', { cause });
  expect([systemCode(error), failureCode(error, usual)]).toEqual(['HTTPParserError', 'http-error']);
});

test('causes that go round in a circle end', () => {
  const error = new HostError('connect-failed', 'x');
  Object.assign(error, { cause: error });
  expect(failureCode(error, usual)).toBe('unreachable');
});
