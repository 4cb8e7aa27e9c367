import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { HostError } from '../base/errors.js';
import { type AddressClass, addressClass, canonicalHost, urlAddressClass } from '../model/address-class.js';

/**
 * A lookup for hosts that a server names: out in public, or where one of the origins is. A name of a public server's choice that
 * leads into this machine or network is refused, whatever it said a moment ago.
 */
export function sideLookup(
  resolve: LookupFunction,
  { origins, label }: { readonly origins: readonly URL[]; readonly label: string },
): LookupFunction {
  return (hostname, options, callback) => {
    const ask = (
      error: NodeJS.ErrnoException | null,
      found: LookupAddress[],
      sides: ReadonlySet<AddressClass>,
    ): void => {
      if (error) return callback(error, []);
      const allowed = found.filter(({ address }) => sides.has(classOf(address)));
      if (allowed.length === 0) return callback(refusal(label, hostname, found[0]?.address), []);
      if (options.all === true) return callback(null, allowed);
      return callback(null, allowed[0]!.address, allowed[0]!.family);
    };
    if (origins.some((origin) => hostOf(origin) === canonicalHost(hostname)))
      return resolve(hostname, options, callback);
    return resolveAll(resolve, hostname, (error, found) => {
      if (error || found.every(({ address }) => classOf(address) === 'public')) return ask(error, found, PUBLIC);
      return sidesOf(resolve, origins, (sides) => ask(null, found, sides));
    });
  };
}

const PUBLIC: ReadonlySet<AddressClass> = new Set(['public']);

/** Where the origins are, besides out in public: those that are names have to be asked for. */
function sidesOf(
  resolve: LookupFunction,
  origins: readonly URL[],
  tell: (sides: ReadonlySet<AddressClass>) => void,
): void {
  const sides = new Set<AddressClass>(PUBLIC);
  const next = (index: number): void => {
    const origin = origins[index];
    if (!origin) return tell(sides);
    const written = urlAddressClass(origin);
    if (written !== 'name') {
      if (written !== 'reserved') sides.add(written);
      return next(index + 1);
    }
    return resolveAll(resolve, hostOf(origin), (_error, found) => {
      const classes = found.map(({ address }) => classOf(address));
      // One that is public and something else besides is public.
      if (!classes.includes('public')) for (const kind of classes) sides.add(kind);
      next(index + 1);
    });
  };
  next(0);
}

function resolveAll(
  resolve: LookupFunction,
  hostname: string,
  tell: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
): void {
  resolve(hostname, { all: true }, (error, answer, family) => {
    if (error) return tell(error, []);
    return tell(null, typeof answer === 'string' ? [{ address: answer, family: family ?? isIP(answer) }] : answer);
  });
}

function classOf(address: string): AddressClass {
  return addressClass(address.split('%')[0] ?? '');
}

function hostOf(url: URL): string {
  const host = canonicalHost(url.hostname);
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

function refusal(label: string, hostname: string, address = 'nowhere'): HostError {
  return new HostError('url-refused', `${label} is not called: ${hostname} resolves to ${address}`, {
    hint: 'A server out in public may not lead into this machine or network; to mean that very place, write it into "oauth.authServerMetadataUrl"',
  });
}
