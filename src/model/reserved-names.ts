/** Names of built-in servers, of this host and of hosts whose files users import. */
export const reservedNames: readonly string[] = [
  'workspace',
  'claude-in-chrome',
  'computer-use',
  'Claude Preview',
  'Claude Browser',
  'plugboard',
];
