/** A line of markdown without its markup. */
export function plainLine(line: string): string {
  return line
    .replace(/^(?:#{1,6}|>|[-*+]|\d+[.)])\s+/, '')
    .replace(/[`*]+|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
}
