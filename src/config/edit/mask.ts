import { isObject } from '../../base/json.js';
import { isHost } from '../../model/connection-headers.js';
import { maskArguments, maskInline } from '../../model/redaction/mask-arguments.js';
import { isSecretName, maskAll, maskTokens } from '../../model/redaction/mask-value.js';
import type { RawEntry } from '../../transports/kind.js';

/** The entry for display: every value that could be a secret is masked, references to variables stay. */
export function maskEntry(raw: RawEntry): RawEntry {
  return mapFields(raw, (value, field) => {
    const name = field.toLowerCase();
    if (headerFields.includes(name)) return maskHeaders(value);
    if (secretFields.includes(name)) return maskAll(value);
    if (nameFields.includes(name)) return maskTexts(value);
    if (field === 'args' && Array.isArray(value)) return maskArguments(value, raw['command']);
    // Some hosts have the command and its arguments in one list.
    if (field === 'command' && Array.isArray(value)) return [value[0], ...maskArguments(value.slice(1), value[0])];
    return maskNamed(value, field);
  });
}

/** Whether an entry contains a literal secret, which masking would change. */
export function holdsSecret(raw: RawEntry): boolean {
  const { env, ...rest } = raw;
  if (JSON.stringify(maskEntry(rest)) !== JSON.stringify(rest)) return true;
  // For display every value of env is masked; here only a name or a form that indicates a secret counts.
  return isObject(env) && JSON.stringify(maskNamed(env, 'env')) !== JSON.stringify(env);
}

/** Names for `env` and `headers` that people use, in lower case. */
const secretFields = ['env', 'environment', 'envs', 'requestinit'];
const headerFields = ['headers', 'http_headers', 'httpheaders'];

/** Other hosts' fields that hold names of variables; a value that looks like a token is one by mistake. */
const nameFields = ['bearer_token_env_var', 'env_http_headers', 'env_vars', 'env_keys'];

function maskTexts(value: unknown): unknown {
  if (typeof value === 'string') return /^\w{1,64}$/u.test(value) ? maskTokens(value) : maskAll(value);
  if (Array.isArray(value)) return value.map(maskTexts);
  return isObject(value) ? mapFields(value, maskTexts) : value;
}

/** Masks all headers but `Host`, which is no secret and shows where the request goes. */
function maskHeaders(value: unknown): unknown {
  if (!isObject(value)) return maskAll(value);
  return mapFields(value, (inner, name) => (isHost(name) && typeof inner === 'string' ? inner : maskAll(inner)));
}

/** Masks, in a value of any shape, what its own name or a name around it marks as a secret. */
export function maskNamed(value: unknown, name: string): unknown {
  if (isSecretName(name) && !openNames.includes(name)) return maskAll(value);
  if (typeof value === 'string') return maskInline(value);
  if (Array.isArray(value)) return value.map((element) => maskNamed(element, name));
  return isObject(value) ? mapFields(value, maskNamed) : value;
}

/** Fields whose names look like secrets but are none. */
const openNames = ['oauth', 'authServerMetadataUrl'];

function mapFields(record: RawEntry, map: (value: unknown, field: string) => unknown): RawEntry {
  return Object.fromEntries(Object.entries(record).map(([field, value]) => [field, map(value, field)]));
}
