import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';
import { HostError } from '../base/errors.js';
import { isObject, type JsonObject, parseJson } from '../base/json.js';

/** What a sealed value is for. A value that was sealed for one purpose never opens for another. */
export type SealPurpose = 'session' | 'state' | 'task' | 'cursor' | 'event' | 'question' | 'connect' | 'hop';

/**
 * Seals what clients keep for us: ids and states that every instance with the same secret can open and nobody can read,
 * forge or change. AES-256-GCM with a key for each purpose. A sealed text is visible ASCII, good in a header.
 */
export class Seals {
  readonly #sealing: PurposeKeys;
  readonly #opening: readonly PurposeKeys[];

  /** One secret, or two while they are rotated: the first one seals, both open. */
  constructor(secrets: readonly Uint8Array[]) {
    const [first, second] = secrets;
    if (!first || secrets.length > 2 || secrets.some(({ byteLength }) => byteLength < SECRET_BYTES))
      throw new HostError(
        'config-invalid',
        `A secret for seals has fewer than ${SECRET_BYTES} bytes, or there are more than two`,
        {
          hint: `Give one secret of ${SECRET_BYTES} random bytes, or two while you replace one`,
        },
      );
    this.#sealing = new PurposeKeys(first);
    this.#opening = second ? [this.#sealing, new PurposeKeys(second)] : [this.#sealing];
  }

  /** Another text each time, so that nobody can tell whether two values are equal. */
  seal(purpose: SealPurpose, value: JsonObject | string | Uint8Array): string {
    const nonce = randomFillSync(Buffer.allocUnsafe(NONCE_BYTES));
    return this.#seal(purpose, toBytes(value), nonce);
  }

  /** The same text for the same value, on every instance: for cursors in lists that are the same bytes everywhere. */
  sealStable(purpose: SealPurpose, value: JsonObject | string | Uint8Array): string {
    const bytes = toBytes(value);
    const { nonces } = this.#sealing.of(purpose);
    // A nonce that depends on all of the value never comes with another value, which is what GCM needs.
    const nonce = createHmac('sha256', nonces).update(bytes).digest().subarray(0, NONCE_BYTES);
    return this.#seal(purpose, bytes, nonce);
  }

  /** Undefined for what is forged, cut, changed, too long, of another purpose or secret, or no object. */
  open(purpose: SealPurpose, text: string): JsonObject | undefined {
    const bytes = this.openBytes(purpose, text);
    const value = bytes && parseJson(bytes.toString('utf8'));
    return isObject(value) ? value : undefined;
  }

  /** What `seal` was given, in UTF-8 where it was no bytes. */
  openBytes(purpose: SealPurpose, text: string): Buffer | undefined {
    if (text.length < SHORTEST || text.length > SEALED_LIMIT) return undefined;
    const sealed = Buffer.from(text, 'base64url');
    // Buffer.from skips what is no base64; one value must have one text, or a state used once could be used again.
    if (sealed[0] !== VERSION || sealed.toString('base64url') !== text) return undefined;
    for (const keys of this.#opening) {
      const bytes = unseal(keys.of(purpose), sealed);
      if (bytes) return bytes;
    }
    return undefined;
  }

  #seal(purpose: SealPurpose, bytes: Uint8Array, nonce: Buffer): string {
    const { key, associated } = this.#sealing.of(purpose);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(associated);
    const body = cipher.update(bytes);
    cipher.final();
    return Buffer.concat([HEAD, nonce, body, cipher.getAuthTag()]).toString('base64url');
  }
}

/** A longer text is not opened. What another server has us seal has to be shorter before. */
export const SEALED_LIMIT = 1_000_000; // characters

function unseal({ key, associated }: PurposeKey, sealed: Buffer): Buffer | undefined {
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associated);
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    const bytes = decipher.update(sealed.subarray(1 + NONCE_BYTES, sealed.length - TAG_BYTES));
    decipher.final();
    return bytes;
  } catch {
    // Not sealed with this key, or changed since.
    return undefined;
  }
}

interface PurposeKey {
  readonly key: KeyObject;
  /** For nonces that follow from the value. */
  readonly nonces: KeyObject;
  /** Purpose and version, which a value is bound to as well. */
  readonly associated: Buffer;
}

/** The keys of one secret, each made at its first use. */
class PurposeKeys {
  readonly #secret: KeyObject;
  readonly #keys = new Map<SealPurpose, PurposeKey>();

  constructor(secret: Uint8Array) {
    this.#secret = createSecretKey(secret);
  }

  of(purpose: SealPurpose): PurposeKey {
    const known = this.#keys.get(purpose);
    if (known) return known;
    const made: PurposeKey = {
      key: this.#derive(`plugboard/seal/${VERSION}/${purpose}`),
      nonces: this.#derive(`plugboard/nonce/${VERSION}/${purpose}`),
      associated: Buffer.from(`${purpose} ${VERSION}`),
    };
    this.#keys.set(purpose, made);
    return made;
  }

  #derive(info: string): KeyObject {
    return createSecretKey(new Uint8Array(hkdfSync('sha256', this.#secret, '', info, KEY_BYTES)));
  }
}

function toBytes(value: JsonObject | string | Uint8Array): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value), 'utf8');
}

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const HEAD = Buffer.from([VERSION]);
const SECRET_BYTES = 32;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SHORTEST = Math.ceil(((1 + NONCE_BYTES + TAG_BYTES) * 4) / 3); // characters of an empty value
