import { checkInput } from '../../actions/check-input.js';
import { resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import { adHocOptions, adHocServer } from '../ad-hoc.js';
import { exitCodeOf, exitCodes } from '../io.js';
import type { FoundTool } from '../../actions/find-tool.js';
import type { HostRun } from '../open-host.js';
import { lastWords } from '../../model/last-words.js';
import { setbackOf } from '../../model/retries.js';
import { loadToStart } from '../load-to-start.js';
import { showLine } from '../../model/show.js';
import type { Outcome, Run, Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

export const call: Verb = {
  name: 'call',
  usage: 'TOOL [name=value | name:=json | name=@file]... [--args JSON] [URL | -- COMMAND ARGS]',
  summary: 'Call a tool and show what it gives',
  takesCommand: true,
  completes: 'tool',
  options: [
    { name: 'args', value: 'JSON', summary: 'all arguments as one JSON object, or @file' },
    { name: 'full', summary: 'all of the result as it came: nothing is cut, shrunk or put into a file' },
    ...adHocOptions,
  ],
  examples: [
    'plugboard call github.search_issues query=crash',
    'plugboard call mcp__github__get_issue number:=12 --json',
    'plugboard call echo message=hi -- npx -y @modelcontextprotocol/server-everything',
  ],
  async run(given, io) {
    const adHoc = adHocServer(given);
    const invocation = adHoc?.invocation ?? given;
    const [word, ...words] = invocation.positionals;
    if (word === undefined) throw usageError('call needs the name of a tool', { hint: `plugboard call ${call.usage}` });
    const { barredServer, findTool, mayHave, serversFor } = await import('../../actions/find-tool.js');
    const loaded = await loadToStart(invocation, io, { starts: (server) => mayHave(word, server) });
    const { chooseServers } = await import('../../actions/choose-servers.js');
    const { withHost } = await import('../open-host.js');
    const spoken = { word, isAdHoc: adHoc !== undefined };
    const named = adHoc?.name ?? serverNamed(word, loaded.servers) ?? barredServer(word, loaded.servers);
    const servers = await serversFor(spoken, chooseServers(loaded, named), loaded);
    const only = servers.map(({ name }) => name);
    return withHost({ invocation, io, loaded, only, mayAsk: true }, async (run) => {
      const found = await findTool(spoken, run);
      const { cwd, places } = loaded.context;
      return perform({ found, words, run, invocation, io, cwd, state: places.state });
    });
  },
};

/** `server.tool` of a server that may not run deserves the reason, not "there is no such tool". */
function serverNamed(word: string, servers: readonly { readonly name: string }[]): string | undefined {
  return servers.filter(({ name }) => word.startsWith(`${name}.`)).toSorted((a, b) => b.name.length - a.name.length)[0]
    ?.name;
}

interface Performance extends Run {
  readonly found: FoundTool;
  readonly words: readonly string[];
  readonly run: HostRun;
  readonly cwd: string;
  /** The folder that results are saved under. */
  readonly state: string | undefined;
}

async function perform({ found, words, run, invocation, io, cwd, state }: Performance): Promise<Outcome> {
  const { readArgument, showable } = await import('../call-parts.js');
  const { toArguments } = await import('../tool-arguments.js');
  const { contentText } = await import('../content-text.js');
  const { forScreen } = await import('../screen-text.js');
  const { callProgress } = await import('../call-progress.js');
  const { variableNotes } = await import('../load.js');
  const { host, signal } = run;
  const { name, server, tool } = found;
  const { inputSchema = {} } = (await host.tool(name)) ?? {};
  const args = invocation.value('args');
  const json = args?.startsWith('@') === true ? await readArgument(resolve(cwd, args.slice(1))) : args;
  const readText = (path: string): Promise<string> => readArgument(resolve(cwd, path));
  const input = await toArguments({ words, json, readText }, inputSchema);
  const notes = variableNotes(host, { invocation, io });
  const fit = await checkInput(host, inputSchema, input);
  if (fit.kind === 'invalid') {
    // The server has the last word: its schema may say less than its code.
    const issues = fit.issues.map(({ path, message }) => `${path} ${message}`.trim());
    notes.push(showLine(`warning the arguments do not fit what "${tool}" asks for: ${issues.join('; ')}`));
  }
  await run.settled(host.connection(server)?.decided());
  const isWanted = !invocation.has('quiet') && !invocation.has('json');
  const progress = run.desk.around(callProgress(io, { isWanted, tool }));
  // Whoever sends the text to a file or another program wants all of it; people and programs that read JSON want what fits.
  const isWhole = invocation.has('full') || (!invocation.has('json') && !io.stdout.isTerminal);
  const shape = isWhole ? 'raw' : 'model';
  const result = await host
    .call({ name, input, signal, onProgress: progress.show, isTyped: true, shape })
    .finally(() => progress.clear());
  const { outcome, content, structuredContent, forUser = [], saved, attempts, ms } = result;
  if (result.error) {
    const error = run.explain(result.error);
    // The first says what the error does; what a tool said beside an answer that breaks its schema comes behind it.
    const beside = result.error.code === 'bad-answer' ? content.slice(1) : [];
    if (beside.length > 0 && !invocation.has('json')) {
      const shownTo = io.stdout.isTerminal ? state : undefined;
      io.stdout.write(`${forScreen(contentText(await showable(beside, shownTo), undefined), io)}\n`);
    }
    for (const note of invocation.has('quiet') ? [] : notes) io.stderr.write(`${note}\n`);
    // One that was not run is no result.
    const isRun = attempts > 0 && setbackOf(result.error) !== 'unauthorized';
    if (!(error instanceof HostError) || !invocation.has('json') || !isRun) throw error;
    const stderr = lastWords(error);
    const view = { ...error.toJSON(), ...(stderr !== '' && { stderr }) };
    const told = [{ type: 'text', text: error.message }, ...beside];
    return {
      data: { name, outcome, content: told, error: view, ms, attempts },
      text: '',
      exitCode: exitCodeOf(error.code),
    };
  }
  const { unsaidOf } = await import('../../host/unsaid.js');
  // What is shaped for a model says it among the texts.
  const unsaid = isWhole ? await unsaidOf(result) : undefined;
  return {
    data: {
      name,
      outcome,
      content,
      ...(structuredContent !== undefined && { structuredContent }),
      ...(forUser.length > 0 && { forUser }),
      ...(saved.length > 0 && { saved }),
      ms,
      attempts,
    },
    text: forScreen(
      contentText(await showable([...content, ...forUser], io.stdout.isTerminal ? state : undefined), unsaid),
      io,
    ),
    notes: [
      ...notes,
      ...saved.map(({ path, bytes }) => showLine(`saved ${bytes} bytes to ${path}`)),
      ...result.notes.map((note) => `note ${showLine(note)}`),
      ...run.notes,
    ],
    ...(outcome === 'error' && { exitCode: exitCodes.failed }),
  };
}
