import { codexExporter } from './codex.js';
import type { Exporter } from './exporter.js';
import { gooseExporter } from './goose.js';
import { jsonExporters } from './json-hosts.js';
import { opencodeExporter } from './opencode.js';
import { vscodeExporter } from './vscode.js';

/** One for each importer. */
export const exporters: readonly Exporter[] = [
  ...jsonExporters,
  vscodeExporter,
  codexExporter,
  opencodeExporter,
  gooseExporter,
];
