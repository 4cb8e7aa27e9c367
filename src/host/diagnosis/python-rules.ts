import { shellWord } from '../../base/shell-word.js';
import { argsText, type Exit, type ExitRule, pastable, scriptOf } from './exit-rule.js';
import { launchSubjectOf } from './launch.js';
import { mentions, pythonHomeOf } from './package-root.js';

/** Error messages of Python, uv and pipx. */
export const pythonRules: readonly ExitRule[] = [
  { when: /No module named '?([A-Za-z_][\w.]{0,100})/u, hint: missingModule },
  {
    when: /was not found in the package registry|No solution found when resolving|Could not find a version that satisfies/u,
    hint: ({ launch }) => {
      const name = launch.runs?.kind === 'package' ? launchSubjectOf(launch) : undefined;
      if (name === undefined) return undefined;
      return `There is no package "${name}" that can be installed here. Correct "args"; if it is published elsewhere: ${argsText(['--from', 'git+https://...', name])}`;
    },
  },
  {
    when: /is not provided by package|does not provide any executables|The executable \S{1,80} was not found/u,
    hint: ({ launch, said }) => {
      const name = launch.runs?.kind === 'package' ? launchSubjectOf(launch) : undefined;
      if (name === undefined) return undefined;
      // uv lists the programs of the package, one per line.
      const [, first] = /^\s*- ([A-Za-z0-9][\w.-]{0,60})$/mu.exec(said) ?? [];
      return `The package has no program of that name. Write ${argsText(['--from', name, first ?? 'PROGRAM'])}`;
    },
  },
  {
    when: /No interpreter found for Python (\d{1,2}(?:\.\d{1,2})?)|requires-python|requires Python ?[><=~^]*(\d\.\d{1,2})/iu,
    hint: (_, match) => `The server needs another Python: uv python install ${match[1] ?? match[2] ?? '3.13'}`,
  },
  {
    when: /error sending request|dns error|Failed to fetch|client error \(Connect\)|Temporary failure in name resolution/u,
    hint: ({ launch }) =>
      UV.test(launch.program)
        ? 'uv cannot reach its package index: check the network, HTTPS_PROXY and UV_DEFAULT_INDEX'
        : undefined,
  },
  {
    when: /^(?:SyntaxError|IndentationError|TabError): /mu,
    hint: (exit) => {
      const script = scriptOf(exit);
      const path = script && pastable(script.word, script.path);
      if (path === undefined || !exit.launch.program.startsWith('python')) return undefined;
      return `Mend the script; or, if it is written for a newer Python, start it with that one. See: ${shellWord(exit.launch.shown[0]!)} -m py_compile ${path}`;
    },
  },
];

const UV = /^(?:uv|uvx)$/u;

/** Most often the packages are in a virtual environment, and another Python was started. */
function missingModule(exit: Exit, [, name = '']: RegExpExecArray): string | undefined {
  const { launch } = exit;
  const python = shellWord(launch.shown[0] ?? 'python3');
  const script = scriptOf(exit);
  if (launch.runs?.kind === 'module') {
    const module = launchSubjectOf(launch)!;
    if (module.split('.')[0] !== name.split('.')[0] || !/^[\w.-]+$/u.test(module)) return undefined;
    return `Install the module for this Python, by its package name: ${python} -m pip install ${module.split('.')[0]}`;
  }
  if (script === undefined) return undefined;
  const home = pythonHomeOf(script.path);
  const path = pastable(script.word, script.path);
  if (path !== undefined && home?.kind === 'venv')
    return `Start the server with its own Python. Write "command": ${JSON.stringify(home.path)}`;
  if (path !== undefined && home?.kind === 'uv') {
    return `Start the server with its own packages. Write "command": "uv", ${argsText(['run', '--directory', home.path, ...launch.shown.slice(1)])}`;
  }
  if (path !== undefined && home?.kind === 'requirements')
    return `Install the packages it needs: ${python} -m pip install -r ${shellWord(home.path)}`;
  const top = name.split('.')[0]!;
  if (!mentions(script.path, top)) return undefined;
  return `Install the module for this Python, by its package name: ${python} -m pip install ${top}`;
}
