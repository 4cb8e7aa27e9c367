import type { Host, HostPrompt } from '../../../index.js';
import { fillArguments } from '../../../model/view/prompt-commands.js';
import { showLine } from '../../../model/show.js';
import type { CompletionItem } from '../../terminal/screen.js';

/** Completes the arguments of a prompt that are still missing. Their values come from its server, through `later`. */
export function promptArgumentItems(
  host: Host,
  { server, name, arguments: slots }: HostPrompt,
  { before, last, signal }: { readonly before: readonly string[]; readonly last: string; readonly signal: AbortSignal },
  later: (items: readonly CompletionItem[]) => void,
): readonly CompletionItem[] {
  const { arguments: given } = fillArguments(before, slots);
  const [, named, typed] = /^([^=]+)=([\s\S]*)$/u.exec(last) ?? [];
  const open = slots.filter((slot) => !Object.hasOwn(given, slot.name));
  const current = named === undefined ? open[0] : slots.find((slot) => slot.name === named);
  const start = named === undefined ? '' : `${named}=`;
  const names = open
    .filter((slot) => named === undefined && slot.name.startsWith(last))
    .map((slot) => ({
      text: `${slot.name}=`,
      about: showLine(slot.description ?? (slot.required ? 'needed' : 'optional')),
      isWhole: false,
    }));
  if (current) {
    const argument = { name: current.name, value: typed ?? last };
    const ref = { type: 'ref/prompt', name } as const;
    const tell = (values: readonly string[]): void => {
      const items = values.map((value) => ({
        text: `${start}${quotedValue(value)}`,
        about: showLine(current.name),
        isWhole: true,
      }));
      if (!signal.aborted && items.length > 0) later([...items, ...names]);
    };
    void host
      .complete({ server, ref, argument, context: given, signal, timeoutMs: WAIT_MS })
      .then((answer) => tell(answer.ok ? answer.values : []));
  }
  return names;
}

/** A value as a word of a command of the session. */
export function quotedValue(value: string): string {
  return /[\s"']/u.test(value) ? `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"` : value;
}

const WAIT_MS = 5_000; // by then the user has typed on
