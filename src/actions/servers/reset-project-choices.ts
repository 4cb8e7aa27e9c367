import { showLine } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { configOf } from '../action-place.js';
import type { ToldPart } from '../told.js';

interface ForgottenChoices {
  /** The file of approvals. */
  readonly file: string;
  readonly project: string;
  readonly servers: readonly string[];
  /** The folder whose trust decision was forgotten, and the file it was in; undefined when there was none. */
  readonly trust: { readonly folder: string; readonly file: string } | undefined;
}

const args = {} as const;

export const resetProjectChoices: Action<typeof args, ForgottenChoices> = defineAction({
  name: 'reset-project-choices',
  label: 'forget choices',
  doing: 'forgetting choices',
  summary: 'Forget what was approved, rejected and trusted here',
  args,
  needs: 'files',
  async run(on) {
    const config = configOf(on);
    const { forgetChoices } = await import('../../config/approval/approvals.js');
    const { folderToTrust } = await import('../../config/approval/folder-trust.js');
    const { forgetTrust } = await import('../../config/approval/trust-edit.js');
    const { file, servers } = await forgetChoices(config);
    const folder = folderToTrust(config);
    const trust = await forgetTrust(config, folder);
    const forgotten = trust.isForgotten ? { folder, file: trust.file } : undefined;
    return { file, project: config.projectRoot, servers, trust: forgotten };
  },
  json: ({ trust, ...choices }) => ({ ...choices, trust: trust !== undefined }),
  tell({ file, project, servers, trust }) {
    const parts: ToldPart[] = [];
    if (servers.length > 0) {
      const what = servers.length === 1 ? 'the choice' : 'the choices';
      parts.push(sentence(`Forgot ${what} about ${servers.join(', ')} in ${project}`), edited(file));
    }
    if (trust) parts.push(sentence(`Forgot whether ${trust.folder} is trusted`), edited(trust.file));
    return parts.length > 0
      ? { tone: 'done', parts }
      : { tone: 'note', parts: [sentence(`No choices were made in ${project}`)] };
  },
});

function sentence(text: string): ToldPart {
  return { kind: 'sentence', text: showLine(text) };
}

function edited(file: string): ToldPart {
  return { kind: 'edits', files: [showLine(file)] };
}
