/** A path with `~` for the home folder: shorter, and the same to a shell. */
export function homePath(file: string, env: { readonly [name: string]: string | undefined }): string {
  const home = env['HOME'] ?? '';
  return home !== '' && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}
