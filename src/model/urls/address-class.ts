import { parseUrl } from '../../base/parse-url.js';

export type AddressClass =
  | 'public'
  | 'loopback' // this machine: 127/8, ::1, localhost and every name below it
  | 'private' // one network: RFC 1918, carrier-grade NAT, fc00::/7, names that only a local resolver knows
  | 'link-local' // one link, including the addresses where clouds serve credentials
  | 'reserved' // no usable address: unspecified, multicast, documentation, future use, or no host at all
  | 'name'; // a name to be resolved; the resulting addresses have to be classified again

/** Classifies a host by its spelling, in any form that a URL may have; nothing is resolved. */
export function addressClass(hostname: string): AddressClass {
  const host = toHost(hostname);
  return host === undefined ? 'reserved' : classOf(host);
}

/** The class of a parsed URL, whose host is already normalised. */
export function urlAddressClass({ hostname }: URL): AddressClass {
  return hostname === '' ? 'reserved' : classOf(canonicalHost(hostname));
}

function classOf(host: string): AddressClass {
  const groups = ipv6Groups(host);
  if (groups !== undefined) return ipv6Class(groups);
  const address = ipv4Number(host);
  return address === undefined ? nameClass(host) : ipv4Class(address);
}

/** A host in canonical form: no trailing dot; an IPv6 address that only carries an IPv4 address becomes the latter. */
export function canonicalHost(hostname: string): string {
  const groups = ipv6Groups(hostname);
  const carried = groups && carriedIpv4(groups);
  if (carried !== undefined) return [24, 16, 8, 0].map((shift) => (carried >>> shift) & 0xff).join('.');
  let end = hostname.length;
  while (end > 0 && hostname[end - 1] === '.') end--;
  return hostname.slice(0, end);
}

/** The host as a URL normalises it: lower case, punycode, `0x7f.1` as 127.0.0.1, IPv6 in brackets. */
function toHost(hostname: string): string | undefined {
  const bare = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
  if (/[\s/?#@\\]/.test(bare) || (bare.includes(':') && !bare.endsWith(']'))) return undefined;
  const url = parseUrl(`http://${bare}/`);
  return (url && canonicalHost(url.hostname)) || undefined;
}

function ipv4Number(host: string): number | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host)) return undefined;
  return host.split('.').reduce((address, octet) => address * 256 + Number(octet), 0);
}

/** The eight groups of an IPv6 address in brackets; undefined for any other host. */
function ipv6Groups(host: string): readonly number[] | undefined {
  if (!host.startsWith('[') || !host.endsWith(']')) return undefined;
  const [left = '', right = ''] = host.slice(1, -1).split('::');
  const head = toGroups(left);
  const tail = toGroups(right);
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function toGroups(part: string): number[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
}

/** An IPv4 address inside an IPv6 one: mapped, compatible, or translated by SIIT or NAT64. */
function carriedIpv4(groups: readonly number[]): number | undefined {
  const last = groups[6]! * 0x10000 + groups[7]!;
  const start = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':');
  if (start === '0:0:0:0:0:0') return last > 1 ? last : undefined; // :: and ::1 have their own meaning
  return IPV4_CARRIERS.has(start) ? last : undefined;
}

const IPV4_CARRIERS: ReadonlySet<string> = new Set(['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0']);

function ipv6Class(groups: readonly number[]): AddressClass {
  const carried = carriedIpv4(groups);
  if (carried !== undefined) return ipv4Class(carried);
  const [first = 0, second = 0, third = 0] = groups;
  if (groups.slice(0, 7).every((group) => group === 0)) return groups[7] === 1 ? 'loopback' : 'reserved';
  if (first === 0x2002) return ipv4Class(second * 0x10000 + third); // 6to4: a network behind the IPv4 address
  if (first >= 0xfc00 && first <= 0xfdff) return 'private';
  if (first >= 0xfe80 && first <= 0xfebf) return 'link-local';
  if (first >= 0xfec0 && first <= 0xfeff) return 'private'; // site-local: deprecated but still routed in places
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return 'reserved'; // Teredo and similar, documentation
  if (first === 0x3fff && second < 0x1000) return 'reserved';
  return first >= 0x2000 && first <= 0x3fff ? 'public' : 'reserved';
}

function ipv4Class(address: number): AddressClass {
  for (const [network, bits, kind] of IPV4) {
    const size = 2 ** (32 - bits);
    if (Math.floor(address / size) === Math.floor(ipv4Number(network)! / size)) return kind;
  }
  return 'public';
}

/** From the IANA registries of special-purpose addresses. */
const IPV4: readonly (readonly [network: string, bits: number, kind: AddressClass])[] = [
  ['0.0.0.0', 8, 'reserved'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['127.0.0.0', 8, 'loopback'],
  ['168.63.129.16', 32, 'link-local'], // Azure's metadata server, a public address by its number only
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'reserved'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 3, 'reserved'], // multicast, future use, broadcast
];

function nameClass(host: string): AddressClass {
  const labels = host.split('.');
  if (labels.includes('')) return 'reserved';
  const last = labels.at(-1)!;
  if (last === 'localhost' || LOOPBACK_NAMES.has(host)) return 'loopback';
  if (last === 'local') return 'link-local';
  // A single label is resolved in the search domains of this network.
  if (labels.length === 1 || last === 'internal' || last === 'localdomain' || host.endsWith('.home.arpa')) {
    return 'private';
  }
  return 'name';
}

/** Names of this machine in /etc/hosts of common systems. */
const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost.localdomain', 'ip6-localhost', 'ip6-loopback']);

/** Hosts where clouds serve credentials to every process inside. */
export const METADATA: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  'metadata.google.internal',
]);
