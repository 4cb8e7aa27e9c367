import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { HostError } from '../../base/errors.js';
import { type AddressClass, addressClass, canonicalHost, urlAddressClass } from '../../model/urls/address-class.js';

/**
 * A lookup for hosts that a server names: allows public addresses, and those of an origin's class (loopback, private).
 * A public server's name that resolves into this machine or network is refused, whatever it resolved to before.
 */
export function namedHostLookup(
  resolve: LookupFunction,
  { origins, label }: { readonly origins: readonly URL[]; readonly label: string },
): LookupFunction {
  const choose = async (hostname: string): Promise<LookupAddress[]> => {
    const found = await resolveAll(resolve, hostname);
    const isPublic = found.every(({ address }) => classOf(address) === 'public');
    const sides = isPublic ? PUBLIC : await allowedClasses(resolve, origins);
    const allowed = found.filter(({ address }) => sides.has(classOf(address)));
    if (allowed.length === 0) throw refusal(label, hostname, found[0]?.address);
    return allowed;
  };
  const answer = async (...[hostname, options, callback]: Parameters<LookupFunction>): Promise<void> => {
    const chosen = await choose(hostname).catch((error: Error) => error);
    if (chosen instanceof Error) return callback(chosen, []);
    if (options.all === true) return callback(null, chosen);
    return callback(null, chosen[0]!.address, chosen[0]!.family);
  };
  return (hostname, options, callback) => {
    if (origins.some((origin) => hostOf(origin) === canonicalHost(hostname))) resolve(hostname, options, callback);
    else void answer(hostname, options, callback);
  };
}

const PUBLIC: ReadonlySet<AddressClass> = new Set(['public']);

/** The allowed classes: public, and those of the origins. Origins that are host names are resolved. */
async function allowedClasses(resolve: LookupFunction, origins: readonly URL[]): Promise<ReadonlySet<AddressClass>> {
  const sides = new Set<AddressClass>(PUBLIC);
  for (const origin of origins) {
    const written = urlAddressClass(origin);
    if (written === 'reserved') continue;
    const found = written === 'name' ? await resolveAll(resolve, hostOf(origin)).catch(() => []) : undefined;
    const classes = found?.map(({ address }) => classOf(address)) ?? [written];
    // An origin that also has a public address counts as public only.
    if (!classes.includes('public')) for (const kind of classes) sides.add(kind);
  }
  return sides;
}

function resolveAll(resolve: LookupFunction, hostname: string): Promise<LookupAddress[]> {
  return new Promise((done, fail) => {
    resolve(hostname, { all: true }, (error, answer, family) => {
      if (error) fail(error);
      else done(typeof answer === 'string' ? [{ address: answer, family: family ?? isIP(answer) }] : answer);
    });
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
    hint: 'A public server may not lead into this machine or network; if you mean that address, write it into "oauth.authServerMetadataUrl"',
  });
}
