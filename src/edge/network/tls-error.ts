import type { PeerCertificate } from 'node:tls';
import { gateLine } from '../../model/text/text-gate.js';

/** The predicate of an error message, and its hint. */
export interface Explanation {
  readonly what: string;
  readonly hint: string;
  /** Whether the server rejected our client certificate, or that there is none. */
  readonly isRefusal?: boolean;
}

export interface TlsCircumstances {
  /** The address, for messages: ` at https://mcp.test`, or empty. */
  readonly at: string;
  readonly host: string;
  /** The peer's certificate, if the handshake came that far. */
  readonly certificate?: PeerCertificate | undefined;
  /** Whether this host had a client certificate to send. */
  readonly hasCertificate?: boolean | undefined;
}

/** Why TLS failed, by the error code of Node or OpenSSL; undefined when the error is not about TLS. */
export function explainTls(error: Error, circumstances: TlsCircumstances): Explanation | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const { at } = circumstances;
  const fault = explainCertificate(code, circumstances);
  if (fault) return { what: `cannot be trusted${at}: ${fault.what} (${code})`, hint: fault.hint };
  switch (code) {
    case 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION':
    case 'ERR_SSL_UNSUPPORTED_PROTOCOL':
    case 'ERR_SSL_VERSION_TOO_LOW':
      return {
        what: `cannot be trusted${at}: it offers only TLS 1.1 or older, which others can read (${code})`,
        hint: 'Switch on TLS 1.2 or later on the server',
      };
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
    case 'ERR_SSL_HTTP_REQUEST':
      return {
        what: `does not speak TLS${at}: plain HTTP, or something else, answers there (${code})`,
        hint: 'Check the port of the URL; for a server without encryption write http:// (ws:// for a WebSocket)',
      };
    case 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED':
      return { what: `requires a client certificate${at} (${code})`, hint: CLIENT_HINT, isRefusal: true };
    case 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE':
      return circumstances.hasCertificate === true
        ? { what: `refused the TLS handshake${at} (${code})`, hint: 'Look at the log of the server' }
        : { what: `refused the TLS handshake${at}: it may require a client certificate (${code})`, hint: CLIENT_HINT };
    case 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME':
    case 'ERR_SSL_TLSV1_ALERT_UNRECOGNIZED_NAME':
      return { what: `does not serve that host name${at} (${code})`, hint: 'Check the host of its URL' };
    default:
      if (REJECTED.test(code)) {
        const what = `rejected our client certificate, or requires one${at} (${code})`;
        return { what, hint: REJECTED_HINT, isRefusal: true };
      }
      if (TLS.test(code)) return { what: `cannot be trusted${at}: TLS failed (${code})`, hint: CERTIFICATE_HINT };
      return undefined;
  }
}

const CA_HINT =
  'If you trust this certificate, name the file of its issuer: "tls": { "ca": "/path/to/ca.pem" } in its entry, or NODE_EXTRA_CA_CERTS';
const CLIENT_HINT = 'Add "tls": { "cert": "/path/to/cert.pem", "key": "/path/to/key.pem" } to its entry';
const REJECTED_HINT =
  'Check "tls" in its entry: "cert" is missing, has expired, or comes from an issuer that the server does not know';
const CERTIFICATE_HINT = 'Check the certificate, and whether to use http or https';

/** TLS alerts about our client certificate. */
export const REJECTED =
  /^ERR_SSL_(?:SSLV3|TLSV1|TLSV13)_ALERT_(?:BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|ACCESS_DENIED)$/u;
/** Codes of OpenSSL and of Node's own checks. */
export const TLS =
  /^(?:ERR_SSL_|ERR_TLS_|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_|CRL_|INVALID_|EE_|CA_MD_)/u;

/** What is wrong with the peer's certificate; undefined when the code is about something else. */
function explainCertificate(code: string, { host, certificate }: TlsCircumstances): Explanation | undefined {
  switch (code) {
    case 'CERT_HAS_EXPIRED': {
      const day = toDay(certificate?.valid_to);
      // If this certificate is still valid, one further up the chain has expired.
      const isOwn = day !== undefined && Date.parse(certificate!.valid_to) < Date.now();
      const what = isOwn ? `its certificate expired on ${day}` : 'a certificate that vouches for it has expired';
      return { what, hint: 'Ask its operator to renew it; if the date looks fine, check the clock of this machine' };
    }
    case 'CERT_NOT_YET_VALID': {
      const day = toDay(certificate?.valid_from);
      const what = `its certificate is not valid yet${day === undefined ? '' : `, only from ${day} on`}`;
      return { what, hint: 'Check the clock of this machine' };
    }
    case 'ERR_TLS_CERT_ALTNAME_INVALID': {
      const names = namesOf(certificate);
      const what = `its certificate is for ${names === '' ? 'no host at all' : names}, not for ${host}`;
      return { what, hint: 'Write the host as the certificate has it, or check where that name leads' };
    }
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return { what: 'its certificate is self-signed', hint: CA_HINT };
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'CERT_UNTRUSTED': {
      const issuer = gateLine(String(certificate?.issuer?.CN ?? certificate?.issuer?.O ?? ''), {
        limit: NAME_LIMIT,
      }).text;
      return { what: `the issuer of its certificate${issuer && `, "${issuer}",`} is unknown here`, hint: CA_HINT };
    }
    default:
      return undefined;
  }
}

const NAME_LIMIT = 100;
const NAMES_LIMIT = 5; // some certificates are for hundreds of hosts

function toDay(date: string | undefined): string | undefined {
  const time = Date.parse(date ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10);
}

/** The hosts of a certificate, through the text gate: its author wrote them. */
function namesOf(certificate: PeerCertificate | undefined): string {
  const listed = (certificate?.subjectaltname ?? '').slice(0, NAME_LIMIT * 100).split(', ');
  const hosts = listed.flatMap((name) => /^(?:DNS|IP Address):(.+)$/u.exec(name)?.[1] ?? []);
  const names = hosts.length > 0 ? hosts : [certificate?.subject?.CN ?? ''].flat().filter(Boolean);
  const shown = names.slice(0, NAMES_LIMIT).map((name) => gateLine(name, { limit: NAME_LIMIT }).text);
  return names.length > NAMES_LIMIT ? `${shown.join(', ')} and ${names.length - NAMES_LIMIT} more` : shown.join(', ');
}
