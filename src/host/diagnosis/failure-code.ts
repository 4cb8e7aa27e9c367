import type { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { systemCode } from '../../base/system-code.js';
import { REJECTED, TLS } from '../../edge/network/tls-error.js';
import { isRpc, UNSUPPORTED_VERSION } from '../../wire/rpc-codes.js';

/** Why a server does not work, as doctor tells one cause from the other. Scripts rely on these words; texts may change. */
export type FailureCode =
  | 'command-not-found' // there is no such program
  | 'start-failed' // the program is there, and the system does not start it
  | 'sandbox-unavailable' // it is to run in a sandbox, and there is none to be had
  | 'exited' // its process ended by itself
  | 'stdout-noise' // it prints what is no message, and says nothing else
  | 'wrong-framing' // it puts headers before its messages, as language servers do
  | 'connection-refused' // nobody listens there
  | 'dns' // its host has no address, or nobody tells it
  | 'tls-expired' // a certificate is out of date, or not valid yet
  | 'tls-wrong-host' // its certificate is for somebody else
  | 'tls-untrusted' // nobody known here vouches for its certificate
  | 'tls-client-certificate' // it does not take ours, or misses one
  | 'tls-failed' // anything else about encryption
  | 'proxy' // the proxy, and not the server, is at fault
  | 'unreachable' // the network gives up on the way
  | 'connect-timeout' // nobody took the connection in time
  | 'handshake-timeout' // it is there, and did not answer in time
  | 'needs-auth' // HTTP 401
  | 'sign-in-failed' // its authorization server gives no token
  | 'forbidden' // HTTP 403
  | 'no-endpoint' // HTTP 404 and the like: something else is served there
  | 'session-lost' // HTTP 404 to somebody who was greeted before
  | 'http-error' // any other status, and answers that break HTTP
  | 'not-mcp' // what it answers is not the protocol
  | 'handshake-refused' // it answers the handshake with an error
  | 'wrong-era' // "era" forces one that it does not speak
  | 'no-common-version' // it speaks versions that nobody here knows
  | 'connection-lost' // it was there, and is no longer
  | 'overloaded' // it takes nothing more
  | 'bad-entry' // what its entry or the environment says cannot be obeyed
  | 'internal';

/** What is known of a failed server besides its error. */
export interface FailureFacts {
  /** It printed something that is no message. */
  readonly isNoisy: boolean;
  /** What it printed is the header of a language server. */
  readonly isFramed: boolean;
  /** Whether its command can be found; undefined for a server that has none. */
  readonly hasCommand: boolean | undefined;
  /** Whether it is called through a proxy; `malformed`: the variable that names one cannot be read. */
  readonly proxy: 'none' | 'used' | 'malformed';
  /** What its entry insists on. */
  readonly era: 'auto' | 'legacy' | 'modern';
}

/** Tells causes apart by codes alone: ours, those of HTTP and JSON-RPC, the system's. Never by a text. */
export function failureCode(error: HostError, facts: FailureFacts): FailureCode {
  const { code, detail } = error;
  if (facts.isFramed && FRAMED_ENDS.has(code)) return 'wrong-framing';
  switch (code) {
    case 'start-failed':
      return facts.hasCommand === false ? 'command-not-found' : 'start-failed';
    case 'connection-closed':
      if (detail?.kind !== 'exit') return facts.isNoisy ? 'stdout-noise' : 'connection-lost';
      // Who explains itself on stderr has said more there than on stdout.
      return facts.isNoisy && detail.stderr.trim() === '' ? 'stdout-noise' : 'exited';
    case 'connect-failed':
      return networkCode(error, facts);
    case 'http-failed':
      return detail?.kind === 'http' ? statusCode(detail.status) : networkCode(error, facts);
    case 'connect-timeout':
    case 'call-timeout':
      if (facts.isNoisy) return 'stdout-noise';
      // The system has a word for a connection that was given up, and none for an answer that did not come.
      if (!/^E(?!RR_)/u.test(systemCode(error) ?? '')) return 'handshake-timeout';
      return facts.proxy === 'used' ? 'proxy' : 'connect-timeout';
    case 'unauthorized':
      return detail?.kind === 'http' && detail.status === 403 ? 'forbidden' : 'needs-auth';
    case 'unsupported':
      if (facts.proxy === 'malformed') return 'proxy';
      if (detail?.kind === 'versions') return 'no-common-version';
      return facts.era === 'auto' ? 'bad-entry' : 'wrong-era';
    case 'server-error':
      if (!isRpc(error, UNSUPPORTED_VERSION)) return 'handshake-refused';
      return facts.era === 'legacy' ? 'wrong-era' : 'no-common-version';
    case 'bad-answer':
    case 'answer-too-large':
    case 'input-failed':
      return facts.isNoisy ? 'stdout-noise' : 'not-mcp';
    case 'sandbox-unavailable':
    case 'sign-in-failed':
    case 'session-lost':
    case 'overloaded':
      return code;
    case 'config-invalid':
      return facts.proxy === 'malformed' ? 'proxy' : 'bad-entry';
    case 'url-refused':
    case 'config-unreadable':
    case 'config-too-large':
      return 'bad-entry';
    case 'usage':
    case 'unknown-server':
    case 'server-exists':
    case 'ambiguous-server':
    case 'enterprise-locked':
    case 'not-approved':
    case 'folder-untrusted':
    case 'disabled':
    case 'policy-denied':
    case 'needs-terminal':
    case 'write-failed':
    case 'lock-timeout':
    case 'fetch-failed':
    case 'unknown-tool':
    case 'unknown-resource':
    case 'bad-input':
    case 'denied':
    case 'definition-changed':
    case 'no-model':
    case 'model-failed':
    case 'cancelled':
    case 'internal':
      return 'internal';
    default:
      return unreachable(code);
  }
}

/** How it ends with whoever waits for a message that cannot be found, or is not found by the server. */
const FRAMED_ENDS: ReadonlySet<HostError['code']> = new Set([
  'connection-closed',
  'connect-timeout',
  'call-timeout',
  'bad-answer',
]);

function statusCode(status: number): FailureCode {
  if (status === 407) return 'proxy';
  if (status === 429 || status === 503) return 'overloaded';
  return NO_ENDPOINT.has(status) ? 'no-endpoint' : 'http-error';
}

/** As of a page, or of something else that does not know what to do with a message. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([202, 204, 404, 405, 406, 410, 415]);

function networkCode(error: HostError, { proxy }: FailureFacts): FailureCode {
  const code = systemCode(error);
  const tls = code === undefined ? undefined : tlsCode(code);
  if (tls) return tls;
  // Whoever is dialled is the proxy, so that whoever does not answer is.
  if (proxy !== 'none' && error.code === 'connect-failed') return 'proxy';
  if (code === 'ECONNREFUSED') return 'connection-refused';
  if (code === 'ETIMEDOUT') return 'connect-timeout';
  if (code !== undefined && DNS.has(code)) return 'dns';
  if (code === 'HTTPParserError' || code?.startsWith('UND_ERR_RES') === true) return 'http-error';
  return error.code === 'connect-failed' ? 'unreachable' : 'http-error';
}

const DNS: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'EAI_NODATA',
  'EAI_NONAME',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ETIMEOUT',
  'ESERVFAIL',
  'EREFUSED',
]);

function tlsCode(code: string): FailureCode | undefined {
  if (CERTIFICATES.has(code)) return CERTIFICATES.get(code);
  if (REJECTED.test(code)) return 'tls-client-certificate';
  return TLS.test(code) ? 'tls-failed' : undefined;
}

const CERTIFICATES: ReadonlyMap<string, FailureCode> = new Map([
  ['CERT_HAS_EXPIRED', 'tls-expired'],
  ['CERT_NOT_YET_VALID', 'tls-expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls-wrong-host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls-untrusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls-untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls-untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'tls-untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls-untrusted'],
  ['CERT_UNTRUSTED', 'tls-untrusted'],
]);
