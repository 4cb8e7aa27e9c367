import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SignIn, SignInOptions } from '../../auth/sign-in.js';
import type { SignInTarget } from '../../auth/sign-in-target.js';
import type { SignIns, SignOut } from '../../auth/sign-ins.js';
import { Emitter } from '../../base/emitter.js';
import { HostError } from '../../base/errors.js';
import { nameWord } from '../../base/shell-word.js';
import { toHostError } from '../../base/to-host-error.js';
import { ACCOUNT_HINT, accountFor } from '../../config/account.js';
import { isForeignEntry } from '../../config/entries/foreign.js';
import { PrivatePlaces, programEnvironment } from '../../config/risks/private-places.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { CommandRunner } from '../../edge/processes/command-runner.js';
import { openPrivatePlace } from '../../edge/files/private-place.js';
import type { ProcessRegistry } from '../../edge/processes/process-registry.js';
import { type Account, accountCredentials } from '../../model/account.js';
import type { Credentials } from '../../model/credentials.js';
import { userlessGrant } from '../../model/oauth-settings.js';
import { EmbedderCredentials } from './embedder-credentials.js';
import { LazyCredentials } from './lazy-credentials.js';
import type { Ports } from '../ports.js';
import type { Configuration } from '../servers/configuration.js';
import { remoteOf, toTarget } from './sign-in-targets.js';

export interface ServerCredentialsOptions {
  readonly configuration: Pick<Configuration, 'loaded'>;
  readonly ports: Ports;
  /** The registry of the processes that headers helpers start. */
  readonly processes: ProcessRegistry;
  /** Contract: must not throw. */
  readonly onProblem: (text: string) => void;
}

interface SignInEvents {
  readonly [kind: string]: unknown;
  /** The user has signed in to the server at this URL, as this account. */
  readonly 'signed-in': SignInTarget;
  /** A server requires scopes that the user has not granted. */
  readonly 'wants-more': undefined;
}

/** The credentials for all servers of a host, and the sign-ins that give them. */
export class ServerCredentials implements AsyncDisposable {
  readonly #options: ServerCredentialsOptions;
  readonly #runner: CommandRunner;
  readonly events = new Emitter<SignInEvents>((error) => this.#options.onProblem(String(error)));
  #signIns: Promise<SignIns> | undefined;
  /** The result of `#signIns`, once it is loaded. */
  #present: SignIns | undefined;
  #store: AsyncDisposable | undefined;
  /** Sign-ins of this run without a successful call since, by server name. */
  readonly #new = new Map<string, SignInTarget>();

  constructor(options: ServerCredentialsOptions) {
    this.#options = options;
    this.#runner = new CommandRunner({ clock: options.ports.clock, registry: options.processes });
  }

  /** The credentials for requests to a server beyond those in its entry; undefined when there are none. */
  credentialsFor(server: ConfiguredServer): Credentials | undefined {
    const remote = remoteOf(server);
    if (remote?.headersHelper !== undefined) return this.#helper(server, remote.headersHelper, remote.url);
    const account = this.#account(server);
    if (account) return accountCredentials(account, ACCOUNT_HINT);
    const target = this.#asOfNow(server, toTarget(server, this.#options.configuration.loaded.settings.xaaIdp));
    if (!target) return undefined;
    const over = this.#oauth(target);
    const { token } = this.#options.ports;
    return token ? new EmbedderCredentials({ server: server.name, url: target.url, token, over }) : over;
  }

  /** Reads the approval on each use: what it says about sign-ins may change while the server runs. */
  #asOfNow({ name, origin, scope }: ConfiguredServer, target: SignInTarget | undefined): SignInTarget | undefined {
    if (!target?.guest) return target;
    const sharedSignIns = (): 'all' | 'old' | 'none' => {
      const { servers } = this.#options.configuration.loaded;
      const known = servers.find((one) => one.name === name && one.origin === origin && one.scope === scope);
      return known?.approval?.sees ?? 'none';
    };
    return { ...target, guest: { ...target.guest, sharedSignIns } };
  }

  /** The connectors account, for a server that uses it. Without its token in the settings the user may sign in. */
  #account(server: ConfiguredServer): Account | undefined {
    const loaded = this.#options.configuration.loaded;
    const { connectors, xaaIdp } = loaded.settings;
    const remote = remoteOf(server);
    if (remote?.hasAuthorizationHeader === true || remote?.hasHostHeader === true) return undefined;
    return connectors?.token !== undefined || !toTarget(server, xaaIdp) ? accountFor(server, loaded) : undefined;
  }

  /** Whether some tools of the server require scopes that the user has not granted. */
  wantsMore(server: ConfiguredServer | undefined): boolean {
    if (!this.#present || !server) return false;
    const target = toTarget(server, this.#options.configuration.loaded.settings.xaaIdp);
    return target !== undefined && this.#present.missingScopes(target) !== undefined;
  }

  /** Reports a successful call, which resets the count of sign-ins in a row. */
  worked(server: string): void {
    const target = this.#new.get(server);
    if (!target) return;
    this.#new.delete(server);
    this.#present?.onCallSucceeded(target);
  }

  /** Never rejects. */
  async signIn(server: ConfiguredServer, options: SignInOptions): Promise<SignIn> {
    const target = this.#target(server);
    if (target instanceof HostError) return { kind: 'failed', error: target };
    try {
      const begun = await (await this.#load()).begin(target, options);
      if (begun.kind === 'done') this.events.emit('signed-in', target);
      return begun;
    } catch (cause) {
      return { kind: 'failed', error: toHostError(cause, `Cannot sign in to "${server.name}"`) };
    }
  }

  /** Never rejects. */
  async signOut(server: ConfiguredServer, signal?: AbortSignal): Promise<SignOut> {
    const target = this.#target(server);
    if (target instanceof HostError) return { kind: 'failed', error: target };
    try {
      return await (await this.#load()).signOut(target, signal);
    } catch (cause) {
      return { kind: 'failed', error: toHostError(cause, `Cannot sign out of "${server.name}"`) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const signIns = await this.#signIns?.catch(() => undefined); // callers have been told why loading failed
    await Promise.all([signIns?.[Symbol.asyncDispose](), this.#runner[Symbol.asyncDispose]()]);
    await this.#store?.[Symbol.asyncDispose]();
  }

  readonly #signedIn = (target: SignInTarget): void => {
    this.#new.set(target.name, target);
    this.events.emit('signed-in', target);
  };

  #target(server: ConfiguredServer): SignInTarget | HostError {
    const target = toTarget(server, this.#options.configuration.loaded.settings.xaaIdp);
    if (target && this.#account(server)) {
      const message = `"${server.name}" uses the account of the connectors: you do not sign in to it separately`;
      return new HostError('unsupported', message, { hint: ACCOUNT_HINT });
    }
    if (target) return target;
    const remote = remoteOf(server);
    if (remote?.supportsSignIn === true) {
      if (remote.hasHostHeader) {
        const message = `"${server.name}" has a Host header in its entry, so Plugboard sends no sign-in there`;
        return new HostError('unsupported', message, {
          hint: `Remove the header from the entry to sign in; see the entry: plugboard get ${nameWord(server.name)}`,
        });
      }
      const what = remote.headersHelper === undefined ? 'an Authorization header' : 'a headersHelper';
      return new HostError('unsupported', `"${server.name}" has ${what} in its entry, which signs you in`, {
        hint: `Remove it from the entry to sign in instead; see the entry: plugboard get ${nameWord(server.name)}`,
      });
    }
    return new HostError(
      'unsupported',
      `"${server.name}" doesn't support OAuth login — it's only available for HTTP and SSE servers.`,
      { hint: `plugboard get ${nameWord(server.name)}` },
    );
  }

  #oauth(target: SignInTarget): Credentials {
    const { state } = this.#options.configuration.loaded.context.places;
    const isSilent = userlessGrant(target.settings) !== undefined;
    return new LazyCredentials({
      hint: `plugboard login ${nameWord(target.name)}`,
      renewsAt: [401, 403],
      // A grant without a user, such as client credentials, has nobody to sign in.
      canSignIn: !isSilent || target.settings.xaa === true,
      mayHaveCredentials: () =>
        isSilent || this.#signIns !== undefined || (state !== undefined && existsSync(join(state, CREDENTIALS))),
      load: async () => (await this.#load()).credentialsFor(target),
      onDenied: ({ status }) => {
        if (status === 403) this.events.emit('wants-more', undefined);
      },
    });
  }

  #helper({ name, author, scope, startsInPrivateFolder }: ConfiguredServer, command: string, url: string): Credentials {
    const { context, policies, trust } = this.#options.configuration.loaded;
    const { platform, projectRoot, places } = context;
    const place = startsInPrivateFolder === true ? new PrivatePlaces(context, trust).ofServer(name) : undefined;
    const runner = this.#runner;
    const isForeign = isForeignEntry({ author, scope });
    const isConfined = isForeign && policies.some(({ requireSandbox }) => requireSandbox !== undefined);
    return new LazyCredentials({
      hint: `Renew what its headersHelper reads, then run: plugboard reconnect ${nameWord(name)}`,
      renewsAt: [401, 403],
      mayHaveCredentials: () => true,
      async load() {
        const { HelperCredentials } = await import('../../auth/helper/headers-helper.js');
        const secret = [places.state, places.cache];
        const env = place?.env ?? context.env;
        const cwd = place ? await openPrivatePlace(place, `The headersHelper of "${name}"`) : projectRoot;
        const programPath = (): string | undefined => programEnvironment({ context, trust })['PATH'];
        const sandbox = isConfined
          ? new (await import('../../edge/sandbox/sandbox.js')).SandboxHost({
              env: context.env,
              platform,
              secret,
              programPath,
            })
          : undefined;
        const who = { isForeign, ownsCwd: place !== undefined };
        return new HelperCredentials({ command, name, url, env, platform, cwd, runner, sandbox, ...who });
      },
    });
  }

  #load(): Promise<SignIns> {
    return (this.#signIns ??= this.#open().catch((cause: unknown) => {
      this.#signIns = undefined;
      throw cause;
    }));
  }

  async #open(): Promise<SignIns> {
    const { configuration, ports, onProblem } = this.#options;
    const { env, platform, cwd, places } = configuration.loaded.context;
    const [{ SignIns: Opened }, { openCredentialStore }, { pinAddresses }] = await Promise.all([
      import('../../auth/sign-ins.js'),
      import('../../auth/store/open-credential-store.js'),
      import('../../edge/network/address-pins.js'),
    ]);
    const { wall, clock } = ports;
    const store = openCredentialStore({
      folder: places.state === undefined ? undefined : join(places.state, CREDENTIALS),
      keychain: 'auto',
      env,
      platform,
      onProblem,
      clock,
    });
    this.#store = store;
    const lookup = pinAddresses(undefined, { label: 'An authorization server' });
    this.#present = new Opened({ store, env, cwd, wall, clock, lookup, onProblem, onSignedIn: this.#signedIn });
    return this.#present;
  }
}

const CREDENTIALS = 'credentials';
