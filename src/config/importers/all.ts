import { claudeCode } from './claude-code.js';
import { claudeDesktop } from './claude-desktop.js';
import { cline } from './cline.js';
import { codex } from './codex.js';
import { copilot } from './copilot.js';
import { cursor } from './cursor.js';
import { geminiImporter } from './gemini.js';
import { goose } from './goose.js';
import type { Importer } from './importer.js';
import { opencode } from './opencode.js';
import { vscode } from './vscode.js';
import { windsurf } from './windsurf.js';
import { zed } from './zed.js';

/** In display order. */
export const importers: readonly Importer[] = [
  claudeCode,
  claudeDesktop,
  cursor,
  vscode,
  codex,
  geminiImporter,
  opencode,
  zed,
  windsurf,
  goose,
  cline,
  copilot,
];
