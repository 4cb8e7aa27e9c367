import { showAbout } from '../../../model/show.js';
import { fullSkillName } from '../../../model/view/skill-names.js';
import type { CompletionItem } from '../../terminal/screen.js';
import type { TypedArguments } from '../command.js';
import type { SessionContext } from '../session-context.js';

/** Completes the first argument: `server:name`, by its beginning or by the beginning of the name alone. */
export async function completeSkill(
  { session: { host } }: Pick<SessionContext, 'session'>,
  { before, last }: TypedArguments,
): Promise<readonly CompletionItem[]> {
  if (before.length > 0) return [];
  const typed = last.replace(/^"/u, '').toLowerCase();
  const { skills } = await host.skills();
  return skills
    .filter((skill) => [fullSkillName(skill), skill.name].some((name) => name.toLowerCase().startsWith(typed)))
    .slice(0, ITEMS)
    .map((skill) => ({ text: typedSkill(fullSkillName(skill)), about: showAbout(skill), isWhole: true }));
}

/** A skill's name as it is typed. */
export function typedSkill(name: string): string {
  return /\s/u.test(name) ? `"${name}"` : name;
}

const ITEMS = 50; // a menu shows a handful; typing more narrows the list
