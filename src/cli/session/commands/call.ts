import { checkInput } from '../../../actions/check-input.js';
import { resolve } from 'node:path';
import { HostError } from '../../../base/errors.js';
import { within } from '../../../base/within.js';
import type { CallProgress } from '../../../model/tool.js';
import { toBar } from '../../call-progress.js';
import { showLine } from '../../../model/show.js';
import type { CompletionItem } from '../../terminal/screen.js';
import { argumentItems, toolItems } from '../complete-tools.js';
import type { Command, CommandContext } from '../command.js';
import { findSpoken, type SpokenTool } from '../find-spoken.js';

export const call: Command = {
  name: 'call',
  usage: 'TOOL [name=value | name:=json | name=@file]...',
  summary: 'Call a tool by hand',
  completes: ({ session: { host } }, { before, last }): readonly CompletionItem[] => {
    const [tool, ...given] = before;
    return tool === undefined ? toolItems(host, last) : argumentItems(host, { tool, given, last });
  },
  async run(context, [word, ...words]) {
    if (word === undefined) {
      throw new HostError('usage', 'error: /call needs the name of a tool', { hint: `/call ${call.usage}` });
    }
    const found = await findSpoken(word, context.session.host, context.signal);
    await perform(found, words, context);
  },
};

async function perform(
  { name, tool }: SpokenTool,
  words: readonly string[],
  { session: { host }, screen, config, signal, io, asking }: CommandContext,
): Promise<void> {
  const { readArgument, showable } = await import('../../call-parts.js');
  const { toArguments } = await import('../../tool-arguments.js');
  const { contentText } = await import('../../content-text.js');
  const { forScreen } = await import('../../screen-text.js');
  const { dim, red } = screen.style;
  const { inputSchema = {} } = (await host.tool(name)) ?? {};
  const readText = (path: string): Promise<string> => readArgument(resolve(config.cwd, path));
  const input = await toArguments({ words, json: undefined, readText }, inputSchema);
  const fit = await checkInput(host, inputSchema, input);
  if (fit.kind === 'invalid') {
    // The server has the last word: its schema may say less than its code.
    const issues = fit.issues.map(({ path, message }) => `${path} ${message}`.trim());
    screen.print(dim(showLine(`The arguments do not fit what "${tool}" asks for: ${issues.join('; ')}`)));
  }
  const began = performance.now();
  let progress: CallProgress | undefined;
  const draw = (): void => screen.show('work', [workRow(tool, progress, performance.now() - began)]);
  const moving = screen.animate(draw);
  const result = await host
    .call({ name, input, signal, isTyped: true, onProgress: (now) => void (progress = now) })
    .finally(() => {
      moving[Symbol.dispose]();
      screen.show('work', undefined);
    });
  if (result.error) throw result.error;
  const { outcome, content, forUser = [], saved, notes, ms } = result;
  const shown = contentText(await showable([...content, ...forUser], config.places.state), undefined);
  const text = forScreen(shown, io);
  // Words of a server must not stand in the middle of what somebody else asks.
  await within(asking.idle(), { signal, instead: () => undefined });
  screen.print(
    [
      ...(outcome === 'error' ? [red(`${showLine(tool)} says that it failed:`)] : []),
      ...(text === '' ? [] : [text]),
      ...saved.map(({ path, bytes }) => dim(showLine(`saved ${bytes} bytes to ${path}`))),
      ...notes.map((note) => dim(showLine(note))),
      dim(`${Math.round(ms)} ms`),
    ].join('\n'),
  );
}

function workRow(tool: string, progress: CallProgress | undefined, ms: number): string {
  const bar = progress && toBar(progress.progress, progress.total);
  const message = progress?.message;
  return [
    showLine(tool),
    ...(bar === undefined ? [] : [bar]),
    ...(message === undefined ? [] : [showLine(message)]),
    `${Math.floor(ms / 1000)} s (Ctrl-C stops)`,
  ].join('  ');
}
