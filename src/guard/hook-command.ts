import { isDeeper, isObject } from '../base/json.js';
import type { CommandRunner } from '../edge/processes/command-runner.js';
import { openPrivatePlace, type PrivatePlace } from '../edge/files/private-place.js';
import type { CommandEnd } from '../edge/processes/running-command.js';
import { unreachable } from '../base/never.js';
import { BadAnswer, quoteAnswer } from '../model/hooks/answer-fields.js';
import type { HookCommand } from '../model/hooks/hook-settings.js';
import { gateText } from '../model/text/text-gate.js';
import { type EventFormat, type Hook, HookCancelled, HookFailure } from './hook.js';
import { REASON_LENGTH } from './hook-result.js';

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
 * A command that gets JSON on stdin and answers by exit code and JSON on stdout. Exit code 0 without JSON means no
 * opinion, 2 means no. Failures: another code, a signal, a timeout, too much output, JSON that is no answer.
 */
export function commandHook<Question, Answer>(
  { command, timeout, failOpen }: HookCommand,
  event: EventFormat<Question, Answer>,
  { label, cwd, place, whyNot, env, runner }: CommandHookOptions,
): Hook<Question, Answer> {
  const timeoutMs = timeout !== undefined && timeout > 0 ? timeout * 1000 : TIMEOUT_MS;
  return {
    label,
    // When the folder prevents it from running, `failOpen` is ignored: the folder's author could bypass the hook.
    failOpen: failOpen && whyNot === undefined,
    async ask(question, signal, onOutput) {
      if (whyNot !== undefined) throw new HookFailure(`${label} ${whyNot}`);
      const input = `${toHookJson(event, question)}\n`;
      const folder = place ? await openPlace(place) : cwd;
      const end = await runner.run({ command, cwd: folder, env, input, timeoutMs, signal });
      if (end.kind === 'exited') onOutput?.({ stdout: end.stdout, stderr: end.stderr, exitCode: end.code });
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

/** What a hook is sent. Throws `HookFailure`. */
export function toHookJson<Question>(event: EventFormat<Question, unknown>, question: Question): string {
  try {
    return JSON.stringify(event.toInput(question));
  } catch (cause) {
    throw new HookFailure('cannot be asked: what it has to be shown cannot be written as JSON', { cause });
  }
}

function readEnd<Question, Answer>(
  end: CommandEnd,
  event: EventFormat<Question, Answer>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Answer | undefined {
  switch (end.kind) {
    case 'exited':
      if (end.code === 0) return readStdout(end.stdout, event);
      if (end.code === 2) return event.refuse(gateText(end.stderr, { limit: REASON_LENGTH }).text.trim());
      throw new HookFailure(`exited with code ${end.code}`, { detail: lastWords(end.stderr) });
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

/** Output that is no JSON is for people, and for most events means no opinion. */
function readStdout<Question, Answer>(stdout: string, event: EventFormat<Question, Answer>): Answer | undefined {
  const text = stdout.trim();
  if (!JSON_START.test(text)) {
    // Text around the JSON, such as a login shell's, must not hide a no: that is a failure.
    if (ANSWERING.test(text)) throw new HookFailure('printed something else around its JSON, which has to stand alone');
    return text === '' ? undefined : event.readText?.(text);
  }
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch (cause) {
    throw new HookFailure('printed JSON that cannot be parsed', { cause });
  }
  return readSaid(said, event);
}

/** Reads an answer that is JSON. Throws `BadAnswer`. */
export function readSaid<Question, Answer>(said: unknown, event: EventFormat<Question, Answer>): Answer | undefined {
  if (!isObject(said)) throw new BadAnswer(`answers with ${quoteAnswer(said)}, which has to be an object`);
  if (isDeeper(said, DEPTH_LIMIT)) throw new BadAnswer(`nests its answer more than ${DEPTH_LIMIT} deep`);
  return event.read(said);
}

/** What only JSON begins with. A number or a word alone is for people. */
const JSON_START = /^[{["]/u;

/** Fields that only an answer has. */
const ANSWERING = /"(?:hookSpecificOutput|permissionDecision|decision|continue)"\s*:/u;

function lastWords(stderr: string): string {
  const { text } = gateText(stderr, { limit: STDERR_LENGTH });
  return text.trim();
}
