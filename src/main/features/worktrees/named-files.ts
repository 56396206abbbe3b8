const MOST = 10

/** A list of files for a sentence: "a.ts, b.ts", and how many more above ten. */
export function fileListText(files: readonly string[]): string {
  const more = files.length - MOST
  const named = files.slice(0, more > 0 ? MOST : undefined).join(', ')
  return more > 0 ? `${named} and ${more} more` : named
}
