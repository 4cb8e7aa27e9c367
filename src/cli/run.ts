import { resolve } from 'node:path';
import { VERSION } from '../base/version.js';
import { withDriverFlags } from './input/driver/driver-flags.js';
import { type Invocation, type Parsed, parseArguments, wantsJson } from './input/arguments.js';
import { envelope } from './output/envelope.js';
import { fail, toProgramError } from './fail.js';
import { overallHelp, verbHelp } from './output/help.js';
import { exitCodes, type Io } from './io.js';
import { showLine } from '../model/show.js';
import { openRunRecording, type Recording } from '../actions/recording.js';
import { withPipesRead } from './pipes.js';
import { withTrace } from './start/with-trace.js';
import { verbs } from './verbs/all.js';
import { writeOutcome } from './output/write-outcome.js';

/** One run of the program: from arguments to exit code. Never throws, never exits: main.ts does that. */
export async function run(args: readonly string[], given: Io): Promise<number> {
  const flags = args.slice(0, args.indexOf('--') === -1 ? undefined : args.indexOf('--'));
  const io = flags.includes('--plain') ? plainIo(given) : given;
  const asJson = wantsJson(args);
  try {
    const parsed = parseArguments(args, verbs);
    return parsed.kind === 'run' ? await perform(parsed, io) : explain(parsed, io, asJson);
  } catch (error) {
    return fail(toProgramError(error), {
      io,
      asJson,
      verbose: flags.includes('--verbose'),
      noColor: flags.includes('--no-color') || flags.includes('--plain'),
    });
  }
}

function plainIo(io: Io): Io {
  // Not a copy, which would evaluate every getter.
  return Object.assign(Object.create(io) as Io, { isPlain: true, stdin: io.stdin.asPlain?.() ?? io.stdin });
}

function explain(parsed: Exclude<Parsed, { kind: 'run' }>, io: Io, asJson: boolean): number {
  const text = parsed.kind === 'version' ? `${VERSION}\n` : parsed.verb ? verbHelp(parsed.verb) : overallHelp(verbs);
  const data = parsed.kind === 'version' ? { version: VERSION } : { help: text };
  io.stdout.write(asJson ? envelope({ ok: true, data }) : text);
  return exitCodes.done;
}

async function perform(parsed: Extract<Parsed, { kind: 'run' }>, io: Io): Promise<number> {
  const invocation = await withPipesRead(withDriverFlags(parsed.invocation), io);
  const outcome = await withRecording(invocation, io, (recorded) =>
    withTrace({ invocation, io: recorded }, (traced) => invocation.verb.run(invocation, traced)),
  );
  if (outcome.isStreamed !== true) writeOutcome(outcome, { invocation, io });
  await outcome.finish?.();
  return outcome.exitCode ?? exitCodes.done;
}

/** With `--record`, on every verb: records the messages between host and servers. The first server opens the file. */
async function withRecording<Result>(
  invocation: Invocation,
  io: Io,
  use: (io: Io) => Promise<Result>,
): Promise<Result> {
  const file = invocation.value('record');
  if (file === undefined) return use(io);
  let recording: Recording | undefined;
  const openRecording = async (): Promise<Recording> => {
    const path = resolve(invocation.value('cwd') ?? '.', file);
    return (recording ??= await openRunRecording(path, {
      at: io.now(),
      home: io.env['HOME'] ?? io.env['USERPROFILE'],
    }));
  };
  try {
    // Not a copy, which would evaluate every getter.
    return await use(Object.assign(Object.create(io) as Io, { openRecording }));
  } finally {
    await recording?.[Symbol.asyncDispose]();
    const { problem, path } = recording ?? {};
    const told = problem ? `warning: ${problem.message}` : `Recorded to ${path}`;
    const note = recording ? told : `Nothing is recorded: ${invocation.verb.name} opened no server`;
    if (!invocation.has('quiet')) io.stderr.write(`${showLine(note)}\n`);
  }
}
