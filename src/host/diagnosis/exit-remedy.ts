import { dirname, resolve } from 'node:path';
import { shellWord } from '../../base/shell-word.js';
import type { HostConfig } from '../../config/load.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { existing } from '../../edge/processes/command-mistake.js';
import { fileHead } from '../../edge/files/file-head.js';
import { findCommand } from '../../edge/processes/find-command.js';
import { isFolder, isThere } from '../../edge/files/folders.js';
import { serverTargetOf } from '../../transports/kinds.js';
import { dockerRules, withoutInput } from './docker-rules.js';
import { argsText, type Exit, hintBy, pastable, scriptOf } from './exit-rule.js';
import { generalRules } from './general-rules.js';
import { launchOf } from './launch.js';
import { nodeRules } from './node-rules.js';
import { npmRules } from './npm-rules.js';
import { packageRootOf } from './package-root.js';
import { pythonRules } from './python-rules.js';

/** The process of a server that exited or did not answer; undefined for a server without a process. */
export function exitOf(server: ConfiguredServer, said: string, { context }: HostConfig): Exit | undefined {
  const launch = launchOf(server);
  const target = server.config && serverTargetOf(server.config);
  if (!launch || target?.kind !== 'command') return undefined;
  return { launch, server, context, cwd: resolve(context.cwd, target.cwd ?? '.'), said };
}

/** A hint from the entry alone, whatever the process printed; undefined when nothing is wrong with the entry. */
export function entryHint(exit: Exit): string | undefined {
  return nothingToRun(exit) ?? missingScript(exit) ?? withoutInput(exit) ?? foreignBinary(exit);
}

/** A hint from the output of the process, by the rules of the programs that are known. */
export function saidHint(exit: Exit): string | undefined {
  return hintBy([...npmRules, ...nodeRules, ...pythonRules, ...dockerRules, ...generalRules], exit);
}

/** `npx` alone opens a shell, `node` alone a prompt: both read the messages on stdin as typed commands. */
function nothingToRun({ launch }: Exit): string | undefined {
  if (launch.argv.length > 1) return undefined;
  const what = ALONE[launch.program];
  return what === undefined ? undefined : `${launch.program} has nothing to run. Add "args": ${what}`;
}

const ALONE: Readonly<Record<string, string>> = {
  npx: '["-y", "PACKAGE"]',
  bunx: '["PACKAGE"]',
  uvx: '["PACKAGE"]',
  node: '["/path/to/server.js"]',
  python: '["/path/to/server.py"]',
  python3: '["/path/to/server.py"]',
  docker: '["run", "-i", "--rm", "IMAGE"]',
};

function missingScript(exit: Exit): string | undefined {
  const script = scriptOf(exit);
  if (script === undefined || isThere(script.path)) return undefined;
  const { word, path } = script;
  const { context, launch, server } = exit;
  if (/^~(?=[/\\]|$)/u.test(word)) return `Only a shell knows what ~ is. Write "\${HOME}${word.slice(1)}" in "args"`;
  const meant = word.replaceAll(/(?<!\$)\$([A-Za-z_]\w*)/gu, '${$1}');
  if (meant !== word) return `Only a shell knows what $NAME is. Write ${JSON.stringify(meant)} in "args"`;
  if (context.platform !== 'win32' && /^[A-Za-z]:[\\/]/u.test(word)) {
    return `That is a path of Windows, and this is ${context.platform}: correct "args"`;
  }
  const shown = pastable(word, path);
  if (shown === undefined) return `There is no such file: correct ${JSON.stringify(word)} in "args", or its variable`;
  const elsewhere = [dirname(server.origin), context.projectRoot]
    .map((folder) => resolve(folder, launch.argv[launch.runs!.at]!))
    .find((candidate) => candidate !== path && isThere(candidate));
  if (elsewhere !== undefined) {
    return `A relative path starts at the folder you are in. Write ${JSON.stringify(elsewhere)} in "args"`;
  }
  const root = packageRootOf(path);
  if (root?.canBuild === true && !isFolder(dirname(path))) {
    return `The server is not built yet: cd ${shellWord(root.folder)} && npm install && npm run build`;
  }
  return `There is no such file: correct ${JSON.stringify(word)} in "args". See what is there: ls ${shellWord(existing(path))}`;
}

/** The system passes a file that it cannot execute to a shell, which then complains about the file's bytes. */
function foreignBinary({ launch, context, cwd }: Exit): string | undefined {
  const path = findCommand(launch.argv[0] ?? '', { cwd, path: context.env['PATH'], platform: context.platform });
  const head = path === undefined ? undefined : fileHead(path, 20);
  if (head === undefined || context.platform !== 'linux') return undefined;
  const machine = ELF_MACHINES[process.arch];
  const isElf = head.subarray(0, 4).toString('latin1') === '\x7FELF';
  const isForeign = isElf
    ? machine !== undefined && head.length >= 20 && head.readUInt16LE(18) !== machine
    : FOREIGN.test(head.toString('latin1'));
  if (!isForeign) return undefined;
  return `The program was built for another machine. Install the build for ${process.platform} ${process.arch}; see what it is: file ${shellWord(launch.shown[0]!)}`;
}

/** `e_machine` in the ELF header, by `process.arch`. */
const ELF_MACHINES: Readonly<Partial<Record<string, number>>> = { x64: 62, arm64: 183, ia32: 3, arm: 40 };
/** Executables of Windows, and of macOS with its four magic numbers. */
const FOREIGN = /^(?:MZ|\xCF\xFA\xED\xFE|\xCE\xFA\xED\xFE|\xFE\xED\xFA[\xCE\xCF]|\xCA\xFE\xBA\xBE)/u;

/** An HTTP server that was started as a stdio server prints the port that it listens on. */
export function listeningHint(nonMessage: string, { launch }: Exit): string | undefined {
  const port = /(?:listening|running|started|serving|https?:\/\/)[^\n]{0,80}?(?::|port |on )(\d{2,5})\b/iu.exec(
    nonMessage,
  )?.[1];
  if (port === undefined) return undefined;
  const stdio = argsText([...launch.shown.slice(1), '--stdio']);
  return `This is an HTTP server. Start it yourself and write "url": "http://localhost:${port}/mcp" in place of "command"; or, if it has a flag for stdio: ${stdio}`;
}
