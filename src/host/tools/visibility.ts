import type { PermissionGuard } from '../../guard/permission-guard.js';
import { deniedServer, deniesNothing, isToolVisible, isVisible } from '../../model/permissions/decide.js';
import type { Decision } from '../../model/permissions/decision.js';
import type { Narrowing } from '../../model/permissions/narrowing.js';
import type { DecidedTool } from '../../tools/act-tools.js';
import type { PinWatch } from '../calls/pin-watch.js';
import type { Server } from '../servers/server.js';
import type { ServerTool } from '../servers/server-tool.js';
import type { Servers } from '../servers/servers.js';
import type { PermissionSubjects } from '../calls/permission-subjects.js';

export interface VisibilityOptions {
  readonly servers: Servers;
  readonly guard: PermissionGuard;
  readonly subjects: PermissionSubjects;
  readonly pins: PinWatch;
  /** What a fork may use; everything where there is none. */
  readonly within: readonly Narrowing[];
}

/** What may be known of servers and tools by those who use a host. */
export class Visibility {
  readonly #options: VisibilityOptions;

  constructor(options: VisibilityOptions) {
    this.#options = options;
  }

  /** The rule that denies everything of a server. */
  denied(server: string): Decision | undefined {
    const { servers, guard } = this.#options;
    return deniedServer(server, guard.settings, servers.entry(server)?.accountOf);
  }

  /** Servers that something may be read from. */
  readonly servers = (): readonly Server[] =>
    this.#options.servers.all().filter(({ name }) => this.denied(name) === undefined);

  /** Whether something is left to decide about a tool: no rule denies it whatever it is given. */
  readonly isKept = (tool: DecidedTool): boolean => {
    const { guard, subjects } = this.#options;
    return isVisible(guard.explain(subjects.of(tool)));
  };

  /** Whether a fork was given a tool. */
  readonly isWithin = (tool: DecidedTool): boolean => {
    const { within, subjects } = this.#options;
    return within.every((narrowing) => narrowing.admits(subjects.of(tool)));
  };

  /** Whether no rule denies a tool: ten thousand are looked at before a model is shown the first, and mostly nothing is denied. */
  readonly isPermitted = (tool: DecidedTool): boolean => {
    const { guard, subjects } = this.#options;
    return this.isWithin(tool) && (deniesNothing(guard.settings) || isToolVisible(subjects.of(tool), guard.settings));
  };

  /** Whether a model may know of a tool. */
  readonly isShown = (tool: ServerTool): boolean =>
    !tool.marks.isHidden &&
    this.#options.pins.asideReason(tool.server, tool.tool) === undefined &&
    this.isPermitted(tool);
}
