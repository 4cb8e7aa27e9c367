import { showLine, showName } from '../../model/show.js';
import { usageError } from '../usage-error.js';
import { closeTool } from './close-tool.js';

interface TypedCall {
  /** The word in the place of a tool. */
  readonly word: string;
  /** The words after it. */
  readonly words: readonly string[];
}

interface KnownOffer {
  /** The names of all configured servers. */
  readonly servers: readonly string[];
  /** The tools that are known without asking a server. */
  readonly tools: readonly { readonly name: string; readonly server?: string | undefined; readonly tool: string }[];
}

/** Throws `usage` where a server's name stands for a tool, as in `call notes add_note`. Known tools come first. */
export function refuseServerName({ word, words: [next, ...more] }: TypedCall, { servers, tools }: KnownOffer): void {
  if (!servers.includes(word)) return;
  if (tools.some(({ name, server, tool }) => [name, tool, `${server}.${tool}`].includes(word))) return;
  const own = tools.filter(({ server }) => server === word);
  const list = `plugboard tools ${showName(word)}`;
  if (next === undefined || !TOOL_WORD.test(next)) {
    const shown = own.slice(0, SHOWN).map(({ tool }) => `${word}.${tool}`);
    const some = `${own.length > SHOWN ? 'Some of its tools' : 'Its tools'}: ${shown.join(', ')}`;
    throw usageError(showLine(`${word} is a server; write its name and a tool: ${word}.TOOL`), {
      hint: own.length > 0 ? showLine(some) : `List its tools: ${list}`,
    });
  }
  const typed = `${word}.${next}`;
  const isKnown = own.length === 0 || own.some(({ tool }) => tool === next);
  const meant = isKnown ? typed : closeTool(typed, own, false);
  if (meant === undefined) {
    throw usageError(showLine(`${word} is a server, and has no tool "${next}"`), { hint: `List its tools: ${list}` });
  }
  throw usageError(showLine(`${word} is a server; did you mean ${meant}?`), {
    hint: `plugboard call ${showName(meant)}${more.length > 0 ? ' ...' : ''}`,
  });
}

/** What may be the name of a tool, and is no argument. */
const TOOL_WORD = /^[\w.-]+$/u;
const SHOWN = 5;
