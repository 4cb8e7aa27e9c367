import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import type { ConfigContext } from '../context.js';
import { type EditedFormat, jsonFormat } from '../edit/edit-file.js';
import { describeUnknownHost, filesOf, findImporter, levelOf, toImportWhere } from '../edit/import.js';
import { refuseLinkOut, refuseOutside } from '../edit/refuse-outside.js';
import { limitOf, openForeignParser } from '../importers/foreign-document.js';
import type { Importer, ImportFile } from '../importers/importer.js';
import { showPlace } from '../../model/text/problem-text.js';
import { exporters } from './all.js';
import type { Exporter } from './exporter.js';

/** The host to export to, by the name that users type. Throws `usage` for another name. */
export function findExporter(name: string): { readonly exporter: Exporter; readonly importer: Importer } {
  const host = Object.hasOwn(otherNames, name) ? otherNames[name]! : name;
  const importer = findImporter(host);
  const exporter = exporters.find((one) => one.host === host);
  if (importer && exporter) return { exporter, importer };
  const { message, hint } = describeUnknownHost(name);
  throw new HostError('usage', message, { hint });
}

/** What people call these hosts otherwise. */
const otherNames: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  code: 'vscode',
  'vs-code': 'vscode',
  'gemini-cli': 'gemini',
  'copilot-cli': 'copilot',
};

export interface TargetOptions {
  readonly file: string | undefined;
  readonly isProject: boolean;
}

/** The file to write. Throws `usage` when the host has no such file here. */
export function targetOf(name: string, context: ConfigContext, { file, isProject }: TargetOptions): ImportFile {
  const { exporter, importer } = findExporter(name);
  const where = toImportWhere(context);
  if (file !== undefined) {
    const path = refuseLinkOut(resolve(context.cwd, file), context);
    return { path, level: levelOf(importer, path, where) };
  }
  const files = (isProject && exporter.projectFiles?.(where)) || filesOf(importer, where);
  const level = isProject ? 'project' : 'user';
  const usual = files.filter((one) => one.level === level);
  // Some hosts have several places; one that is used already is the right one. A project's file is at its root.
  const found = usual.find(({ path }) => existsSync(path)) ?? (isProject ? usual.at(-1) : usual[0]);
  if (!found) {
    const why = isProject ? 'has no file for a project here' : 'has no file of yours that Plugboard can find';
    throw new HostError('usage', `${importer.title} ${why}`, { hint: `plugboard export ${importer.host} --out FILE` });
  }
  if (isProject) refuseOutside(found.path, context);
  return found;
}

/** How the file is read and bounded; `limit` as for an import, so that the file can be read again. */
export function formatOf({ format }: Importer, { level }: ImportFile): EditedFormat {
  const limit = limitOf(format, level);
  if (format === 'json') return jsonFormat(limit);
  return {
    empty: '',
    limit,
    async refuseBroken(text, file) {
      const parsed = (await openForeignParser(format))(text);
      if ('value' in parsed) return;
      throw new HostError('config-invalid', `${showPlace(file, parsed)}: ${parsed.message}`, {
        hint: 'Nothing was changed. Fix the file and run the command again',
      });
    },
  };
}
