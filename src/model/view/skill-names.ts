import { shorten } from '../../base/shorten.js';
import { gateLine } from '../text/text-gate.js';

/** A skill by what it is called. */
export interface NamedSkill {
  readonly server: string;
  /** As the server lists it, cleaned. Not necessarily unique. */
  readonly name: string;
  /** URI of its SKILL.md, unique on its server. */
  readonly uri: string;
}

/**
 * The skill that a name means; `several` where it could be more than one, `elsewhere` where the name begins with a
 * server and only others have skills that are called so.
 */
export type SkillMatch<Skill extends NamedSkill> =
  | { readonly kind: 'one'; readonly skill: Skill }
  | { readonly kind: 'several' | 'elsewhere'; readonly skills: readonly Skill[] }
  | { readonly kind: 'none' };

/** The name that models and people use: with its server, because two servers may have skills of one name. */
export function fullSkillName({ server, name }: Pick<NamedSkill, 'server' | 'name'>): string {
  return `${server}:${name}`;
}

/**
 * Finds a skill by `server:name`, by its URI, or by its name alone where only one server has it. Servers choose the names
 * of skills: one with a colon, which may be meant for another server, needs its server.
 */
export function findSkill<Skill extends NamedSkill>(skills: readonly Skill[], wanted: string): SkillMatch<Skill> {
  const isNamed = ({ name }: Skill): boolean => name === wanted;
  const isMeant = [(skill: Skill) => fullSkillName(skill) === wanted, ({ uri }: Skill) => uri === wanted, isNamed];
  for (const is of isMeant) {
    const found = firstOfEach(skills.filter(is));
    if (found.length > 0 && is === isNamed && wanted.includes(':')) return { kind: 'elsewhere', skills: found };
    if (found.length === 1) return { kind: 'one', skill: found[0]! };
    if (found.length > 1) return { kind: 'several', skills: found };
  }
  return { kind: 'none' };
}

/** What rules that stop reading call a skill: `Skill`, `Skill(name)` and `Skill(server:name)`. */
export function skillRuleNames(skill: Pick<NamedSkill, 'server' | 'name'>): readonly string[] {
  return [SKILL_TOOL, `${SKILL_TOOL}(${skill.name})`, `${SKILL_TOOL}(${fullSkillName(skill)})`];
}

/**
 * What rules that permit reading call a skill: only what can mean no skill of another server. `servers`: the names of
 * all servers, since `a:b:c` may be skill `c` of server `a:b`, too.
 */
export function permittingSkillRules(
  skill: Pick<NamedSkill, 'server' | 'name'>,
  servers: ReadonlySet<string>,
): readonly string[] {
  const full = fullSkillName(skill);
  const parts = full.split(':');
  const heads = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join(':'));
  const isOthers = heads.some((head) => head !== skill.server && servers.has(head));
  const names = [...(skill.name.includes(':') ? [] : [skill.name]), ...(isOthers ? [] : [full])];
  return [SKILL_TOOL, ...names.map((name) => `${SKILL_TOOL}(${name})`)];
}

/** Of skills of one name on one server the first counts, in every place. */
function firstOfEach<Skill extends NamedSkill>(skills: readonly Skill[]): readonly Skill[] {
  const servers = new Set<string>();
  return skills.filter(({ server }) => !servers.has(server) && servers.add(server));
}

/** A skill's name in quotes, for a sentence of the host: short, on one line, and unable to end quotes or brackets. */
export function quoteSkillName(name: string): string {
  const line = shorten(gateLine(name, { limit: 2 * QUOTED_LIMIT }).text, QUOTED_LIMIT);
  return `"${line.replace(/["'`\\<>\p{Ps}\p{Pe}\p{Pi}\p{Pf}]/gu, '_')}"`;
}

const QUOTED_LIMIT = 100; // characters; longer ones are texts rather than names

/** The tool by which a model reads skills. */
export const SKILL_TOOL = 'Skill';
