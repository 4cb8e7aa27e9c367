import { resolve } from 'node:path';
import type { HostError } from '../../base/errors.js';
import { Secret } from '../../base/secret.js';
import { readBounded } from '../../edge/files/read-file.js';
import { signInFailure } from '../oauth-error.js';

/** A setting that is either the value itself or the path of a file with it. Throws a HostError that names the field. */
export function textOrFile(
  secret: Secret,
  { isText, field, name, cwd = '.' }: { isText: RegExp; field: string; name: string; cwd?: string | undefined },
): Secret {
  const text = secret.reveal();
  if (isText.test(text)) return secret;
  if (text.includes('\n') || text.length > PATH_LIMIT)
    throw failure(`"${field}" of server "${name}" is neither a valid value nor the path of a file`);
  const read = readBounded(resolve(cwd, text), { limit: FILE_LIMIT });
  if (read.kind === 'absent') throw failure(`The file that "${field}" of server "${name}" names does not exist`);
  if (read.kind === 'refused')
    throw failure(`The file that "${field}" of server "${name}" names cannot be read`, read.error);
  const held = read.text.trim();
  // The content is sent or signed with, and a repository's entry could name any file of the user.
  if (!isText.test(held))
    throw failure(`The file that "${field}" of server "${name}" names does not hold a valid value`);
  return new Secret(held);
}

const PATH_LIMIT = 4_096;
const FILE_LIMIT = 65_536; // keys and tokens have a few kilobytes

function failure(message: string, cause?: HostError): HostError {
  const hint = cause?.hint ?? 'Check the path; a relative one starts in the folder where Plugboard runs';
  return signInFailure(message, { hint, ...(cause && { cause }) });
}
