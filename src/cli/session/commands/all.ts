import type { Command } from '../command.js';
import { agentsCommand } from './agents.js';
import { callCommand } from './call.js';
import { clearCommand } from './clear.js';
import { compactCommand } from './compact.js';
import { costCommand } from './cost.js';
import { exitCommand } from './exit.js';
import { exportCommand } from './export.js';
import { helpCommand } from './help.js';
import { importCommand } from './import.js';
import { mcpCommand } from './mcp.js';
import { modelCommand } from './model.js';
import { permissionsCommand } from './permissions.js';
import { promptsCommand } from './prompts.js';
import { resourcesCommand } from './resources.js';
import { resumeCommand } from './resume.js';
import { skillsCommand } from './skills.js';
import { toolsCommand } from './tools.js';
import { valueCommand } from './value.js';
import { verboseCommand } from './verbose.js';

/** In the order in which help and completion show them. */
export const commands: readonly Command[] = [
  helpCommand,
  mcpCommand,
  importCommand,
  toolsCommand,
  callCommand,
  promptsCommand,
  resourcesCommand,
  skillsCommand,
  modelCommand,
  costCommand,
  valueCommand,
  compactCommand,
  permissionsCommand,
  agentsCommand,
  clearCommand,
  resumeCommand,
  exportCommand,
  verboseCommand,
  exitCommand,
];
