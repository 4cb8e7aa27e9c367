import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject, parseJson } from '../../base/json.js';
import { onAbort } from '../../base/on-abort.js';
import { spawnApart } from '../../edge/processes/spawn-apart.js';
import type { CredentialStoreOptions } from './open-credential-store.js';
import { type Keychain, KeychainFailure, keychainErrorText } from './keychain.js';

/**
 * The system's keychain, through @napi-rs/keyring in a process of its own. Inside this process it could not be stopped:
 * creating an entry waits for the message bus and blocks the event loop (for good, when the bus is silent), and a
 * prompt that waits for the user keeps the program from exiting. The process is started by the first request and killed
 * by one that takes too long; it ends by itself when this process does.
 */
export function systemKeychain({ env, platform }: Pick<CredentialStoreOptions, 'env' | 'platform'>): Keychain {
  let helper: Helper | undefined;
  const ask = async (question: Question, signal: AbortSignal): Promise<string | undefined> => {
    const missing = whyMissing(env, platform);
    if (missing !== undefined) throw new KeychainFailure('absent', missing);
    if (helper?.isGone !== false) helper = new Helper(env);
    return helper.ask(question, signal);
  };
  return {
    limit: platform === 'win32' ? WINDOWS_LIMIT : undefined,
    read: (name, signal) => ask({ act: 'read', name }, signal),
    write: async (name, text, signal) => void (await ask({ act: 'write', name, text }, signal)),
    remove: async (name, signal) => void (await ask({ act: 'remove', name }, signal)),
    async [Symbol.asyncDispose]() {
      helper?.end();
    },
  };
}

/**
 * CRED_MAX_CREDENTIAL_BLOB_SIZE. A larger record is stored in a file: split into several entries it could be torn, and
 * on Windows the user's folder is protected by the same account as the keychain.
 */
const WINDOWS_LIMIT = 2_560;

interface Question {
  readonly act: 'read' | 'write' | 'remove';
  readonly name: string;
  readonly text?: string;
}

/** Without a message bus there is no Secret Service, and no process is needed to find that out. */
function whyMissing(env: CredentialStoreOptions['env'], platform: NodeJS.Platform): string | undefined {
  if (platform === 'win32' || platform === 'darwin') return undefined;
  const { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: runtime } = env;
  if (address || (runtime && existsSync(join(runtime, 'bus')))) return undefined;
  return 'this session has no D-Bus message bus to reach a Secret Service';
}

/** A process that accesses the keychain, one request at a time. */
class Helper {
  readonly #child: ChildProcess;
  #output = '';
  #pending: { readonly answer: (line: string) => void; readonly fail: (error: KeychainFailure) => void } | undefined;
  isGone = false;

  constructor(env: CredentialStoreOptions['env']) {
    const sea = process.getBuiltinModule('node:sea');
    // In a single executable `execPath` is the program itself, which would be started once more.
    if (sea?.isSea()) throw new KeychainFailure('absent', 'this program has no node executable to reach it with');
    this.#child = spawnApart({
      command: process.execPath,
      args: ['-e', HELPER, packageFile()],
      cwd: process.platform === 'win32' ? process.cwd() : '/',
      env: environmentOf(env),
      stdio: ['pipe', 'pipe', 'ignore'],
      stray: [],
    });
    this.#child.once('error', (error) => this.#over(new KeychainFailure('absent', keychainErrorText(error))));
    this.#child.once('close', () => this.#over(new KeychainFailure('refused', 'its helper process ended')));
    this.#child.stdin?.on('error', () => {}); // the process has ended: `close` reports it
    this.#child.stdout?.setEncoding('utf8').on('data', (piece: string) => this.#onOutput(piece));
    this.#hold(false);
  }

  ask(question: Question, signal: AbortSignal): Promise<string | undefined> {
    return new Promise<string | undefined>((resolve, reject) => {
      const end = (): void => {
        this.#pending = undefined;
        this.#hold(false);
        listening?.[Symbol.dispose]();
      };
      const fail = (error: KeychainFailure): void => {
        end();
        reject(error);
      };
      const abort = (): void => {
        this.end();
        fail(new KeychainFailure('slow', 'it did not answer in time'));
      };
      const answer = (line: string): void => {
        end();
        const outcome = toOutcome(line);
        if (outcome instanceof KeychainFailure) reject(outcome);
        else resolve(outcome.text);
      };
      let listening: Disposable | undefined;
      if (signal.aborted) return abort();
      this.#pending = { answer, fail };
      this.#hold(true);
      listening = onAbort(signal, abort);
      this.#child.stdin?.write(`${JSON.stringify(question)}\n`);
    });
  }

  /** Kills the process at once, whatever it waits for, a prompt included. */
  end(): void {
    this.isGone = true;
    this.#child.kill('SIGKILL');
  }

  #onOutput(piece: string): void {
    this.#output += piece;
    const at = this.#output.indexOf('\n');
    if (at < 0 && this.#output.length > ANSWER_LIMIT) return this.end();
    if (at < 0) return;
    const line = this.#output.slice(0, at);
    this.#output = '';
    this.#pending?.answer(line);
  }

  #over(failure: KeychainFailure): void {
    this.isGone = true;
    this.#pending?.fail(failure);
  }

  /** Lets the program exit while the helper is idle, but not while a response is pending. */
  #hold(on: boolean): void {
    const act = on ? 'ref' : 'unref';
    this.#child[act]();
    (this.#child.stdin as Socket | null)?.[act]();
    (this.#child.stdout as Socket | null)?.[act]();
  }
}

const ANSWER_LIMIT = 2_000_000; // characters: the largest record is a tenth of it

/** Bundled as CommonJS, this becomes `require.resolve`, which gives a path. */
function packageFile(): string {
  try {
    const found = import.meta.resolve('@napi-rs/keyring');
    return found.startsWith('file:') ? fileURLToPath(found) : found;
  } catch (cause) {
    throw new KeychainFailure('absent', 'the package @napi-rs/keyring is not installed', { cause });
  }
}

/** Only what the message bus, the keychain and Node need: other variables may contain secrets. */
function environmentOf(env: CredentialStoreOptions['env']): Record<string, string> {
  const own: Record<string, string> = { ELECTRON_RUN_AS_NODE: '1' };
  for (const name of PASSED_ON) if (env[name] !== undefined) own[name] = env[name];
  return own;
}

const PASSED_ON = [
  'HOME',
  'USER',
  'LOGNAME',
  'PATH',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'SystemRoot',
  'TEMP',
  'TMPDIR',
];

function toOutcome(line: string): { readonly text: string | undefined } | KeychainFailure {
  const value = parseJson(line);
  if (!isObject(value))
    return new KeychainFailure('refused', 'its helper process gave an answer that cannot be parsed');
  const { text, trouble, reason } = value;
  if (trouble === 'absent' || trouble === 'refused') return new KeychainFailure(trouble, keychainErrorText(reason));
  return { text: typeof text === 'string' ? text : undefined };
}

/**
 * The native part runs on a worker thread, so that the main thread can always end the process when our end of the pipe
 * closes, even after `kill -9`. On Linux: Secret Service, never the kernel's keyring, which is lost at a restart.
 */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
let keyring;
const entryOf = (name) => {
  keyring ??= require(workerData);
  return new keyring.AsyncEntry('plugboard', name, { linux: { store: 'secret-service' } });
};
const acts = {
  read: async (entry) => {
    const bytes = await entry.getSecret();
    return bytes === null ? {} : { text: Buffer.from(bytes).toString('utf8') };
  },
  write: async (entry, text) => (await entry.setSecret(Buffer.from(text)), {}),
  remove: async (entry) => (await entry.deleteCredential(), {}),
};
parentPort.on('message', async ({ act, name, text }) => {
  let trouble = 'absent';
  try {
    const entry = entryOf(name);
    trouble = 'refused';
    parentPort.postMessage(await acts[act](entry, text));
  } catch (error) {
    parentPort.postMessage({ trouble, reason: String(error && error.message) });
  }
});`;

const HELPER = `
const { Worker } = require('node:worker_threads');
const end = () => process.kill(process.pid, 'SIGKILL');
const worker = new Worker(${JSON.stringify(WORKER)}, { eval: true, workerData: process.argv[1] });
worker.on('error', end);
worker.on('message', (message) => process.stdout.write(JSON.stringify(message) + '\\n'));
let heard = '';
process.stdin.setEncoding('utf8').on('data', (piece) => {
  const lines = (heard + piece).split('\\n');
  heard = lines.pop();
  for (const line of lines) worker.postMessage(JSON.parse(line));
}).on('end', end).on('error', end);
process.stdout.on('error', end);`;
