import { chmod } from 'node:fs/promises';
import { HostError } from '../../base/errors.js';
import { replaceFile } from '../../edge/files/write-file.js';
import { isThere } from '../../edge/files/folders.js';
import { inline, sectionsOf, type TextWriters } from '../transcript.js';
import { gateText } from '../../model/text/text-gate.js';
import { escapeLive, quoteMarkdown, toMarkdownText } from './markdown-text.js';
import type { RestoredSession } from './restored-session.js';
import { firstWords, toTitle } from './session-title.js';
import { toStoredPart } from './stored-parts.js';
import { toResultFields } from './stored-result.js';

/** What is exported of a session. */
export interface ExportedSession extends Pick<RestoredSession, 'id' | 'cwd' | 'model'> {
  /** All that was said, also what was summarised since. */
  readonly items: RestoredSession['items'];
  /** As its file has it. */
  readonly title?: string | undefined;
  readonly exported: Date;
}

/**
 * Writes a session to a file that only its owner reads: as JSON if the name ends so, else as Markdown. Rejects with
 * `write-failed` for a file that is there, unless it is to be replaced.
 */
export async function exportSession(
  session: ExportedSession,
  path: string,
  { isForced }: { readonly isForced: boolean },
): Promise<void> {
  if (!isForced && isThere(path)) {
    throw new HostError('write-failed', `${path} exists`, {
      hint: 'Choose another file, or replace this one with --force',
    });
  }
  const text = /\.json$/iu.test(path) ? toJson(session) : toMarkdown(session);
  if (isForced) await chmod(path, 0o600).catch(() => {}); // the file that is replaced keeps its mode; often there is none
  await replaceFile(path, text, { mode: 0o600 });
}

/** All of a session, for programs. */
function toJson({ items, id, cwd, model, exported }: ExportedSession): string {
  const messages = items.flatMap((item): object[] => {
    if (item.kind === 'results') {
      return item.results.map((result) => {
        const { block, rest } = toResultFields(result);
        return { role: 'user', uuid: item.id, content: [block], plugboard: rest };
      });
    }
    const { role, parts } = item.message;
    return [{ role, uuid: item.id, ...(item.from && { from: item.from }), content: parts.map(toStoredPart) }];
  });
  return `${JSON.stringify({ id, cwd, exported: exported.toISOString(), model, messages }, null, 2)}\n`;
}

/** A session for people: what was said, and each call with its result. Reasoning is left out. */
function toMarkdown({ items, id, cwd, model, title, exported }: ExportedSession): string {
  const facts = [
    `- Session: ${inline(id)}`,
    `- Folder: ${inline(cwd)}`,
    ...(model === undefined ? [] : [`- Model: ${inline(model)}`]),
    `- Exported: ${exported.toISOString()}`,
  ];
  const heading = escapeLive(title ?? toTitle(firstWords(items))) || 'A session';
  const sections = items.flatMap((item) => sectionsOf(item, Infinity, FOR_PEOPLE));
  return `${[`# ${heading}`, facts.join('\n'), ...sections].join('\n\n')}\n`;
}

const FOR_PEOPLE: TextWriters = {
  said: toMarkdownText,
  quoted: (text) => quoteMarkdown(toMarkdownText(text)),
  shown: (text) => gateText(text).text,
};
