import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import { gateName } from '../../model/text/text-gate.js';
import { findSkill, fullSkillName, type NamedSkill } from '../../model/view/skill-names.js';

/** Why a name means no skill that could be read: there is none, or there are several. */
export function skillRefusal(skills: readonly NamedSkill[], wanted: string): HostError {
  const found = findSkill(skills, wanted);
  const shown = gateName(wanted);
  if (found.kind === 'several' || found.kind === 'elsewhere') {
    const names = found.skills.slice(0, NAMES_SHOWN).map((skill) => gateName(fullSkillName(skill)));
    const [server = ''] = wanted.split(':');
    const elsewhere = `with "${gateName(server)}" as its server, but another server has one of this name`;
    const message =
      found.kind === 'several'
        ? `Several servers have a skill "${shown}"`
        : `There is no skill "${shown}" ${elsewhere}`;
    return new HostError('bad-input', message, { hint: `Name its server as well: ${names.join(', ')}` });
  }
  const names = skills.slice(0, COMPARED).flatMap((skill) => [fullSkillName(skill), skill.name]);
  const [close] = nearest(wanted, names);
  return new HostError('unknown-resource', `There is no skill "${shown}"`, {
    ...(close !== undefined && { hint: `Did you mean "${gateName(close)}"?` }),
  });
}

const NAMES_SHOWN = 5;
const COMPARED = 1_000; // comparing with more takes too long for a hint
