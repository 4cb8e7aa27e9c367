import { scopeLabel } from '../../config/scope-label.js';
import { sandboxText } from '../../config/entries/sandbox-text.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { targetText } from '../../config/entries/target.js';
import { showLine } from '../../model/show.js';

/** What a definition says about itself, in words that are fit to be shown. */
export const serverTexts = {
  /** The command line, or the URL and its transport, masked. */
  target: (server: ConfiguredServer): string => showLine(targetText(server)),
  label: scopeLabel,
  /** Its scope, and the file that it is in. */
  place: ({ scope, origin }: ConfiguredServer): string => `${scopeLabel(scope)}: ${showLine(origin)}`,
  /** What keeps it from the rest of the machine; undefined when nothing does. */
  sandbox(server: ConfiguredServer): string | undefined {
    const text = sandboxText(server);
    return text === undefined ? undefined : showLine(text);
  },
} as const;

export type ServerTexts = typeof serverTexts;
