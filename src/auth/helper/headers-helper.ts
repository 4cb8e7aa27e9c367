import { HostError } from '../../base/errors.js';
import type { Secret } from '../../base/secret.js';
import { nameWord } from '../../base/shell-word.js';
import { within } from '../../base/within.js';
import type { CommandRunner } from '../../edge/processes/command-runner.js';
import type { SandboxHost } from '../../edge/sandbox/sandbox.js';
import {
  type Credentials,
  type CredentialsRefusal,
  isSameCredentials,
  type RequestCredentials,
  type Renewal,
} from '../../model/credentials.js';
import { helperEnvironment, helperSecrets } from './helper-environment.js';
import { headersOf } from './helper-output.js';

export interface HelperOptions {
  /** A command line for the shell. */
  readonly command: string;
  /** The server's name and URL; the helper gets both as environment variables. */
  readonly name: string;
  readonly url: string;
  /** The environment of the host process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  /** The project's folder, or a private folder when the project is not trusted. */
  readonly cwd: string;
  /** `cwd` is the private folder, which the command may write to in a sandbox. */
  readonly ownsCwd?: boolean;
  readonly runner: CommandRunner;
  /**
   * The command comes from a repository, a catalogue, a plugin or a linked file: it does not get the user's secrets,
   * and may not set headers that decide where a request goes.
   */
  readonly isForeign: boolean;
  /** Set when a policy requires a sandbox for foreign commands. */
  readonly sandbox?: SandboxHost | undefined;
  /** Credentials to send besides. A header of the helper replaces one of the same name. */
  readonly over?: Credentials | undefined;
  readonly timeoutMs?: number;
}

/** Headers printed by the entry's command, which runs for every connection, and again when the server refuses them. */
export class HelperCredentials implements Credentials {
  readonly renewsAt: readonly number[];
  readonly hint: string;
  readonly #options: HelperOptions;
  readonly #env: Readonly<Record<string, string>>;
  /** What each of the presented credentials was joined from. */
  readonly #parts = new WeakMap<RequestCredentials, Parts>();
  /** The headers of the last successful run. */
  #latest: RequestCredentials | undefined;
  #failure: HostError | undefined;
  /** One run for all requests that were refused. */
  #renewing: SharedRun | undefined;

  constructor(options: HelperOptions) {
    const { name, over } = options;
    this.#options = options;
    this.#env = helperEnvironment(options);
    this.hint = `Renew what its headersHelper reads, then run: plugboard reconnect ${nameWord(name)}`;
    this.renewsAt = [...new Set([401, 403, ...(over?.renewsAt ?? [])])];
  }

  async present(signal?: AbortSignal): Promise<RequestCredentials | undefined> {
    const own = await this.#run(signal);
    const credentials = own instanceof HostError ? own : await this.#complete(own, signal);
    return credentials instanceof HostError ? undefined : credentials;
  }

  failure(): HostError | undefined {
    return this.#failure ?? this.#options.over?.failure?.();
  }

  async renew(
    refused: RequestCredentials | undefined,
    denial: CredentialsRefusal,
    signal?: AbortSignal,
  ): Promise<Renewal> {
    const sent: Parts = (refused && this.#parts.get(refused)) ?? { own: refused, under: undefined };
    // Another request was refused the same headers earlier, or has connected since.
    const latest = this.#latest;
    const own = latest && sent.own && !isSameCredentials(latest, sent.own) ? latest : await this.#runWithOthers(signal);
    if (own instanceof HostError) return { kind: 'failed', error: own };
    if (!isSameCredentials(own, sent.own)) {
      const credentials = await this.#complete(own, signal);
      return credentials instanceof HostError
        ? { kind: 'failed', error: credentials }
        : { kind: 'renewed', presented: credentials };
    }
    const { over } = this.#options;
    if (over && !setsAuthorization(own) && over.renewsAt.includes(denial.status)) {
      const renewal = await over.renew(sent.under, denial, signal);
      return renewal.kind === 'renewed' ? { ...renewal, presented: this.#join(own, renewal.presented) } : renewal;
    }
    return { kind: 'sign-in', hint: this.hint };
  }

  /** Adds the credentials of `over`, unless the helper printed an Authorization header. */
  async #complete(own: RequestCredentials, signal: AbortSignal | undefined): Promise<RequestCredentials | HostError> {
    const { over } = this.#options;
    if (!over || setsAuthorization(own)) return this.#join(own, undefined);
    const under = await over.present(signal);
    return (under ? undefined : over.failure?.()) ?? this.#join(own, under);
  }

  #join(own: RequestCredentials, under: RequestCredentials | undefined): RequestCredentials {
    const taken = new Set(Object.keys(own.headers).map((header) => header.toLowerCase()));
    const rest = Object.entries(under?.headers ?? {}).filter(([header]) => !taken.has(header.toLowerCase()));
    const headers = Object.fromEntries([...rest, ...Object.entries(own.headers)]);
    const joined: RequestCredentials = { headers, ...(under?.prove && { prove: under.prove }) };
    this.#parts.set(joined, { own, under });
    return joined;
  }

  async #runWithOthers(signal: AbortSignal | undefined): Promise<RequestCredentials | HostError> {
    const run = (this.#renewing ??= this.#share());
    run.waiting++;
    const ended = await within(run.ended, { signal, instead: () => cancelled(this.#options.name) });
    run.waiting--;
    if (run.waiting === 0) run.abandon();
    return ended;
  }

  #share(): SharedRun {
    const abort = new AbortController();
    const forget = (): void => {
      if (this.#renewing === run) this.#renewing = undefined;
    };
    const run: SharedRun = {
      waiting: 0,
      ended: this.#run(abort.signal).finally(forget),
      abandon() {
        forget();
        abort.abort();
      },
    };
    return run;
  }

  async #run(signal: AbortSignal | undefined): Promise<RequestCredentials | HostError> {
    const { command, cwd, ownsCwd, runner, name, env, isForeign, sandbox, timeoutMs = TIMEOUT_MS } = this.#options;
    const end = await runner.run({
      command,
      cwd,
      ownsCwd,
      env: this.#env,
      input: '',
      timeoutMs,
      signal,
      sandbox,
      name,
    });
    const secrets = (): readonly Secret[] => [...helperSecrets(env), ...Object.values(this.#latest?.headers ?? {})];
    const headers =
      end.kind === 'cancelled' ? cancelled(name) : headersOf(end, { name, timeoutMs, secrets, isForeign });
    if (headers instanceof HostError) return (this.#failure = headers);
    this.#failure = undefined;
    return (this.#latest = { headers });
  }
}

interface Parts {
  /** The helper's headers. */
  readonly own: RequestCredentials | undefined;
  readonly under: RequestCredentials | undefined;
}

interface SharedRun {
  readonly ended: Promise<RequestCredentials | HostError>;
  waiting: number;
  /** Aborts the run when no caller waits for it any more. */
  abandon(): void;
}

const TIMEOUT_MS = 10_000; // the timeout that users know from other hosts

function setsAuthorization({ headers }: RequestCredentials): boolean {
  return Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
}

function cancelled(name: string): HostError {
  return new HostError('cancelled', `Server "${name}": the wait for its headersHelper was cancelled`);
}
