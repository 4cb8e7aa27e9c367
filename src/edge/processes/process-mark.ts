import { newOwner } from '../files/lock-owner.js';

/**
 * The mark that a host's servers carry in their environment, inherited by all that they start, whatever group or
 * session that moves to. A mark is `<host>.<number of the server>`; the host's part is random and holds its pid and
 * start time, so that a later host can tell by the mark alone whether that host still runs.
 */
export class HostMark {
  /** Also the name of the host's journal. */
  readonly host = newOwner();
  readonly #outer: string;
  #count = 0;

  /** `inherited` is the variable in this process's own environment: a Plugboard may be another one's server. */
  constructor(inherited: string | undefined) {
    this.#outer = inherited !== undefined && MARKS.test(inherited) ? inherited : '';
  }

  nextServer(): ServerMark {
    const mark = `${this.host.id}.${++this.#count}`;
    // The outer host must find this server as well, so its mark stays before ours.
    return { mark, env: { [MARK_VARIABLE]: `${this.#outer}${mark};` } };
  }
}

export interface ServerMark {
  readonly mark: string;
  readonly env: Readonly<Record<string, string>>;
}

export const MARK_VARIABLE = 'PLUGBOARD_HOST';
/** At most 30 nested hosts. */
const MARKS = /^(?:\d{1,10}-\d{1,20}-[0-9a-f]{24}-[0-9a-f]{12}\.\d{1,15};){1,30}$/;

/** The marks in a process's environment, as pairs of the host's part and the whole mark. */
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
const LONGEST_VALUE = 4096; // bytes; 30 marks
