import { HostError } from '../../base/errors.js';
import { readSkill, readSkillFile } from '../../connection/requests/read-skill.js';
import type { Tool, ToolInput } from '../../model/tool.js';
import { findSkill, skillRuleNames } from '../../model/view/skill-names.js';
import { type SkillAnswer, skillReader } from '../../tools/skill.js';
import { askForSkill, skillUris } from '../host-skills.js';
import { findRunning, type ServerAccess, untilListed } from '../servers/server-access.js';
import type { Server } from '../servers/server.js';
import type { Servers } from '../servers/servers.js';
import type { KnownSkill, KnownSkills } from '../tools/known-skills.js';
import { skillRefusal } from '../tools/skill-refusal.js';
import type { Visibility } from '../tools/visibility.js';
import type { ServerActs } from './server-acts.js';

export interface SkillCallsOptions {
  readonly servers: Servers;
  readonly offers: ServerAccess;
  readonly acts: Pick<ServerActs, 'readerOf'>;
  readonly known: KnownSkills;
  readonly visibility: Pick<Visibility, 'mayBePermitted' | 'isSkillShown' | 'settings'>;
  /** Whether what the server says about itself is withheld from models. */
  readonly isWithheld: (server: string) => boolean;
}

/** The calls by which a model reads skills, and the skills that it is told of. */
export class SkillCalls {
  readonly #options: SkillCallsOptions;
  readonly #readers = new Map<string, Tool>();
  readonly #shown = new WeakMap<readonly KnownSkill[], Shown>();

  constructor(options: SkillCallsOptions) {
    this.#options = options;
    options.servers.onTools(() => this.#readers.clear());
  }

  /** The skills of a server that a model may see; the same array until a list or a rule changes. */
  shownOf(server: Server): readonly KnownSkill[] {
    const { known, visibility, isWithheld } = this.#options;
    const all = known.of(server);
    if (all.length === 0) return NONE;
    const reader = this.#readerOf(server.name);
    if (!reader || isWithheld(server.name) || !visibility.mayBePermitted(reader)) return NONE;
    const { settings } = visibility;
    const before = this.#shown.get(all);
    if (before?.settings === settings) return before.skills;
    const skills = all.filter((skill) => visibility.isSkillShown(reader, skillRuleNames(skill)));
    this.#shown.set(all, { settings, skills: skills.length === all.length ? all : skills });
    return this.#shown.get(all)!.skills;
  }

  /** The call that `Skill` means: one of the server's reader; undefined when the name means no skill, or several. */
  toCall({ skill, file, arguments: words }: ToolInput): { readonly tool: Tool; readonly input: ToolInput } | undefined {
    const found = typeof skill === 'string' ? findSkill(this.#all(), skill) : undefined;
    if (found?.kind !== 'one') return undefined;
    const { server, uri } = found.skill;
    const tool = this.#readerOf(server);
    const read = file === undefined ? { uri } : { uri: toFileUri(file, uri), skill: uri };
    return tool && { tool, input: { server, ...read, ...(words !== undefined && { arguments: words }) } };
  }

  /** Why a name means no skill that could be read. */
  refusalOf(wanted: string): HostError {
    return skillRefusal(this.#all(), wanted);
  }

  #all(): readonly KnownSkill[] {
    const { offers, known } = this.#options;
    const running = offers.runningServers().filter(({ status }) => status.kind !== 'disabled');
    return running.flatMap((server) => known.of(server));
  }

  #readerOf(server: string): Tool | undefined {
    const name = this.#options.acts.readerOf(server)?.name;
    const reader = this.#readers.get(server) ?? (name === undefined ? undefined : this.#toReader(server, name));
    if (reader) this.#readers.set(server, reader);
    return reader;
  }

  #toReader(server: string, name: string): Tool {
    const { servers, offers, known, visibility } = this.#options;
    const isListed = (input: ToolInput): boolean => {
      const found = servers.get(server);
      return found !== undefined && known.hasListed(found, skillUris(input));
    };
    const reader: Tool = skillReader({
      name,
      server,
      read: async (input, context) => {
        const running = findRunning(offers, server);
        if (running instanceof HostError) return { outcome: 'error', error: running, attempts: 0 };
        return askForSkill<SkillAnswer>(running, { input, knownSkills: known, context }, async (connection, of, left) =>
          input['skill'] === undefined
            ? { ...(await readSkill(connection, of.skill, left)), name: of.skill.name } // what rules and people call it
            : { content: await readSkillFile(connection, of.skill, of.uri, left) },
        );
      },
      isListed,
      untilListed: (input, { signal, timeoutMs }) => {
        const found = servers.get(server);
        if (!found || isListed(input) || !visibility.mayBePermitted(reader)) return undefined;
        return untilListed(found, 'skills', { signal, timeoutMs });
      },
    });
    return reader;
  }
}

/** Skills name their files by paths; one that leads out of the skill is refused when it is read. */
function toFileUri(file: unknown, skill: string): unknown {
  if (typeof file !== 'string' || file.includes('://')) return file;
  return skill.slice(0, -'SKILL.md'.length) + file.replace(/^\.\//u, '');
}

/** What a model may see of a list of skills under these settings. */
interface Shown {
  readonly settings: object;
  readonly skills: readonly KnownSkill[];
}

const NONE: readonly KnownSkill[] = [];
