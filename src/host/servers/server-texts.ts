import { scopeLabel } from '../../config/scope-label.js';
import { sandboxText } from '../../config/entries/sandbox-text.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { targetText } from '../../config/entries/target.js';
import { showLine } from '../../model/show.js';

/** Texts about a definition of a server, masked and cleaned so that they can be shown. */
export const serverTexts = {
  /** The command line, or the URL and its transport, masked. */
  target: (server: ConfiguredServer): string => showLine(targetText(server)),
  label: scopeLabel,
  /** The scope and the file of the entry. */
  place: ({ scope, origin }: ConfiguredServer): string => `${scopeLabel(scope)}: ${showLine(origin)}`,
  /** How the server is sandboxed; undefined when it is not. */
  sandbox(server: ConfiguredServer): string | undefined {
    const text = sandboxText(server);
    return text === undefined ? undefined : showLine(text);
  },
} as const;

export type ServerTexts = typeof serverTexts;
