/** The keys that appear twice in one object of this JSON: the first of their values would be lost. */
export async function duplicateKeys(text: string): Promise<readonly string[]> {
  const { scanJson } = await import('../../config/edit/json-scan.js');
  return scanJson(text).duplicates.map(({ key }) => key);
}
