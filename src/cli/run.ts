import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { HostError } from '../base/errors.js';
import { VERSION } from '../base/version.js';
import { hiddenKind } from '../model/hidden-characters.js';
import { type Invocation, type Parsed, parseArguments } from './arguments.js';
import { overallHelp, verbHelp } from './help.js';
import { exitCodeOf, exitCodes, type Io } from './io.js';
import { lastWords } from '../model/last-words.js';
import { showLine, showText } from './show.js';
import type { Recording } from '../connection/recording.js';
import { withPipesRead } from './pipes.js';
import { styleFor } from './style.js';
import { verbs } from './verbs/all.js';

/** One run of the program, from words to exit code. Never throws, never exits: main.ts does that. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const flags = args.slice(0, args.indexOf('--') === -1 ? undefined : args.indexOf('--'));
  const asJson = flags.includes('--json');
  try {
    const parsed = parseArguments(args, verbs);
    return parsed.kind === 'run' ? await perform(parsed, io) : explain(parsed, io, asJson);
  } catch (error) {
    return fail(toHostError(error), {
      io,
      asJson,
      verbose: flags.includes('--verbose'),
      noColor: flags.includes('--no-color'),
    });
  }
}

function explain(parsed: Exclude<Parsed, { kind: 'run' }>, io: Io, asJson: boolean): number {
  const text = parsed.kind === 'version' ? `${VERSION}\n` : parsed.verb ? verbHelp(parsed.verb) : overallHelp(verbs);
  const data = parsed.kind === 'version' ? { version: VERSION } : { help: text };
  io.stdout.write(asJson ? envelope({ ok: true, data }) : text);
  return exitCodes.done;
}

async function perform(parsed: Extract<Parsed, { kind: 'run' }>, io: Io): Promise<number> {
  const invocation = await withPipesRead(parsed.invocation, io);
  const outcome = await withRecording(invocation, io, (recorded) => invocation.verb.run(invocation, recorded));
  if (outcome.isStreamed === true) return outcome.exitCode ?? exitCodes.done;
  if (invocation.has('json')) io.stdout.write(envelope({ ok: true, data: outcome.data }));
  else if (outcome.text !== '') io.stdout.write(outcome.text.endsWith('\n') ? outcome.text : `${outcome.text}\n`);
  if (!invocation.has('quiet')) for (const note of outcome.notes ?? []) io.stderr.write(`${note}\n`);
  return outcome.exitCode ?? exitCodes.done;
}

/** `--record`, on every verb: what passes between the host and its servers. The file is opened with the first server. */
async function withRecording<Result>(
  invocation: Invocation,
  io: Io,
  use: (io: Io) => Promise<Result>,
): Promise<Result> {
  const file = invocation.value('record');
  if (file === undefined) return use(io);
  let recording: Recording | undefined;
  const openRecording = async (): Promise<Recording> => {
    const { record } = await import('../connection/recording.js');
    const path = resolve(invocation.value('cwd') ?? '.', file);
    return (recording ??= await record(path, { at: io.now(), home: io.env['HOME'] ?? io.env['USERPROFILE'] }));
  };
  try {
    // Not a copy, which would ask for everything that is only there when asked for.
    return await use(Object.assign(Object.create(io) as Io, { openRecording }));
  } finally {
    await recording?.[Symbol.asyncDispose]();
    const { problem, path } = recording ?? {};
    const told = problem ? `warning ${problem.message}` : `Recorded to ${path}`;
    const note = recording ? told : `Nothing is recorded: ${invocation.verb.name} opened no server`;
    if (!invocation.has('quiet')) io.stderr.write(`${showLine(note)}\n`);
  }
}

interface Failure {
  readonly io: Io;
  readonly asJson: boolean;
  readonly verbose: boolean;
  readonly noColor: boolean;
}

/** In three parts: what, why, and what to do about it. */
function fail(error: HostError, { io, asJson, verbose, noColor }: Failure): number {
  const { code, message, hint } = error;
  const words = lastWords(error);
  const stderr = words === '' ? {} : { stderr: words };
  if (asJson) io.stdout.write(envelope({ ok: false, error: { code, message, hint: hint ?? '', ...stderr } }));
  else {
    const { red } = styleFor(io.stderr, { env: io.env, noColor });
    // The one message of several lines; in any other a line break can only come out of somebody's file.
    io.stderr.write(`${red(code === 'ambiguous-server' ? showText(message) : showLine(message))}\n`);
    // The hint of a server that died may be the most telling of its lines; all of the last lines say more.
    const said = words.trim();
    const isQuoted = said !== '' && hint?.includes(said) === true;
    if (said !== '' && !isQuoted) io.stderr.write(`  The last it said on stderr:\n${indented(showText(said))}\n`);
    const isSaid = hint === undefined || message.includes(hint) || (!isQuoted && hint.startsWith(QUOTING));
    if (!isSaid) io.stderr.write(`  ${showLine(hint)}\n`);
    if (verbose && error.cause !== undefined) io.stderr.write(`  cause: ${showText(inspect(error.cause))}\n`);
  }
  return exitCodeOf(code);
}

const QUOTING = 'Its last words: ';

function indented(text: string): string {
  return text.replaceAll(/^/gmu, '    ');
}

function toHostError(error: unknown): HostError {
  if (error instanceof HostError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new HostError('internal', `Plugboard itself failed: ${message}`, {
    hint: 'Run it again with --verbose and report what it prints',
    cause: error,
  });
}

/** One line of JSON. What a terminal would obey or not show is escaped: the value stays, and cannot act on its way. */
function envelope(answer: object): string {
  const text = JSON.stringify(answer).replace(/[^ -~]/gu, (character) =>
    hiddenKind(character.codePointAt(0)!) === undefined ? character : escapeUnits(character),
  );
  return `${text}\n`;
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}
