import { nearest } from '../../base/nearest.js';
import type { HostPrompt } from '../../host/host-prompts.js';
import { fillArguments } from '../../model/prompt-commands.js';
import { adHocOptions, adHocServer } from '../ad-hoc.js';
import { loadToStart } from '../load-to-start.js';
import { showLine } from '../../model/show.js';
import type { Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

export const prompt: Verb = {
  name: 'prompt',
  usage: 'NAME [name=value]... [URL | -- COMMAND ARGS]',
  summary: 'Show what a prompt says, its blanks filled in',
  takesCommand: true,
  options: adHocOptions,
  examples: [
    'plugboard prompt github.review number=12',
    'plugboard prompt /mcp__github__review 12 --json',
    'plugboard prompt args-prompt city=Ulm -- npx -y @modelcontextprotocol/server-everything',
  ],
  async run(given, io) {
    const adHoc = adHocServer(given);
    const invocation = adHoc?.invocation ?? given;
    const [word, ...words] = invocation.positionals;
    if (word === undefined) {
      throw usageError('prompt needs the name of a prompt', { hint: `plugboard prompt ${prompt.usage}` });
    }
    const loaded = await loadToStart(invocation, io);
    const { withHost } = await import('../open-host.js');
    const { findPrompt, serversForPrompt } = await import('../find-prompt.js');
    const { contentText } = await import('../../actions/content-text.js');
    const { forScreen } = await import('../screen-text.js');
    const only = adHoc ? [adHoc.name] : await serversForPrompt(word, loaded);
    return withHost({ invocation, io, loaded, only, mayAsk: true }, async (run) => {
      const found = await findPrompt({ word, isAdHoc: adHoc !== undefined }, run);
      const answer = await run.host.getPrompt({
        server: found.server,
        prompt: found.name,
        arguments: toArguments(words, found),
        signal: run.signal,
      });
      if (!answer.ok) throw answer.error;
      const { messages, description, saved, notes } = answer;
      return {
        data: { description, messages, ...(saved.length > 0 && { saved }) },
        text: forScreen(
          messages.map((message) => `${message.role}: ${contentText([message.content], undefined)}`).join('\n\n'),
          io,
        ),
        notes: [
          ...saved.map(({ path, bytes }) => showLine(`saved ${bytes} bytes to ${path}`)),
          ...notes.map((note) => `note ${showLine(note)}`),
          ...run.notes,
        ],
      };
    });
  },
};

/** A name that is none of its arguments is a slip: words without one are taken in order. */
function toArguments(words: readonly string[], found: HostPrompt): Readonly<Record<string, string>> {
  const names = found.arguments.map(({ name }) => name);
  for (const word of words) {
    const [, name] = /^([\w.-]+)=/u.exec(word) ?? [];
    if (name === undefined || names.includes(name)) continue;
    const [close] = nearest(name, names);
    throw usageError(`prompt "${found.name}" has no argument "${name}"`, {
      hint: close !== undefined ? `Did you mean ${close}=...?` : takes(names),
    });
  }
  const { arguments: given, surplus } = fillArguments(words, found.arguments);
  if (surplus.length > 0)
    throw usageError(`"${surplus[0]}" is more than prompt "${found.name}" takes`, { hint: takes(names) });
  return given;
}

function takes(names: readonly string[]): string {
  return names.length === 0 ? 'It takes no arguments' : `It takes ${names.map((one) => `${one}=...`).join(' ')}`;
}
