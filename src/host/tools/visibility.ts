import type { PermissionGuard } from '../../guard/permission-guard.js';
import { deniedServer, deniesNothing, isToolVisible, isVisible } from '../../model/permissions/decide.js';
import type { Decision } from '../../model/permissions/decision.js';
import type { PermissionSettings } from '../../model/permissions/settings.js';
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
  /** The restrictions of a fork; empty: every tool may be used. */
  readonly within: readonly Narrowing[];
}

/** Decides which servers and tools the users of a host may see. */
export class Visibility {
  readonly #options: VisibilityOptions;

  constructor(options: VisibilityOptions) {
    this.#options = options;
  }

  /** The rule that denies a whole server. */
  denied(server: string): Decision | undefined {
    const { servers, guard } = this.#options;
    return deniedServer(server, guard.settings, servers.entry(server)?.accountOf);
  }

  /** The servers that no rule denies as a whole. */
  readonly servers = (): readonly Server[] =>
    this.#options.servers.all().filter(({ name }) => this.denied(name) === undefined);

  /** Whether some input of the tool may be permitted: no rule denies all calls of it. */
  readonly mayBePermitted = (tool: DecidedTool): boolean => {
    const { guard, subjects } = this.#options;
    return isVisible(guard.explain(subjects.of(tool)));
  };

  /** Whether a fork's restrictions include the tool. */
  readonly isWithin = (tool: DecidedTool): boolean => {
    const { within, subjects } = this.#options;
    return within.every((narrowing) => narrowing.admits(subjects.of(tool)));
  };

  /** Whether no rule denies a tool. Fast, since ten thousand tools are judged before a model is shown the first. */
  readonly isPermitted = (tool: DecidedTool): boolean => {
    const { guard, subjects } = this.#options;
    return this.isWithin(tool) && (deniesNothing(guard.settings) || isToolVisible(subjects.of(tool), guard.settings));
  };

  /** Whether no rule hides a skill from a model. `names`: what rules call the skill. */
  readonly isSkillShown = (reader: DecidedTool, names: readonly string[]): boolean => {
    const { guard, subjects } = this.#options;
    return deniesNothing(guard.settings) || isToolVisible({ ...subjects.of(reader), skill: names }, guard.settings);
  };

  /** The current settings; another object whenever a rule has changed. */
  get settings(): PermissionSettings {
    return this.#options.guard.settings;
  }

  /** Whether a model may see a tool. */
  readonly isShown = (tool: ServerTool): boolean =>
    !tool.marks.isHidden &&
    this.#options.pins.asideReason(tool.server, tool.tool) === undefined &&
    this.isPermitted(tool);
}
