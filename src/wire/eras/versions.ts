// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { gateLine } from '../../model/text/text-gate.js';
import { isRpc, UNSUPPORTED_VERSION } from '../rpc-codes.js';
import { MODERN_VERSIONS } from './envelope.js';
import { LEGACY_VERSIONS } from './legacy-versions.js';

/** The best modern version that both sides support. */
export function versionInCommon(offered: readonly string[]): string | undefined {
  return MODERN_VERSIONS.find((version) => offered.includes(version));
}

/** Whether one of these versions is a legacy one. */
export function hasLegacyVersion(offered: readonly string[]): boolean {
  return LEGACY_VERSIONS.some((version) => offered.includes(version));
}

/** Whether the server does not support the request's protocol version. */
export function isUnsupportedVersion(error: unknown): error is HostError {
  return isRpc(error, UNSUPPORTED_VERSION);
}

/** The versions that the error says the server supports; empty when it names none. */
export function offeredVersions(error: HostError): readonly string[] {
  const { detail } = error;
  if (detail?.kind === 'versions') return detail.offered;
  const data = detail?.kind === 'rpc' && isUnsupportedVersion(error) ? detail.data : undefined;
  const supported = isObject(data) ? data['supported'] : undefined;
  return Array.isArray(supported) ? toVersions(supported) : [];
}

export function toVersions(list: readonly unknown[]): readonly string[] {
  return list.filter((version) => typeof version === 'string');
}

/** The error for a server with no version in common. */
export function noVersion(server: string, offered: readonly string[]): HostError {
  const first = offered.slice(0, SHOWN).map((version) => gateLine(version, { limit: 40 }).text);
  const more = offered.length > SHOWN ? ` and ${offered.length - SHOWN} more` : '';
  const text = `Server "${server}" speaks protocol ${first.join(', ')}${more}, which Plugboard does not know`;
  return new HostError('unsupported', text, {
    hint: `Plugboard knows ${[...MODERN_VERSIONS, ...LEGACY_VERSIONS].join(', ')}; update the server, or Plugboard`,
    detail: { kind: 'versions', offered: first },
  });
}

const SHOWN = 10;
