import { HostError } from '../../base/errors.js';
import type { ToolResult } from '../../model/tool.js';
import type { Answered } from '../answered.js';
import type { ServerState } from '../servers/server-state.js';

/**
 * A hint for a program that embeds the library: options instead of flags, and methods of `Host` instead of commands. The
 * rooms below write hints for the command line. `plugboard approve`, `trust` and `logs` stay: they write or read files,
 * whatever program runs.
 */
export function toOptionWords(hint: string): string {
  return WORDS.reduce((text, [from, to]) => text.replaceAll(from, to), hint);
}

/** The same error, with its hint in words of the library. */
export function inOptionWords(error: HostError): HostError {
  const { code, message, hint, cause, detail, stack } = error;
  const told = hint === undefined ? hint : toOptionWords(hint);
  if (told === hint) return error;
  const said = new HostError(code, message, { hint: told, detail, ...(cause !== undefined && { cause }) });
  if (stack !== undefined) said.stack = stack;
  return said;
}

/** A result whose error, and what a model reads of it, is in words of the library. */
export function resultInOptionWords(result: ToolResult): ToolResult {
  const { error } = result;
  const said = error && inOptionWords(error);
  if (said === error || said?.hint === undefined || error?.hint === undefined) return result;
  const [before, after] = [error.hint, said.hint];
  const content = result.content.map((block) =>
    block.type === 'text' && block.text.includes(before)
      ? { ...block, text: block.text.replace(before, () => after) }
      : block,
  );
  return { ...result, error: said, content };
}

/** An answer whose error is in words of the library. */
export function answerInOptionWords<Result extends object>(answer: Answered<Result>): Answered<Result> {
  return answer.ok ? answer : { ...answer, error: inOptionWords(answer.error) };
}

/** A server's state whose error is in words of the library. */
export function stateInOptionWords(state: ServerState): ServerState {
  const { error } = state;
  if (!error) return state;
  // `doctor` would list the problems of the entry.
  const hint = error.code === 'config-invalid' ? 'host.problems says more' : toOptionWords(error.hint);
  return { ...state, error: { ...error, hint } };
}

/** A server or tool in a command: a plain word, or one in quotes of a shell. */
const NAME = String.raw`(?!(?:shows|says|all)\b)(?:'([^']*)'|([^\s',.;:]+))`;

const WORD = String.raw`(?:'[^']*'|"[^"]*"|\S+)`;

/** Longer ones first. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [command(String.raw`login --device ${NAME}`), 'host.signIn("$1$2", { way: "device" })'],
  [command(String.raw`login --scope ${WORD} ${NAME}`), 'host.signIn("$1$2", { scopes: [...] })'],
  [command(String.raw`login ${NAME} --scope ${WORD}`), 'host.signIn("$1$2", { scopes: [...] })'],
  [
    /Register an OAuth client there by hand, then run with its client ID: .*/gu,
    'Register an OAuth client there by hand, and put its client ID into "oauth.clientId" of the entry',
  ],
  [command(`login ${NAME}`), 'host.signIn("$1$2")'],
  [command('login'), 'host.signIn(name)'],
  [command(`logout ${NAME}`), 'host.signOut("$1$2")'],
  [command(`reconnect ${NAME}`), 'host.reconnect("$1$2")'],
  [command(`enable ${NAME}`), 'host.enable("$1$2")'],
  [command(String.raw`doctor ${NAME} --trust-folder`), 'trustFolder: true'],
  [command(`doctor ${NAME}`), 'host.server("$1$2")?.error'],
  [command('doctor'), 'host.servers()'],
  [command(`get ${NAME}`), 'host.server("$1$2")'],
  [command('list'), 'host.servers()'],
  [command(String.raw`tools ${NAME}(?: --json)?`), 'host.tools()'],
  [command('tools'), 'host.tools()'],
  [command(`resources ${NAME}`), 'host.resources({ server: "$1$2" })'],
  [command(`prompts ${NAME}`), 'host.prompts({ server: "$1$2" })'],
  [command('prompts'), 'host.prompts()'],
  [command(`permissions ${NAME}`), 'host.permission("$1$2")'],
  [command('permissions'), 'host.permissionSettings'],
  [/^plugboard approve (\S+)$/gu, 'plugboard approve $1, or open the host with approveProject: true'],
  [/^plugboard trust( \S+)?$/gu, 'plugboard trust$1, or open the host with trustFolder: true'],
  [
    /MCP_TIMEOUT=MS or --timeout MS, or with "startTimeout" in its entry/gu,
    '"startTimeout" in its entry, or with MCP_TIMEOUT in the option env',
  ],
  [/MCP_TIMEOUT=MS or --timeout MS/gu, '"startTimeout" in its entry, or MCP_TIMEOUT in the option env'],
  [/--timeout MS or "timeout" in its entry/gu, 'timeoutMs in the request, or "timeout" in its entry'],
  [/--timeout MS/gu, 'timeoutMs'],
  [new RegExp(String.raw`--allow ${NAME}`, 'gu'), 'permissions: { allow: ["$1$2"] }'],
  [/pass one with --cwd/gu, 'pass one as cwd'],
  [/--trust-folder/gu, 'trustFolder: true'],
  [/--approve-project-servers/gu, 'approveProject: true'],
  [/--json shows what it sent/gu, 'shape: "raw" gives what it sent'],
  [/; run it again with --record FILE to keep its messages for a report/gu, '; report it to those who make it'],
  [/; --record FILE keeps its messages for a report/gu, ''],
  [/Run it again with --verbose and report what it prints/gu, 'Report it with its cause'],
];

function command(words: string): RegExp {
  return new RegExp(`plugboard ${words}(?![\\w-])`, 'gu');
}
