export const scopeArgument = {
  kind: 'choice',
  short: 's',
  value: 'SCOPE',
  choices: ['local', 'project', 'user'],
  synonyms: { global: 'user', machine: 'user', home: 'user', repo: 'project', shared: 'project', private: 'local' },
  summary: 'local, project (.mcp.json) or user',
} as const;

export const dryRunArgument = { kind: 'flag', summary: 'show the difference and change nothing' } as const;
