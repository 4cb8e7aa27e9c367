import { join } from 'node:path';
import type { HostConfig } from '../../config/load.js';
import type { ConfigContext } from '../../config/context.js';
import { commandNeedOf } from '../../config/approval/folder-need.js';
import { trustCommand } from '../../model/text/untrusted-text.js';
import type { FolderTrust } from '../../config/approval/folder-trust.js';
import { PrivatePlaces } from '../../config/risks/private-places.js';
import { CommandRunner } from '../../edge/processes/command-runner.js';
import type { ProcessRegistry } from '../../edge/processes/process-registry.js';
import { AllowedDefinitions } from '../../guard/allowed-definitions.js';
import { FlowGuard } from '../../guard/flow-guard.js';
import { Hooks, type HooksOptions } from '../../guard/hooks.js';
import { toSessionHooks } from '../../guard/session-hooks.js';
import { Ledger } from '../../guard/ledger.js';
import type { FlowFinding } from '../../model/flow/flow-finding.js';
import { PermissionGuard } from '../../guard/permission-guard.js';
import { Pins } from '../../guard/pins.js';
import { modeFor } from '../../model/permissions/settings.js';
import type { SessionHooks } from '../../model/hooks/session-hooks.js';
import { ImageResizer } from '../../results/binary/image-resizer.js';
import type { ResultStore } from '../../results/result-store.js';
import { ElicitationQueue, type ElicitationQueueOptions } from '../elicitation/elicitor.js';
import type { HostOptions } from '../host-options.js';
import type { Ports } from '../ports.js';
import type { Configuration } from '../servers/configuration.js';
import type { HostEmitter } from '../servers/host-emitter.js';

/** Where hook commands run in a folder that is not trusted, and why a command cannot run there. */
function hooksApart(context: ConfigContext, trust: FolderTrust): NonNullable<HooksOptions['apart']> {
  return {
    place: new PrivatePlaces(context, trust).ofHooks(),
    whyNot(command) {
      const need = commandNeedOf(command);
      return need && `needs ${trust.folder}, which is not trusted: it ${need}. Run: ${trustCommand(trust.folder)}`;
    },
  };
}

export interface CallServicesOptions {
  readonly configuration: Configuration;
  readonly events: HostEmitter;
  readonly ports: Ports;
  /** The registry of the processes that hook commands start. */
  readonly processes: ProcessRegistry;
  /** Undefined without a state folder. */
  readonly results: ResultStore | undefined;
  /** The embedder's hooks, and the session that they are told about. */
  readonly own: Pick<HostOptions, 'hooks' | 'hookCallbacks' | 'session'>;
}

/** What all calls of a host share, sub-agents included: permissions, pins, ledger, result files, hooks. */
export class CallServices implements AsyncDisposable {
  readonly guard: PermissionGuard;
  readonly flow: FlowGuard;
  readonly pins: Pins;
  /** Undefined without a state folder. */
  readonly ledger: Ledger | undefined;
  readonly results: ResultStore | undefined;
  readonly images = new ImageResizer();
  /** Answers elicitations: hooks first, then the embedder's `elicit`; without either, declines at once. */
  readonly elicitor: ElicitationQueue;
  readonly sessionHooks: SessionHooks = toSessionHooks(() => this.hooks());
  readonly #options: CallServicesOptions;
  #hooks: { readonly settings: unknown; readonly hooks: Hooks } | undefined;
  /** The hooks of a configuration: every call asks for them several times. */
  #hooksOf: { readonly loaded: HostConfig; readonly hooks: Hooks | undefined } | undefined;
  readonly #commands: CommandRunner;

  constructor(options: CallServicesOptions) {
    this.#options = options;
    const { configuration, events, ports, processes } = options;
    const { clock, wall, ask, elicit, takesSecrets } = ports;
    this.#commands = new CommandRunner({ clock, registry: processes });
    const { state } = configuration.loaded.context.places;
    const tell = (text: string): void => events.problem(text);
    this.guard = new PermissionGuard({
      settings: () => configuration.loaded.permissions,
      ask,
      grants: new AllowedDefinitions({
        file: state === undefined ? undefined : join(state, 'grants.json'),
        onProblem: (cause) => tell(`Plugboard cannot save what you allowed: ${String(cause)}`),
      }),
      remember: async (rule) => {
        const { rememberRule } = await import('../../config/policy/permissions-edit.js');
        return rememberRule(configuration.loaded.context, { rule });
      },
    });
    this.flow = new FlowGuard({
      settings: () => configuration.loaded.flow,
      canAsk: ask !== undefined,
      onOff: tell,
    });
    const byHooks: ElicitationQueueOptions['byHooks'] = async (question, signal) =>
      this.hooks()?.elicit(question, signal);
    const afterHooks: ElicitationQueueOptions['afterHooks'] = async (answered, signal) =>
      this.hooks()?.elicitationResult(answered, signal);
    this.elicitor = new ElicitationQueue({ clock, byHooks, afterHooks, elicit, takesSecrets, tell });
    this.pins = new Pins({ locks: () => configuration.loaded.locks, clock });
    this.ledger =
      state === undefined ? undefined : new Ledger({ folder: join(state, 'ledger'), clock, wall, onProblem: tell });
    this.results = options.results;
  }

  /** Adds the rules that let a flow pass to `flow.allow` of the user's settings. */
  readonly rememberFlows = async ({ rules, scope = 'local' }: FlowFinding): Promise<void> => {
    const { rememberFlowRule } = await import('../../config/policy/permissions-edit.js');
    for (const rule of rules) await rememberFlowRule(this.#options.configuration.loaded.context, { rule, scope });
  };

  /** The hooks of the current configuration; undefined where there are none. */
  hooks(): Hooks | undefined {
    const { loaded } = this.#options.configuration;
    if (this.#hooksOf?.loaded !== loaded) this.#hooksOf = { loaded, hooks: this.#readHooks() };
    return this.#hooksOf.hooks;
  }

  #readHooks(): Hooks | undefined {
    const { own, configuration, events, ports } = this.#options;
    const { hooks: functions, hookCallbacks: callbacks = [], session } = own;
    const { hooks: settings, context, trust } = configuration.loaded;
    if (settings.length === 0 && callbacks.length === 0 && !functions) return undefined;
    if (this.#hooks?.settings === settings) return this.#hooks.hooks;
    const { env, cwd, projectRoot } = context;
    const hooks = new Hooks({
      settings,
      functions,
      callbacks,
      session,
      mode: () => modeFor(configuration.loaded.permissions)?.mode ?? 'default',
      watch: { isWatched: () => events.isHeard('hook'), tell: (run) => events.emit('hook', run) },
      env,
      cwd,
      project: projectRoot,
      ...(trust.kind !== 'trusted' && { apart: hooksApart(context, trust) }),
      clock: ports.clock,
      runner: this.#commands,
      onProblem: ({ hook, message }) => events.problem(`${message} (${hook})`),
    });
    this.#hooks = { settings, hooks };
    return hooks;
  }

  /** Withdraws questions and ends running hook commands. Must run before the process registry is disposed of. */
  async endHooks(): Promise<void> {
    this.guard.withdraw();
    this.elicitor.close();
    await this.#commands[Symbol.asyncDispose]();
  }

  /** Must run after the last call has ended, because the ledger records each call. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.endHooks();
    await Promise.all([this.guard[Symbol.asyncDispose](), this.ledger?.[Symbol.asyncDispose]()]);
  }
}
