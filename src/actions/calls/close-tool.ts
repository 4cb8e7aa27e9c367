import { nearest } from '../../base/nearest.js';

interface NamedTool {
  readonly server?: string | undefined;
  readonly tool: string;
}

/** The known tool that a mistyped word most likely means: `server.tool`, or `tool` where one server is the only one. */
export function closeTool(word: string, tools: readonly NamedTool[], isAdHoc: boolean): string | undefined {
  if (isAdHoc) return closeName(word, tools);
  const owner = tools.find(({ server }) => word.startsWith(`${server}.`))?.server;
  const spell = ({ server, tool }: NamedTool): string => `${server}.${tool}`;
  if (owner === undefined) {
    const [close] = nearest(word, tools.map(spell));
    const [bare] =
      close === undefined
        ? nearest(
            word,
            tools.map(({ tool }) => tool),
          )
        : [];
    const found = tools.find(({ tool }) => tool === bare);
    return close ?? (found && spell(found));
  }
  // The name of the server is right: its letters must not count, or a short tool is close to every other.
  const typed = word.slice(owner.length + 1);
  const own = closeName(
    typed,
    tools.filter(({ server }) => server === owner),
  );
  const elsewhere = tools.find(({ tool }) => tool === typed);
  return own === undefined ? elsewhere && spell(elsewhere) : `${owner}.${own}`;
}

function closeName(typed: string, tools: readonly NamedTool[]): string | undefined {
  const names = tools.map(({ tool }) => tool);
  return nearest(typed, names)[0] ?? withLetters(typed, names);
}

/** The shortest name that has all typed letters in their order: `list_notes` for `lst`. */
function withLetters(typed: string, names: readonly string[]): string | undefined {
  if (typed.length < FEWEST) return undefined;
  return names
    .filter((name) => hasLetters(name.toLowerCase(), typed.toLowerCase()))
    .toSorted((one, other) => one.length - other.length || (one < other ? -1 : 1))[0];
}

function hasLetters(name: string, typed: string): boolean {
  let at = 0;
  for (const letter of name) if (letter === typed[at]) at++;
  return at === typed.length;
}

const FEWEST = 2; // letters; a single one is in most names
