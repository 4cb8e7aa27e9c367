import { parseUrl } from '../../base/parse-url.js';
import { HostError } from '../../base/errors.js';
import { Secret } from '../../base/secret.js';
import { shorten } from '../../base/shorten.js';
import { urlAddressClass } from '../../model/urls/address-class.js';
import { isExempt } from './no-proxy.js';

/** A forward proxy, as a variable of the environment names it. */
export interface ProxyServer {
  /** TLS to the proxy itself, whatever is spoken through it. */
  readonly isSecure: boolean;
  /** As sockets want it: an IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** The value of Proxy-Authorization. */
  readonly authorization: Secret | undefined;
  /** The variable that it comes from. */
  readonly variable: string;
  /** How texts name it: where it is and who said so, and never the password. */
  readonly description: string;
}

export interface ProxyChoiceOptions {
  /** Begins the sentence of every error: `Server "db"`. */
  readonly label: string;
  readonly env: Environment;
}

type Environment = { readonly [name: string]: string | undefined };

/**
 * The proxy for a URL by the variables that curl made a custom: lower case wins, empty is unset, and this machine is never asked for
 * through anybody. Throws a HostError that names the variable and not its value, which may hold a password.
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

/** How a sentence begins when it may be either of the two. */
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
      hint: `Proxies of http:// and https:// can be used: set ${variable} to one, or unset it`,
    });
  }
  const url = /\s/u.test(text) ? undefined : parseUrl(text);
  if (!url) throw malformed();
  const { hostname, port, username, password, pathname, search, hash } = url;
  // What follows the host is most often the end of a password with a slash in it, and its beginning would be taken for the host.
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

const DEFAULT_PORTS = { http: 80, https: 443 }; // of URLs; curl would take 1080, and hardly anybody leaves it out

function toBasic(login: { username: string; password: string; malformed: () => HostError }): Secret {
  try {
    const text = `${decodeURIComponent(login.username)}:${decodeURIComponent(login.password)}`;
    return new Secret(`Basic ${Buffer.from(text).toString('base64')}`);
  } catch {
    throw login.malformed(); // a % that encodes nothing; the cause would repeat the value
  }
}
