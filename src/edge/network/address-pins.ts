import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { parseUrl } from '../../base/parse-url.js';
import { HostError } from '../../base/errors.js';
import { type AddressClass, addressClass, canonicalHost, METADATA } from '../../model/urls/address-class.js';

/**
 * Returns a DNS lookup that checks its answers. The class of a host's first addresses is what the user meant: later
 * ones must have it or be public, but a loopback host stays loopback. Addresses of cloud metadata are refused unless
 * the host is that address. Callers connect to checked addresses only.
 */
export function pinAddresses(
  resolve: LookupFunction = lookupBySystem,
  { label }: { readonly label: string },
): LookupFunction {
  const pins = new Map<string, ReadonlySet<AddressClass>>();
  const choose = (hostname: string, addresses: readonly LookupAddress[]): LookupAddress[] | Error => {
    if (addresses.length === 0) return notFound(hostname);
    const judged = addresses.slice(0, ADDRESS_LIMIT).map(judge);
    const usable = judged.filter(({ isForbidden }) => !isForbidden || isIP(hostname) !== 0);
    if (usable.length === 0) {
      return refusal(
        label,
        `${hostname} resolves to ${judged[0]!.address}, an unspecified address or a cloud service for credentials`,
      );
    }
    const pin = pins.get(hostname) ?? firstPin(hostname, usable);
    pins.set(hostname, pin);
    const allowed = usable.filter(({ kind }) => pin.has(kind) || (kind === 'public' && !pin.has('loopback')));
    if (allowed.length > 0) return allowed.map(({ address, family }) => ({ address, family }));
    const { kind, address } = usable[0]!;
    return refusal(label, `the address of ${hostname} changed from ${[...pin].join(' and ')} to ${kind} (${address})`);
  };
  return (hostname, options, callback) =>
    resolve(hostname, { ...options, all: true }, (error, answer, family) => {
      const chosen = error ?? choose(hostname, toList(answer, family));
      if (chosen instanceof Error) callback(chosen, []);
      else if (options.all === true) callback(null, chosen);
      else callback(null, chosen[0]!.address, chosen[0]!.family);
    });
}

const ADDRESS_LIMIT = 16; // addresses are tried one after the other, and the timeout ends before a longer list

/** Imports `node:dns` at the first use: a server on this machine is mostly named by its address. */
const lookupBySystem: LookupFunction = (hostname, options, callback) => {
  void import('node:dns').then(({ lookup }) => lookup(hostname, options, callback));
};

interface Judged extends LookupAddress {
  readonly kind: AddressClass;
  readonly isForbidden: boolean;
}

/** The allowed address classes of a host name. A name of this machine is loopback from the start. */
function firstPin(hostname: string, addresses: readonly Judged[]): ReadonlySet<AddressClass> {
  if (addressClass(hostname) === 'loopback') return new Set(['loopback']);
  const kinds = new Set(addresses.map(({ kind }) => kind));
  // With a public address among them only public ones count: mixed answers are how a rebinding attack begins.
  return kinds.has('public') ? new Set(['public']) : kinds;
}

function toList(answer: string | LookupAddress[], family: number | undefined): LookupAddress[] {
  return typeof answer === 'string' ? [{ address: answer, family: family ?? isIP(answer) }] : answer;
}

function judge({ address, family }: LookupAddress): Judged {
  const [plain = ''] = address.split('%'); // without the zone of a link-local address
  const kind = addressClass(plain);
  return { address, family, kind, isForbidden: FORBIDDEN.has(canonical(plain)) };
}

function canonical(address: string): string {
  const url = parseUrl(`http://${address.includes(':') ? `[${address}]` : address}/`);
  return url ? canonicalHost(url.hostname) : address;
}

/** Cloud metadata services, which hand out credentials; and the two unspecified addresses, which reach this machine. */
const FORBIDDEN: ReadonlySet<string> = new Set([...METADATA, '0.0.0.0', '[::]']);

function refusal(label: string, what: string): HostError {
  return new HostError('url-refused', `${label} is not called: ${what}`, {
    hint: 'Check the host of its URL and your DNS; if you mean that address, write it into the URL',
  });
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' });
}
