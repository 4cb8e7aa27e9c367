import { KEY_PLACES } from './key-places.js';

/**
 * Whether a file is likely to hold keys, passwords or tokens, by its name and folders. A false alarm only causes a
 * question. Source code never counts, whatever its name.
 */
export function looksSecret(path: string): boolean {
  const parts = path
    .toLowerCase()
    .split(/[/\\]+/u)
    .filter((part) => part !== '' && part !== '.');
  const name = (parts.at(-1) ?? '').slice(0, NAME_LIMIT);
  const folders = parts.slice(0, -1);
  if (PUBLIC.test(name)) return false;
  if (folders.some((folder) => FOLDERS.has(folder))) return true;
  if (parts.some((_, from) => isKeyPlace(parts, from))) return true;
  if (NAMES.has(name) || NAMES.has(`${folders.at(-1) ?? ''}/${name}`)) return true;
  return PATTERNS.some((pattern) => pattern.test(name));
}

const NAME_LIMIT = 255; // the longest file name

/** Files meant to be shared: examples without values, and public keys. */
const PUBLIC = /^\.env[._-].*(?:example|sample|template|dist|defaults)$|\.pub$/u;

/** Whether a path of `KEY_PLACES` begins at this part, in whatever folder. */
function isKeyPlace(parts: readonly string[], from: number): boolean {
  let place = '';
  for (const part of parts.slice(from, from + DEEPEST)) {
    place += `/${part}`;
    if (PLACES.has(place)) return true;
  }
  return false;
}

const PLACES: ReadonlySet<string> = new Set(
  [
    ...KEY_PLACES.home,
    ...KEY_PLACES.config.map((place) => `.config/${place}`),
    ...KEY_PLACES.data.map((place) => `.local/share/${place}`),
  ].map((place) => `/${place.toLowerCase()}`),
);
const DEEPEST = Math.max(...[...PLACES].map((place) => place.split('/').length - 1));

const FOLDERS: ReadonlySet<string> = new Set(['gcloud', 'keyrings', 'keychains']);

/** With the folder where the name alone is not enough. */
const NAMES: ReadonlySet<string> = new Set([
  '.envrc',
  '.htpasswd',
  'kubeconfig',
  'rclone.conf',
  'wp-config.php',
  'shadow',
  'passwd',
  '.git/config',
  'gh/hosts.yml',
]);

const DATA = String.raw`(?:\.(?:json|jsonc|ya?ml|toml|ini|cfg|conf|properties|txt|xml|csv|env|enc|gpg|bak|old|plist))*`;
const STAGE = String.raw`(?:\.(?:prod|production|staging|dev|development|test|local))?`;
const PATTERNS: readonly RegExp[] = [
  /^\.env(?:[._~-].*)?$/u,
  /.\.env$/u,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-].*)?$/u,
  /\.(?:pem|key|p8|p12|pfx|pkcs12|jks|keystore|kdbx?|ppk|ovpn|tfvars|tfstate)(?:\.(?:json|backup|bak|old))?$/u,
  new RegExp(String.raw`^(?:.*[._-])?(?:credentials?|secrets?|passwords?)(?:[_-][\w-]*)?${STAGE}${DATA}$`, 'u'),
  new RegExp(String.raw`^\.?(?:auth|access|refresh|api|bot)?[._-]?(?:token|key|apikey)${DATA}$`, 'u'),
  /^(?:.*[._-])?service[._-]?account.*\.json$/u,
  /^\.\w+_history$/u,
];
