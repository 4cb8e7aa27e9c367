import { isDeeper, isObject } from '../base/json.js';
import type { CommandRunner } from '../edge/processes/command-runner.js';
import { openPrivatePlace, type PrivatePlace } from '../edge/files/private-place.js';
import type { CommandEnd } from '../edge/processes/running-command.js';
import { unreachable } from '../base/never.js';
import { BadAnswer } from '../model/hooks/hook-answer.js';
import type { HookCommand } from '../model/hooks/hook-settings.js';
import { gateText } from '../model/text/text-gate.js';
import { type Hook, HookCancelled, HookFailure } from './hook.js';
import { REASON_LENGTH } from './hook-result.js';

/** How an event's question is serialized, and how its answer is parsed. */
export interface CommandEvent<Question, Answer> {
  toInput(question: Question): object;
  /** Throws `BadAnswer`. */
  read(said: { readonly [field: string]: unknown }): Answer | undefined;
  /** The answer for exit code 2, which means no; `reason` is the command's stderr. */
  refuse(reason: string): Answer;
}

export interface CommandHookOptions {
  readonly label: string;
  readonly cwd: string;
  /** Private folder to run in, when the working directory is not trusted. */
  readonly place?: PrivatePlace | undefined;
  /** Why the command cannot run there; the text continues a sentence that begins with the command. */
  readonly whyNot?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly runner: CommandRunner;
}

/**
 * A command that gets JSON on stdin and answers by exit code and JSON on stdout. Exit code 0 without a JSON object
 * means no opinion, 2 means no. Failures: another code, a signal, a timeout, too much output, invalid JSON.
 */
export function commandHook<Question, Answer>(
  { command, timeout, failOpen }: HookCommand,
  event: CommandEvent<Question, Answer>,
  { label, cwd, place, whyNot, env, runner }: CommandHookOptions,
): Hook<Question, Answer> {
  const timeoutMs = timeout !== undefined && timeout > 0 ? timeout * 1000 : TIMEOUT_MS;
  return {
    label,
    // When the folder prevents it from running, `failOpen` is ignored: the folder's author could bypass the hook.
    failOpen: failOpen && whyNot === undefined,
    async ask(question, signal) {
      if (whyNot !== undefined) throw new HookFailure(`${label} ${whyNot}`);
      const input = `${toJson(event.toInput(question))}\n`;
      const folder = place ? await openPlace(place) : cwd;
      const end = await runner.run({ command, cwd: folder, env, input, timeoutMs, signal });
      return readEnd(end, event, { timeoutMs, signal });
    },
  };
}

async function openPlace(place: PrivatePlace): Promise<string> {
  try {
    return await openPrivatePlace(place, 'A hook');
  } catch (cause) {
    throw new HookFailure(`could not be started: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

const TIMEOUT_MS = 60_000;
const STDERR_LENGTH = 1000; // characters; the first lines tell the cause
const DEPTH_LIMIT = 512; // `JSON.stringify` recurses, and the answer may be sent on

function toJson(input: object): string {
  try {
    return JSON.stringify(input);
  } catch (cause) {
    throw new HookFailure('cannot be asked: what it has to be shown cannot be written as JSON', { cause });
  }
}

function readEnd<Question, Answer>(
  end: CommandEnd,
  event: CommandEvent<Question, Answer>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Answer | undefined {
  switch (end.kind) {
    case 'exited':
      if (end.code === 0) return readOutput(end.stdout, event);
      if (end.code === 2) return event.refuse(gateText(end.stderr, { limit: REASON_LENGTH }).text.trim());
      throw new HookFailure(`exited with code ${end.code}${lastWords(end.stderr)}`);
    case 'signalled':
      throw new HookFailure(`was ended by ${end.signal}`);
    case 'timed-out':
      throw new HookFailure(`did not answer within ${timeoutMs / 1000} s and was ended`);
    case 'too-much':
      throw new HookFailure(`printed more than ${end.bytes} bytes and was ended`);
    case 'not-started':
      throw new HookFailure(`could not be started: ${end.error.message}`, { cause: end.error });
    case 'cancelled':
      if (signal?.aborted === true) throw new HookCancelled('the call was given up');
      throw new HookFailure('could not be asked: the host is closing, or has other hooks by now');
    default:
      return unreachable(end);
  }
}

/** Output that is no JSON object is for people, and means no opinion. */
function readOutput<Question, Answer>(stdout: string, event: CommandEvent<Question, Answer>): Answer | undefined {
  const text = stdout.trim();
  if (!text.startsWith('{')) {
    // Text around the JSON, such as a login shell's, must not hide a no: that is a failure.
    if (ANSWERING.test(text)) throw new HookFailure('printed something else around its JSON, which has to stand alone');
    return undefined;
  }
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch (cause) {
    throw new HookFailure('printed JSON that cannot be parsed', { cause });
  }
  if (!isObject(said) || isDeeper(said, DEPTH_LIMIT))
    throw new BadAnswer(`nests its answer more than ${DEPTH_LIMIT} deep`);
  return event.read(said);
}

/** Fields that only an answer has. */
const ANSWERING = /"(?:hookSpecificOutput|permissionDecision|decision|continue)"\s*:/u;

function lastWords(stderr: string): string {
  const { text } = gateText(stderr, { limit: STDERR_LENGTH });
  return text.trim() === '' ? '' : `: ${text.trim()}`;
}
