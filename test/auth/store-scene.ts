import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Secret } from '../../src/base/secret.js';
import type { CredentialRecord } from '../../src/auth/store/credential-record.js';
import type { RecordKey } from '../../src/auth/store/credential-store.js';
import {
  type CredentialStoreOptions,
  type OpenedCredentialStore,
  openCredentialStore,
} from '../../src/auth/store/open-credential-store.js';
import { type Keychain, KeychainFailure } from '../../src/auth/store/keychain.js';
import { placeOf } from '../../src/auth/store/record-place.js';

export const KEY: RecordKey = { server: 'https://mcp.example.com/v1?key=hidden', account: 'work' };

export function signedIn(token: string, key: RecordKey = KEY): Omit<CredentialRecord, 'revision'> {
  return {
    server: key.server,
    account: key.account,
    issuer: {
      issuer: 'https://login.example.com',
      tokenEndpoint: 'https://login.example.com/token',
      scopesSupported: ['read', 'write'],
      saysIss: true,
      readsClientDocuments: false,
      isAssumed: false,
    },
    client: { clientId: key.clientId ?? 'abc', clientSecret: new Secret('quiet'), origin: 'registered' },
    tokens: {
      accessToken: new Secret(token),
      type: 'Bearer',
      refreshToken: new Secret(`${token}-refresh`),
      expiresAt: 1_900_000_000_000,
      obtainedAt: 1_800_000_000_000,
    },
    resource: 'https://mcp.example.com/v1',
    scopes: ['read'],
  };
}

export const tokenOf = (record: CredentialRecord | undefined): string | undefined =>
  record?.tokens?.accessToken.reveal();

export interface StoreScene {
  /** The folder of the store, which does not exist yet. */
  readonly folder: string;
  /** The files of the record of `KEY` and of its marker. */
  readonly file: string;
  readonly marker: string;
  readonly problems: string[];
  open(options?: Partial<CredentialStoreOptions>): OpenedCredentialStore;
}

export function openStoreScene(): StoreScene {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-store-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'credentials');
  const place = placeOf(KEY, folder);
  const problems: string[] = [];
  return {
    folder,
    file: join(folder, place.file),
    marker: join(folder, place.marker),
    problems,
    open: (options) =>
      openCredentialStore({
        folder,
        keychain: 'off',
        env: {},
        platform: process.platform,
        onProblem: (text) => problems.push(text),
        ...options,
      }),
  };
}

export const save = (store: OpenedCredentialStore, token: string, key: RecordKey = KEY): Promise<CredentialRecord> =>
  store.alone(key, (held) => held.save(signedIn(token, key)));

/** A keychain in memory that works, refuses or never answers, as `mood` says. */
export class ToldKeychain implements Keychain {
  readonly entries = new Map<string, string>();
  mood: 'works' | 'locked' | 'silent' | 'absent' = 'works';
  asked = 0;
  /** Requests whose signal aborted while they waited. */
  abandoned = 0;
  readonly limit: number | undefined;
  /** Runs once, while the next request waits for its response. */
  meanwhile: (() => Promise<unknown>) | undefined;

  constructor(limit?: number) {
    this.limit = limit;
  }

  async read(name: string, signal: AbortSignal): Promise<string | undefined> {
    await this.#answer(signal);
    return this.entries.get(name);
  }

  async write(name: string, text: string, signal: AbortSignal): Promise<void> {
    await this.#answer(signal);
    this.entries.set(name, text);
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    await this.#answer(signal);
    this.entries.delete(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #answer(signal: AbortSignal): Promise<void> {
    this.asked++;
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    if (this.mood === 'locked') throw new Error('the unlock prompt was dismissed');
    if (this.mood === 'absent') throw new KeychainFailure('absent', 'there is no such service');
    if (this.mood !== 'silent') return;
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        this.abandoned++;
        reject(new Error('given up'));
      });
    });
  }
}
