/** A run of white space, or an argument. Other spaces of Unicode are characters: they are spelled out. */
const PART = /(?:[ \t\n]|\r\n)+|(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|(?!\r\n)[^ \t\n'"\\]|['"\\])+/g

/**
 * Splits a command into its arguments and the white space between them, in order; together they are the whole text.
 * White space in quotes or after a backslash belongs to its argument. Quotes without an end are plain characters.
 */
export function shellWords(command: string): readonly string[] {
  return command.match(PART) ?? []
}
