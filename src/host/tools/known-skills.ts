import type { Catalog } from '../../connection/catalog/catalog.js';
import { isSkillUri, type ListedSkill, toListedSkill, toSkill } from '../../connection/catalog/skill-definition.js';
import { skillRuleNames } from '../../model/view/skill-names.js';
import type { Server } from '../servers/server.js';
import { mayBeInSkill } from './skill-place.js';

/** A skill that a server is known to have. */
export interface KnownSkill extends ListedSkill {
  readonly server: string;
}

type SkillServer = Pick<Server, 'name' | 'catalog'>;

/** The skills of servers as their catalogs know them: by the extension, or as resources. Asks no server. */
export class KnownSkills {
  readonly #known = new WeakMap<Catalog, Known>();

  /** The same array until a list changes. */
  of({ name: server, catalog }: SkillServer): readonly KnownSkill[] {
    const { skills, resources } = catalog;
    const before = this.#known.get(catalog);
    if (before?.skills === skills && before.resources === resources) return before.found;
    const listed = catalog.skillDefinitions(skills.map(({ uri }) => uri));
    const others = resources.filter(({ uri }) => isSkillUri(uri) && !catalog.has('skills', uri)).slice(0, LIMIT);
    const made = catalog.resourceDefinitions(others.map(({ uri }) => uri)).flatMap((resource) => {
      const skill = toSkill(resource);
      return skill ? [toListedSkill(skill)] : [];
    });
    const found = [...listed, ...made].map((skill) => ({ ...skill, server }));
    this.#known.set(catalog, { skills, resources, found });
    return found;
  }

  /** Whether the server has listed every one of these URIs: as a skill, a file of one, or a resource. */
  hasListed(server: SkillServer, uris: readonly string[]): boolean {
    const known = this.of(server);
    const isOfSkill = (uri: string): boolean =>
      known.some((skill) => skill.uri === uri || (skill.files !== 'dynamic' && skill.files.includes(uri)));
    return uris.every((uri) => isOfSkill(uri) || server.catalog.has('resources', uri));
  }

  /** What rules that stop reading call the skills that these URIs may belong to. */
  ruleNames(server: SkillServer, uris: readonly string[]): readonly string[] {
    const tests = uris.map(mayBeInSkill);
    return this.of(server)
      .filter(({ uri }) => tests.some((isIn) => isIn(uri)))
      .flatMap(skillRuleNames);
  }
}

/** What was made of two lists of a catalog. */
interface Known {
  readonly skills: Catalog['skills'];
  readonly resources: Catalog['resources'];
  readonly found: readonly KnownSkill[];
}

const LIMIT = 1_000; // skills among the resources of one server, as many as the extension may list
