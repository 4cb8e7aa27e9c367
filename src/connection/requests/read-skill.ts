// Using skills: https://modelcontextprotocol.io/seps/2640-skills-extension#integrity-and-verification
import { HostError } from '../../base/errors.js';
import { parseYamlFields } from '../../edge/yaml-fields.js';
import { isSameJson } from '../../model/text/same-json.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { CallOptions } from '../../wire/peer.js';
import type { Connection } from '../connect.js';
import { readResource, type ResourceContent } from './read-resource.js';
import { isInSkillFolder, readDirectory, type ServerSkillDefinition, SIZE_LIMIT } from '../catalog/skill-definition.js';
import { cleanServerText } from '../catalog/server-block.js';
import { readDescription, readTitle } from '../catalog/server-text.js';

/** A skill whose SKILL.md has been read and verified. */
export interface LoadedSkill {
  /** The URI of its SKILL.md. */
  readonly uri: string;
  /** As its frontmatter says, or else as the server lists it. */
  readonly name: string;
  /** What the skill is for, as its frontmatter says. */
  readonly description: string;
  /** The body of its SKILL.md below the frontmatter, cleaned. */
  readonly instructions: string;
  /** URIs of its other files, as far as the server lists them; read when the instructions ask for them. */
  readonly files: readonly string[];
}

/** Reads SKILL.md. Rejects with a HostError unless size, digest and frontmatter are as listed: verifies before use. */
export async function readSkill(
  connection: Connection,
  skill: ServerSkillDefinition,
  options: CallOptions = {},
): Promise<LoadedSkill> {
  const content = await readVerified(connection, skill, skill.uri, options);
  const text = 'text' in content ? content.text : Buffer.from(content.blob, 'base64').toString('utf8');
  const { head, body } = split(text);
  const parsed = head === undefined ? { reason: 'there is none' } : await parseYamlFields(head);
  if ('reason' in parsed)
    throw refuse(connection, skill.uri, `the head of its SKILL.md cannot be read: ${parsed.reason}`);
  const { value } = parsed;
  if (skill.frontmatter && !isSameJson(value, skill.frontmatter))
    throw refuse(connection, skill.uri, 'the head of its SKILL.md is not what was listed');
  const { redact } = connection;
  return {
    uri: skill.uri,
    name: readTitle(value['name'], redact) ?? skill.name,
    description: readDescription(value['description'], redact) || skill.description,
    instructions: cleanServerText(body, redact),
    files: (await filesOf(connection, skill, options)).filter((uri) => uri !== skill.uri),
  };
}

async function filesOf(
  connection: Connection,
  { uri, files }: ServerSkillDefinition,
  options: CallOptions,
): Promise<readonly string[]> {
  if (files !== 'dynamic') return files.map((file) => file.uri);
  const folder = uri.slice(0, -'/SKILL.md'.length);
  // Optional: the instructions may name the files themselves.
  const found = await readDirectory(connection, folder, options).catch(() => []);
  return found.filter((file) => isInSkillFolder(file, uri));
}

/** Reads another file of a skill, with the same checks; for a `dynamic` skill, any file in its folder. */
export async function readSkillFile(
  connection: Connection,
  skill: ServerSkillDefinition,
  uri: string,
  options: CallOptions = {},
): Promise<ResourceContent> {
  const content = await readVerified(connection, skill, uri, options);
  return 'text' in content ? { ...content, text: cleanServerText(content.text, connection.redact) } : content;
}

async function readVerified(
  connection: Connection,
  { uri: skill, files }: ServerSkillDefinition,
  uri: string,
  options: CallOptions,
): Promise<ResourceContent> {
  const promised = files === 'dynamic' ? undefined : files.find((file) => file.uri === uri);
  if (files === 'dynamic' ? !isInSkillFolder(uri, skill) : !promised)
    throw refuse(connection, skill, `"${gateLine(uri, { limit: 300 }).text}" is none of its files`);
  const { contents } = await readResource(connection, uri, { ...options, spill: undefined, isExact: true });
  const [content, ...more] = contents;
  if (!content || more.length > 0)
    throw refuse(connection, skill, `one file was asked for, and ${contents.length} came`);
  const bytes = 'text' in content ? Buffer.from(content.text, 'utf8') : Buffer.from(content.blob, 'base64');
  if (bytes.length > SIZE_LIMIT) throw refuse(connection, skill, `a file has more than ${SIZE_LIMIT} bytes`);
  if (!promised) return content;
  if (bytes.length !== promised.size)
    throw refuse(
      connection,
      skill,
      `a file has ${bytes.length} bytes instead of the ${promised.size} that were listed`,
    );
  if (process.getBuiltinModule('node:crypto').hash('sha256', bytes) !== promised.digest)
    throw refuse(connection, skill, 'a file does not have the digest that was listed');
  return content;
}

function refuse({ name }: Connection, skill: string, reason: string): HostError {
  const shown = gateLine(skill, { limit: 300 }).text;
  return new HostError('bad-answer', `Skill "${shown}" of server "${name}" is not used: ${reason}`, {
    hint: 'The skill may have been changed on its way; ask those who run the server',
  });
}

/** Splits off the frontmatter between two lines of `---`. */
function split(text: string): { readonly head: string | undefined; readonly body: string } {
  const start = /^\uFEFF?---[ \t]*\r?\n/u.exec(text);
  if (!start) return { head: undefined, body: text };
  const end = /^---[ \t]*(?:\r?\n|$)/mu;
  const rest = text.slice(start[0].length);
  const found = end.exec(rest.slice(0, HEAD_LIMIT));
  return found
    ? { head: rest.slice(0, found.index), body: rest.slice(found.index + found[0].length) }
    : { head: undefined, body: text };
}

const HEAD_LIMIT = 16_000; // more than the frontmatter that is parsed
