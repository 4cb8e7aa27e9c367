import { nearest } from '../../base/nearest.js';
import type { Host } from '../../host/host.js';
import { inside } from '../../host/inside.js';
import type { HostPrompt } from '../../host/host-prompts.js';
import { fillArguments } from '../../model/view/prompt-commands.js';
import { showLine } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { hostOf } from '../action-place.js';
import { startIdle } from '../running-server.js';
import { contentText } from './content-text.js';
import { mayHave } from './find-tool.js';
import { usageError } from '../usage-error.js';

const args = { prompt: { kind: 'word', noun: 'the name of a prompt' }, words: { kind: 'words' } } as const;

type PromptText = Extract<Awaited<ReturnType<Host['getPrompt']>>, { readonly ok: true }>;

export const prompt: Action<typeof args, PromptText> = defineAction({
  name: 'prompt',
  label: 'prompt',
  doing: 'asking for a prompt',
  summary: 'Show the messages of a prompt, with its arguments filled in',
  args,
  needs: 'host',
  opening: {
    async servers(loaded, { prompt: word }, { adHoc }) {
      if (adHoc !== undefined) return [adHoc];
      const { serversForPrompt } = await import('./find-prompt.js');
      return serversForPrompt(word, loaded);
    },
    mayStart: (server, { prompt: word }) => mayHave(word.replace(/^\//u, ''), server),
    isLazy: true,
    mayAsk: true,
  },
  async run(on, { prompt: word, words }, context) {
    const place = hostOf(on);
    const { findPrompt } = await import('./find-prompt.js');
    const found = await findPrompt({ word, isAdHoc: place.adHoc !== undefined }, place, context);
    const { server, name } = found;
    const given = toArguments(words, found);
    const running = place.host[inside].server(server);
    startIdle(running);
    await context.wait?.(running?.decided() ?? Promise.resolve());
    const answer = await place.host.getPrompt({
      server,
      prompt: name,
      arguments: given,
      signal: context.signal,
      isUnread: true,
    });
    if (!answer.ok) throw answer.error;
    return answer;
  },
  json: ({ description, messages, saved }) => ({ description, messages, ...(saved.length > 0 && { saved }) }),
  tell: ({ messages, saved, notes }) => ({
    tone: 'note',
    parts: [
      {
        kind: 'text',
        text: messages.map(({ role, content }) => `${role}: ${contentText([content], undefined)}`).join('\n\n'),
      },
    ],
    notes: [
      ...saved.map(({ path, bytes }) => showLine(`saved ${bytes} bytes to ${path}`)),
      ...notes.map((note) => `note: ${showLine(note)}`),
    ],
  }),
});

/** Throws `usage` for `name=value` with a name that the prompt lacks. Words without a name are taken in order. */
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
    throw usageError(`"${surplus[0]}" is one argument too many for prompt "${found.name}"`, { hint: takes(names) });
  return given;
}

function takes(names: readonly string[]): string {
  return names.length === 0
    ? 'The prompt takes no arguments'
    : `The prompt takes ${names.map((one) => `${one}=...`).join(' ')}`;
}
