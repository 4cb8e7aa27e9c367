import type { Verb } from '../verb.js';
import { usageError } from '../input/usage-error.js';

/** Each script asks the program for candidates, so that new verbs, flags and servers appear at once. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_plugboard() {
  local IFS=$'\\n'
  COMPREPLY=($(plugboard __complete --breaks="$COMP_WORDBREAKS" -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  if [[ "\${COMPREPLY[0]}" == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _plugboard plugboard
`,
  zsh: `#compdef plugboard
_plugboard() {
  local -a lines names
  lines=("\${(@f)$(plugboard __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  lines=("\${(@)lines//:/\\\\:}")
  names=("\${(@)lines//$'\\t'/:}")
  if (( \${#lines} )) && [[ -n "\${lines[1]}" ]]; then
    if [[ "\${lines[1]%%$'\\t'*}" == *= ]]; then _describe 'plugboard' names -S ''; else _describe 'plugboard' names; fi
  else _files; fi
}
if [[ "\${funcstack[1]}" == _plugboard ]]; then _plugboard "$@"; else compdef _plugboard plugboard; fi
`,
  fish: `complete -c plugboard -f -a '(plugboard __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName plugboard -ScriptBlock {
  param($word, $tree)
  $words = @($tree.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  plugboard __complete -- @words 2>$null | ForEach-Object {
    $name, $text = $_ -split "\`t", 2
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', ($text, $name -ne $null)[0])
  }
}
`,
};

const installs: Readonly<Record<string, string>> = {
  bash: 'plugboard completion bash > ~/.local/share/bash-completion/completions/plugboard',
  zsh: 'plugboard completion zsh > "${fpath[1]}/_plugboard"',
  fish: 'plugboard completion fish > ~/.config/fish/completions/plugboard.fish',
  powershell: 'plugboard completion powershell >> $PROFILE',
};

export const completionVerb: Verb = {
  name: 'completion',
  usage: 'bash|zsh|fish|powershell',
  summary: 'Print a completion script for your shell',
  completes: 'shell',
  examples: Object.values(installs),
  async run({ positionals }) {
    const [shell] = positionals;
    const script = shell !== undefined && Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (shell === undefined || script === undefined || positionals.length > 1) {
      throw usageError(`expected one of ${Object.keys(scripts).join(', ')}`, { hint: 'plugboard completion bash' });
    }
    return { data: { shell, script, install: installs[shell] }, text: script };
  },
};

export const shells: readonly string[] = Object.keys(scripts);
