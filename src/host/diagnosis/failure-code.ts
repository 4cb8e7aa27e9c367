import type { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { systemCode } from '../../base/system-code.js';
import { REJECTED, TLS } from '../../edge/network/tls-error.js';
import { isRpc, UNSUPPORTED_VERSION } from '../../wire/rpc-codes.js';

/** Why a server does not work, as `doctor` distinguishes causes. Scripts rely on these codes; texts may change. */
export type FailureCode =
  | 'command-not-found' // the program does not exist
  | 'start-failed' // the program exists, and the system cannot start it
  | 'sandbox-unavailable' // the server must run in a sandbox, and none is available
  | 'exited' // the server's process exited
  | 'stdout-noise' // the server prints on stdout what is no message, and no messages
  | 'wrong-framing' // the server puts headers before its messages, as language servers do
  | 'connection-refused' // nothing listens at the address
  | 'dns' // the host name cannot be resolved
  | 'tls-expired' // a certificate has expired, or is not valid yet
  | 'tls-wrong-host' // the certificate is for another host
  | 'tls-untrusted' // the certificate's issuer is not trusted
  | 'tls-client-certificate' // the server rejects our client certificate, or requires one
  | 'tls-failed' // any other TLS failure
  | 'proxy' // the proxy failed, not the server
  | 'unreachable' // the network fails on the way
  | 'connect-timeout' // the connection was not accepted in time
  | 'handshake-timeout' // connected, but no response in time
  | 'needs-auth' // HTTP 401
  | 'sign-in-failed' // the authorization server issues no token
  | 'forbidden' // HTTP 403
  | 'no-endpoint' // HTTP 404 and the like: something else is served there
  | 'session-lost' // HTTP 404 after the handshake: the MCP session is gone
  | 'http-error' // any other status, and responses that break HTTP
  | 'not-mcp' // the response is not MCP
  | 'handshake-refused' // the server answers the handshake with an error
  | 'wrong-era' // "era" in the entry forces an era that the server does not support
  | 'no-common-version' // the server supports no version that Plugboard does
  | 'connection-lost' // the server was connected, and has disconnected
  | 'overloaded' // the server takes no more requests for now
  | 'bad-entry' // a value in the entry or the environment cannot be used
  | 'internal';

/** What is known of a failed server besides its error. */
export interface FailureFacts {
  /** The server printed something on stdout that is no message. */
  readonly isNoisy: boolean;
  /** The output is a `Content-Length` header, as language servers send. */
  readonly isFramed: boolean;
  /** Whether the server's command can be found; undefined for a server that has none. */
  readonly hasCommand: boolean | undefined;
  /** Whether the server is reached through a proxy; `malformed`: the variable that names the proxy cannot be parsed. */
  readonly proxy: 'none' | 'used' | 'malformed';
  /** The era that the entry forces. */
  readonly era: 'auto' | 'legacy' | 'modern';
}

/** Distinguishes causes by codes alone (ours, HTTP's, JSON-RPC's, the system's), never by a message. */
export function failureCode(error: HostError, facts: FailureFacts): FailureCode {
  const { code, detail } = error;
  if (facts.isFramed && FRAMED_ENDS.has(code)) return 'wrong-framing';
  switch (code) {
    case 'start-failed':
      return facts.hasCommand === false ? 'command-not-found' : 'start-failed';
    case 'connection-closed':
      if (detail?.kind !== 'exit') return facts.isNoisy ? 'stdout-noise' : 'connection-lost';
      // stderr explains an exit better than stdout, where there is any.
      return facts.isNoisy && detail.stderr.trim() === '' ? 'stdout-noise' : 'exited';
    case 'connect-failed':
      return networkCode(error, facts);
    case 'http-failed':
      return detail?.kind === 'http' ? statusCode(detail.status) : networkCode(error, facts);
    case 'connect-timeout':
    case 'call-timeout':
      if (facts.isNoisy) return 'stdout-noise';
      // A failed connection has a system code (E..., not ERR_...); a response that did not come has none.
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
    case 'unknown-session':
    case 'session-in-use':
    case 'session-broken':
    case 'cancelled':
    case 'internal':
      return 'internal';
    default:
      return unreachable(code);
  }
}

/** Errors that headers before messages cause: one side waits for a message that it does not recognize. */
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

/** Statuses of a web page, or of another endpoint that does not accept MCP messages. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([202, 204, 404, 405, 406, 410, 415]);

function networkCode(error: HostError, { proxy }: FailureFacts): FailureCode {
  const code = systemCode(error);
  const tls = code === undefined ? undefined : tlsCode(code);
  if (tls) return tls;
  // The connection is made to the proxy, so a failed one is the proxy's.
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
