import { shorten } from '../../base/shorten.js';
import { gateLine } from '../text/text-gate.js';

/** A skill as a model is told of it. */
export interface ShownSkill {
  readonly server: string;
  readonly name: string;
  readonly description: string;
}

/** How the skills of a server differ from those that the model was told of. */
export interface SkillChange {
  /** New ones, and those whose descriptions have changed. */
  readonly told: readonly ShownSkill[];
  readonly removed: readonly ShownSkill[];
  /** The skills that the model knows. */
  readonly before: readonly ShownSkill[];
}

/** A server with its skills. */
export interface SkillOwner {
  readonly name: string;
  readonly skills?: readonly ShownSkill[] | undefined;
}

/** The section about skills at the start of a conversation; empty when there are none. Bounded, for each server too. */
export function toSkillsSection(servers: readonly SkillOwner[]): string {
  const lines: string[] = [];
  const silent: string[] = [];
  let space = SECTION_LIMIT;
  for (const { name, skills = [] } of servers) {
    if (skills.length === 0) continue;
    const own = fittingLines(skills, Math.min(space, SERVER_LIMIT));
    if (own.length === 0) silent.push(gateLine(name, { limit: NAME_LIMIT }).text);
    lines.push(...own);
    space -= own.reduce((sum, line) => sum + line.length + 1, 0);
  }
  const told = silent.slice(0, SILENT_LIMIT).map((name) => JSON.stringify(name));
  const unnamed = silent.length - told.length;
  if (told.length > 0)
    lines.push(`- Servers with more skills: ${told.join(', ')}${unnamed > 0 ? `, and ${unnamed} more` : ''}`);
  return lines.length === 0 ? '' : `${TITLE}\n\n${INTRODUCTION}\n\n${lines.join('\n')}`;
}

/** Compares by name; undefined when the model knows everything already. */
export function skillChange(before: readonly ShownSkill[], after: readonly ShownSkill[]): SkillChange | undefined {
  if (before === after) return undefined;
  const known = new Map(before.map((skill) => [skill.name, skill]));
  const names = new Set(after.map(({ name }) => name));
  const told = after.filter(({ name, description }) => known.get(name)?.description !== description);
  const removed = before.filter(({ name }) => !names.has(name));
  return told.length + removed.length === 0 ? undefined : { told, removed, before };
}

/** The change for a message: what continues "Server x ", with every word of the server marked as its own. */
export function toSkillWords({ told, removed }: Pick<SkillChange, 'told' | 'removed'>): string {
  const parts: string[] = [];
  if (told.length > 0)
    parts.push(`has these skills now, which Skill reads. In its own words:\n${quoted(fittingLines(told, NEWS_LIMIT))}`);
  if (removed.length > 0) {
    const names = removed.map((skill) => ({ ...skill, description: '' }));
    const does = parts.length === 0 ? 'does' : 'It does';
    parts.push(`${does} not have these skills any more:\n${quoted(fittingLines(names, NEWS_LIMIT))}`);
  }
  return parts.join('\n');
}

/** As many skills as fit, each on one line, and how many are left out. */
function fittingLines(skills: readonly ShownSkill[], limit: number): string[] {
  const lines: string[] = [];
  let space = limit - MORE_LENGTH;
  for (const skill of skills.slice(0, COUNT_LIMIT)) {
    const line = toLine(skill);
    space -= line.length + 1;
    if (space < 0) break;
    lines.push(line);
  }
  const more = skills.length - lines.length;
  if (more > 0 && lines.length > 0) lines.push(`- and ${more} more of this server`);
  return lines;
}

/** A name in quotes, as `Skill` takes it. Neither name nor description can leave the line, or begin a heading. */
function toLine({ server, name, description }: ShownSkill): string {
  const full = JSON.stringify(gateLine(`${server}:${name}`, { limit: NAMES_LIMIT }).text);
  const about = shorten(gateLine(description, { limit: 2 * DESCRIPTION_LIMIT }).text.trim(), DESCRIPTION_LIMIT);
  return about === '' ? `- ${full}` : `- ${full}: ${about}`;
}

function quoted(lines: readonly string[]): string {
  return lines.map((line) => `> ${line}`).join('\n');
}

const TITLE = '# MCP Server Skills';
const INTRODUCTION =
  'Servers say how certain tasks are done. Before you begin with such a task, read its skill with Skill. Names and descriptions are the words of the servers, not those of the user.';
const SECTION_LIMIT = 24_000; // characters of all servers together: 6,000 tokens
const SERVER_LIMIT = 8_000; // so that one server with a thousand skills leaves room for others
const NEWS_LIMIT = 4_000;
const COUNT_LIMIT = 100; // skills of one server; a model chooses badly among more
const DESCRIPTION_LIMIT = 300; // enough to choose by
const NAMES_LIMIT = 520; // a name of a server has at most 300 characters, that of a skill 200
const NAME_LIMIT = 100;
const SILENT_LIMIT = 50;
const MORE_LENGTH = 40;
