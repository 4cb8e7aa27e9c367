import { resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import { adHocOptions, adHocServer } from '../ad-hoc.js';
import type { Invocation } from '../arguments.js';
import type { FoundTool } from '../find-tool.js';
import { exitCodeOf, exitCodes, type Io } from '../io.js';
import type { ServerRun } from '../open-servers.js';
import { lastWords } from '../last-words.js';
import { loadRun } from '../load.js';
import { showLine } from '../show.js';
import type { Outcome, Verb } from '../verb.js';

export const call: Verb = {
  name: 'call',
  usage: 'TOOL [name=value | name:=json | name=@file]... [--args JSON] [URL | -- COMMAND ARGS]',
  summary: 'Call a tool and show what it gives',
  takesCommand: true,
  options: [{ name: 'args', value: 'JSON', summary: 'all arguments as one JSON object, or @file' }, ...adHocOptions],
  examples: [
    'plugboard call github.search_issues query=crash',
    'plugboard call mcp__github__get_issue number:=12 --json',
    'plugboard call echo message=hi -- npx -y @modelcontextprotocol/server-everything',
  ],
  async run(given, io) {
    const adHoc = adHocServer(given);
    const invocation = adHoc?.invocation ?? given;
    const [word, ...words] = invocation.positionals;
    if (word === undefined) {
      throw new HostError('usage', 'error: call needs the name of a tool', { hint: `plugboard call ${call.usage}` });
    }
    const loaded = await loadRun(invocation, io);
    const { chooseServers } = await import('../choose-servers.js');
    const { withServers } = await import('../open-servers.js');
    const { findTool } = await import('../find-tool.js');
    const servers = chooseServers(loaded, adHoc?.name ?? serverNamed(word, loaded.servers));
    return withServers({ invocation, io, loaded }, async (run) => {
      const found = await findTool(word, servers, { run, isAdHoc: adHoc !== undefined });
      return perform({ found, words, run, invocation, io, cwd: loaded.context.cwd });
    });
  },
};

/** `server.tool` of a server that may not run deserves the reason, not "there is no such tool". */
function serverNamed(word: string, servers: readonly { readonly name: string }[]): string | undefined {
  return servers.filter(({ name }) => word.startsWith(`${name}.`)).toSorted((a, b) => b.name.length - a.name.length)[0]
    ?.name;
}

interface Performance {
  readonly found: FoundTool;
  readonly words: readonly string[];
  readonly run: ServerRun;
  readonly invocation: Invocation;
  readonly io: Io;
  readonly cwd: string;
}

async function perform({ found, words, run, invocation, io, cwd }: Performance): Promise<Outcome> {
  const { callTool } = await import('../../connection/call-tool.js');
  const { toArguments } = await import('../tool-arguments.js');
  const { contentText } = await import('../content-text.js');
  const { callProgress } = await import('../call-progress.js');
  const { toMs } = await import('../milliseconds.js');
  const { link, tool, server, name } = found;
  const args = invocation.value('args');
  const json = args?.startsWith('@') === true ? await readArgument(resolve(cwd, args.slice(1))) : args;
  const readText = (path: string): Promise<string> => readArgument(resolve(cwd, path));
  const input = await toArguments({ words, json, readText }, tool.inputSchema);
  const notes: string[] = [];
  const fit = await run.dock.check(tool.inputSchema, input);
  if (fit.kind === 'invalid') {
    // The server has the last word: its schema may say less than its code.
    const issues = fit.issues.map(({ path, message }) => `${path} ${message}`.trim());
    notes.push(showLine(`warning the arguments do not fit what "${tool.name}" asks for: ${issues.join('; ')}`));
  }
  const progress = callProgress(io, { isWanted: !invocation.has('quiet') && !invocation.has('json'), tool: tool.name });
  const began = performance.now();
  try {
    const answer = await callTool(
      link,
      { tool: tool.name, input },
      {
        signal: run.signal,
        timeoutMs: server.config?.timeout ?? toMs(io.env['MCP_TOOL_TIMEOUT']) ?? CALL_TIMEOUT,
        onProgress: progress.show,
        spill: run.dock.spill,
        ...(tool.outputSchema && {
          output: { schema: tool.outputSchema, check: (schema, value) => run.dock.check(schema, value) },
        }),
      },
    );
    const { content, structuredContent, saved } = answer;
    return {
      data: {
        name,
        outcome: answer.isError ? 'error' : 'ok',
        content,
        ...(structuredContent !== undefined && { structuredContent }),
        ...(saved.length > 0 && { saved }),
        ms: Math.round(performance.now() - began),
        attempts: 1,
      },
      text: forScreen(contentText(content, structuredContent), io),
      notes: [
        ...notes,
        ...saved.map(({ path, bytes }) => showLine(`saved ${bytes} bytes to ${path}`)),
        ...answer.notes.map((note) => `note ${showLine(note)}`),
        ...run.notes,
      ],
      ...(answer.isError && { exitCode: exitCodes.failed }),
    };
  } catch (cause) {
    const error = run.explain(cause);
    for (const note of invocation.has('quiet') ? [] : notes) io.stderr.write(`${note}\n`);
    const outcome = error instanceof HostError && invocation.has('json') ? outcomeOf(error) : undefined;
    if (!(error instanceof HostError) || outcome === undefined) throw error;
    const ms = Math.round(performance.now() - began);
    const stderr = lastWords(error);
    const content = [{ type: 'text', text: error.message }];
    return {
      data: {
        name,
        outcome,
        content,
        error: { ...error.toJSON(), ...(stderr !== '' && { stderr }) },
        ms,
        attempts: 1,
      },
      text: '',
      exitCode: exitCodeOf(error.code),
    };
  } finally {
    progress.clear();
  }
}

/** What became of a call that was sent: its server may have run it. Undefined for one that was not. */
function outcomeOf({ code }: HostError): 'error' | 'unknown' | undefined {
  if (ENDED.has(code)) return 'error';
  if (code === 'call-timeout' || code === 'connection-closed' || code === 'http-failed' || code === 'cancelled')
    return 'unknown';
  return undefined;
}

/** The server has answered, or asked something in return that got no answer. */
const ENDED: ReadonlySet<string> = new Set([
  'server-error',
  'bad-answer',
  'answer-too-large',
  'input-failed',
  'unsupported',
]);

/** Nobody reads more on a terminal, and it takes minutes to scroll past. A file or a pipe gets all of it. */
function forScreen(text: string, { stdout }: Io): string {
  if (!stdout.isTerminal || text.length <= SCREEN_LIMIT) return text;
  return `${text.slice(0, SCREEN_LIMIT)}\n… ${text.length - SCREEN_LIMIT} more characters; send them to a file with > FILE`;
}

const SCREEN_LIMIT = 100_000;
const CALL_TIMEOUT = 100_000_000; // migrations run for hours; a shorter one is the user's to set

async function readArgument(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new HostError('usage', `error: ${path} cannot be read`, {
      hint: `For a text that begins with @ write name:='"@text"'`,
      cause,
    });
  }
}
