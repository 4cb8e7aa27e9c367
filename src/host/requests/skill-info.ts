// Skills: https://modelcontextprotocol.io/seps/2640-skills-extension
import type { JsonObject } from '../../base/json.js';
import { extraOptions, withExtras } from '../../connection/requests/request-extras.js';
import { textOf } from '../../tools/act-tools.js';
import type { ToolInput } from '../../model/tool.js';
import type { Answered, TypedOptions } from '../answered.js';
import { readFromServer } from '../servers/server-access.js';
import type { RequestParts } from '../servers/server-requests.js';
import { skillUris } from '../host-skills.js';
import type { Server } from '../servers/server.js';
import type { KnownSkills } from '../tools/known-skills.js';

/** A request of the skills extension, for a program that passes the answer on. */
export interface SkillInfoRequest extends TypedOptions {
  readonly server: string;
  readonly method: 'skills/get' | 'resources/directory/read';
  /** Of the skill or the folder. */
  readonly uri: string;
  /** The server's own, of the page that is wanted. */
  readonly cursor?: string | undefined;
}

/** Asks a server about a skill or a folder, decided like reading a resource. Never rejects. */
export function askSkillInfo(
  parts: RequestParts & { readonly knownSkills: KnownSkills },
  { server, method, uri, cursor, ...options }: SkillInfoRequest,
): Promise<Answered<{ readonly result: JsonObject }>> {
  return parts.send<{ readonly result: JsonObject }>({
    ...options,
    act: 'resources',
    server,
    input: { uri },
    isListed: (input) => {
      const running = parts.runningServers().find(({ name }) => name === server);
      if (!running) return false;
      return parts.knownSkills.hasListed(running, skillUris(input)) || isFolderOfListed(parts, running, input);
    },
    respond: (running, input, context) =>
      readFromServer(
        running,
        async (connection, { extras, kept, ...left }) => {
          const params = { uri: textOf(input['uri']), ...(cursor !== undefined && { cursor }) };
          const asking = { ...left, ...extraOptions(extras) };
          const result = await connection.session.request(method, withExtras(params, extras, connection), asking);
          kept?.take(result, connection.redact);
          return { result };
        },
        context,
      ),
  });
}

/** Whether the server has listed something in the folder: then its URI tells the server nothing new. */
function isFolderOfListed(
  { knownSkills }: { readonly knownSkills: KnownSkills },
  server: Server,
  { uri }: ToolInput,
): boolean {
  const folder = textOf(uri);
  const start = folder.endsWith('/') ? folder : `${folder}/`;
  const isIn = (one: string): boolean => one.startsWith(start);
  return (
    knownSkills
      .of(server)
      .some((skill) => isIn(skill.uri) || (skill.files !== 'dynamic' && skill.files.some((file) => isIn(file)))) ||
    server.catalog.resources.some((resource) => isIn(resource.uri))
  );
}
