/** `/skills NAME text`: the skill that a user wants the model to use, and what for. */
export interface SkillCommand {
  /** `server:name`, a name or a URI; in quotes where it has blanks. */
  readonly skill: string;
  readonly rest: string;
}

/** Undefined for a text that is no such command; `/skills` alone lists skills. */
export function parseSkillCommand(text: string): SkillCommand | undefined {
  const [, quoted, plain, rest = ''] = COMMAND.exec(text.slice(0, TEXT_LIMIT)) ?? [];
  const skill = quoted ?? plain;
  return skill === undefined ? undefined : { skill, rest: rest.trim() };
}

const COMMAND = /^\s*\/skills\s+(?:"([^"]+)"?|([^\s"]\S*))(?:\s([\s\S]*))?$/u;
const TEXT_LIMIT = 100_000;
