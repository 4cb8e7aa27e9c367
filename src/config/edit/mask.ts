import { isObject } from '../../base/json.js';
import { isHost } from '../../model/connection-headers.js';
import { maskArguments, maskInline } from '../../model/redaction/mask-arguments.js';
import { isSecretName, maskAll } from '../../model/redaction/mask-value.js';
import type { RawEntry } from '../../transports/kind.js';

/** An entry as it may be shown: every value that could be a secret is masked, references to variables stay. */
export function maskEntry(raw: RawEntry): RawEntry {
  return mapFields(raw, (value, field) => {
    const name = field.toLowerCase();
    if (headerFields.includes(name)) return maskHeaders(value);
    if (secretFields.includes(name)) return maskAll(value);
    return field === 'args' && Array.isArray(value) ? maskArguments(value, raw['command']) : maskNamed(value, field);
  });
}

/** Whether a literal secret stands in an entry: masking knows what could be one, and would change it. */
export function holdsSecret(raw: RawEntry): boolean {
  const { env, ...rest } = raw;
  if (JSON.stringify(maskEntry(rest)) !== JSON.stringify(rest)) return true;
  // Every value of env is masked when shown; here only a name or a look that says "secret" counts.
  return isObject(env) && JSON.stringify(maskNamed(env, 'env')) !== JSON.stringify(env);
}

/** `env` and `headers`, in whatever words and case someone wrote them. */
const secretFields = ['env', 'environment', 'envs', 'requestinit'];
const headerFields = ['headers', 'http_headers', 'httpheaders'];

/** Where a request goes has to be seen, and is no secret. */
function maskHeaders(value: unknown): unknown {
  if (!isObject(value)) return maskAll(value);
  return mapFields(value, (inner, name) => (isHost(name) && typeof inner === 'string' ? inner : maskAll(inner)));
}

/** Settings and fields of any shape: what its name, or the name of what it is in, gives away as a secret. */
export function maskNamed(value: unknown, name: string): unknown {
  if (isSecretName(name) && !openNames.includes(name)) return maskAll(value);
  if (typeof value === 'string') return maskInline(value);
  if (Array.isArray(value)) return value.map((element) => maskNamed(element, name));
  return isObject(value) ? mapFields(value, maskNamed) : value;
}

/** Fields with a telling name and nothing to hide by themselves. */
const openNames = ['oauth', 'authServerMetadataUrl'];

function mapFields(record: RawEntry, map: (value: unknown, field: string) => unknown): RawEntry {
  return Object.fromEntries(Object.entries(record).map(([field, value]) => [field, map(value, field)]));
}
