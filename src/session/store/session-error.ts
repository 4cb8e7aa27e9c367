import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';
import { showLine } from '../../model/show.js';

/** What is wrong with a line of a session file. Becomes a HostError that names the file and the line. */
export class LineFault extends Error {
  override readonly name = 'LineFault';
}

/** A session file that is broken, or that another program has changed. `line` counts from 1; undefined: all of it. */
export function brokenSession(path: string, reason: string, line?: number): HostError {
  const where = line === undefined ? path : `${path}, line ${line}`;
  return new HostError('session-broken', `The session cannot be read: ${showLine(`${where}: ${reason}`)}`, {
    hint: `Start a new session: plugboard. To have this one out of the way: mv ${shellWord(path)} ${shellWord(`${path}.broken`)}`,
  });
}

/** `elsewhere`: the folder that has a session of this id. */
export function unknownSession(id: string, elsewhere?: string): HostError {
  return new HostError('unknown-session', `No conversation found with session ID: ${showLine(id)}`, {
    hint:
      elsewhere === undefined || showLine(elsewhere) !== elsewhere
        ? 'plugboard --resume lists the sessions of this folder'
        : `It was held in another folder: cd ${shellWord(elsewhere)}`,
  });
}

/** A session that another process writes. `pid`: as far as it is known. */
export function sessionInUse(id: string, pid: number | undefined): HostError {
  const who = pid === undefined ? 'Another process' : `Process ${pid}`;
  return new HostError('session-in-use', `Session ID ${showLine(id)} is already in use. ${who} writes it.`, {
    hint: `End that process, or go on in a copy: plugboard --resume ${id} --fork-session`,
  });
}

/** The id of a new session that an earlier one has. */
export function sessionTaken(id: string): HostError {
  return new HostError('session-in-use', `Session ID ${showLine(id)} is already in use.`, {
    hint: `To go on with it: plugboard --resume ${id}`,
  });
}
