import { BlockList, isIP } from 'node:net';
import { parseUrl } from '../../base/parse-url.js';
import { canonicalHost } from '../../model/urls/address-class.js';

/**
 * Whether NO_PROXY lists a URL: `*`, a host with its subdomains, `.suffix`, an address (these with an optional
 * `:port`), or a network (`10.0.0.0/8`), separated by commas or blanks. An invalid item matches nothing.
 */
export function isExempt(url: URL, list: string): boolean {
  const host = bare(canonicalHost(url.hostname));
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  const port = url.port === '' ? (isSecure ? '443' : '80') : url.port;
  return list
    .slice(0, LIST_LIMIT)
    .toLowerCase()
    .split(/[\s,]+/u)
    .some((item) => item !== '' && matches(item, { host, port }));
}

const LIST_LIMIT = 65_536;

function matches(item: string, { host, port }: { readonly host: string; readonly port: string }): boolean {
  if (item === '*') return true;
  if (item.includes('/')) return isInNetwork(host, item);
  const [, name = '', wantedPort] = HOST_AND_PORT.exec(item) ?? [];
  if (name === '' || (wantedPort !== undefined && wantedPort !== port)) return false;
  const suffix = canonicalName(name.replace(/^\*?\./u, ''));
  return suffix !== '' && (host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`)));
}

/** An IPv6 address is in brackets when a port follows, and mostly without when none does. */
const HOST_AND_PORT = /^(\[[\da-f:.]+\]|[\da-f]*:[\da-f]*:[\da-f:.]*|[^:[\]]+)(?::(\d{1,5}))?$/u;

/** Normalizes a host as `URL` does, so that non-ASCII names and long forms of an address match, too. */
function canonicalName(name: string): string {
  const url = parseUrl(`http://${isIP(name) === 6 ? `[${name}]` : name}/`);
  return url ? bare(canonicalHost(url.hostname)) : '';
}

function bare(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

function isInNetwork(host: string, item: string): boolean {
  const family = isIP(host);
  const [network = '', bits = ''] = item.split('/');
  const hasBits = /^\d{1,3}$/u.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  if (family === 0 || isIP(network) !== family || !hasBits) return false;
  const block = new BlockList();
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  block.addSubnet(network, Number(bits), kind);
  return block.check(host, kind);
}
