/*
 * A recording is made to be sent to other people. This is what is removed from its messages, and what is not.
 *
 * Removed, with a mask in its place:
 * - values under a key that names a credential (password, secret, token, apiKey, privateKey, authorization, cookie
 *   ...), at any depth, in any case; in `{ name, value }` pairs; and, in texts, in JSON, XML, `NAME=value`, `name =
 *   "value"`, URLs, `name: value` and `--name value`;
 * - values in the format of a credential, anywhere: keys of AWS, Google, OpenAI, Anthropic, GitHub, GitLab, Slack,
 *   Stripe and others, JSON Web Tokens, private keys, `Bearer x`, `Basic x`, users and passwords in URLs, `curl -u
 *   user:x`, addresses of webhooks;
 * - the given values: those of the server's own entry in env and headers. Values of four to seven characters only as
 *   separate words; shorter ones, and everyday words such as `true` or `production`, not at all. Values of eight
 *   characters and more also in base64, also behind other bytes as in `user:value`, in hex, and percent-encoded;
 * - the home folder, which becomes `~`.
 *
 * Kept: everything else that people typed and servers answered. Names, addresses, contents of files, a password inside
 * a sentence, a secret of no known format under an unsuspicious name, and values encoded in another way. Method names,
 * ids and numbers stay, and a JSON Schema that describes a password is not a secret.
 */
import { isObject } from '../../base/json.js';
import { MASK } from '../../base/secret.js';
import { isCredentialName } from './credential-name.js';
import { type TextRedactor, textRedactor, type TextRedactorOptions } from './redact-text.js';

export interface RedactorOptions extends TextRedactorOptions {
  /** The JSON form of a class instance; undefined to use the object itself. */
  readonly standIn?: (value: object) => object | undefined;
  /** The largest size of a message as JSON, in bytes. */
  readonly limit?: number;
}

/** Returns a copy that may be shown. Contract: does not throw, whatever the message is; takes bounded time. */
export type Redactor = (message: unknown) => unknown;

export function messageRedactor(options: RedactorOptions = {}): Redactor {
  const { standIn, limit = MESSAGE_LIMIT } = options;
  const texts = textRedactor(options);
  const keys = keyring(texts);
  return (message) => {
    try {
      return new Walk({ texts, keys, standIn }, limit - RESERVED_BYTES).message(message);
    } catch {
      return cutMark({ kind: 'unreadable' }); // a throwing getter or a Proxy: not JSON
    }
  };
}

/** Replaces what was too large, too deep or not JSON. */
export type Cut =
  | { readonly kind: 'text'; readonly length: number; readonly start: string }
  | { readonly kind: 'rest'; readonly count: number }
  | { readonly kind: 'depth' }
  | { readonly kind: 'unreadable' };

/** The key of an object that replaces something cut; within an object, of the fields that are missing. */
export const CUT_KEY = '$cut';

export function cutMark(cut: Cut): { readonly [CUT_KEY]: Cut } {
  return { [CUT_KEY]: cut };
}

const MESSAGE_LIMIT = 1_000_000;
const RESERVED_BYTES = 32_768; // for jsonrpc, id and method, and for one cut mark on each level
const DEPTH_LIMIT = 512; // the depth that the wire accepts
const SMALL_TEXT = 1_024;
const MARK_BYTES = 64;
const KEYS_REMEMBERED = 1_000;

interface Key {
  readonly name: string;
  readonly bytes: number;
  readonly isCredential: boolean;
}

/** Caches keys, because messages repeat them. */
function keyring(texts: TextRedactor): (key: string) => Key {
  const known = new Map<string, Key>();
  return (key) => {
    const before = known.get(key);
    if (before) return before;
    const name = redactStart(texts, key, SMALL_TEXT);
    const now = { name, bytes: jsonBytes(name) + 2, isCredential: isCredentialName(key) };
    if (known.size < KEYS_REMEMBERED && key.length <= SMALL_TEXT) known.set(key, now);
    return now;
  };
}

/** Redacts some text beyond the limit as well and drops it, so that no secret is cut in the middle and missed. */
function redactStart(texts: TextRedactor, text: string, limit: number): string {
  if (text.length <= limit) return texts.redact(text);
  return texts.redact(text.slice(0, Math.max(limit, 0) + texts.reach)).slice(0, -texts.reach);
}

interface Tools {
  readonly texts: TextRedactor;
  readonly keys: (key: string) => Key;
  readonly standIn: ((value: object) => object | undefined) | undefined;
}

/** `all`: every leaf is a secret. `schema`: describes a secret, so only its examples are secrets. */
type Mode = 'plain' | 'all' | 'schema';

interface Place {
  readonly mode: Mode;
  readonly depth: number;
  /** The key of the value. */
  readonly key: string;
}

class Walk {
  readonly #tools: Tools;
  #left: number;

  constructor(tools: Tools, bytes: number) {
    this.#tools = tools;
    this.#left = bytes;
  }

  message(message: unknown): unknown {
    if (isObject(message)) return this.#object(message, TOP);
    if (!Array.isArray(message)) return this.#value(message, TOP);
    return this.#array(message, TOP, (part) => (isObject(part) ? this.#object(part, TOP) : this.#value(part, BELOW)));
  }

  #value(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return place.mode === 'all' ? this.#mask(value) : this.#text(value);
    if (typeof value === 'number' || typeof value === 'bigint') {
      const text = String(value);
      this.#left -= text.length + 3;
      if (place.mode === 'all' || this.#tools.texts.hides(text)) return MASK;
      return typeof value === 'number' ? value : text;
    }
    if (typeof value === 'object' && value !== null) return this.#composite(value, place);
    this.#left -= 6;
    return typeof value === 'boolean' || value === null ? value : undefined;
  }

  #composite(value: object, place: Place): unknown {
    if (place.depth >= DEPTH_LIMIT) {
      this.#left -= MARK_BYTES;
      return cutMark({ kind: 'depth' });
    }
    const plain = this.#tools.standIn?.(value) ?? value;
    if ('toJSON' in plain && typeof plain.toJSON === 'function') {
      const json: unknown = plain.toJSON(place.key);
      if (json !== value) return this.#value(json, { ...place, depth: place.depth + 1 });
    }
    return Array.isArray(plain) ? this.#array(plain, place) : this.#object(plain, place);
  }

  #array(source: readonly unknown[], place: Place, visit?: (value: unknown) => unknown): unknown[] {
    const inner = { ...place, depth: place.depth + 1 };
    const copy: unknown[] = [];
    this.#left -= 3;
    for (const value of source) {
      if (this.#left <= 0) {
        copy.push(cutMark({ kind: 'rest', count: source.length - copy.length }));
        break;
      }
      copy.push((visit ? visit(value) : this.#value(value, inner)) ?? null);
    }
    return copy;
  }

  #object(source: object, place: Place): object {
    const fields = Object.entries(source);
    const entries: [string, unknown][] = [];
    this.#left -= 3;
    const pairValue = this.#pairValue(source);
    for (const [index, [key, value]] of fields.entries()) {
      const isEnvelope = place === TOP && ENVELOPE_KEYS.includes(key) && isShort(value);
      if (isEnvelope) entries.push([key, this.#envelope(key, value)]);
      else if (this.#left <= 0) {
        // The id may still follow.
        if (entries.at(-1)?.[0] !== CUT_KEY) entries.push([CUT_KEY, { kind: 'rest', count: fields.length - index }]);
        if (place !== TOP) break;
      } else this.#field([key, value], { entries, place, isSecret: key === pairValue });
    }
    // Not by assignment, which would treat `__proto__` specially.
    return Object.fromEntries(entries);
  }

  #field(
    [key, value]: [string, unknown],
    { entries, place, isSecret }: { entries: [string, unknown][]; place: Place; isSecret: boolean },
  ): void {
    const { name, bytes, isCredential } = this.#tools.keys(key);
    this.#left -= bytes;
    const mode = isSecret ? 'all' : modeOf({ key, value, isCredential }, place);
    const after = this.#value(value, { mode, depth: place.depth + 1, key });
    if (after !== undefined) entries.push([name, after]);
  }

  /** For `{ "name": "Authorization", "value": "x" }`: the key of the field with the secret. */
  #pairValue(source: object): string | undefined {
    if (!('value' in source)) return undefined;
    const named = PAIR_NAMES.some((key) => {
      const name = (source as { readonly [key: string]: unknown })[key];
      return typeof name === 'string' && name.length <= SMALL_TEXT && this.#tools.keys(name).isCredential;
    });
    return named ? 'value' : undefined;
  }

  #envelope(key: string, value: unknown): unknown {
    if (typeof value !== 'string') return value;
    return key !== 'id' && PROTOCOL_WORD.test(value) ? value : this.#tools.texts.redact(value);
  }

  /** No text takes more than half of the remaining bytes, so that later fields have room. */
  #text(text: string): unknown {
    const allowance = Math.max(this.#left / 2, Math.min(this.#left, SMALL_TEXT));
    const seen = redactStart(this.#tools.texts, text, allowance);
    const bytes = jsonBytes(seen);
    if (text.length <= allowance && bytes <= allowance) {
      this.#left -= bytes;
      return seen;
    }
    const start = fitting(seen, allowance);
    this.#left -= jsonBytes(start) + MARK_BYTES;
    return cutMark({ kind: 'text', length: text.length, start });
  }

  #mask(text: string): string {
    this.#left -= MARK_BYTES;
    return text === '' ? '' : MASK;
  }
}

const TOP: Place = { mode: 'plain', depth: 0, key: '' };
const BELOW: Place = { ...TOP, depth: 1 };
const ENVELOPE_KEYS = ['jsonrpc', 'id', 'method'];
/** Words such as `tools/call` stay: the value "tools" in an entry's env would make a recording unreadable. */
const PROTOCOL_WORD = /^[A-Za-z0-9._$-]{1,40}(?:\/[A-Za-z0-9._-]{1,40}){0,3}$/u;
const PAIR_NAMES = ['name', 'key', 'header'];
const SCHEMA_MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const EXAMPLES = ['default', 'const', 'example', 'examples'];
const SCHEMA_WORDS = ['type', 'description', 'title', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'];

function modeOf(field: { key: string; value: unknown; isCredential: boolean }, place: Place): Mode {
  if (place.mode === 'all') return 'all';
  if (place.mode === 'schema' && EXAMPLES.includes(field.key)) return 'all';
  if (!field.isCredential) return 'plain';
  return SCHEMA_MAPS.includes(place.key) && isSchema(field.value) ? 'schema' : 'all';
}

function isSchema(value: unknown): boolean {
  return (
    isObject(value) && (Object.keys(value).length === 0 || SCHEMA_WORDS.some((word) => Object.hasOwn(value, word)))
  );
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= SMALL_TEXT : typeof value !== 'object';
}

/** An upper bound of a text's bytes in a JSON file, with quotes and comma. */
function jsonBytes(text: string): number {
  let bytes = 3;
  for (let index = 0; index < text.length; index++) bytes += unitBytes(text.charCodeAt(index));
  return bytes;
}

function unitBytes(unit: number): number {
  if (unit < 0x20) return 6;
  if (unit < 0x80) return unit === 0x22 || unit === 0x5c ? 2 : 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit <= 0xdfff ? 6 : 3;
}

/** The longest beginning of a text within the limit in bytes; no character is split. */
function fitting(text: string, limit: number): string {
  let bytes = 3;
  let end = 0;
  while (end < text.length && bytes + unitBytes(text.charCodeAt(end)) <= limit)
    bytes += unitBytes(text.charCodeAt(end++));
  const last = text.charCodeAt(end - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end);
}
