import type { Invocation } from '../input/arguments.js';
import { overallHelp } from '../output/help.js';
import type { Io } from '../io.js';
import { resumeOptions } from '../input/resume-flags.js';
import { sessionOptions } from '../input/session-flags.js';
import type { Outcome, Verb } from '../verb.js';
import { usageError } from '../input/usage-error.js';

/** `plugboard` alone and `plugboard -p`: the only verb that needs no name. */
export const sessionVerb: Verb = {
  name: 'session',
  usage: '[-p PROMPT]',
  usages: ['plugboard [flags]', 'plugboard --continue | --resume [ID] [flags]', 'plugboard -p PROMPT [flags]'],
  summary: 'Talk to a model that uses your servers; with -p, ask one prompt without a terminal',
  options: [
    {
      name: 'print',
      short: 'p',
      summary: 'ask one prompt, print the answer and exit; stdin is added to the prompt, or is it',
    },
    ...sessionOptions,
    ...resumeOptions,
    {
      name: 'permission-prompt-tool',
      value: 'TOOL',
      summary:
        'with -p: the tool (mcp__server__tool) that decides about calls, or stdio: the program that sends stream-json',
    },
    {
      name: 'output-format',
      value: 'FORMAT',
      choices: ['text', 'json', 'stream-json'],
      synonyms: { plain: 'text', jsonl: 'stream-json', ndjson: 'stream-json', stream: 'stream-json' },
      summary: 'with -p: text, json (one object at the end) or stream-json (a line for each message)',
    },
    {
      name: 'input-format',
      value: 'FORMAT',
      choices: ['text', 'stream-json'],
      synonyms: { plain: 'text', json: 'stream-json', jsonl: 'stream-json', ndjson: 'stream-json' },
      summary: 'with -p: text, or stream-json (messages and control messages on stdin, a line each)',
    },
    { name: 'include-partial-messages', summary: 'with stream-json: also send text as it arrives' },
  ],
  details: [
    'With -p Plugboard never asks you: a call that no rule allows is denied, and stderr names the rule that would allow it.',
    'Exit codes of -p: 0 answered, 1 no answer or only a part, 2 usage, 4 answered, but a server needs you to sign in, 5 answered, but a call was denied, 124 timed out, 130 interrupted. With --input-format stream-json: 1 if the last turn has no answer, else 0.',
  ],
  examples: [
    'plugboard -p "What is new in my issues?" --allow mcp__github__list_issues',
    'git diff | plugboard -p "Write a commit message" --model openai/llama3',
    'plugboard -p "@docs:file:///guide.md in three sentences" --json',
  ],
  async run(invocation, io) {
    if (invocation.has('print')) return (await import('../one-prompt/run-prompt.js')).runPrompt(invocation, io);
    refuseFlagsOfPrompts(invocation);
    if (io.stdin.isTerminal && io.stdout.isTerminal) {
      return (await import('../session/run-session.js')).runSession(invocation, io);
    }
    return withoutTerminal(invocation, io);
  },
};

function refuseFlagsOfPrompts(invocation: Invocation): void {
  const [word] = invocation.positionals;
  if (word !== undefined) throw usageError(`session takes no words, got "${word}"`, { hint: 'plugboard -p "..."' });
  const wrong = PROMPT_FLAGS.find((flag) => invocation.has(flag));
  if (wrong === undefined) return;
  throw usageError(`--${wrong} is for one prompt`, { hint: `plugboard -p "..." --${wrong}` });
}

const PROMPT_FLAGS = [
  'json',
  'permission-prompt-tool',
  'output-format',
  'input-format',
  'include-partial-messages',
] as const;

/** Without arguments prints the help; a script that meant a command or a prompt gets an error instead. */
async function withoutTerminal(invocation: Invocation, io: Io): Promise<Outcome> {
  if (invocation.isEmpty) {
    // A dynamic import, because the list imports this verb.
    const { verbs } = await import('./all.js');
    const help = overallHelp(verbs);
    return { data: { help }, text: `${help}${await firstSteps(invocation, io)}` };
  }
  const where = io.stdin.isTerminal ? 'stdout' : 'stdin';
  throw usageError(`no command, and ${where} is not a terminal for a session`, {
    hint: 'plugboard -p "..." asks one prompt; plugboard --help shows the commands',
  });
}

/** Below the help, for a user without servers: the servers that other hosts on this machine have. */
async function firstSteps(invocation: Invocation, io: Io): Promise<string> {
  const { loadRun } = await import('../start/load.js');
  const { findServers, foundLines, isUnconfigured, UNCONFIGURED } =
    await import('../../actions/found/found-servers.js');
  const loaded = await loadRun(invocation, io);
  if (!isUnconfigured(loaded)) return '';
  return ['', UNCONFIGURED, ...foundLines(await findServers(loaded.context)), ''].join('\n');
}
