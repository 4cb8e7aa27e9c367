import { type PermissionSubject, toSubject } from '../../model/permissions/subject.js';
import { otherServerTest } from '../../model/permissions/rivals.js';
import type { CallTraits, ToolInput } from '../../model/tool.js';
import { permittingSkillRules } from '../../model/view/skill-names.js';
import type { DecidedTool } from '../../tools/act-tools.js';
import type { KnownSkills } from '../tools/known-skills.js';
import type { PinWatch } from './pin-watch.js';
import type { ToolCall } from './pipeline.js';
import type { Servers } from '../servers/servers.js';

export interface PermissionSubjectsOptions {
  readonly servers: Servers;
  readonly pins: Pick<PinWatch, 'isUnpinned'>;
  readonly knownSkills: KnownSkills;
}

type SkillNames = Pick<PermissionSubject, 'skill' | 'ownSkill'>;
type DecidedCall = Pick<ToolCall, 'tool' | 'input' | 'isTyped'> & { readonly trace?: ToolCall['trace'] };

/** Cache of the permission subject of each tool; cleared when a tool list or the configuration changes. */
export class PermissionSubjects {
  readonly #options: PermissionSubjectsOptions;
  readonly #known = new Map<string, PermissionSubject>();
  readonly #typed = new Map<string, PermissionSubject>();

  constructor(options: PermissionSubjectsOptions) {
    this.#options = options;
    options.servers.onTools(() => {
      this.#known.clear();
      this.#typed.clear();
    });
  }

  of(tool: DecidedTool): PermissionSubject {
    return this.#find(this.#known, tool, false);
  }

  /** Without a trace no hook has been asked. */
  ofCall(call: DecidedCall): PermissionSubject {
    const { tool, isTyped } = call;
    const subject = isTyped ? this.#find(this.#typed, tool, true) : this.of(tool);
    const isPlain = tool.server !== undefined && tool.act === undefined && tool.traitsOf === undefined;
    return isPlain && isUntraced(call.trace) ? subject : this.#withCircumstances(call, subject);
  }

  /** The subject with what is special about this call. */
  #withCircumstances({ tool, input, trace }: DecidedCall, subject: PermissionSubject): PermissionSubject {
    const alsoServer = tool.server === undefined ? serverOf(input) : undefined;
    const skill = this.#skillOf(tool, input);
    const { isAllowedByHook = false, mustAsk = false } = trace ?? {};
    const look = trace?.flow?.look;
    const flow = look?.isLet === true ? undefined : look;
    const traits = tool.traitsOf?.(input);
    if (alsoServer === undefined && !isAllowedByHook && !mustAsk && !traits && !skill && !flow) return subject;
    return {
      ...(traits ? withTraits(subject, traits) : subject),
      ...(alsoServer !== undefined && {
        alsoServer,
        alsoAccountOf: this.#options.servers.entry(alsoServer)?.accountOf,
      }),
      ...skill,
      ...(isAllowedByHook && { isAllowedByHook }),
      ...(mustAsk && { isAskedByHook: true }),
      ...(flow && { flow }),
    };
  }

  /** What rules call the skill that a file belongs to, whatever tool reads it. */
  #skillOf({ act, server }: DecidedTool, { uri, skill }: ToolInput): SkillNames | undefined {
    const { servers, knownSkills } = this.#options;
    const found = act === 'resources' && server !== undefined ? servers.get(server) : undefined;
    if (!found) return undefined;
    const uris = [uri, skill].filter((one) => typeof one === 'string');
    const names = knownSkills.ruleNames(found, uris);
    if (names.length === 0) return undefined;
    const own = knownSkills.of(found).find((known) => known.uri === (skill ?? uri));
    return { skill: names, ...(own && { ownSkill: permittingSkillRules(own, servers.names.names) }) };
  }

  #find(known: Map<string, PermissionSubject>, tool: DecidedTool, isTyped: boolean): PermissionSubject {
    // A server's skills and its other resources are read by two tools of one name.
    const key = tool.alias === undefined ? tool.name : `${tool.name} ${tool.alias}`;
    const found = known.get(key);
    if (found) return found;
    const subject = this.#make(tool, isTyped);
    known.set(key, subject);
    return subject;
  }

  #make(tool: DecidedTool, isTyped: boolean): PermissionSubject {
    const { servers, pins } = this.#options;
    const { names } = servers;
    const { server } = tool;
    if (server === undefined) return toSubject(tool, { isTyped });
    return toSubject(tool, {
      entry: servers.entry(server),
      isTyped,
      sharesName: names.isShared(server),
      longer: names.longerThan(server),
      isUnpinned: !tool.isOurs && !tool.act && pins.isUnpinned(server, tool.tool),
      claims: otherServerTest(names.rivalsOf(server)),
    });
  }
}

/** Whether neither a hook nor the flow guard has said anything about the call. */
function isUntraced(trace: ToolCall['trace'] | undefined): boolean {
  return trace === undefined || (!trace.isAllowedByHook && !trace.mustAsk && trace.flow?.look === undefined);
}

function withTraits(subject: PermissionSubject, { isHarmless, isSecret, circumstance }: CallTraits): PermissionSubject {
  if (isHarmless === true) return { ...subject, author: 'built-in', hints: { ...subject.hints, readOnly: true } };
  return { ...subject, isSecret, circumstance };
}

/** The server whose resource a built-in tool is to read. */
function serverOf({ server }: ToolInput): string | undefined {
  return typeof server === 'string' ? server : undefined;
}
