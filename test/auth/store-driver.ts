import { setTimeout as pause } from 'node:timers/promises';
import { Secret } from '../../src/base/secret.js';
import type { CredentialRecord } from '../../src/auth/store/credential-record.js';
import { type CredentialStoreOptions, openCredentialStore } from '../../src/auth/store/open-credential-store.js';
import { folderKeychain } from './folder-keychain.js';

/** The other process in store tests: `node driver.mjs COMMAND FOLDER KEYCHAIN ...`; writes JSON lines to stdout. */
const [command = '', folder = '', keychain = 'off', first = '', second = ''] = process.argv.slice(2);

const KEY = { server: 'https://mcp.example.com/v1', account: '' };
const say = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);

const open = (options: Partial<CredentialStoreOptions> = {}): ReturnType<typeof openCredentialStore> =>
  openCredentialStore({
    folder,
    keychain: keychain === 'auto' || keychain === 'off' ? keychain : folderKeychain(keychain),
    env: process.env,
    platform: process.platform,
    onProblem: (problem) => say({ problem }),
    ...options,
  });

const signedIn = (token: string, scopes: readonly string[] = []): Omit<CredentialRecord, 'revision'> => ({
  ...KEY,
  issuer: {
    issuer: 'https://login.example.com',
    tokenEndpoint: 'https://login.example.com/token',
    saysIss: false,
    readsClientDocuments: false,
    isAssumed: false,
  },
  client: { clientId: 'abc', origin: 'given' },
  tokens: { accessToken: new Secret(token), type: 'Bearer', obtainedAt: 0 },
  resource: KEY.server,
  scopes,
});

const shown = (record: CredentialRecord | undefined): unknown =>
  record
    ? { token: record.tokens?.accessToken.reveal(), revision: record.revision, scopes: record.scopes.length }
    : null;
const failed = (error: unknown): unknown => ({ error });

const commands: Record<string, () => unknown> = {
  /** PREFIX COUNT: adds COUNT scopes to the record, one save for each. */
  async add() {
    await using store = open();
    for (let index = 0; index < Number(second); index++) {
      await store.alone(KEY, (held) => held.save(signedIn('x', [...(held.current?.scopes ?? []), `${first}${index}`])));
    }
    say('done');
  },
  /** Reads until stdin ends and reports a missing record. Writes `watching` when it has begun. */
  async watch() {
    await using store = open();
    const seen = new Set<number>();
    await store.load(KEY);
    say('watching');
    process.stdin.resume();
    while (!process.stdin.readableEnded) {
      const found = await store.load(KEY);
      if (!found) say('missing');
      else seen.add(found.revision);
      await pause(1);
    }
    say(seen.size);
  },
  /** TOKEN STEP: saves and kills itself at step number STEP. Writes the names of the steps when it survives. */
  async die() {
    const steps: string[] = [];
    const onStep = (step: string): void => {
      if (steps.push(step) - 1 === Number(second)) process.kill(process.pid, 'SIGKILL');
    };
    await using store = open({ onStep });
    await store.alone(KEY, (held) => held.save(signedIn(first)));
    say(steps);
  },
  async load() {
    await using store = open();
    say(await store.load(KEY).then(shown, failed));
  },
  /** TOKEN: saves a record with this access token. */
  async save() {
    await using store = open();
    say(await store.alone(KEY, (held) => held.save(signedIn(first))).then(shown, failed));
  },
  async remove() {
    await using store = open();
    say(await store.alone(KEY, (held) => held.remove()).then(() => 'removed', failed));
  },
  /** Loads and lets the process end by itself, while the helper process of the keychain is still there. */
  async leave() {
    say(await open().load(KEY).then(shown, failed));
  },
  /** Loads from the keychain and writes how often a 5 ms timer has fired meanwhile. */
  async stall() {
    let turns = 0;
    const look = setInterval(() => turns++, 5);
    say('asking');
    const outcome = await open().load(KEY).then(shown, failed);
    clearInterval(look);
    say({ outcome, turns });
  },
};

await commands[command]?.();
