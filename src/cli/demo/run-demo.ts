import { HostError } from '../../base/errors.js';
import type { Invocation } from '../input/arguments.js';
import { refuseNames } from '../input/arguments.js';
import { usageError } from '../input/usage-error.js';
import type { Io } from '../io.js';
import type { ModelPort } from '../../session/index.js';
import type { Outcome } from '../verb.js';
import { inDemoFolders, withDemoFlags } from './demo-servers.js';
import { ScriptedModel } from './scripted-model.js';

/** `plugboard demo`: a session on a terminal; elsewhere the steps as text, or as JSON. */
export async function runDemo(given: Invocation, outer: Io): Promise<Outcome> {
  refuseNames(given, 'plugboard demo');
  const foreign = ['mcp-config', 'mcp-server'].find((flag) => given.has(flag));
  if (foreign !== undefined) {
    throw usageError(`the demo has only its own servers, so --${foreign} is refused`, { hint: 'plugboard --help' });
  }
  if (!outer.openDemo) {
    throw new HostError('internal', 'The demo is not part of this program', { hint: 'Install the package plugboard' });
  }
  // Read before the first folder is made: from now on a signal lets the demo remove it.
  const { interrupted: _ } = outer;
  const model = await chosenModel(given, outer);
  const demo = await outer.openDemo();
  try {
    const io = inDemoFolders(outer, demo);
    const invocation = withDemoFlags(given, demo);
    const isOnScreen = io.stdin.isTerminal && io.stdout.isTerminal && !invocation.has('json');
    if (!isOnScreen) return await (await import('./play-demo.js')).playDemo({ invocation, io, model });
    const { runSession } = await import('../session/run-session.js');
    const suggest = model instanceof ScriptedModel ? () => model.suggestion : undefined;
    const intro = [...introOf(model), suggest ? HOW : '/exit leaves.'];
    return await runSession(invocation, io, { model, intro, suggest });
  } finally {
    demo.close();
  }
}

const HOW = 'Press Enter to send the suggested message, or write your own. /exit leaves.';

/** The scripted model, or the one that --model names. Rejects with `no-model`. */
async function chosenModel(invocation: Invocation, io: Io): Promise<ModelPort> {
  const name = invocation.value('model');
  if (name === undefined) return new ScriptedModel();
  const { chooseModel } = await import('../../session/index.js');
  const chosen = await chooseModel({ name, env: io.env, cwd: process.cwd(), signal: io.interrupted });
  if (chosen.kind === 'model') return chosen.model;
  const { code, message, hint = '' } = chosen.error;
  throw new HostError(code, message, { hint: `${hint}. Without --model the demo needs no key: plugboard demo` });
}

/** What the user reads first. */
export function introOf(model: ModelPort): readonly string[] {
  const isScripted = model instanceof ScriptedModel;
  return [
    isScripted
      ? 'This is the demo: the model is a script, its answers are written in advance. The servers, calls and questions are real.'
      : `This is the demo, with the model ${model.name}.`,
    'Three servers: notes (a program on stdio), weather (HTTP, on this machine), clock (inside this program). Your own servers, files and settings are not used.',
  ];
}
