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
import { silentWay } from '../../model/oauth-settings.js';
import { EmbedderCredentials } from './embedder-credentials.js';
import { LazyCredentials } from './lazy-credentials.js';
import type { Ports } from '../ports.js';
import type { Configuration } from '../servers/configuration.js';
import { remoteOf, toTarget } from './sign-in-targets.js';

export interface ServerCredentialsOptions {
  readonly configuration: Pick<Configuration, 'loaded'>;
  readonly ports: Ports;
  /** What helpers are started in. */
  readonly processes: ProcessRegistry;
  /** Contract: must not throw. */
  readonly onProblem: (text: string) => void;
}

interface SignInEvents {
  readonly [kind: string]: unknown;
  /** Somebody has signed in to the server at that address, as that account. */
  readonly 'signed-in': SignInTarget;
  /** A server wants more rights than the user has given. */
  readonly 'wants-more': undefined;
}

/** Who we are to the servers of a host: what is signed in, and all that is needed to sign in. */
export class ServerCredentials implements AsyncDisposable {
  readonly #options: ServerCredentialsOptions;
  readonly #runner: CommandRunner;
  readonly events = new Emitter<SignInEvents>((error) => this.#options.onProblem(String(error)));
  #signIns: Promise<SignIns> | undefined;
  /** The same, once it is there. */
  #present: SignIns | undefined;
  #store: AsyncDisposable | undefined;
  /** Signed in to in this run, by name, and not used since. */
  readonly #new = new Map<string, SignInTarget>();

  constructor(options: ServerCredentialsOptions) {
    this.#options = options;
    this.#runner = new CommandRunner({ clock: options.ports.clock, registry: options.processes });
  }

  /** What goes with requests to a server, beyond what its entry says; undefined when that says it all. */
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

  /** What an approval says about sign-ins may change while its server runs. */
  #asOfNow({ name, origin, scope }: ConfiguredServer, target: SignInTarget | undefined): SignInTarget | undefined {
    if (!target?.guest) return target;
    const sees = (): 'all' | 'old' | 'none' => {
      const { servers } = this.#options.configuration.loaded;
      const known = servers.find((one) => one.name === name && one.origin === origin && one.scope === scope);
      return known?.approval?.sees ?? 'none';
    };
    return { ...target, guest: { ...target.guest, sees } };
  }

  /** The account of the connectors, where that speaks for us. A catalogue without a token keeps nobody from signing in. */
  #account(server: ConfiguredServer): Account | undefined {
    const loaded = this.#options.configuration.loaded;
    const { connectors, xaaIdp } = loaded.settings;
    const remote = remoteOf(server);
    if (remote?.hasAuthorizationHeader === true || remote?.saysWhere === true) return undefined;
    return connectors?.token !== undefined || !toTarget(server, xaaIdp) ? accountFor(server, loaded) : undefined;
  }

  /** Whether some of its tools want more rights than the user has given. */
  wantsMore(server: ConfiguredServer | undefined): boolean {
    if (!this.#present || !server) return false;
    const target = toTarget(server, this.#options.configuration.loaded.settings.xaaIdp);
    return target !== undefined && this.#present.missingScopes(target) !== undefined;
  }

  /** A call went well: whoever was just signed in to it is let in. */
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
      return { kind: 'failed', error: toHostError(cause, `"${server.name}" cannot be signed in to`) };
    }
  }

  /** Never rejects. */
  async signOut(server: ConfiguredServer, signal?: AbortSignal): Promise<SignOut> {
    const target = this.#target(server);
    if (target instanceof HostError) return { kind: 'failed', error: target };
    try {
      return await (await this.#load()).signOut(target, signal);
    } catch (cause) {
      return { kind: 'failed', error: toHostError(cause, `"${server.name}" cannot be signed out of`) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const signIns = await this.#signIns?.catch(() => undefined); // whoever needed it was told why it could not be loaded
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
      const message = `"${server.name}" is used with the account of the connectors, which says who you are`;
      return new HostError('unsupported', message, { hint: ACCOUNT_HINT });
    }
    if (target) return target;
    const remote = remoteOf(server);
    if (remote?.supportsSignIn === true) {
      if (remote.saysWhere) {
        const message = `"${server.name}" has a Host header in its entry, so that no sign-in is sent there`;
        return new HostError('unsupported', message, {
          hint: `Take it out of the entry to sign in; see it with: plugboard get ${nameWord(server.name)}`,
        });
      }
      const what = remote.headersHelper === undefined ? 'an Authorization header' : 'a headersHelper';
      return new HostError('unsupported', `"${server.name}" has ${what} in its entry, which says who you are`, {
        hint: `Take it out of the entry to sign in instead; see it with: plugboard get ${nameWord(server.name)}`,
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
    const isSilent = silentWay(target.settings) !== undefined;
    return new LazyCredentials({
      hint: `plugboard login ${nameWord(target.name)}`,
      renewsAt: [401, 403],
      // Who is only a client, and not a person, has nobody to sign in.
      canSignIn: !isSilent || target.settings.xaa === true,
      isWorthAsking: () =>
        isSilent || this.#signIns !== undefined || (state !== undefined && existsSync(join(state, CREDENTIALS))),
      load: async () => (await this.#load()).credentialsFor(target),
      onDenied: ({ status }) => {
        if (status === 403) this.events.emit('wants-more', undefined);
      },
    });
  }

  #helper({ name, author, scope, isApart }: ConfiguredServer, command: string, url: string): Credentials {
    const { context, policies, trust } = this.#options.configuration.loaded;
    const { platform, projectRoot, places } = context;
    const place = isApart === true ? new PrivatePlaces(context, trust).ofServer(name) : undefined;
    const runner = this.#runner;
    const isForeign = isForeignEntry({ author, scope });
    const isConfined = isForeign && policies.some(({ requireSandbox }) => requireSandbox !== undefined);
    return new LazyCredentials({
      hint: `Renew what its headersHelper reads, then run: plugboard reconnect ${nameWord(name)}`,
      renewsAt: [401, 403],
      isWorthAsking: () => true,
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
