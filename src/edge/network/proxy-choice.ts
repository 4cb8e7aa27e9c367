import { parseUrl } from '../../base/parse-url.js';
import { HostError } from '../../base/errors.js';
import { Secret } from '../../base/secret.js';
import { shorten } from '../../base/shorten.js';
import { urlAddressClass } from '../../model/urls/address-class.js';
import { isExempt } from './no-proxy.js';

/** A forward proxy from an environment variable. */
export interface ProxyServer {
  /** TLS to the proxy itself, whatever goes through it. */
  readonly isSecure: boolean;
  /** As `net.connect` takes it: an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of the Proxy-Authorization header. */
  readonly authorization: Secret | undefined;
  /** Name of the variable. */
  readonly variable: string;
  /** Address and variable, for messages; never the password. */
  readonly description: string;
}

export interface ProxyChoiceOptions {
  /** Subject of every error message: `Server "db"`. */
  readonly label: string;
  readonly env: Environment;
}

type Environment = { readonly [name: string]: string | undefined };

/**
 * Finds the proxy for a URL by curl's variables: lower case wins, empty counts as unset; never one for loopback. Throws
 * a `HostError` that names the variable but not its value, which may hold a password.
 */
export function findProxy(url: URL, { label, env }: ProxyChoiceOptions): ProxyServer | undefined {
  if (urlAddressClass(url) === 'loopback') return undefined;
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  const variable = [...(isSecure ? FOR_TLS : FOR_PLAIN), ...FOR_ALL].find((name) => isSet(env[name]));
  if (variable === undefined) return undefined;
  const exempt = NO_PROXY.map((name) => env[name]).find((value) => isSet(value));
  if (exempt !== undefined && isExempt(url, exempt)) return undefined;
  return toProxy(env[variable]!.trim(), { label, variable });
}

/** Subject of an error message when server or proxy may be the cause. */
export function throughProxy(label: string, { description }: ProxyServer): string {
  return `${label}, through ${description},`;
}

const FOR_TLS = ['https_proxy', 'HTTPS_PROXY'];
const FOR_PLAIN = ['http_proxy', 'HTTP_PROXY'];
const FOR_ALL = ['all_proxy', 'ALL_PROXY'];
const NO_PROXY = ['no_proxy', 'NO_PROXY'];

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

function toProxy(value: string, { label, variable }: { label: string; variable: string }): ProxyServer {
  const malformed = (): HostError =>
    new HostError('config-invalid', `${label} cannot be reached: the variable ${variable} is not the URL of a proxy`, {
      hint: `Write ${variable}=http://host:port, or unset it; in a user name or password, @ : / and % are written %40 %3A %2F %25`,
    });
  const text = /^[a-z][a-z\d+.-]*:\/\//iu.test(value) ? value : `http://${value}`;
  const scheme = text.slice(0, text.indexOf(':')).toLowerCase();
  if (scheme !== 'http' && scheme !== 'https') {
    throw new HostError('unsupported', `${label} cannot be reached: ${variable} names a ${shorten(scheme, 20)} proxy`, {
      hint: `Set ${variable} to a proxy with http:// or https://, or unset it`,
    });
  }
  const url = /\s/u.test(text) ? undefined : parseUrl(text);
  if (!url) throw malformed();
  const { hostname, port, username, password, pathname, search, hash } = url;
  // A path is most often the end of a password with a slash, whose beginning would be taken for the host.
  if (hostname === '' || pathname !== '/' || search !== '' || hash !== '' || port === '0') throw malformed();
  const place = `${hostname}:${port === '' ? DEFAULT_PORTS[scheme] : port}`;
  return {
    isSecure: scheme === 'https',
    host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port: port === '' ? DEFAULT_PORTS[scheme] : Number(port),
    authorization: username === '' && password === '' ? undefined : toBasic({ username, password, malformed }),
    variable,
    description: `the proxy at ${place} (from ${variable})`,
  };
}

const DEFAULT_PORTS = { http: 80, https: 443 }; // of URLs; curl would use 1080, but the port is rarely left out

function toBasic(login: { username: string; password: string; malformed: () => HostError }): Secret {
  try {
    const text = `${decodeURIComponent(login.username)}:${decodeURIComponent(login.password)}`;
    return new Secret(`Basic ${Buffer.from(text).toString('base64')}`);
  } catch {
    throw login.malformed(); // a % that encodes nothing; a `cause` would repeat the value
  }
}
