import { newOwner } from '../files/lock-owner.js';

/**
 * What a host's servers carry in their environment, and with them all that they start, whatever group or session it moves
 * to. A mark is `<host>.<number of the server>`; the host's part is random and tells whose it is, so that a later
 * host can see by a mark alone whether the one who gave it still lives.
 */
export class HostMark {
  /** Also the name of this host in its journal. */
  readonly host = newOwner();
  readonly #outer: string;
  #count = 0;

  /** `inherited` is the variable as this process has it itself: a Plugboard may be another one's server. */
  constructor(inherited: string | undefined) {
    this.#outer = inherited !== undefined && MARKS.test(inherited) ? inherited : '';
  }

  nextServer(): ServerMark {
    const mark = `${this.host.id}.${++this.#count}`;
    // The outer host has to find it as well, so its mark stays in front of ours.
    return { mark, env: { [MARK_VARIABLE]: `${this.#outer}${mark};` } };
  }
}

export interface ServerMark {
  readonly mark: string;
  readonly env: Readonly<Record<string, string>>;
}

export const MARK_VARIABLE = 'PLUGBOARD_HOST';
/** A host within a host within a host: nobody goes further than this. */
const MARKS = /^(?:\d{1,10}-\d{1,20}-[0-9a-f]{24}-[0-9a-f]{12}\.\d{1,15};){1,30}$/;

/** The marks in the environment of a process, in pairs of the host's part and the whole. */
export function marksIn(environment: Buffer): [host: string, mark: string][] {
  const found: [string, string][] = [];
  for (let at = environment.indexOf(ASSIGNMENT); at !== -1; at = environment.indexOf(ASSIGNMENT, at)) {
    at += ASSIGNMENT.length;
    const end = environment.indexOf(0, at);
    const value = environment.toString(
      'latin1',
      at,
      Math.min(end === -1 ? environment.length : end, at + LONGEST_VALUE),
    );
    for (const mark of value.split(';')) {
      const dot = mark.indexOf('.');
      if (dot !== -1) found.push([mark.slice(0, dot), mark]);
    }
  }
  return found;
}

const ASSIGNMENT = Buffer.from(`${MARK_VARIABLE}=`);
const LONGEST_VALUE = 4096; // 30 marks
